/* record.c - building records in an arena.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/record.h"

#include "server/model/model.h"

#include <string.h>

/* Arrays in an arena grow by doubling; the old block stays until the arena goes. */
static void *grown(struct arena *arena, const void *v, size_t n, size_t *cap,
                   size_t size_bytes)
{
    /* Doubling keeps the waste below the size of the final array. */
    size_t more = *cap ? 2 * *cap : 4;
    char *p = arena_zero(arena, more * size_bytes);

    if (n)
        memcpy(p, v, n * size_bytes);
    *cap = more;
    return p;
}

struct record *record_add(struct records *list, struct arena *arena, enum fact fact,
                          enum obj_kind kind, const char *id, const char *actor,
                          int64_t at)
{
    struct record *rec = ARENA_NEW(arena, struct record);

    MUST(fact < FACT_COUNT && kind < OBJ_KIND_COUNT && id);
    *rec = (struct record){
        .at = at, .fact = fact, .kind = kind, .id = id, .actor = actor
    };
    /* The list holds pointers, so a record stays where it is while the list grows. */
    if (list->n == list->cap)
        list->v = grown(arena, list->v, list->n, &list->cap, sizeof(*list->v));
    list->v[list->n++] = rec;
    return rec;
}

void record_change(struct record *rec, struct arena *arena, int attr,
                   const char *resource, const char *after)
{
    MUST(attr >= 0 && (size_t)attr < kind_table(rec->kind)->n);
    if (rec->n_changes == rec->cap_changes)
        rec->changes = grown(arena, rec->changes, rec->n_changes, &rec->cap_changes,
                             sizeof(*rec->changes));
    rec->changes[rec->n_changes++] =
        (struct change){ .attr = attr, .resource = resource, .after = after };
}

void record_change_num(struct record *rec, struct arena *arena, int attr, int64_t after)
{
    record_change(rec, arena, attr, NULL, arena_printf(arena, "%" PRId64, after));
}
