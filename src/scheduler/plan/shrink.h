/* shrink.h - jobs that may be shortened to fit: those with min_walltime (scheduling.md
 * 21).
 *
 * Such a job is tried with its full length first. When that does not fit it is
 * given the longest time that does and that ends where something begins that was
 * promised to others: a reservation, the place of a top job, dedicated time. What is
 * free through a window is free through each shorter one, so the longest is found with
 * few searches. PBS tries five times at most, and finds the same or less.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SHRINK_H
#define SCHEDULER_PLAN_SHRINK_H

#include "scheduler/plan/plan.h"

/* When something of others begins: reservations, the places of top jobs. A zeroed one
 * knows nothing yet. */
struct starts {
    bool known; /* the reservations are among them */
    bool in_order;
    size_t n, cap;
    int64_t *at;
};

/* A top job will start then. */
void starts_add(struct starts *st, struct arena *arena, int64_t at);

/* May the job be shortened? Only while it waits; its walltime counts from then on. */
bool job_may_shrink(const struct snap_job *j);

/* Would the job fit if it ended at that instant? Nothing is booked. */
typedef enum plan_failure (*shrink_try_fn)(void *arg, int64_t end_at);

struct shrunk {
    int64_t length_s;   /* how long it may last */
    const char *why[2]; /* what the log says of that, in order; NULL: no more */
};

/* The job failed at its full length. Returns FAIL_NONE and how long it may last
 * instead, or why it cannot run even for its min_walltime. */
enum plan_failure shrink_to_fit(struct planner *pl, const struct snap_job *j,
                                struct starts *st, enum plan_failure at_full,
                                shrink_try_fn attempt, void *arg, struct shrunk *ret);

/* Append the step that has the job last so long, before the one that runs it; false:
 * none, when its walltime says so already, or when it may last for ever. */
bool shrink_step(struct planner *pl, const struct snap_job *j,
                 const struct shrunk *shrunk);

#endif
