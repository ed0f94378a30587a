/* job_value.h - what jobs are worth: the job sort formula with its threshold, and the
 * keys of sched_config (scheduling.md 10, 24).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_JOB_VALUE_H
#define SCHEDULER_PLAN_JOB_VALUE_H

#include "scheduler/plan/plan.h"

/* Compile the formula of the snapshot for this plan. Without one all jobs are worth 0.
 */
void job_values_begin(struct planner *pl);

/* What the formula says of the job. Where it cannot be computed that is 0, and '*why'
 * (may be NULL) says so: the words of the exception. */
double job_value(const struct planner *pl, const struct snap_job *j, const char **why);

/* Is it worth no more than the threshold? Without a threshold nobody is. */
bool job_is_under_threshold(const struct planner *pl, const struct snap_job *j);

/* The values of the job by the keys of policy, so that the smaller one is first, into
 * ret[0 .. n_job_keys). */
void job_keys(struct planner *pl, const struct snap_job *j, double *ret);

/* planning_formula_fault() and planning_values() of sched.h. */
const char *job_values_fault(const struct planner *pl);
void job_values_each(const struct planner *pl, value_fn each, void *arg);

#endif
