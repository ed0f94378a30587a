/* job_move.h - a job that does not run goes into another queue of this server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_MOVE_H
#define SERVER_REQUESTS_JOB_MOVE_H

#include "server/decide/edit.h"

/* The job goes into 'q', which is not its own queue, if that lets it in: the rights are
 * those of the job's owner, and a manager is let in everywhere (attributes.md 9)
 * but into a reservation that takes no jobs. With
 * 'exchange' another job leaves the queue for it, so whether the queue is open and has
 * room is not asked. 'rank' is its place in the order from then on, 0: as it was.
 * Refusals of the queue's door; 15030 for a queue without a type; NEEDED. */
int job_move_decide(const struct model *m, const struct request *rq,
                    const struct job *job, const struct queue *q, bool exchange,
                    int64_t rank, struct decision *out) MUST_CHECK;

/* Which jobs can be moved: 15016 for those that run or have ended, and for an array of
 * which something has begun. */
int job_move_check(const struct job *job, struct diag *why) MUST_CHECK;

#endif
