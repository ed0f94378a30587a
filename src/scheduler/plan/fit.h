/* fit.h - put the chunks of a request on vnodes that have room for them.
 *
 * Time is no part of it: the caller says what is free on each vnode all through the
 * window. First fit gives the order that users know (scheduling.md 15.4); when it finds
 * nothing a bounded complete search follows, so that what is feasible is not refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_FIT_H
#define SCHEDULER_PLAN_FIT_H

#include "scheduler/plan/desk.h"
#include "scheduler/plan/world.h"

/* Comparisons of a chunk with a vnode that a complete search may make. */
#define FIT_CHECKS_MAX 1000000

struct fit {
    struct world *w;
    const struct request *rq;
    const int64_t *counts; /* [rq->n] copies wanted of each chunk */
    int64_t *free;         /* [vnode * n_res] through the window; changed by a fit */
    bool *eligible;        /* [vnode] */
    struct desk *desk;     /* what else is known of vnodes and hosts, marked with */
    uint64_t turn;         /* this number */
    const size_t *order;   /* [n_order] the vnodes that may be used */
    size_t n_order, n_seen;
    size_t n_hosts;         /* found among those seen; fit_has_host() */
    struct fit_host *hosts; /* in order; only those with eligible vnodes */
    int64_t checks;         /* left to a complete search; see FIT_CHECKS_MAX */
    size_t only_host;       /* pack: on this host of the world, SIZE_MAX: any */
    /* Completes 'free' and 'eligible' for a vnode before it is looked at; NULL: they
     * are complete. */
    void (*judge)(struct fit *f, size_t vnode);
    bool there_first; /* with 'judge': vnodes that are away today come behind all others
                       */
    /* Where hosts without room can be left out (ceiling_walk.h): after so many vnodes
     * that are seen one after the other; SIZE_MAX: all are. */
    size_t n_plain;
    size_t n_ordered; /* hosts found among those, before the first walk */
    void (*set_out)(struct fit *f, const struct req_chunk *chunk); /* for the chunk */
    size_t (*next)(struct fit *f); /* vnode that is worth a look, SIZE_MAX: none */
    struct ceiling_walk *walk;
    uint64_t walk_turn; /* of the walk; 0: there has been none */
    /* Of requests that are alike, searched one after the other (alike.c). NULL: from
     * the first host on, and 'free' and 'eligible' are complete. */
    size_t
        *from; /* [rq->n] the host on which the first copy of each chunk was put last:
                  those before it have no room. Counts for place=free and pack. */
    void (*ask)(struct fit *f, size_t vnode); /* completes the two for the vnode */
    void *asker;                              /* of 'judge' and 'ask' */
    struct placed *placed; /* result: copies of chunk 0, then of chunk 1, ... */
    size_t n_placed;
    size_t failed_chunk; /* index in rq->chunks, after a failure */
    int64_t failed_copy; /* how many copies of it had found a place */
};

/* Ready to fit 'rq' on the eligible ones of order[0 .. n). 'free' and 'eligible' are
 * the caller's, who fills them or sets f->judge afterwards. 'counts' may be NULL. One
 * fit at a time uses a desk. */
void fit_init(struct fit *f, struct world *w, struct desk *desk,
              const struct request *rq, const int64_t *counts, int64_t *free,
              bool *eligible, const size_t *order, size_t n);

/* Is there a host of that index? Vnodes are looked at as far as it takes to know that:
 * a search that ends early has not seen the others. */
bool fit_has_host(struct fit *f, size_t host);

/* Is there a host of that index among the vnodes that are seen one after the other? Set
 * out for those behind them that may hold the chunk; and the next one of these: its
 * index, SIZE_MAX: there is none. */
bool fit_has_plain_host(struct fit *f, size_t host);
void fit_set_out(struct fit *f, const struct req_chunk *chunk);
size_t fit_walk_on(struct fit *f);

/* The only chunk of which copies are wanted, SIZE_MAX: there are several, or none. */
size_t fit_only_chunk(const struct fit *f);

/* See all hosts, in their order. */
void fit_see_all(struct fit *f);

/* Has the vnode, or the host of it, a chunk? */
static inline bool fit_is_used(const struct fit *f, size_t vnode)
{
    return f->desk->used[vnode] == f->turn;
}

static inline bool fit_host_is_used(const struct fit *f, size_t vnode)
{
    return f->desk->host_used[f->w->host[vnode]] == f->turn;
}

/* The host of an eligible vnode that was seen. */
static inline const struct fit_host *fit_host_of(const struct fit *f, size_t vnode)
{
    return &f->hosts[f->desk->host_at[f->w->host[vnode]]];
}

/* Say whether the vnode and its host have one. */
void fit_mark(struct fit *f, size_t vnode, bool used);

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
void fit_group_hosts(struct fit *f); /* at once, where the order is not the world's */
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
