/* check_life.c - the life of reservations and jobs: transitions, degradation,
 * re-making.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Transitions. */

/* What may happen to a reservation in a record of that fact. */
static const struct {
    enum fact fact;
    enum resv_event event;
} events[] = {
    { FACT_RESV_CONFIRMED, RESV_EV_CONFIRM },
    { FACT_RESV_RECONFIRMED, RESV_EV_CONFIRM },
    { FACT_RESV_DENIED, RESV_EV_DENY },
    { FACT_RESV_STARTED, RESV_EV_OPEN },
    { FACT_RESV_DEGRADED, RESV_EV_NODES_LOST },
    { FACT_RESV_HEALED, RESV_EV_HEAL },
    { FACT_RESV_CONFLICT, RESV_EV_CONFLICT },
    { FACT_RESV_OVER, RESV_EV_OVER },
    { FACT_RESV_TURN, RESV_EV_TURN },
    { FACT_RESV_ENDING, RESV_EV_END },
    { FACT_RESV_GONE, RESV_EV_EMPTY },
};

static int64_t num_after(const struct record *rec, int attr, int64_t before)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after ? atoll(rec->changes[i].after) : 0;
    return before;
}

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

/* Nobody loses vnodes or gets new ones without a word: it is confirmed anew, stays what
 * it is, or, running and with a start to come, waits again. */
static void check_altered_phase(struct sim *s, const struct resv *r,
                                const struct record *rec, enum resv_phase to)
{
    enum resv_phase from = resv_phase(r);
    int64_t start_at =
        num_after(rec, RESV_A_RESERVE_START, obj_num(&r->obj, RESV_A_RESERVE_START, 0));
    bool out = phase_is_running(from) && start_at > rec->at;
    bool stays = to == from && !out && !s->alters.agreed;
    enum resv_phase want = out ? resv_next(from, RESV_EV_MOVE_OUT) : from;

    /* Only vnodes end a conflict; a scheduler may find that those left to it are all
     * that is wanted now. */
    if (!phase_is_in_conflict(want) || text_after(rec, RESV_A_RESV_NODES) ||
        s->alters.agreed)
        want = resv_next(want, RESV_EV_CONFIRM);
    if (to == PHASE_NONE || (!stays && to != want))
        check_failed(s, CHECK_LIFE, "%s is altered from phase %d to %d", rec->id,
                     (int)from, (int)to);
}

/* The phase that it has to have then. One whose vnodes were taken while it was to come
 * has its turn in conflict. */
static enum resv_phase after_event(const struct sim *s, const struct record *rec,
                                   enum resv_phase from, enum resv_event event,
                                   enum resv_phase to)
{
    enum resv_phase want = resv_next(from, event);
    const struct entry *e = ledger_find(&s->ledger, rec->id);

    if (rec->fact == FACT_RESV_TURN && phase_is_in_conflict(to) && e &&
        e->was_taken_from)
        want = resv_next(want, RESV_EV_CONFLICT);
    return want;
}

static void check_transition(struct sim *s, const struct resv *r,
                             const struct record *rec)
{
    enum resv_phase from = resv_phase(r);
    enum resv_phase to = resv_phase_find(
        num_after(rec, RESV_A_RESERVE_STATE, resv_phase_state(from)),
        num_after(rec, RESV_A_RESERVE_SUBSTATE, resv_phase_substate(from)));
    bool known = rec->fact == FACT_RESV_ALTERED;

    if (known)
        check_altered_phase(s, r, rec, to);
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        if (events[i].fact != rec->fact)
            continue;
        known = true;
        /* Of a series only later occurrences may have got other vnodes. */
        if (rec->fact == FACT_RESV_RECONFIRMED && r->n_later > 0 && to == from &&
            !text_after(rec, RESV_A_RESV_NODES))
            continue;
        if (rec->fact == FACT_RESV_GONE)
            to = resv_next(from, events[i].event);
        if (to == PHASE_NONE || after_event(s, rec, from, events[i].event, to) != to)
            check_failed(s, CHECK_LIFE, "%s: %s leads from phase %d to %d", rec->id,
                         fact_name(rec->fact), (int)from, (int)to);
    }
    if (!known && to != from)
        check_failed(s, CHECK_LIFE, "%s: %s changes phase %d to %d", rec->id,
                     fact_name(rec->fact), (int)from, (int)to);
}

