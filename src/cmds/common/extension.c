/* extension.c - see extension.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/extension.h"

#include "lib/base/base.h"
#include "lib/wire/batch.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Attributes that are ours: a server that does not know them might keep half of a
 * request, and nobody would do what they say. */
static const struct {
    const char *attr;
    const char *extension;
} ours[] = {
    { "on_end", EXTENSION_ON_END },
    { "on_end_queue", EXTENSION_ON_END },
    { "auto_extend", EXTENSION_AUTO_EXTEND },
    { "auto_extend_max", EXTENSION_AUTO_EXTEND },
    { "auto_extend_release", EXTENSION_RELEASE },
};

static const char *extension_of(const char *attr)
{
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (strcasecmp(ours[i].attr, attr) == 0)
            return ours[i].extension;
    return NULL;
}

bool extension_is_offered(int conn, const char *name)
{
    struct attrl wanted = { .name = (char *)"holdfast_extensions",
                            .value = (char *)"" };
    struct batch_status *svr = pbs_statserver(conn, &wanted, NULL);
    const char *list = NULL;
    bool offered;

    for (const struct attrl *a = svr ? svr->attribs : NULL; a; a = a->next)
        if (strcasecmp(a->name, wanted.name) == 0)
            list = a->value;
    offered = str_list_has(list, name);
    pbs_statfree(svr);
    return offered;
}

bool extension_may_ask(const char *cmd, int conn, const char *name, const char *words)
{
    if (extension_is_offered(conn, name))
        return true;
    fprintf(stderr,
            "%s: the server does not offer %s: it is of another make, or older than "
            "this command; nothing was asked for\n",
            cmd, words);
    return false;
}

bool extension_may_send(const char *cmd, int conn, const struct attropl *attrs)
{
    for (const struct attropl *a = attrs; a; a = a->next) {
        const char *extension = extension_of(a->name);

        if (extension && !extension_may_ask(cmd, conn, extension, a->name))
            return false;
    }
    return true;
}

bool extension_knows_occurrences(const char *cmd, int conn)
{
    if (extension_is_offered(conn, EXTENSION_OCCURRENCE))
        return true;
    fprintf(stderr,
            "%s: the server does not know occurrences by their index: it is of another "
            "make, or older than this command; nothing was asked for\n",
            cmd);
    return false;
}
