/* job_over.h - a job leaves the living: into history where the server keeps it, else
 * out of the model (attributes.md 14.7). A subjob
 * expires whatever the server keeps: its array takes it over (array_run.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_OVER_H
#define SERVER_DECIDE_JOB_OVER_H

#include "server/decide/request.h"

/* Append the record with which the job ends, whose run is over: FACT_JOB_FINISHED, or
 * FACT_JOB_ENDED without history. 'exit_status' is that of the run; a job whose
 * deletion was asked for is terminated whatever it is. Its vnodes were noted before. */
struct record *job_over_record(const struct model *m, const struct job *job,
                               const char *actor, int64_t now_at, int64_t exit_status,
                               struct decision *out);

/* The same of a job that is given up without its MoM: by force. */
struct record *job_forced_record(const struct model *m, const struct job *job,
                                 const char *actor, int64_t now_at, bool forget,
                                 struct decision *out);

/* The same of a job that did not run and is deleted at the request of 'actor':
 * FACT_JOB_WITHDRAWN or FACT_JOB_DELETED. 'forget': nothing is to be kept of it. */
struct record *job_withdrawn_record(const struct model *m, const struct job *job,
                                    const char *actor, int64_t now_at, bool forget,
                                    struct decision *out);

/* The same of a job that waits for job 'culprit', which will not end as is wanted. */
struct record *job_unmet_record(const struct model *m, const struct job *job,
                                const char *culprit, const char *actor, int64_t now_at,
                                struct decision *out);

/* The same of a job that another server has: FACT_JOB_AWAY or FACT_JOB_LEFT. */
struct record *job_away_record(const struct model *m, const struct job *job,
                               const char *actor, int64_t now_at, const char *comment,
                               struct decision *out);

/* Append the record that takes a job out of the history, or lets it go as soon as jobs
 * of other servers that wait for it have been told. */
void job_forget_record(const struct job *job, const char *actor, int64_t now_at,
                       struct decision *out);

#endif
