/* peek.c - a look at one object of either database: it becomes a record that lives in
 * the caller's arena.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

struct peeking {
    struct arena *arena;
    struct store_record *ret;
    bool found;
};

/* What is handed over lives during the call only. */
static int take(void *arg, const struct store_record *object)
{
    struct peeking *p = arg;
    struct arena *a = p->arena;
    struct store_change *changes = ARENA_ARRAY(a, struct store_change, object->n);

    for (size_t i = 0; i < object->n; i++)
        changes[i] = (struct store_change){
            .attr = arena_strdup(a, object->changes[i].attr),
            .resource = arena_strdup(a, object->changes[i].resource),
            .after = arena_strdup(a, object->changes[i].after),
        };
    *p->ret = *object;
    p->ret->actor = arena_strdup(a, object->actor);
    p->ret->fact = arena_strdup(a, object->fact);
    p->ret->note = NULL;
    p->ret->kind = arena_strdup(a, object->kind);
    p->ret->id = arena_strdup(a, object->id);
    p->ret->changes = changes;
    p->found = true;
    return 0;
}

int store_peek(const struct store_config *cfg, const char *kind, const char *id,
               struct arena *arena, struct store_record *ret, bool *ret_found,
               struct diag *why)
{
    struct peeking p = { .arena = arena, .ret = ret };
    const char *path = store_sqlite_path(cfg->url),
               *conninfo = store_pg_conninfo(cfg->url);
    int err;

    if (path)
        err = store_sqlite_peek(path, kind, id, take, &p, why);
    else if (conninfo)
        err = store_pg_peek(conninfo, cfg, kind, id, take, &p, why);
    else
        err = diag_set(why, PBSE_SYSTEM, "%s: not a store that others can look into",
                       cfg->url);
    *ret_found = p.found;
    return err;
}
