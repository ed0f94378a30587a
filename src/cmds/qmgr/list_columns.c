/* list_columns.c - how "list" breaks long values (cli.md 8.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"

#include <stdlib.h>
#include <string.h>

#define LIST_COLUMNS 80

/* What a terminal would obey is shown as "^X"; lines and tabs stay (cli.md 8.5). */
static void add_visible(struct buf *out, const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)p[i] < ' ' && p[i] != '\n' && p[i] != '\t')
            buf_printf(out, "^%c", p[i] + '@');
        else
            buf_add_char(out, p[i]);
}

/* Values break at commas. The column is counted on through all values and never begins
 * anew, as in the output that scripts know. */
void qmgr_list_attr(const struct attrl *a, struct buf *out)
{
    /* PBS counts 11 for the blanks and the sign around the name, which are 7: lines
     * break where they always have (cli.md 8.4). */
    size_t used = strlen(a->name) + 11 + (a->resource ? strlen(a->resource) + 1 : 0);
    char *own = xstrdup(a->value);
    const char *p = own;

    printable_text(own);
    buf_printf(out, "    %s%s%s = ", a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
    for (bool first = true;; first = false) {
        size_t len = strcspn(p, ",");

        used += len + 1;
        if (!first && used >= LIST_COLUMNS) {
            buf_add_str(out, "\n\t");
            while (len > 0 && *p == ' ') {
                p++;
                len--;
            }
        }
        add_visible(out, p, len);
        p += len;
        if (*p == '\0')
            break;
        buf_add_char(out, ',');
        p++;
    }
    buf_add_char(out, '\n');
    free(own);
}
