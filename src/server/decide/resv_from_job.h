/* resv_from_job.h - a reservation out of a running job (reservations.md 15).
 *
 * The job's share becomes the reservation's and the job moves into it. No scheduler is
 * asked, and nothing is balanced by hand: the sums follow the links (model/links.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_FROM_JOB_H
#define SERVER_DECIDE_RESV_FROM_JOB_H

#include "server/decide/edit.h"

/* The job that 'text' names ("3" is the same as "3.svr"), if it stands alone. In this
 * order: 15001 unknown, 15181 in a reservation, 15182 an array or part of one. */
int resv_job_find_alone(const struct model *m, const struct request *rq,
                        const char *text, const struct job **ret,
                        struct diag *why) MUST_CHECK;

/* The job that 'text' names, if the requester may make a reservation out of it. In this
 * order: the refusals of resv_job_find_alone(), 15007 somebody else's (managers too),
 * 15016 not running. A job that has just been given
 * vnodes is found too: see resv_await_job(). */
int resv_job_find(const struct model *m, const struct request *rq, const char *text,
                  const struct job **ret, struct diag *why) MUST_CHECK;

/* True for a job that qstat shows as running and whose MoM has not told that its script
 * runs: nothing may be decided yet, and the request is asked again when that has
 * changed. A job that is still so when the time is over is one that does not run. */
bool resv_await_job(const struct request *rq, const struct job *job,
                    struct decision *out) MUST_CHECK;

/* What the reservation has from the job: resources, vnodes asked for, start; and the
 * length when the request gives none. */
int resv_job_copy(const struct request *rq, const struct job *job, struct edit *resv,
                  struct diag *why) MUST_CHECK;

/* Confirmed on the job's vnodes, open for jobs, the job in it. Comes after the records
 * that make the reservation and its queue. */
void resv_job_records(const struct request *rq, const struct job *job, const char *id,
                      const char *queue, struct decision *out);

#endif
