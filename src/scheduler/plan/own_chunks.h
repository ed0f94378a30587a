/* own_chunks.h - the chunks that a running reservation has already, and which of them
 * it keeps when its vnodes are planned again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_OWN_CHUNKS_H
#define SCHEDULER_PLAN_OWN_CHUNKS_H

#include "scheduler/plan/plan.h"

struct own_chunk {
    struct placed *placed;
    size_t chunk; /* of the request it was found for, SIZE_MAX: a bare extra */
    bool usable;  /* all of its vnodes are, and are known */
    bool has_job;
    bool kept;
};

struct own_chunks {
    size_t n;
    struct own_chunk *v; /* in the order of resv_nodes */
};

/* The vnodes on which jobs of the reservation run, and of which it has nothing any more
 * since maintenance took them: [vnode] true, NULL: there are none. Given to it again in
 * part they would have more in use than it holds. Until plan->w is cleared. */
const bool *vnodes_of_jobs_outside(const struct planner *pl, const struct snap_resv *r);

/* Read the chunks of resv_nodes. They belong to the chunks of the request in order
 * (reservations.md 25.4); bare vnodes of hosts that were taken whole belong to none.
 * False when the two do not add up. */
bool own_chunks_read(const struct planner *pl, const struct snap_resv *r,
                     const struct request *rq, struct own_chunks *ret) MUST_CHECK;

/* For each chunk of the old request, the chunk of the proposed request that it goes on
 * as; SIZE_MAX: it is given up. Equal chunks may be written more than once; they are
 * tied in order, so that ret[] ascends. */
void own_chunks_tie(const struct request *old, const struct request *proposed,
                    size_t *ret);

/* Keep up to 'count' copies of chunk 'old_chunk' of the old request: those with jobs
 * first, then the usable ones. *left gets how many copies are left to search. False
 * when a job would lose its vnodes. */
bool own_chunks_keep(struct own_chunks *all, size_t old_chunk, int64_t count,
                     int64_t *left) MUST_CHECK;

/* Keep the bare vnodes that are usable. False when a job would lose its vnodes. */
bool own_chunks_keep_extras(struct own_chunks *all) MUST_CHECK;

#endif
