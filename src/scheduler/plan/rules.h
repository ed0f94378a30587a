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

#define RANK_KEYS_MAX 8

/* What a job is ordered by. */
struct job_rank {
    const struct snap_job *job; /* while it is ranked */
    int64_t level;
    bool front; /* with queue after queue: before all queues */
    int64_t keys[RANK_KEYS_MAX];
    double value;   /* by the formula */
    double *by_key; /* [n_by_key] by the keys of policy */
    size_t n_by_key;
    int64_t arrival;
    size_t place; /* among the jobs of the snapshot */
};

/* Is a job ordered by what it is alone? Not where it has a level that others change, or
 * comes before all queues because of the levels that others have. */
bool rules_are_steady(struct planner *pl);

/* The rank of a job where they are; 'by_key' of *ret has room for the keys of policy.
 */
void rules_rank(struct planner *pl, const struct snap_job *j, struct job_rank *ret);

/* Two of struct job_rank, as qsort() asks; never 0 for two jobs. */
int rules_compare(const void *a, const void *b);

/* Bring jobs into the order in which they are tried. */
void rules_order(struct planner *pl, const struct snap_job **jobs, size_t n);

#endif
