/* alike.c - see alike.h.
 *
 * While a plan looks at jobs, what is free only shrinks. A host that had no room for a
 * chunk has none for the same chunk later, and none through a window that ends later:
 * so first fit may begin behind it, and finds what it would find from the beginning.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/alike.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    WALKS_MAX = 16, /* each takes memory for all vnodes */
    STOPS_MAX = 64  /* of a walk: windows of so many lengths */
};

/* Where first fit has come to for windows up to an end. */
struct stop {
    int64_t end_at;
    size_t *from; /* [rq->n] as in struct fit */
};

/* The jobs with one select and place that use the vnodes of one queue. */
struct walk {
    const struct request *rq;
    struct pool pool; /* its window is that of the job that is looked at */
    struct world *w;
    struct fit fit;      /* between two searches nothing is placed in it */
    bool *may_use;       /* [vnode] by this request at all */
    int64_t *asked;      /* [vnode] the end of the window it was asked for; 0: none */
    struct arena *arena; /* of all these */
    size_t n_took;       /* so many of the world's are known */
    size_t n_stops;
    struct stop stops[STOPS_MAX]; /* in no order */
    struct walk *prev, *next;
};

/* Is the vnode one of a host that may be taken whole? Whether it is eligible depends on
 * the others of its host then. */
static bool counts_hosts(const struct world *w, const struct request *rq)
{
    for (size_t i = 0; i < w->n; i++)
        if (world_use(w, i, &rq->place) == USE_HOST)
            return true;
    return false;
}

/* The order of sets, and that of vnodes which are sorted anew, changes with what is
 * taken; what a vnode borrows is asked of another one. */
static bool can_walk(const struct world *w, const struct pool *pool)
{
    return !pool->sets && !pool->closed && !w->p->sorts_anew && !w->home;
}

static struct walk *find(const struct alike *a, const struct pool *pool,
                         const struct request *rq)
{
    struct walk *k;

    DL_FOREACH (a->walks, k)
        if (k->rq == rq && str_same(k->pool.queue, pool->queue))
            return k;
    return NULL;
}

static void forget(struct alike *a, struct walk *k)
{
    DL_DELETE(a->walks, k);
    a->n--;
    arena_free(k->arena);
    free(k);
}

/* Called by the fit for each vnode that it comes to. */
static void ask(struct fit *f, size_t vnode)
{
    struct walk *k = f->asker;
    const int64_t *presence = &k->pool.free[vnode * k->w->n_res + RES_PRESENCE];

    if (k->asked[vnode] == k->pool.end_at || !k->may_use[vnode])
        return;
    pool_ask(&k->pool, k->w, vnode);
    k->asked[vnode] = k->pool.end_at;
    k->pool.eligible[vnode] =
        *presence >=
        (world_use(k->w, vnode, &k->rq->place) == USE_SHARED ? 1 : PRESENCE_ALL);
}

/* The fit of a walk, in memory that stays. */
static void make_fit(struct walk *k)
{
    struct arena *scratch = k->w->scratch;
    struct desk *desk;
    size_t n = k->w->n;

    k->w->scratch = k->arena;
    k->may_use = ARENA_ARRAY(k->arena, bool, n + 1);
    pool_may_use(&k->pool, k->w, k->rq, k->may_use);
    desk = desk_new(k->arena, n, k->w->n_hosts, k->w->n_res);
    memcpy(desk->eligible, k->may_use, n * sizeof(bool));
    k->pool.free = desk->free;
    k->pool.eligible = desk->eligible;
    k->asked = ARENA_ARRAY(k->arena, int64_t, n + 1);
    fit_init(&k->fit, k->w, desk, k->rq, NULL, k->pool.free, k->pool.eligible,
             k->w->order, n);
    k->fit.from = ARENA_ARRAY(k->arena, size_t, k->rq->n + 1);
    k->fit.ask = ask;
    k->fit.asker = k;
    k->w->scratch = scratch;
}

static struct walk *begin(struct alike *a, struct world *w, const struct pool *pool,
                          const struct request *rq)
{
    struct walk *k = xcalloc(1, sizeof(*k));

    if (a->n == WALKS_MAX)
        forget(a, a->walks->prev); /* that of the first element is the last one */
    k->rq = rq;
    k->w = w;
    k->pool = *pool;
    k->arena = arena_new();
    make_fit(k);
    w->took.wanted = true;
    k->n_took = w->took.n;
    DL_PREPEND(a->walks, k);
    a->n++;
    return k;
}

/* The walk of this request, which is the first of the list from now on; NULL: it cannot
 * have one. */
static struct walk *go_on(struct alike *a, struct world *w, const struct pool *pool,
                          const struct request *rq)
{
    struct walk *k = find(a, pool, rq);

    if (!k)
        return counts_hosts(w, rq) ? NULL : begin(a, w, pool, rq);
    DL_DELETE(a->walks, k);
    DL_PREPEND(a->walks, k);
    k->pool.end_at = pool->end_at;
    for (; k->n_took < w->took.n; k->n_took++)
        k->asked[w->took.v[k->n_took]] = 0;
    return k;
}

/* The place from which to go on for a window with that end: of those for windows that
 * end no later, the one for the longest. */
static const struct stop *find_stop(const struct walk *k)
{
    const struct stop *best = NULL;

    for (size_t i = 0; i < k->n_stops; i++)
        if (k->stops[i].end_at <= k->pool.end_at &&
            (!best || k->stops[i].end_at > best->end_at))
            best = &k->stops[i];
    return best;
}

static void note_stop(struct walk *k, const struct stop *before)
{
    size_t bytes = k->rq->n * sizeof(size_t);
    struct stop *stop = NULL;

    if (before && before->end_at == k->pool.end_at)
        stop = &k->stops[before - k->stops];
    else if (k->n_stops < STOPS_MAX)
        stop = &k->stops[k->n_stops++];
    if (!stop)
        return;
    stop->end_at = k->pool.end_at;
    if (!stop->from)
        stop->from = arena_alloc(k->arena, bytes + 1);
    memcpy(stop->from, k->fit.from, bytes);
}

/* Leave the fit as if nothing had been placed. */
static void clear_fit(struct walk *k)
{
    struct fit *f = &k->fit;

    for (size_t c = 0; c < f->n_placed; c++)
        for (size_t i = 0; i < f->placed[c].n; i++) {
            size_t vnode = f->placed[c].pieces[i].vnode;

            k->asked[vnode] = 0;
            fit_mark(f, vnode, false);
        }
    f->n_placed = 0;
}

bool alike_search(struct alike *a, struct world *w, const struct pool *pool,
                  const struct request *rq, struct placement *ret)
{
    struct walk *k = can_walk(w, pool) ? go_on(a, w, pool, rq) : NULL;
    const struct stop *stop;
    bool found;

    MUST(pool->asker == ASKER_JOB && pool->start_at == w->now_at && !pool->room);
    if (!k || pool_server_fit(pool, w, rq, NULL))
        return false;
    stop = find_stop(k);
    if (stop)
        memcpy(k->fit.from, stop->from, rq->n * sizeof(size_t));
    else
        memset(k->fit.from, 0, rq->n * sizeof(size_t));
    (void)world_scratch(w); /* of the search before */
    found = fit_first(&k->fit);
    if (found) {
        pool_take_result(w, &k->fit, ret);
        note_stop(k, stop);
    }
    clear_fit(k);
    return found;
}

void alike_fini(struct alike *a)
{
    while (a->walks)
        forget(a, a->walks);
}
