/* resv_qmove.h - a reservation that begins as soon as possible, for a job that waits
 * (reservations.md 16): the scheduler chooses the start, and the job moves into the
 * reservation when it is confirmed.
 *
 * PBS grants all permissions to a request that has the attribute qmove
 * (reservations.md 5.2). This server does not: whoever may move the job by other means
 * may do it by these (doc/design/044-as-soon-as-possible.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_QMOVE_H
#define SERVER_DECIDE_RESV_QMOVE_H

#include "server/decide/edit.h"

/* How long such a reservation may be without a job, when the request does not say. */
#define RESV_QMOVE_IDLE_S 600

/* The job that 'text' names, if the requester may make such a reservation for it. In
 * this order: the refusals of resv_job_find_alone(), 15007 somebody else's (operators
 * and managers pass), 15016 it does not wait. */
int resv_qmove_find(const struct model *m, const struct request *rq, const char *text,
                    const struct job **ret, struct diag *why) MUST_CHECK;

/* What the reservation has from the job where the request does not say it: resources
 * and length; and an open start. 15086 when the request has times of its own. */
int resv_qmove_copy(const struct request *rq, const struct job *job, struct edit *resv,
                    struct diag *why) MUST_CHECK;

/* Was this reservation made for a waiting job? It stays so when the job has moved. */
bool resv_qmove_is(const struct resv *r);

/* The job that it is made for, if it can still be moved: it waits, stands alone, and
 * asks for no more than the limits of the reservation's queue; else NULL. */
const struct job *resv_qmove_job(const struct model *m, const struct resv *r);

/* The reservation has its vnodes: the job moves into its queue, in the name of who has
 * asked for it. */
void resv_qmove_record(const struct request *rq, const struct resv *r,
                       const struct job *job, struct decision *out);

#endif
