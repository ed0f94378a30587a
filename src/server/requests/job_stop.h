/* job_stop.h - the signals that suspend and resume jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_STOP_H
#define SERVER_REQUESTS_JOB_STOP_H

#include "server/requests/job_named.h"

/* suspend, resume, admin-suspend, admin-resume. */
bool is_stop_signal(const char *name);

/* PBS's line about a signal of any kind, for which suites look. */
void job_signal_log(const struct request *rq, const char *id, struct decision *out);

/* SignalJob of an operator or manager with one of them, for each of the jobs, which are
 * in state R, and subjobs of 'array' unless that is NULL. Many subjobs take several
 * slices (doc/design/006). 15016 for a job that is not what the word needs, 15177 for
 * one that was suspended with the other form, 15070, 15046. Of an array or a range what
 * can be done is done, and the reply has the first failure. When all are refused that
 * is the result. */
int job_stop_all(const struct model *m, const struct request *rq,
                 const struct job *array, const struct job_list *jobs,
                 struct decision *out) MUST_CHECK;

/* The next slice of a request that has its progress->state from job_stop_all(). */
int job_stop_go_on(const struct model *m, const struct request *rq,
                   struct decision *out) MUST_CHECK;

#endif
