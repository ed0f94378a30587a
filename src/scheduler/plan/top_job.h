/* top_job.h - what a job that cannot run does to those behind it (scheduling.md 20.3,
 * 20.5): with strict ordering its place later on is kept free of them, or they wait as
 * well.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_TOP_JOB_H
#define SCHEDULER_PLAN_TOP_JOB_H

#include "scheduler/plan/plan.h"

struct top_jobs {
    bool all_wait;     /* nobody else is started in this plan */
    bool *queue_waits; /* [queue of the snapshot] likewise of its jobs; NULL: of none */
    int64_t n;         /* top jobs of queues without a depth of their own */
    int64_t *n_of_queue; /* [queue] of those with one; NULL: there are none */
};

/* When and where a job is going to run, if nothing changes. */
struct estimate {
    bool tried;         /* it is a top job, whether a time was found or not */
    int64_t start_at;   /* 0: no time was found */
    const char *vnodes; /* exec_vnode, in the arena of the plan */
};

/* Can there be top jobs in this plan? */
bool top_jobs_may_be(const struct planner *pl);

/* Does a job before it make this one wait? Jobs of reservations wait for nobody. */
bool top_jobs_hold(const struct top_jobs *t, const struct planner *pl,
                   const struct snap_job *j);

/* The job, or the next subjob 'id' of an array, cannot run, for a reason of the vnodes'
 * if 'by_vnodes': only of those it is known when they will change. It may become a top
 * job: the vnodes of its estimate are booked from its start on, and limits of running
 * jobs count it from then. 'length_s': its
 * duration. 'queue': the one whose own vnodes it uses, NULL. 'never': it could not run
 * on the empty complex. */
struct estimate top_jobs_failed(struct top_jobs *t, struct planner *pl,
                                const struct snap_job *j, const char *id,
                                const char *queue, int64_t length_s, bool by_vnodes,
                                bool never);

/* The same for a suspended job, whose place is where it is. */
struct estimate top_jobs_stands(struct planner *pl, const struct snap_job *j);

#endif
