/* dry_moved.c - see dry_moved.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/dry_moved.h"

#include "server/model/occurrence.h"

#include <inttypes.h>

const struct occurrence *dry_moved(const struct model *m, const struct record *rec)
{
    const struct resv *r;

    if (rec->fact != FACT_RESV_ALTERED || rec->reason != REASON_PUSHED)
        return NULL;
    if (rec->kind == OBJ_OCCURRENCE)
        return occurrence_find(m, rec->id);
    r = model_resv(m, rec->id);
    return r ? &r->current : NULL;
}

/* What the record makes of that attribute, which stays what it was when the record says
 * nothing of it. */
static const char *text_after(const struct record *rec, int attr, const char *before)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return before;
}

static void say(const struct record *rec, const char *name, const char *text,
                struct arena *arena, struct wire_attrs *to)
{
    if (text)
        wire_attrs_add(to, arena, name, arena_strdup(arena, rec->id),
                       arena_strdup(arena, text), WIRE_OP_SET);
}

static void say_one(const struct record *rec, const struct occurrence *oc,
                    struct arena *arena, struct wire_attrs *to)
{
    bool later = rec->kind == OBJ_OCCURRENCE;
    int start = later ? (int)OCCURRENCE_A_START : (int)RESV_A_RESERVE_START;
    int nodes = later ? (int)OCCURRENCE_A_RESV_NODES : (int)RESV_A_RESV_NODES;
    const char *from = arena_printf(arena, "%" PRId64, occurrence_start_at(oc, 0));

    say(rec, "moved_from", from, arena, to);
    say(rec, "moved_to", text_after(rec, start, from), arena, to);
    say(rec, "moved_nodes", text_after(rec, nodes, occurrence_vnodes(oc)), arena, to);
}

void dry_moved_say(const struct model *m, const struct dry_verdict *v,
                   struct arena *arena, struct wire_attrs *to)
{
    for (size_t i = 0; i < v->n_lists; i++)
        for (size_t k = 0; k < v->lists[i]->n; k++) {
            const struct record *rec = v->lists[i]->v[k];
            const struct occurrence *oc = dry_moved(m, rec);

            if (oc)
                say_one(rec, oc, arena, to);
        }
}
