/* job_leave.h - a job leaves its reservation, whose end has come and whose jobs are
 * kept: into which queue it goes (doc/design/045-on-end.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_LEAVE_H
#define SERVER_DECIDE_JOB_LEAVE_H

#include "server/decide/queue_door.h"

/* The queue that takes 'job', which does not run: the reservation's on_end_queue, else
 * the queue that the job was moved from, else default_queue; the first of them that is
 * there, is open, may be used by the job's owner, and whose limits are kept. NULL when
 * there is none. 'rq' asks in the owner's name (requester_named()); 'acct' is the job's
 * account. Each queue that does not take it is logged with the reason. */
const struct queue *job_leave_queue(const struct model *m, const struct request *rq,
                                    const struct job *job,
                                    const struct job_account *acct,
                                    struct decision *out);

/* Append the record that puts the job into that queue. */
void job_leave_record(const struct job *job, const struct queue *q, const char *actor,
                      int64_t now_at, struct decision *out);

#endif
