/* suspension.h - what the records of a job say that is suspended and resumed.
 *
 * A suspension is asked for first (hf_suspend); it becomes a fact when the job's MoM
 * has stopped the processes, and only then are vnodes given back. A resumption takes
 * the vnodes first, and the MoM is told then (hf_resume). So nobody else is ever given
 * what processes that run still use, whoever dies in between (doc/design/064).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_SUSPENSION_H
#define SERVER_DECIDE_SUSPENSION_H

#include "server/decide/request.h"
#include "server/model/job_suspend.h"

/* Nothing else is being done to the job, and its processes run: 15016. Its MoM is
 * there: 15070. */
int suspension_may_begin(const struct job *job, struct decision *out) MUST_CHECK;

/* Of FACT_JOB_MODIFIED: it is to be suspended in that manner, or is not any more. */
void suspension_ask(struct record *rec, struct arena *arena,
                    enum suspend_manner manner);

/* Of FACT_JOB_SUSPENDED: it is, as was asked for, or because it could not be resumed.
 * What it gives back is settled here. */
void suspension_begin(const struct model *m, const struct job *job, struct record *rec,
                      struct arena *arena);

/* Of FACT_JOB_RESUMING: it has all of its vnodes again. */
void suspension_leave(const struct job *job, struct record *rec, struct arena *arena);

/* Of FACT_JOB_RESUMED: it goes on. */
void suspension_end(struct record *rec, struct arena *arena);

/* Of FACT_JOB_STANDS and FACT_JOB_STOOD: its host, which is busy, has stopped it, or
 * lets it go on. It keeps all that it has. Needs that this is news. */
void suspension_by_host(const struct job *job, bool stands, struct record *rec,
                        struct arena *arena);

#endif
