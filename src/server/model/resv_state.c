/* resv_state.c - the table of a reservation's life (reservations.md 3.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_state.h"

#include "server/model/job_state.h"

#include "lib/attr/resv_attrs.h"

/* Column 'substate' has the numbers of the states. */
static const struct {
    enum resv_state state;
    enum resv_state substate;
} pairs[PHASE_COUNT] = {
    [PHASE_UNCONFIRMED] = { RESV_UNCONFIRMED, RESV_UNCONFIRMED },
    [PHASE_CONFIRMED] = { RESV_CONFIRMED, RESV_CONFIRMED },
    [PHASE_DEGRADED] = { RESV_DEGRADED, RESV_DEGRADED },
    [PHASE_RUNNING] = { RESV_RUNNING, RESV_RUNNING },
    [PHASE_RUNNING_DEGRADED] = { RESV_RUNNING, RESV_DEGRADED },
    [PHASE_CONFLICT] = { RESV_DEGRADED, RESV_IN_CONFLICT },
    [PHASE_RUNNING_CONFLICT] = { RESV_RUNNING, RESV_IN_CONFLICT },
    [PHASE_BETWEEN] = { RESV_DELETING_JOBS, RESV_RUNNING },
    [PHASE_BETWEEN_DEGRADED] = { RESV_DELETING_JOBS, RESV_DEGRADED },
    [PHASE_BETWEEN_CONFLICT] = { RESV_DELETING_JOBS, RESV_IN_CONFLICT },
    [PHASE_ENDING] = { RESV_BEING_DELETED, RESV_DELETING_JOBS },
    [PHASE_DELETED] = { RESV_DELETED, RESV_DELETED },
};

/* A confirmation always leads to the healthy phase; when an unusable vnode is among the
 * new ones the degradation rule speaks up at once. */
/* clang-format off */
static const enum resv_phase next[PHASE_COUNT][RESV_EVENT_COUNT] = {
    [PHASE_UNCONFIRMED] = {
        [RESV_EV_CONFIRM]    = PHASE_CONFIRMED,
        [RESV_EV_DENY]       = PHASE_DELETED,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_CONFIRMED] = {
        [RESV_EV_CONFIRM]    = PHASE_CONFIRMED,        /* other vnodes, same window */
        [RESV_EV_NODES_LOST] = PHASE_DEGRADED,
        [RESV_EV_OPEN]       = PHASE_RUNNING,
        [RESV_EV_OVER]       = PHASE_BETWEEN,
        [RESV_EV_CONFLICT]   = PHASE_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_DEGRADED] = {
        [RESV_EV_CONFIRM]    = PHASE_CONFIRMED,
        [RESV_EV_DENY]       = PHASE_DEGRADED,         /* asked again at the retry time */
        [RESV_EV_NODES_LOST] = PHASE_DEGRADED,
        [RESV_EV_HEAL]       = PHASE_CONFIRMED,
        [RESV_EV_OPEN]       = PHASE_RUNNING_DEGRADED, /* starts with what is left */
        [RESV_EV_OVER]       = PHASE_BETWEEN_DEGRADED,
        [RESV_EV_CONFLICT]   = PHASE_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_RUNNING] = {
        [RESV_EV_CONFIRM]    = PHASE_RUNNING,
        [RESV_EV_NODES_LOST] = PHASE_RUNNING_DEGRADED,
        [RESV_EV_MOVE_OUT]   = PHASE_CONFIRMED,
        [RESV_EV_OVER]       = PHASE_BETWEEN,
        [RESV_EV_CONFLICT]   = PHASE_RUNNING_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_RUNNING_DEGRADED] = {
        [RESV_EV_CONFIRM]    = PHASE_RUNNING,
        [RESV_EV_DENY]       = PHASE_RUNNING_DEGRADED,
        [RESV_EV_NODES_LOST] = PHASE_RUNNING_DEGRADED,
        [RESV_EV_HEAL]       = PHASE_RUNNING,
        [RESV_EV_MOVE_OUT]   = PHASE_CONFIRMED,
        [RESV_EV_OVER]       = PHASE_BETWEEN_DEGRADED,
        [RESV_EV_CONFLICT]   = PHASE_RUNNING_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_CONFLICT] = {
        [RESV_EV_CONFIRM]    = PHASE_CONFIRMED,
        [RESV_EV_DENY]       = PHASE_CONFLICT,         /* asked again at the retry time */
        [RESV_EV_OPEN]       = PHASE_RUNNING_CONFLICT,
        [RESV_EV_OVER]       = PHASE_BETWEEN_CONFLICT,
        [RESV_EV_CONFLICT]   = PHASE_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_RUNNING_CONFLICT] = {
        [RESV_EV_CONFIRM]    = PHASE_RUNNING,          /* an alteration, with all vnodes */
        [RESV_EV_MOVE_OUT]   = PHASE_CONFLICT,         /* until it has all vnodes */
        [RESV_EV_OVER]       = PHASE_BETWEEN_CONFLICT,
        [RESV_EV_CONFLICT]   = PHASE_RUNNING_CONFLICT,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_BETWEEN] = {
        [RESV_EV_TURN]       = PHASE_CONFIRMED,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_BETWEEN_DEGRADED] = {
        [RESV_EV_TURN]       = PHASE_CONFIRMED,        /* it has vnodes of its own */
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_BETWEEN_CONFLICT] = {
        [RESV_EV_TURN]       = PHASE_CONFIRMED,
        [RESV_EV_END]        = PHASE_ENDING,
    },
    [PHASE_ENDING] = {
        [RESV_EV_EMPTY]      = PHASE_DELETED,
        [RESV_EV_END]        = PHASE_ENDING,           /* asking twice is no error */
    },
    [PHASE_DELETED] = {
        [RESV_EV_EMPTY]      = PHASE_DELETED,
        [RESV_EV_END]        = PHASE_DELETED,
    },
};
/* clang-format on */

