/* job_state.h - states and substates of a job, as the wire knows them. What follows
 * what is in job_phase.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_STATE_H
#define SERVER_MODEL_JOB_STATE_H

#include "server/model/model.h"

enum job_substate {
    JOB_SUB_TRANSIT_IN = 0,
    JOB_SUB_TRANSIT_COMMIT = 1,
    JOB_SUB_TRANSIT_OUT = 3, /* another server may have it already */
    JOB_SUB_QUEUED = 10,
    JOB_SUB_PRE_STAGE_IN = 11,
    JOB_SUB_STAGED_IN = 16,
    JOB_SUB_HELD = 20,
    JOB_SUB_SYNC_HOLD = 21,
    JOB_SUB_DEPEND_HOLD = 22,
    JOB_SUB_WAITING = 30,
    JOB_SUB_STAGE_FAILED = 37,
    JOB_SUB_PRERUN = 41,
    JOB_SUB_RUNNING = 42,
    JOB_SUB_SUSPENDED = 43,
    JOB_SUB_SCHED_SUSPENDED = 45,
    JOB_SUB_EXITING = 50,
    JOB_SUB_STAGE_OUT = 51,
    JOB_SUB_STAGE_DELETE = 52,
    JOB_SUB_EXITED = 53,
    JOB_SUB_EXPIRED = 69,
    JOB_SUB_BEGUN = 70,
    JOB_SUB_TERMINATED = 91,
    JOB_SUB_FINISHED = 92,
    JOB_SUB_FAILED = 93,
    JOB_SUB_MOVED = 94,
};

/* The letter of job_state: T Q H W R E B X M F. */
char job_state(const struct job *job);
int64_t job_substate(const struct job *job);

/* In state M or F: it is over, and kept for those who ask (history.h). */
bool job_is_history(const struct job *job);

/* In state T: it is on its way to another server, and nobody touches it here. */
bool job_is_leaving(const struct job *job);

/* In state R or E: it has vnodes and, once it was sent, a MoM that knows it. */
bool job_is_at_mom(const struct job *job);

/* The text of Hold_Types, "n" when there is none. */
const char *job_holds_text(const struct job *job, struct arena *arena);

#endif
