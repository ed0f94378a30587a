/* hot_start.h - what a hot start has to do, and whether it goes on (operations.md 11).
 *
 * A start with "-t hot" remembers for each running job the vnodes it was running on
 * (hf_hot_vnodes), and when it will give up (hf_hot_until of the server). A job whose
 * MoM confirms the run is none of its business any more. One that is found to be lost
 * goes back to its queue as after every start; from there it is started again on the
 * same vnodes. An end of the server that requeues jobs leaves the same note on them.
 *
 * The start is over when no job is left that is sought or waits, or at hf_hot_until.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_HOT_START_H
#define SERVER_MODEL_HOT_START_H

#include "server/model/model.h"

/* How long jobs are tried to be started again. */
#define HOT_START_S 300

static inline bool hot_start_is_on(const struct model *m)
{
    return obj_is_set(m->server, SERVER_A_HF_HOT_UNTIL);
}

/* It ran before, and neither is its run known to go on nor was it started again. */
static inline bool job_ran_before(const struct job *job)
{
    return obj_is_set(&job->obj, JOB_A_HF_HOT_VNODES);
}

#endif
