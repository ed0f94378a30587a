/* level.h - how important a job is to those that want its vnodes (scheduling.md 22.1).
 *
 * preempt_prio has levels, highest first: a job has the first one all of whose
 * conditions hold for it. A job of a higher level is tried first, and may make running
 * jobs of lower ones leave. Soft limits are conditions, so that a level changes when
 * jobs of its owner start or leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_LEVEL_H
#define SCHEDULER_PLAN_LEVEL_H

#include "scheduler/plan/plan.h"

/* Above all levels: the job of command 11. */
#define LEVEL_ASKED INT64_MAX

/* The larger the number, the higher the level; jobs of express queues are ordered by
 * the priority of their queue as well. Without preemption all jobs have the same. The
 * first question of a plan with soft limits looks at all jobs. */
int64_t level_of(struct planner *pl, const struct snap_job *j);

/* That of a job for which no condition holds. */
int64_t level_normal(struct planner *pl);

/* May two jobs have different levels? Linear in the queues, once in a plan. */
bool levels_differ(struct planner *pl);

/* Is the job's queue an express one, and are there levels? */
bool level_is_express(const struct planner *pl, const struct snap_job *j);

#endif
