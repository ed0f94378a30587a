/* job_state.h - states and substates of a job, and where a job that does not run
 * belongs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_STATE_H
#define SERVER_MODEL_JOB_STATE_H

#include "server/model/model.h"

enum job_substate {
    JOB_SUB_TRANSIT_IN = 0,
    JOB_SUB_TRANSIT_COMMIT = 1,
    JOB_SUB_QUEUED = 10,
    JOB_SUB_PRE_STAGE_IN = 11,
    JOB_SUB_HELD = 20,
    JOB_SUB_SYNC_HOLD = 21,
    JOB_SUB_DEPEND_HOLD = 22,
    JOB_SUB_WAITING = 30,
    JOB_SUB_PRERUN = 41,
    JOB_SUB_RUNNING = 42,
    JOB_SUB_SUSPENDED = 43,
    JOB_SUB_SCHED_SUSPENDED = 45,
    JOB_SUB_EXITING = 50,
    JOB_SUB_STAGE_OUT = 51,
    JOB_SUB_STAGE_DELETE = 52,
    JOB_SUB_EXITED = 53,
};

/* The letter of job_state: T Q H W R E B X M F. */
char job_state(const struct job *job);
int64_t job_substate(const struct job *job);

/* In state R or E: it has vnodes and, once it was sent, a MoM that knows it. */
bool job_is_at_mom(const struct job *job);

struct job_standing {
    char state;
    int substate;
};

/* Where a job that does not run belongs (attributes.md 14.1): held, waiting for its
 * time, or queued. 'holds' is the text of Hold_Types; 'execution_at' 0 when unset. */
struct job_standing job_settle(const char *holds, int64_t execution_at, bool stage_in,
                               int64_t now_at);

/* The same for the job as it is now. */
struct job_standing job_settle_now(const struct job *job, int64_t now_at,
                                   struct arena *arena);

/* The text of Hold_Types, "n" when there is none. */
const char *job_holds_text(const struct job *job, struct arena *arena);

#endif
