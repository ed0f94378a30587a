/* resume.h - suspended jobs go on where they are, and nowhere else (scheduling.md
 * 15.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_RESUME_H
#define SCHEDULER_PLAN_RESUME_H

#include "scheduler/plan/plan.h"

/* Are all vnodes of the job there? */
bool resume_may_use(const struct planner *pl, const struct job_link *link);

/* It has its vnodes again, from now on; what it had kept was set aside before. */
void resume_take(struct planner *pl, const struct snap_job *j, const struct demand *d);

/* Let a job that is in no reservation go on. What it has kept on its vnodes is a part
 * of what it needs. */
enum plan_failure resume_field(struct planner *pl, const struct snap_job *j);

/* The first instant at which all that it needs is free for what is left of its time; it
 * is booked from then on. 0: none was found. */
int64_t resume_later(struct planner *pl, const struct snap_job *j);

#endif