/* Jobs. */

/* The states in which a job may be when that happens to it. */
static const struct {
    enum fact fact;
    const char *states;
} job_states[] = {
    { FACT_JOB_RUN, "Q" },           { FACT_JOB_SENT, "R" },
    { FACT_JOB_STARTED, "R" },       { FACT_JOB_USAGE, "R" },
    { FACT_JOB_REJECTED, "R" },      { FACT_JOB_KILLED, "RB" },
    { FACT_JOB_OBIT, "R" },          { FACT_JOB_MOVED, "QHWRB" },
    { FACT_JOB_REQUEUED, "RE" },     { FACT_JOB_ENDED, "EB" },
    { FACT_JOB_DELETED, "QHWRB" },   { FACT_JOB_FINISHED, "REB" },
    { FACT_JOB_WITHDRAWN, "QHWRB" }, { FACT_JOB_FORGOTTEN, "FM" },
    { FACT_JOB_RELEASED, "R" },
};

/* What a new queue brings with it. */
static bool comes_with_queue(int attr)
{
    return attr == JOB_A_RESOURCE_LIST || attr == JOB_A_SCHEDSELECT ||
           attr == JOB_A_HF_DEFAULTS || attr == JOB_A_HF_HOT_VNODES ||
           attr == JOB_A_QUEUE_RANK || attr == JOB_A_ETIME || attr == JOB_A_HOP_COUNT ||
           attr == JOB_A_HF_ROUTE_TRIED || attr == JOB_A_HF_ROUTE_SAID;
}

/* What is told of the queue that a job is in. */
static bool tells_of_queue(int attr)
{
    return attr == JOB_A_QUEUE || attr == JOB_A_QUEUE_TYPE || attr == JOB_A_QTIME ||
           attr == JOB_A_RESERVE_ID || attr == JOB_A_HF_QUEUE_BEFORE;
}

static bool asks_anew(const struct record *rec)
{
    return rec->reason == REASON_MOVED || rec->reason == REASON_ROUTED;
}

/* Moving is all that happens to it then. */
static void check_moved(struct sim *s, const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++) {
        int attr = rec->changes[i].attr;

        if (!tells_of_queue(attr) && attr != JOB_A_MTIME &&
            !(asks_anew(rec) && comes_with_queue(attr)))
            check_failed(s, CHECK_LIFE, "job %s is moved and its %s changes", rec->id,
                         job_rows[attr].name);
    }
}

static bool may_follow(enum job_phase from, enum job_phase to)
{
    for (enum job_event ev = 0; ev < JOB_EVENT_COUNT; ev++)
        if (job_next(from, ev) == to)
            return true;
    return false;
}

static int64_t letter_after(const struct record *rec, int attr, int64_t before)
{
    const char *after = text_after(rec, attr);

    return after ? *after : before;
}

/* 'j' is NULL when the record makes the job. */
static void check_job_phase(struct sim *s, const struct job *j,
                            const struct record *rec)
{
    enum job_phase from = job_phase(j);
    enum job_phase to =
        job_phase_find(letter_after(rec, JOB_A_JOB_STATE, job_phase_state(from)),
                       num_after(rec, JOB_A_SUBSTATE, job_phase_substate(from)));

    if (to == JOB_PHASE_NONE || (to != from && !may_follow(from, to)))
        check_failed(s, CHECK_LIFE, "job %s: %s leads from phase %d to %d", rec->id,
                     fact_name(rec->fact), (int)from, (int)to);
}

/* An array that has begun may be held; the rest of its life is as without the hold. */
static char state_of(const struct job *j)
{
    return array_has_begun(j) && !job_is_history(j) ? 'B' : job_state(j);
}

