/* vnode_pool.h - what is free for one request: vnodes that may be used, and how much of
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_VNODE_POOL_H
#define SCHEDULER_PLAN_VNODE_POOL_H

#include "scheduler/plan/fit.h"
#include "scheduler/plan/placement_set.h"
#include "scheduler/plan/set_words.h"

enum asker {
    ASKER_RESV,
    ASKER_JOB
};

/* From start_at up to, not including, end_at. */
struct span {
    int64_t start_at;
    int64_t end_at;
};

/* What is known of an earlier window of the same length: since then only these vnodes
 * have more of anything. */
struct gained {
    struct span window;
    uint64_t *places; /* bits by place in the order of the world: their hosts' vnodes */
};

struct pool {
    enum asker asker;
    const char *queue; /* jobs: vnodes of this queue only, NULL: vnodes of no queue */
    bool with_away;    /* also vnodes that are down or offline today, last of all */
    int64_t start_at;  /* the window */
    int64_t end_at;
    bool in_dedicated; /* jobs: of a queue that runs in dedicated time only */
    int64_t steps_s;   /* pool_earliest(): several changes at once, up to the next
                          multiple of this; 0: each is looked at */
    size_t n_spans;    /* 0: the window is one span; else these, rising, within it */
    const struct span *spans;
    int64_t *checks; /* left to complete searches, of many together; NULL: each has its
                        own FIT_CHECKS_MAX */
    struct placement_sets *sets; /* that the request prefers; NULL: there are none */
    struct set_words *words;     /* pool_fit() says which it tries; NULL: nobody asks */
    const bool *closed;          /* [vnode] not for this request, NULL: none is */
    const struct placement *room; /* jobs of a reservation: all that it has; NULL: the
                                     complex is all there is */
    const struct gained *gained;  /* NULL: nothing is known */
    bool without_endless;         /* jobs without a walltime are not there: endless.h */
    bool without_server;          /* nothing is asked of what the server limits */
    bool as_if_empty;             /* nobody has anything of any vnode */
    uint64_t turn;                /* vnodes are asked when a search comes to them, and
                                     have this mark on the world's desk then; 0: all have
                                     been asked */
    int64_t *free;                /* [vnode * n_res] */
    bool *eligible;               /* [vnode] */
    size_t n_eligible;            /* of those asked */
    size_t n_in_use; /* vnodes that only lack because somebody is on them */
    size_t n_not_for_resv;
};

/* Be ready to say of each vnode what is free through the window, and whether the
 * request may use it. Where the search allows that, a vnode is asked when it comes to
 * it, so that the cost follows what is looked at. Sets, if any, are known before. */
void pool_fill(struct pool *pool, struct world *w, const struct request *rq);

/* Does the search allow that? */
bool pool_can_wait(const struct pool *pool, const struct world *w);

/* Ask the vnode, unless it has been. */
void pool_look(struct pool *pool, struct world *w, const struct request *rq,
               size_t vnode);

/* Have 'f', which searches in pool->free, ask as it comes to vnodes. */
void pool_lend(struct pool *pool, struct fit *f);

/* Ask all at once, for a caller who has made pool->free and pool->eligible: ask one
 * vnode, and say of all vnodes which of them the request may use. */
void pool_ask(const struct pool *pool, struct world *w, size_t vnode);
void pool_judge(struct pool *pool, struct world *w, const struct request *rq);

/* May the request use the vnode at all, whoever is on it? For each of them, into
 * ret[0 .. w->n). */
void pool_may_use(const struct pool *pool, const struct world *w,
                  const struct request *rq, bool *ret);

/* The sets for a request, NULL: none. 'queue' is the job's, NULL for a reservation. */
struct placement_sets *pool_sets(const struct pool *pool, struct world *w,
                                 const struct request *rq,
                                 const struct snap_queue *queue);

/* What would be free and eligible if nobody were there. */
void pool_when_empty(const struct pool *pool, const struct world *w,
                     const struct request *rq, int64_t *free, bool *eligible);

/* Fit a request, or 'counts' copies of its chunks, on what was filled in: in one
 * placement set where there are sets, as far as 'kept' (chunks that stay, NULL: none)
 * lies in one. The chunks are in f->placed, and the kept ones have their part. On
 * failure why it does not fit, with the details in *why; NULL: the caller does not ask.
 */
enum plan_failure pool_fit(struct pool *pool, struct world *w, const struct request *rq,
                           const int64_t *counts, const struct placement *kept,
                           struct fit *f, struct plan_short *why);

/* Has the server enough, through the pool's window, of what it limits and the request
 * asks for? If not (FAIL_SERVER_SHORT), *why has the details; NULL: the caller does not
 * ask. All searches ask this first. Linear in the resources that the request names. */
enum plan_failure pool_server_fit(const struct pool *pool, struct world *w,
                                  const struct request *rq, struct plan_short *why);

/* Does the request ask for anything that the server limits? */
bool pool_asks_server(const struct world *w, const struct request *rq);

/* Does the whole request fit, by first fit alone? The chunks are in f->placed. */
bool pool_fits_first(struct pool *pool, struct world *w, const struct request *rq,
                     struct fit *f);

/* One search for a whole request through the window; what is found is in *ret. On
 * failure FAIL_SHORT and so on, with the details in *why. */
enum plan_failure pool_search(struct pool *pool, struct world *w,
                              const struct request *rq, struct placement *ret,
                              struct plan_short *why);

/* Vnodes that hold the whole request in each of n > 0 spans, which rise and do not
 * overlap; by first fit alone. False: there may be others. */
bool pool_search_all(struct pool *pool, struct world *w, const struct request *rq,
                     const struct span *spans, size_t n,
                     struct placement *ret) MUST_CHECK;

/* Join the chunks found to a placement, with bare chunks for the rest of hosts that are
 * taken whole. */
void pool_take_result(struct world *w, const struct fit *f, struct placement *ret);

/* Why the chunk on which 'f' failed found no place. */
enum plan_failure pool_explain(struct pool *pool, struct fit *f,
                               struct plan_short *why);

/* The part of that about a chunk that is short of something. False: it needs nothing.
 */
bool pool_explain_short(struct pool *pool, struct fit *f, struct plan_short *why);

/* Would the request fit on the complex if nobody held anything? If not, 'why' says what
 * is short then; NULL: not wanted. */
bool pool_fits_empty(struct world *w, const struct request *rq, enum asker asker,
                     const char *queue, struct plan_short *why);

/* The first start > start_at at which the request fits for as long as the pool's
 * window, by first fit alone; 0: none was found. Tried are instants at which vnodes
 * give something back that they did not have before, and the boundaries of dedicated
 * times (a window may not cross one): at most 'tries' of them, and only as many as
 * EARLIEST_LOOKS is good for. With pool->steps_s the last change of each step is tried
 * (scheduling.md 20.4). Cost: that of the searches, each of which looks at what may
 * have room, and the bookings that end meanwhile; where vnodes cannot be asked one by
 * one, or the request has very many chunks, also all vnodes. */
int64_t pool_earliest(const struct pool *pool, struct world *w,
                      const struct request *rq, size_t tries);

/* How often that search looks at a vnode: one question must not keep others waiting. */
#define EARLIEST_LOOKS 3000000

#endif
