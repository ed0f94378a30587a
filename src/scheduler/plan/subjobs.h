/* subjobs.h - the subjobs of an array that can be started, one after another
 * (scheduling.md 25).
 *
 * Servers tell those that wait as ranges of indices of their array, in order; what runs
 * of it they tell as jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SUBJOBS_H
#define SCHEDULER_PLAN_SUBJOBS_H

#include "lib/attr/indices.h"
#include "scheduler/plan/plan.h"

struct subjobs {
    const struct snap_job *array; /* NULL: none is looked at */
    const char *rest;             /* of the ranges that remain */
    struct index_range range;     /* the one that is looked at, from first on */
    bool in_range;
    const char *only;  /* a list of indices, of which one has to name it; NULL: all */
    int64_t n_running; /* those that run already and those that were started */
    size_t n_started;
};

/* Does an id name this job, or this array or subjobs of it? */
bool subjobs_names(const char *id, const struct snap_job *j);

/* Is any subjob of the array left to be started? */
bool subjobs_remain(const struct snap_job *array);

/* 'id': of what is to be run alone, as given to jobs_new(); NULL: all. Time: linear in
 * the jobs of the snapshot where the array limits how many run. */
void subjobs_begin(struct subjobs *sub, const struct planner *pl,
                   const struct snap_job *array, const char *id);

/* The id of the next subjob, NULL: none is left. It stays the next one until it is
 * subjobs_started(). */
const char *subjobs_next(struct subjobs *sub, struct arena *arena);
void subjobs_started(struct subjobs *sub);

/* As many run as the array allows (max_run_subjobs). */
bool subjobs_limited(const struct subjobs *sub);

#endif
