/* fit.h - put the chunks of a request on vnodes that have room for them.
 *
 * Time is no part of it: the caller says what is free on each vnode all through the
 * window. First fit gives the order that users know (scheduling.md 15.4); when it finds
 * nothing a bounded complete search follows, so that what is feasible is not refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_FIT_H
#define SCHEDULER_PLAN_FIT_H

#include "scheduler/plan/world.h"

/* Comparisons of a chunk with a vnode that a complete search may make. */
#define FIT_CHECKS_MAX 1000000

struct fit_host {
    size_t n;
    const size_t *vnodes; /* in order */
    bool used;            /* scatter: has a chunk */
};

struct fit {
    struct world *w;
    const struct request *rq;
    const int64_t *counts; /* [rq->n] copies wanted of each chunk */
    int64_t *free;         /* [vnode * n_res] through the window; changed by a fit */
    bool *eligible;        /* [vnode] */
    bool *used;            /* [vnode] vscatter: has a chunk */
    size_t n_hosts;
    struct fit_host *hosts; /* in order; only those with eligible vnodes */
    size_t *host_of;        /* [vnode] index in hosts, SIZE_MAX: none */
    int64_t checks;         /* left to a complete search; see FIT_CHECKS_MAX */
    size_t only_host;       /* pack: on this host, SIZE_MAX: any */
    /* Of requests that are alike, searched one after the other (alike.c). NULL: from
     * the first host on, and 'free' and 'eligible' are complete. */
    size_t
        *from; /* [rq->n] the host on which the first copy of each chunk was put last:
                  those before it have no room. Counts for place=free and pack. */
    void (*ask)(struct fit *f, size_t vnode); /* completes the two for the vnode */
    void *asker;
    struct placed *placed; /* result: copies of chunk 0, then of chunk 1, ... */
    size_t n_placed;
    size_t failed_chunk; /* index in rq->chunks, after a failure */
    int64_t failed_copy; /* how many copies of it had found a place */
};

/* Ready to fit 'rq' on the eligible ones of order[0 .. n). All arrays but 'free' and
 * 'eligible', which the caller fills, are made here. 'counts' may be NULL. */
void fit_init(struct fit *f, struct world *w, const struct request *rq,
              const int64_t *counts, int64_t *free, bool *eligible, const size_t *order,
              size_t n);

/* Where vnodes are sorted by what changes as chunks are placed (policy->sorts_anew):
 * the vnodes order[0 .. n) in that order with this free, in scratch memory. */
const size_t *fit_sorted(struct world *w, const int64_t *free, const size_t *order,
                         size_t n);
/* All copies of all chunks on hosts [first, last), which are sorted anew after each; as
 * fit_first() in what is left behind. */
bool fit_place_sorted(struct fit *f, size_t first, size_t last) MUST_CHECK;

/* What stays where it is takes part in the rules of place and takes its amounts. */
void fit_pin(struct fit *f, const struct placed *pd);

/* True with the chunks in f->placed, f->n_placed of them. */
bool fit_find(struct fit *f) MUST_CHECK;

/* Parts of the search. */
bool fit_first(struct fit *f) MUST_CHECK;
bool fit_complete(struct fit *f) MUST_CHECK;
bool fit_matches(const struct fit *f, const struct req_chunk *chunk, size_t vnode);
bool fit_place_on_host(struct fit *f, const struct req_chunk *chunk, size_t host,
                       struct placed *pd) MUST_CHECK;
bool fit_has_room(const struct fit *f, const struct req_chunk *chunk, size_t vnode);
void fit_take(struct fit *f, const struct placed *pd, int sign);
void fit_place_whole(struct fit *f, const struct req_chunk *chunk, size_t vnode,
                     struct placed *pd);
bool fit_place_split(struct fit *f, const struct req_chunk *chunk, size_t host,
                     struct placed *pd) MUST_CHECK;

/* The value of a resource that is no amount, NULL when the vnode has none. */
const char *fit_offered_text(const struct world *w, size_t vnode, size_t res);

/* Does need 'n' count down what a vnode has? */
bool fit_is_counted(const struct world *w, const struct need *n);

/* Is need 'n', which is not counted, met by the vnode? */
bool fit_need_is_met(const struct world *w, const struct need *n, size_t vnode);

#endif
