/* depend_ids.c - see depend_ids.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/depend_ids.h"

#include "cmds/common/operand.h"
#include "lib/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_counted(const char *type, size_t len)
{
    return (len == 2 && memcmp(type, "on", 2) == 0) ||
           (len == 9 && memcmp(type, "synccount", 9) == 0);
}

static bool add_id(struct buf *out, const char *word)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    const char *index = strchr(word, '[');
    const char *at = strchr(word, '@');

    if (index && index[1] != ']')
        return false;
    if (operand_job(word, id, server))
        buf_printf(out, "%s%s", id, at ? at : "");
    else
        buf_add_str(out, word);
    return true;
}

char *depend_ids_complete(const char *text)
{
    struct buf out = { 0 };
    bool counted = false, good = true;
    char *ret;

    while (*text && good) {
        size_t len = strcspn(text, ":,");
        bool first = out.len == 0 || out.data[out.len - 1] == ',';
        char *word = xstrndup(text, len);

        if (first)
            counted = is_counted(word, len);
        if (first || counted || len == 0)
            buf_add_str(&out, word);
        else
            good = add_id(&out, word);
        free(word);
        text += len;
        if (*text)
            buf_add_char(&out, *text++);
    }
    ret = good ? xstrdup(out.data ? out.data : "") : NULL;
    buf_fini(&out);
    return ret;
}
