/* check_conflict.c - see check_conflict.h.
 *
 * What maintenance takes it takes when it is made or altered. Later on a manager may
 * force others onto its vnodes, so all is looked at in that turn only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_conflict.h"

#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

static const struct occurrence *occurrence_of(const struct model *m,
                                              const struct record *rec)
{
    const struct object *o = model_find(m, rec->kind, rec->id);

    if (!o)
        return NULL;
    return o->kind == OBJ_RESV ? &TO_RESV(o)->current : &TO_LATER(o)->occurrence;
}

/* Who has begun has its vnodes until it is cleaned up. */
static bool meets(const struct occurrence *oc, const struct resv *maint, int64_t now_at)
{
    struct window own = occurrence_window(oc);
    struct window taken = occurrence_window(&maint->current);

    if (oc->counted && own.end_at <= now_at)
        own.end_at = now_at + 1;
    return own.start_at < taken.end_at && own.end_at > taken.start_at;
}

/* The note names the maintenance. */
static void check_taken(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct occurrence *oc = occurrence_of(m, rec);
    const char *id = rec->note ? strrchr(rec->note, ' ') : NULL;
    const struct resv *maint = id ? model_resv(m, id + 1) : NULL;

    if (!oc || !maint)
        check_failed(s, CHECK_LIFE, "%s loses vnodes to nobody", rec->id);
    else if (!meets(oc, maint, rec->at))
        check_failed(s, CHECK_LIFE,
                     "%s loses vnodes to %s, which it does not meet in time", rec->id,
                     maint->obj.id);
}

static bool changes(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return true;
    return false;
}

/* 'm' is the model before the record. */
void check_conflict_record(struct sim *s, const struct model *m,
                           const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    struct takers *t = &s->takers;

    if (rec->fact == FACT_RESV_CONFLICT)
        check_taken(s, m, rec);
    if (!r || !resv_is_maintenance(r) ||
        (rec->fact != FACT_RESV_CONFIRMED && rec->fact != FACT_RESV_ALTERED) ||
        (!changes(rec, RESV_A_RESV_NODES) && !changes(rec, RESV_A_RESERVE_START) &&
         !changes(rec, RESV_A_RESERVE_END)))
        return;
    MUST(t->n < TAKERS_MAX);
    snprintf(t->ids[t->n++], sizeof(t->ids[0]), "%s", rec->id);
}

static void check_vnode(struct sim *s, const struct resv *maint, const struct node *n)
{
    struct arena *arena = arena_new();

    for (size_t i = 0; i < n->n_occurrences; i++) {
        const struct occurrence *oc = n->occurrences[i];

        if (oc->resv != maint && !resv_is_maintenance(oc->resv) &&
            phase_is_confirmed(occurrence_phase(oc)) && meets(oc, maint, sim_now_at(s)))
            check_failed(s, CHECK_LIFE, "%s takes %s, and %s has it all the same",
                         maint->obj.id, n->obj.id, occurrence_name(oc, arena));
    }
    arena_free(arena);
}

void check_conflicts_settled(struct sim *s, const struct model *m)
{
    struct takers *t = &s->takers;

    for (size_t i = 0; i < t->n; i++) {
        const struct resv *maint = model_resv(m, t->ids[i]);

        /* It may be over by now, or wait for the turn of somebody else. */
        for (size_t k = 0; maint && phase_is_confirmed(resv_phase(maint)) &&
                           k < maint->current.bookings.n;
             k++)
            check_vnode(s, maint, maint->current.bookings.v[k].node);
    }
    t->n = 0;
}