/* Who may be shortened is run between its two lengths, and without a walltime only when
 * it may last for ever. */
static void check_shortened(struct sim *s, const struct job *j)
{
    const struct resources *list = obj_resources(&j->obj, JOB_A_RESOURCE_LIST);
    int64_t least_s = resources_amount(list, "min_walltime", 0);
    int64_t most_s = resources_amount(list, "max_walltime", INT64_MAX);
    int64_t lasts_s = resources_amount(list, "walltime", INT64_MAX);

    if (least_s > 0 && (lasts_s < least_s || lasts_s > most_s))
        check_failed(s, CHECK_LIFE, "job %s is run for %" PRId64 " s", j->obj.id,
                     lasts_s);
}

void check_job_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;

    if (rec->kind == OBJ_JOB && (j || rec->fact == FACT_JOB_QUEUED))
        check_job_phase(s, j, rec);
    if (rec->fact == FACT_JOB_MOVED)
        check_moved(s, rec);
    if (j && rec->fact == FACT_JOB_RUN)
        check_shortened(s, j);
    for (size_t i = 0; j && i < ARRAY_LEN(job_states); i++)
        if (job_states[i].fact == rec->fact &&
            !strchr(job_states[i].states, state_of(j)))
            check_failed(s, CHECK_LIFE, "%s of job %s, which is in state %c",
                         fact_name(rec->fact), rec->id, job_state(j));
}

/* Re-making. */

static bool has_job_of(const struct node *n, const struct resv *r)
{
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return true;
    return false;
}

static int64_t held_ncpus(const struct resv *r, const struct node *n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->current.bookings.n; i++)
        if (r->current.bookings.v[i].node == n)
            sum += resources_amount(&r->current.bookings.v[i].amount, "ncpus", 0);
    return sum;
}

static void check_kept(struct sim *s, const struct model *m, const struct resv *r,
                       const struct record *rec)
{
    const char *text = text_after(rec, RESV_A_RESV_NODES);
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };

    if (text && exec_vnode_parse(text, m->defs, arena, &ev, NULL))
        check_failed(s, CHECK_KEEP, "%s cannot be read", text);
    for (size_t i = 0; text && i < r->current.bookings.n; i++) {
        const struct node *n = r->current.bookings.v[i].node;
        bool job = has_job_of(n, r);

        if ((node_is_usable(n) || job) &&
            exec_vnode_amount(&ev, n->obj.id, "ncpus") < held_ncpus(r, n))
            check_failed(s, CHECK_KEEP, "%s is re-made and loses %s, which %s", rec->id,
                         n->obj.id, job ? "runs a job of it" : "is usable");
    }
    arena_free(arena);
}

/* Maintenance takes vnodes of the current or of a later occurrence. */
static void mark_taken_from(struct sim *s, const struct model *m,
                            const struct record *rec)
{
    const struct object *o = model_find(m, rec->kind, rec->id);
    struct entry *e;

    if (o && o->kind == OBJ_OCCURRENCE)
        o = &TO_LATER(o)->occurrence.resv->obj;
    if (o && (e = ledger_find(&s->ledger, o->id)))
        e->was_taken_from = true;
}

/* 'm' is the model before the record. */
void check_resv_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r;

    if (rec->fact == FACT_RESV_CONFLICT)
        mark_taken_from(s, m, rec);
    if (rec->kind != OBJ_RESV)
        return;
    r = model_resv(m, rec->id);
    if (!r) {
        if (!fact_creates(rec->fact))
            check_failed(s, CHECK_LIFE, "%s of %s, which is not there",
                         fact_name(rec->fact), rec->id);
        return;
    }
    check_transition(s, r, rec);
    if (rec->fact == FACT_RESV_RECONFIRMED && phase_is_running(resv_phase(r)))
        check_kept(s, m, r, rec);
}

/* Degradation. */

static bool holds_unusable(const struct occurrence *oc)
{
    for (size_t i = 0; i < oc->bookings.n; i++)
        if (!node_is_usable(oc->bookings.v[i].node))
            return true;
    return false;
}

