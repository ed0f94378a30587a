/* desk.h - memory that a search for vnodes needs for each vnode and host.
 *
 * It is made once and used by one search after the other. Nothing is cleared in
 * between, so that a search costs what it looks at: each mark is the number of the
 * search that made it, and those of other numbers count as none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_DESK_H
#define SCHEDULER_PLAN_DESK_H

#include "lib/base/arena.h"

struct fit_host {
    size_t n;
    const size_t *vnodes; /* in order */
};

struct desk {
    uint64_t turn; /* the last number that was given out */
    /* Of the pool (vnode_pool.h). */
    uint64_t n_looks;     /* at vnodes, by all searches so far */
    uint64_t *judged;     /* [vnode] 'free' and 'eligible' are those of that search */
    int64_t *free;        /* [vnode * n_res] */
    bool *eligible;       /* [vnode] */
    uint64_t *host_asked; /* [host] so is host_busy */
    bool *host_busy;      /* [host] */
    /* Of the fit (fit.h). */
    uint64_t *used;         /* [vnode] */
    uint64_t *host_used;    /* [host] */
    uint64_t *host_tried;   /* [host] in that walk (fit_walk_on()) */
    size_t *host_at;        /* [host] index in 'hosts' */
    struct fit_host *hosts; /* [host] */
    size_t *slots;          /* [vnode] for their lists */
    /* Of what becomes of a fit (pool_take_result()). */
    uint64_t *taken;   /* [vnode] */
    size_t *last_here; /* [host] */
};

/* A desk for so many vnodes, hosts and resources, in that arena. */
struct desk *desk_new(struct arena *arena, size_t n_vnodes, size_t n_hosts,
                      size_t n_res);

#endif
