/* length.h - how long a job is taken to last (scheduling.md 20.1).
 *
 * A manager may say of a job that it will need less than its walltime: soft_walltime.
 * Plans of jobs believe that, and take the next whole multiple when the job has gone
 * on for longer. Reservations do not: a plan that has to answer one knows walltimes
 * only, and a job that waits is taken to last its whole walltime while a reservation
 * begins before that would be over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_LENGTH_H
#define SCHEDULER_PLAN_LENGTH_H

#include "scheduler/plan/plan.h"

/* Is the job's soft_walltime looked at in plans of jobs? Those that may be shortened
 * have none (15180). */
bool job_has_soft(const struct snap_job *j);

/* Seconds that it lasts at the longest, from its first start on. */
int64_t job_full_s(const struct planner *pl, const struct snap_job *j);

/* Seconds that a running job is taken to last instead of its soft_walltime, which is
 * over; -1: it is not, or the job has none. */
int64_t job_extended_s(const struct planner *pl, const struct snap_job *j);

/* The length as users write it, "00:00:09", in that arena. */
const char *length_text(struct arena *arena, int64_t length_s);

#endif
