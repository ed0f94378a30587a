/* rules.h - which jobs are considered and in what order, as rows (scheduling.md 10,
 * 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_RULES_H
#define SCHEDULER_PLAN_RULES_H

#include "scheduler/plan/plan.h"

/* Does the job wait for this scheduler, whether it is served or not? 'only' is the job
 * of command 11, NULL: none. */
bool rules_waits(const struct planner *pl, const char *only, const struct snap_job *j);

/* Is it a suspended job that a scheduler resumes? One that a user has suspended waits
 * for the user. */
bool rules_resumes(const struct snap_job *j);

/* Does it run? One that its busy host has stopped (state U) has all that it had, and
 * goes on by itself. */
bool rules_runs(const struct snap_job *j);

/* Why a job that waits is not considered, FAIL_NONE: it is. Command 11 ('asked') is
 * held up by no rule of its queue. */
enum plan_failure rules_refuse(const struct planner *pl, bool asked,
                               const struct snap_job *j);

/* Bring jobs into the order in which they are tried. */
void rules_order(struct planner *pl, const struct snap_job **jobs, size_t n);

#endif
