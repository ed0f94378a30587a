/* job_settle.h - what a new job's record says only now that the job is committed.
 *
 * The record holds what QueueJob decided. Its texts, and those that are added, live as
 * long as the request's arena.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_SETTLE_H
#define SERVER_REQUESTS_JOB_SETTLE_H

#include "server/decide/request.h"

/* What the record makes of an attribute, as a text; 'unset' where it says nothing. */
const char *arrival_text(const struct record *rec, int attr, const char *unset);

/* What the job waits for is settled with the commit: others may have ended since it was
 * sent. 'text' is what it asked for; the records of others follow the job's own, which
 * is 'rec'. *ret_waits says whether it has to wait, as arrival_settle() needs to know.
 * Returns 0 or a PBSE code with its words in out->why. */
int arrival_settle_depend(const struct model *m, const struct request *rq,
                          struct record *rec, const char *text, bool *ret_waits,
                          struct decision *out) MUST_CHECK;

/* Where the job belongs, by the moment of its commit: its state, its times and its
 * place in the queue. 'waits': for other jobs. */
void arrival_settle(struct record *rec, const char *id, bool waits,
                    const struct request *rq);

#endif
