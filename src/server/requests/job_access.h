/* job_access.h - whose job is it, and who may touch it (attributes.md 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_ACCESS_H
#define SERVER_REQUESTS_JOB_ACCESS_H

#include "lib/attr/indices.h"
#include "server/decide/request.h"

/* Manager or operator. */
bool requester_is_staff(const struct request *rq);

/* The job of that id, which is not over: 15001, 15139. */
int job_live(const struct model *m, const char *id, const struct job **ret,
             struct diag *why) MUST_CHECK;

/* 15007 for who is neither the job's owner nor staff. */
int job_owner_or_staff(const struct model *m, const struct request *rq,
                       const struct job *job, struct diag *why) MUST_CHECK;

/* The same for its owner and for staff: 15007; 15004 for subjobs, of which most
 * requests know nothing. */
int job_for_request(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why) MUST_CHECK;

/* The array of the id "7[3]" or "7[1-5]" and the places of those indices, for its owner
 * and for staff; *ret_array is NULL when the id is none of that form. 15001, 15007. The
 * caller ends the set with index_set_fini() when there is an array and no error. */
int subjobs_for_request(const struct model *m, const struct request *rq, const char *id,
                        const struct job **ret_array, struct index_set *ret,
                        struct diag *why) MUST_CHECK;

/* Is the MoM that has the job there to be told something? 15070 with its log line when
 * not; 0 for a job that no MoM has. */
int job_mom_is_heard(const struct job *job, struct decision *out) MUST_CHECK;

#endif
