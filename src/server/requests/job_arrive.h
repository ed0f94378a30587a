/* job_arrive.h - a job comes from another server (wire.md 14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_ARRIVE_H
#define SERVER_REQUESTS_JOB_ARRIVE_H

#include "server/decide/request.h"

/* May another server send the job of that id, with those attributes? 15004 when it is
 * no server that asks, or the id is none; 15009 when the job is here, or was: the
 * sender may forget it; 15024 after too many servers. A job that has left this server
 * may come back: it has been through more servers since. */
int job_arrival_check(const struct model *m, const struct request *rq, const char *id,
                      const struct wire_attrs *attrs, struct diag *why) MUST_CHECK;

/* "user@host" whose job it is, NULL when the sender does not say. */
const char *job_arrival_owner(const struct wire_attrs *attrs);

/* How many servers the job has been through, this one included. */
int64_t job_arrival_hops(const struct wire_attrs *attrs);

/* Append the records that make room for a job of that id which has left and comes back.
 */
void job_arrival_records(const struct model *m, const struct request *rq,
                         const char *id, struct decision *out);

/* Has another server made the job of that id? */
bool job_is_foreign(const struct svr_config *cfg, const char *id, struct arena *arena);

#endif
