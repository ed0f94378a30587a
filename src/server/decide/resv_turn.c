/* resv_turn.c - see resv_turn.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_turn.h"

#include "server/decide/node_used.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"
#include "server/model/resource_request.h"

int64_t resv_over_at(const struct model *m, const struct occurrence *oc)
{
    int64_t end_at = occurrence_end_at(oc, INT64_MAX);

    /* A series that is not confirmed yet is over when its last occurrence is. */
    if (occurrence_is_current(oc))
        end_at = MAX_OF(end_at, series_unconfirmed_end_at(oc->resv));
    if (end_at == INT64_MAX)
        return INT64_MAX;
    return end_at - obj_num(m->server, SERVER_A_RESV_POST_PROCESSING_TIME, 0);
}

static struct record *about(const struct resv *r, enum fact fact, const char *actor,
                            int64_t now_at, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_RESV,
                      arena_strdup(out->arena, r->obj.id), actor, now_at);
}

/* What is counted from the begin of an occurrence. */
static void begin_anew(struct record *rec, struct arena *arena)
{
    record_change(rec, arena, RESV_A_HF_BEGUN_AT, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_IDLE_AT, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_ASKED_END, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_EXTEND_TRIED, NULL, NULL);
}

void resv_turn_over(const struct model *m, const struct resv *r, enum reason reason,
                    const char *actor, int64_t now_at, struct decision *out)
{
    enum resv_phase to = resv_next(resv_phase(r), RESV_EV_OVER);
    struct record *rec;

    MUST(to != PHASE_NONE && r->n_later > 0);
    if (proposal_is_about_shown(r))
        proposal_deny(m, r, actor,
                      reason == REASON_CANCELLED ? "the occurrence is deleted"
                                                 : "its end has passed",
                      now_at, out);
    rec = about(r, FACT_RESV_OVER, actor, now_at, out);
    rec->reason = reason;
    record_change_phase(rec, out->arena, to);
    resv_record_on_end(rec, out->arena,
                       reason == REASON_CANCELLED ? ON_END_KILL : resv_on_end(m, r));
    resv_record_unasked(rec, out->arena);
    begin_anew(rec, out->arena);
    record_change_num(rec, out->arena, RESV_A_MTIME, now_at);
    if (r->queue)
        resv_queue_switch(m, r, obj_num(&r->queue->obj, QUEUE_A_ENABLED, 0), false,
                          REASON_NONE, now_at, out);
    if (r->current.counted)
        nodes_used_records(&r->current.bookings, actor, now_at, out);
}

static void drop(const struct occurrence *oc, enum reason reason, const char *actor,
                 int64_t now_at, struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_DELETED, OBJ_OCCURRENCE,
                   arena_strdup(out->arena, oc->values->id), actor, now_at);

    rec->reason = reason;
}

void resv_turn_drop(const struct resv *r, const struct occurrence *until,
                    enum reason reason, const char *actor, int64_t now_at,
                    struct decision *out)
{
    for (const struct occurrence *oc = r->later; oc != until; oc = oc->next)
        drop(oc, reason, actor, now_at, out);
}

void resv_turn_cancel(const struct model *m, const struct occurrence *oc,
                      const char *actor, int64_t now_at, struct decision *out)
{
    const struct resv *r = oc->resv;

    if (proposal_is_open(r) && proposal_occurrence(m, r, out->arena) == oc &&
        !occurrence_is_current(oc))
        proposal_deny(m, r, actor, "the occurrence is deleted", now_at, out);
    if (!occurrence_is_current(oc))
        drop(oc, REASON_CANCELLED, actor, now_at, out);
    else if (r->n_later == 0)
        resv_record_ending(m, r, actor, REASON_NONE, now_at, out);
    else
        resv_turn_over(m, r, REASON_CANCELLED, actor, now_at, out);
}

/* The limits of the queue are those of the occurrence whose jobs are in it. */
static void queue_follows(const struct model *m, const struct resv *r,
                          const struct occurrence *next, int64_t now_at,
                          struct decision *out)
{
    const struct resources *list = occurrence_resources(next);
    struct edit e;

    edit_init(&e, m, OBJ_RESV, &r->obj);
    edit_unset(&e, RESV_A_RESOURCE_LIST, NULL);
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        int err = edit_set(&e, RESV_A_RESOURCE_LIST, name,
                           resources_text(list, name, out->arena), WIRE_OP_SET, NULL);

        MUST(!err); /* it was accepted when it was submitted or altered */
        (void)err;
    }
    resv_queue_follow(m, r, &e, now_at, out);
    edit_fini(&e);
}

/* An alteration of a later one that has its turn, or is passed over, comes too late. */
static void deny_alteration_until(const struct model *m, const struct resv *r,
                                  const struct occurrence *until, const char *actor,
                                  int64_t now_at, struct decision *out)
{
    const struct occurrence *oc;

    if (!proposal_is_open(r))
        return;
    oc = proposal_occurrence(m, r, out->arena);
    if (!oc || occurrence_index(oc) <= occurrence_index(until))
        proposal_deny(m, r, actor, "its turn has come", now_at, out);
}

static void take_turn(const struct model *m, const struct resv *r,
                      const struct occurrence *next, const char *actor, int64_t now_at,
                      struct decision *out)
{
    enum resv_phase to = resv_next(resv_phase(r), RESV_EV_TURN);
    struct record *rec;

    /* Maintenance may have taken its vnodes while it came later. */
    if (phase_is_in_conflict(occurrence_phase(next)))
        to = resv_next(to, RESV_EV_CONFLICT);
    /* Its object goes first, so that no two have one index. */
    drop(next, REASON_NONE, actor, now_at, out);
    rec = about(r, FACT_RESV_TURN, actor, now_at, out);
    occurrence_take_turn(next, out->arena, rec);
    record_change_phase(rec, out->arena, to);
    resv_record_on_end(rec, out->arena, ON_END_KILL);
    begin_anew(rec, out->arena);
    record_change_num(rec, out->arena, RESV_A_MTIME, now_at);
    if (occurrence_resources(next) != obj_resources(&r->obj, RESV_A_RESOURCE_LIST))
        queue_follows(m, r, next, now_at, out);
}

void resv_turn_next(const struct model *m, const struct resv *r, const char *actor,
                    int64_t now_at, struct decision *out)
{
    const struct occurrence *next = r->later;

    while (next && occurrence_end_at(next, INT64_MAX) <= now_at)
        next = next->next;
    if (!next) {
        resv_record_ending(m, r, actor, REASON_END_REACHED, now_at, out);
        return;
    }
    deny_alteration_until(m, r, next, actor, now_at, out);
    resv_turn_drop(r, next, REASON_SKIPPED, actor, now_at, out);
    take_turn(m, r, next, actor, now_at, out);
}
