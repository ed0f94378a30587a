/* alike.h - vnodes for jobs that ask for the same chunks, one after the other.
 *
 * A search asks every vnode what is free. Thousands of jobs with the same select would
 * ask the same again and again, while each of them has changed a few vnodes only. So
 * first fit goes on where it was for the job before, and vnodes are asked as it comes
 * to them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_ALIKE_H
#define SCHEDULER_PLAN_ALIKE_H

#include "scheduler/plan/vnode_pool.h"

/* What is known of jobs that are alike; a zeroed one knows nothing. */
struct alike {
    struct walk *walks; /* the one that was used last comes first */
    size_t n;
};

/* Search vnodes as pool_search() would for a job in the pool's queue and window, which
 * begins now, by first fit alone. Until alike_fini() nothing may be given back in the
 * world for good. True: in *ret is what pool_search() would find, which the caller
 * books before the next call. False: nothing was found, or the request is none of those
 * that are known here: pool_search() has the answer. */
bool alike_search(struct alike *a, struct world *w, const struct pool *pool,
                  const struct request *rq, struct placement *ret) MUST_CHECK;

/* Free what it remembers; a zeroed struct is fine. */
void alike_fini(struct alike *a);

#endif