enum resv_phase resv_next(enum resv_phase from, enum resv_event event)
{
    MUST(from < PHASE_COUNT);
    MUST(event < RESV_EVENT_COUNT);
    return next[from][event];
}

enum resv_phase resv_phase_find(int64_t state, int64_t substate)
{
    for (enum resv_phase p = PHASE_NONE + 1; p < PHASE_COUNT; p++)
        if (pairs[p].state == state && pairs[p].substate == substate)
            return p;
    /* A pair that no phase has comes from a damaged or foreign store. */
    return PHASE_NONE;
}

enum resv_state resv_phase_state(enum resv_phase phase)
{
    MUST(phase < PHASE_COUNT);
    return pairs[phase].state;
}

int64_t resv_phase_substate(enum resv_phase phase)
{
    MUST(phase < PHASE_COUNT);
    return pairs[phase].substate;
}

enum resv_phase resv_phase(const struct resv *r)
{
    return resv_phase_find(obj_num(&r->obj, RESV_A_RESERVE_STATE, RESV_NONE),
                           obj_num(&r->obj, RESV_A_RESERVE_SUBSTATE, RESV_NONE));
}

bool phase_is_running(enum resv_phase phase)
{
    return phase == PHASE_RUNNING || phase == PHASE_RUNNING_DEGRADED ||
           phase == PHASE_RUNNING_CONFLICT;
}

bool phase_is_degraded(enum resv_phase phase)
{
    return phase == PHASE_DEGRADED || phase == PHASE_RUNNING_DEGRADED;
}

bool phase_is_in_conflict(enum resv_phase phase)
{
    return phase == PHASE_CONFLICT || phase == PHASE_RUNNING_CONFLICT;
}

bool phase_is_replaced(enum resv_phase phase)
{
    return phase_is_degraded(phase) || phase == PHASE_CONFLICT;
}

bool phase_is_confirmed(enum resv_phase phase)
{
    return phase == PHASE_CONFIRMED || phase_is_running(phase) ||
           phase_is_degraded(phase) || phase_is_in_conflict(phase);
}

void record_change_phase(struct record *rec, struct arena *arena, enum resv_phase to)
{
    MUST(to != PHASE_NONE);
    /* State and substate are always written together, and nowhere else. */
    record_change_num(rec, arena, RESV_A_RESERVE_STATE, resv_phase_state(to));
    record_change_num(rec, arena, RESV_A_RESERVE_SUBSTATE, resv_phase_substate(to));
}

bool resv_is_maintenance(const struct resv *r)
{
    return r->obj.id[0] == 'M';
}

size_t resv_job_count(const struct resv *r)
{
    return r->queue ? r->queue->n_jobs : 0;
}

/* Suspended ones are in state R with another substate. */
bool resv_has_busy_job(const struct resv *r)
{
    if (!r->queue)
        return false;
    QUEUE_EACH_JOB (r->queue, j)
        if (job_is_at_mom(j))
            return true;
    return false;
}
