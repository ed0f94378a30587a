/* vnode_pool.h - what is free for one request: vnodes that may be used, and how much of
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_VNODE_POOL_H
#define SCHEDULER_PLAN_VNODE_POOL_H

#include "scheduler/plan/fit.h"

enum asker {
    ASKER_RESV,
    ASKER_JOB
};

struct pool {
    enum asker asker;
    const char *queue; /* jobs: vnodes of this queue only, NULL: vnodes of no queue */
    int64_t start_at;  /* the window */
    int64_t end_at;
    int64_t *free;  /* [vnode * n_res] */
    bool *eligible; /* [vnode] */
    size_t n_eligible;
    size_t n_in_use; /* vnodes that only lack because somebody is on them */
    size_t n_not_for_resv;
};

/* Ask every vnode what is free through the window. */
void pool_fill(struct pool *pool, struct world *w, const struct request *rq);

/* One search for a whole request through the window; what is found is in *ret. On
 * failure FAIL_SHORT and so on, with the details in *why. */
enum plan_failure pool_search(struct pool *pool, struct world *w,
                              const struct request *rq, struct placement *ret,
                              struct plan_short *why);

/* Join the chunks found to a placement, with bare chunks for the rest of hosts that are
 * taken whole. */
void pool_take_result(struct world *w, const struct fit *f, struct placement *ret);

/* Why the chunk on which 'f' failed found no place. */
enum plan_failure pool_explain(const struct pool *pool, const struct fit *f,
                               struct plan_short *why);

/* Would the request fit on the complex if nobody held anything? */
bool pool_fits_empty(struct world *w, const struct request *rq, enum asker asker,
                     const char *queue);

/* The first start > start_at at which the request fits for as long as the pool's
 * window, trying at most 'tries' instants at which something is given back; 0: none. */
int64_t pool_earliest(const struct pool *pool, struct world *w,
                      const struct request *rq, size_t tries);

#endif
