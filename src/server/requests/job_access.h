/* job_access.h - whose job is it, and who may touch it (attributes.md 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_ACCESS_H
#define SERVER_REQUESTS_JOB_ACCESS_H

#include "server/decide/request.h"

/* Manager or operator. */
bool requester_is_staff(const struct request *rq);

/* The job of that id, which is not over: 15001, 15139. */
int job_live(const struct model *m, const char *id, const struct job **ret,
             struct diag *why) MUST_CHECK;

/* The same for its owner and for staff: 15007. */
int job_for_request(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why) MUST_CHECK;

/* Is the MoM that has the job there to be told something? 15070 with its log line when
 * not; 0 for a job that no MoM has. */
int job_mom_is_heard(const struct job *job, struct decision *out) MUST_CHECK;

#endif
