/* resv_state.h - the life of a reservation: phases, events, and what follows what.
 *
 * The wire knows a state and a substate (reservations.md 3); only some pairs are legal.
 * A phase is one legal pair, so an illegal pair cannot be written down. The numbers
 * are fixed by the wire.
 *
 * An alteration that waits for the scheduler is no phase: it is a proposal beside the
 * reservation and shown as state 11 by whoever encodes a status.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_STATE_H
#define SERVER_MODEL_RESV_STATE_H

#include "lib/attr/resv_number.h"
#include "server/model/model.h"

enum resv_phase {
    PHASE_NONE, /* no legal pair; what an impossible event leads to */
    PHASE_UNCONFIRMED,
    PHASE_CONFIRMED,
    PHASE_DEGRADED, /* not running, a vnode of it unusable */
    PHASE_RUNNING,
    PHASE_RUNNING_DEGRADED,
    /* A maintenance reservation has taken vnodes of it (reservations.md 14.3): before
     * its start it is given others, and one that runs keeps what is left until its end.
     */
    PHASE_CONFLICT,
    PHASE_RUNNING_CONFLICT,
    /* An occurrence that is not the last one is over, and jobs in it are being killed:
     * after it ran well, with an unusable vnode, or in conflict. */
    PHASE_BETWEEN,
    PHASE_BETWEEN_DEGRADED,
    PHASE_BETWEEN_CONFLICT,
    PHASE_ENDING,  /* jobs in it are being deleted */
    PHASE_DELETED, /* about to leave the model */
    PHASE_COUNT,
};

enum resv_event {
    RESV_EV_CONFIRM,
    RESV_EV_DENY, /* every scheduler asked said no */
    RESV_EV_NODES_LOST,
    RESV_EV_HEAL,     /* every unusable vnode is back */
    RESV_EV_CONFLICT, /* a maintenance reservation takes vnodes of it */
    RESV_EV_OPEN,     /* the start has come */
    RESV_EV_MOVE_OUT, /* altered to start in the future again */
    RESV_EV_OVER,     /* the end of an occurrence has come, and later ones are left */
    RESV_EV_TURN,     /* no job runs in it any more: the next occurrence */
    RESV_EV_END,      /* the end has come, or somebody deletes it */
    RESV_EV_EMPTY,    /* no job is left in it */
    RESV_EVENT_COUNT,
};

/* PHASE_NONE: the event cannot happen in this phase. */
enum resv_phase resv_next(enum resv_phase from, enum resv_event event);

/* A pair as the wire knows it, PHASE_NONE when it is not legal; and back. */
enum resv_phase resv_phase_find(int64_t state, int64_t substate);
enum resv_state resv_phase_state(enum resv_phase phase);
int64_t resv_phase_substate(enum resv_phase phase);

/* The phase a reservation is in, by its two attributes. */
enum resv_phase resv_phase(const struct resv *r);
/* Degraded or not; running or not; in conflict with maintenance or not. */
bool phase_is_running(enum resv_phase phase);
bool phase_is_degraded(enum resv_phase phase);
bool phase_is_in_conflict(enum resv_phase phase);
/* Schedulers are asked for vnodes to replace what it has lost: it is degraded, or in
 * conflict and has not begun. */
bool phase_is_replaced(enum resv_phase phase);
/* It has vnodes and a window that somebody may rely on. */
bool phase_is_confirmed(enum resv_phase phase);

/* The changes that take a reservation to a phase. */
void record_change_phase(struct record *rec, struct arena *arena, enum resv_phase to);

/* A maintenance reservation: its maker says which vnodes it has, whoever else is there,
 * so no scheduler is asked and it is never degraded (reservations.md 14). Its id, which
 * the server makes, tells the kind. */
bool resv_is_maintenance(const struct resv *r);

/* Live jobs in its queue. */
size_t resv_job_count(const struct resv *r);

/* True when a job of the reservation runs, ends or is suspended. */
bool resv_has_busy_job(const struct resv *r);

#endif
