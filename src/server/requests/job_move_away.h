/* job_move_away.h - a job that does not run goes to another server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_MOVE_AWAY_H
#define SERVER_REQUESTS_JOB_MOVE_AWAY_H

#include "server/decide/request.h"

/* The job, which is not at a MoM, leaves for "queue@server[:port]"; the reply waits for
 * that server's word. 15029 for a job with dependencies; 15016 for an array that has
 * begun; 15024 after too many servers; 15008 for an unknown host; NEEDED. */
int job_move_away(const struct request *rq, const struct job *job,
                  const char *destination, struct decision *out) MUST_CHECK;

#endif
