/* job_end.h - ending jobs: what deletion and requeueing make of a job, for all who ask
 * (qdel, the end of a reservation, a lost node).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_END_H
#define SERVER_DECIDE_JOB_END_H

#include "server/decide/request.h"

enum job_end_flag {
    JOB_END_FORCE = 1 << 0,  /* do not wait for the MoM */
    JOB_END_NOMAIL = 1 << 1, /* its owner, who may be another one, gets no letter */
    JOB_END_FORGET = 1 << 2, /* keep no history of it */
};

/* Append the records that delete 'job', which is no history, at the request of 'actor':
 * a job that is not at a MoM is over (job_over.h), a running one is being killed
 * (FACT_JOB_KILLED) and ends with its obituary, or at once with JOB_END_FORCE. Nothing
 * for a job that is already being killed or is exiting, except with force, and except
 * that it is to be forgotten. */
void job_delete_records(const struct model *m, const struct job *job, const char *actor,
                        int64_t now_at, uint32_t flags, struct decision *out);

/* Append the record that puts a running or exiting job back into its queue;
 * 'exit_status' and 'end_at' go to the R record of the accounting. */
void job_requeue_records(const struct job *job, const char *actor, int64_t now_at,
                         int64_t exit_status, const char *why, struct decision *out);

/* Add to 'rec' what puts the job back where it belongs without a run: its attributes of
 * the run are unset. 'hold' is the comment of a system hold, NULL: none; a job that was
 * started too often is held in any case. */
void job_back_in_queue(const struct job *job, struct record *rec, const char *hold,
                       int64_t now_at, struct decision *out);

/* Add to 'rec' what has the job wait half an hour before its files are fetched again,
 * and leaves its run; 'why' is its comment. */
void job_waits_for_files(const struct job *job, struct record *rec, const char *why,
                         int64_t now_at, struct decision *out);

/* True for a job whose MoM has it and is away: nothing can be asked of it. */
bool job_is_out_of_reach(const struct job *job);

/* True for a job that has to leave its MoM before the server ends; one whose MoM nobody
 * can reach is not waited for. */
bool job_keeps_server(const struct job *job);

#endif
