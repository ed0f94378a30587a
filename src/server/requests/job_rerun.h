/* job_rerun.h - a running job goes back to its queue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_RERUN_H
#define SERVER_REQUESTS_JOB_RERUN_H

#include "server/decide/request.h"

/* What keeps a running job from it: it is being deleted 15016, it may not be run again
 * 15038, its MoM is away 15070. */
int job_may_rerun(const struct job *job, struct decision *out) MUST_CHECK;

/* How long a requeue is waited for: job_requeue_timeout, or the time of PBS. */
#define REQUEUE_TIMEOUT_S 45
int64_t rerun_timeout_s(const struct model *m);

/* Append the record that asks for it. The job runs until its MoM reports the end. */
struct record *job_rerun_record(const struct job *job, const char *actor,
                                int64_t now_at, struct decision *out);

#endif
