/* directive_lists.c - directives that may stand more than once, or have a list:
 * each adds something to what there is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directive_rows.h"

#include "lib/base/log.h"

#include <stdlib.h>
#include <string.h>

/* One text more. The list is copied for each; the arena gives the old ones back with
 * the whole configuration. */
static void add_text(struct reading *r, size_t *n, const char ***list, const char *text)
{
    const char **more = ARENA_ARRAY(r->c->arena, const char *, *n + 1);

    if (*n > 0)
        memcpy(more, *list, *n * sizeof(*more));
    more[(*n)++] = arena_strdup(r->c->arena, text);
    *list = more;
}

bool directive_client(struct reading *r, const struct directive *d, const char *arg)
{
    (void)d;
    if (!arg[0])
        return false;
    add_text(r, &r->c->n_clients, &r->c->clients, arg);
    return true;
}

bool directive_restricted(struct reading *r, const struct directive *d, const char *arg)
{
    if (!*arg) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "No value specified, no action taken.");
        return false;
    }
    add_text(r, &r->c->n_restricted, &r->c->restricted, arg);
    return true;
}

void directive_add_resource(struct reading *r, const char *name, size_t name_len,
                            const char *value)
{
    struct config *c = r->c;

    ARENA_ROOM(c->arena, &c->resources, v, 8);
    c->resources.v[c->resources.n++] =
        (struct host_resource){ .name = arena_strndup(c->arena, name, name_len),
                                .value = arena_strdup(c->arena, value) };
}

/* "host:from to" */
bool directive_usecp(struct reading *r, const struct directive *d, const char *arg)
{
    /* The host ends at the first colon and the prefix at the first blank, so a path
     * with a blank cannot be named (execution.md 6). */
    const char *colon = strchr(arg, ':');
    const char *blank = colon ? strpbrk(colon, " \t") : NULL;
    struct arena *a = r->c->arena;
    struct usecp *more;

    (void)d;
    /* An empty prefix would be one of every path, and an empty host is nobody. */
    if (!colon || colon == arg || !blank || blank == colon + 1) {
        reading_fail(r, 0, 0, "usecp", "invalid host specification: %s", arg);
        return false;
    }
    more = ARENA_ARRAY(a, struct usecp, r->c->n_usecp + 1);
    if (r->c->n_usecp)
        memcpy(more, r->c->usecp, r->c->n_usecp * sizeof(*more));
    more[r->c->n_usecp++] = (struct usecp){
        .host = arena_strndup(a, arg, (size_t)(colon - arg)),
        .from = arena_strndup(a, colon + 1, (size_t)(blank - colon - 1)),
        .to = arena_strdup(a, blank + strspn(blank, " \t")),
    };
    r->c->usecp = more;
    return true;
}

/* Names of accounts, with commas or blanks between them. */
bool directive_exceptions(struct reading *r, const struct directive *d, const char *arg)
{
    char *words = arena_strdup(r->c->arena, arg), *save = NULL;
    struct config *c = r->c;

    c->n_restrict_exempt = 0;
    for (const char *name = strtok_r(words, ", \t", &save); name;
         name = strtok_r(NULL, ", \t", &save)) {
        if (c->n_restrict_exempt == CONFIG_RESTRICT_EXEMPT) {
            reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
            return false;
        }
        c->restrict_exempt[c->n_restrict_exempt++] = name;
    }
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s",
                c->n_restrict_exempt ? arg : "No value specified, no action taken.");
    return c->n_restrict_exempt > 0;
}