/* What rules derive must be so when they have settled. */
static void check_degraded(struct sim *s, const struct occurrence *oc)
{
    enum resv_phase phase = occurrence_phase(oc);
    bool degraded = phase_is_degraded(phase);

    /* Maintenance has unusable vnodes, and what it took is not there to be unusable. */
    if (resv_is_maintenance(oc->resv) || phase_is_in_conflict(phase))
        return;
    if (phase_is_confirmed(phase) && holds_unusable(oc) != degraded)
        check_failed(s, CHECK_HEALTH, "%s %s, yet it is %sdegraded", oc->values->id,
                     holds_unusable(oc) ? "holds an unusable vnode"
                                        : "holds only usable vnodes",
                     degraded ? "" : "not ");
}

static bool occurrence_is_there(const struct resv *r, int64_t index)
{
    const struct occurrence *oc;

    DL_FOREACH (r->later, oc)
        if (occurrence_index(oc) == index)
            return true;
    return false;
}

/* The first index behind 'index' that is not of an occurrence that is gone. */
static int64_t next_index(const struct sim *s, const struct resv *r, int64_t index)
{
    do
        index++;
    while (occurrence_may_be_gone(s, r->obj.id, index) &&
           !occurrence_is_there(r, index));
    return index;
}

/* One that is confirmed has as many occurrences before it and behind it as there are,
 * unless some were skipped or nothing is left of it. */
static void check_series(struct sim *s, const struct resv *r, bool settled)
{
    int64_t index = occurrence_index(&r->current);
    const struct occurrence *oc;

    DL_FOREACH (r->later, oc) {
        index = next_index(s, r, index);
        if (occurrence_index(oc) != index)
            check_failed(s, CHECK_LIFE, "%s is where number %" PRId64 " is expected",
                         oc->values->id, index);
        if (!phase_is_confirmed(occurrence_phase(oc)) ||
            (oc->bookings.n == 0 && !phase_is_in_conflict(occurrence_phase(oc))))
            check_failed(s, CHECK_LIFE, "%s is not confirmed or holds nothing",
                         oc->values->id);
        if (settled)
            check_degraded(s, oc);
    }
    if (obj_is_set(&r->obj, RESV_A_RESERVE_INDEX) &&
        phase_is_confirmed(resv_phase(r)) &&
        next_index(s, r, index) <= obj_num(&r->obj, RESV_A_RESERVE_COUNT, 1))
        check_failed(s, CHECK_LIFE, "%s has occurrences up to %" PRId64, r->obj.id,
                     index);
}

void check_health(struct sim *s, const struct model *m, bool settled)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        const struct resv *r = TO_RESV(o);
        enum resv_phase phase = resv_phase(r);
        bool lacks = phase_is_replaced(phase);
        bool retry = obj_num(o, RESV_A_RESERVE_RETRY, 0) != 0;

        if (phase == PHASE_NONE)
            check_failed(s, CHECK_LIFE, "%s is in no legal phase", o->id);
        if (settled)
            check_degraded(s, &r->current);
        check_series(s, r, settled);
        /* Of a series the retry follows in a record of its own: a later occurrence may
         * be the one that lacks vnodes, or take its turn without them. So it does of
         * one in conflict whose times were forced: they say when the attempt is. */
        if (obj_num(o, RESV_A_RESERVE_COUNT, 1) <= 1 && !phase_is_in_conflict(phase)
                ? retry != lacks
                : settled && phase_is_confirmed(phase) &&
                      retry != (lacks || resv_later_is_degraded(r)))
            check_failed(s, CHECK_HEALTH, "%s %s vnodes and has %s next attempt", o->id,
                         lacks ? "lacks" : "has its", retry ? "a" : "no");
        if (phase_is_confirmed(phase) && !phase_is_in_conflict(phase) &&
            r->current.bookings.n == 0)
            check_failed(s, CHECK_HEALTH, "%s is confirmed and holds nothing", o->id);
    }
}
