/* pool_fit.c - one request into what is free: into one placement set when there are
 * sets, else anywhere.
 *
 * The sets are tried in order. When none has room now but one could hold the request if
 * it were empty, the request waits for it. When none ever could, the request may use
 * all vnodes, unless the site forbids that (scheduling.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/vnode_pool.h"

#include <string.h>

struct attempt {
    struct pool *pool;
    struct world *w;
    const struct request *rq;
    const int64_t *counts;          /* NULL: those of the request */
    const struct placement *kept;   /* chunks that stay where they are; NULL: none */
    const struct placement *around; /* chunks that lie in the sets that count */
    bool (*find)(struct fit *f);    /* fit_find or fit_first */
    int64_t *demand;                /* [n_res] of all chunks together */
    struct set_words *words;        /* NULL: nobody asks */
};

static void pin_kept(const struct attempt *a, struct fit *f)
{
    for (size_t i = 0; a->kept && i < a->kept->n; i++)
        fit_pin(f, &a->kept->chunks[i]);
}

static void unpin_kept(const struct attempt *a, struct fit *f)
{
    for (size_t i = 0; a->kept && i < a->kept->n; i++)
        fit_take(f, &a->kept->chunks[i], -1);
}

/* The same vnodes, those that are there today first. */
static const size_t *there_first(const struct world *w, const size_t *vnodes, size_t n)
{
    size_t *ret = arena_alloc(w->scratch, n * sizeof(*ret) + 1);
    size_t at = 0;

    for (int there = 1; there >= 0; there--)
        for (size_t i = 0; i < n; i++)
            if (w->s->vnodes[vnodes[i]].usable == there)
                ret[at++] = vnodes[i];
    MUST(at == n);
    return ret;
}

/* Fit on these vnodes, beside what is kept. After a failure only that is taken. */
static bool fit_on(const struct attempt *a, int64_t *free, bool *eligible,
                   const size_t *vnodes, size_t n, int64_t checks, struct fit *f)
{
    if (a->pool->with_away && !a->pool->turn)
        vnodes = there_first(a->w, vnodes, n);
    fit_init(f, a->w, a->w->desk, a->rq, a->counts, free, eligible, vnodes, n);
    pool_lend(a->pool, f);
    f->checks = checks;
    pin_kept(a, f);
    if (a->find(f))
        return true;
    while (f->n_placed > 0)
        fit_take(f, &f->placed[--f->n_placed], -1);
    return false;
}

/* What is counted and limited everywhere: sums over vnodes say something of it. */
static bool is_summed(const struct world *w, const struct need *n)
{
    return fit_is_counted(w, n) && !w->infinite[n->res] && !world_is_lent(w, n->res);
}

static void sum_demand(struct attempt *a)
{
    struct world *w = a->w;

    a->demand = arena_zero(w->scratch, w->n_res * sizeof(*a->demand));
    for (size_t c = 0; c < a->rq->n; c++) {
        const struct req_chunk *chunk = &a->rq->chunks[c];
        int64_t copies = a->counts ? a->counts[c] : chunk->count;

        for (size_t i = 0; i < chunk->n; i++) {
            const struct need *n = &chunk->needs[i];
            int64_t all;

            if (is_summed(w, n) &&
                (__builtin_mul_overflow(copies, n->amount, &all) ||
                 __builtin_add_overflow(a->demand[n->res], all, &a->demand[n->res])))
                a->demand[n->res] = INT64_MAX;
        }
    }
}

/* The vnodes of the set together have enough: a cheap look before a search. */
static bool has_enough(const struct attempt *a, const struct placement_set *set,
                       const int64_t *free, const bool *eligible)
{
    for (size_t r = 1; r < a->w->n_res; r++) {
        int64_t left = a->demand[r];

        for (size_t i = 0; i < set->n && left > 0; i++) {
            int64_t has = free[world_slot(a->w, set->vnodes[i], r)];

            if (eligible[set->vnodes[i]] && has > 0)
                left -= has;
        }
        if (left > 0)
            return false;
    }
    return true;
}

/* What vnodes of the set have of a resource; 'eligible' NULL: all of them. */
static int64_t sum_of(const struct attempt *a, const struct placement_set *set,
                      size_t res, const int64_t *amounts, const bool *eligible)
{
    int64_t sum = 0;

    for (size_t i = 0; i < set->n; i++)
        if (!eligible || eligible[set->vnodes[i]])
            sum += MAX_OF(amounts[world_slot(a->w, set->vnodes[i], res)], 0);
    return sum;
}

/* Of what the set has too little, whoever is on it. */
static void say_small(const struct attempt *a, const struct placement_set *set,
                      const int64_t *free, const bool *eligible)
{
    for (size_t r = 1; r < a->w->n_res; r++) {
        int64_t total;

        if (a->demand[r] <= 0)
            continue;
        total = sum_of(a, set, r, a->w->total, NULL);
        if (total >= a->demand[r])
            continue;
        set_words_small(a->words, set, &a->w->s->res.v[r], a->demand[r],
                        sum_of(a, set, r, free, eligible), total);
        return;
    }
}

static bool has_vnode(const struct placement_set *set, size_t vnode)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->vnodes[i] == vnode)
            return true;
    return false;
}

/* Does all that stays lie in the set? */
static bool has_kept(const struct attempt *a, const struct placement_set *set)
{
    for (size_t c = 0; a->around && c < a->around->n; c++)
        for (size_t i = 0; i < a->around->chunks[c].n; i++)
            if (!has_vnode(set, a->around->chunks[c].pieces[i].vnode))
                return false;
    return true;
}

/* What complete searches may still cost. */
static int64_t checks_left(const struct pool *pool)
{
    return pool->checks ? *pool->checks : FIT_CHECKS_MAX;
}

/* The first set that has room, in *f; *last is the last one that was looked at, NULL:
 * none comes into question. All searches share one budget. */
static bool fit_in_a_set(const struct attempt *a, int64_t *free, bool *eligible,
                         struct fit *f, const struct placement_set **last)
{
    const struct placement_sets *sets = a->pool->sets;
    int64_t checks = checks_left(a->pool);

    *last = NULL;
    for (size_t i = 0; i < sets->n; i++) {
        const struct placement_set *set = &sets->v[sets->order[i]];

        if (!has_kept(a, set))
            continue;
        *last = set;
        if (a->words)
            set_words_tried(a->words, set);
        if (!has_enough(a, set, free, eligible)) {
            if (a->words)
                say_small(a, set, free, eligible);
            continue;
        }
        if (fit_on(a, free, eligible, set->vnodes, set->n, checks, f))
            return true;
        unpin_kept(a, f);
        checks = f->checks;
        if (a->pool->checks)
            *a->pool->checks = checks;
    }
    return false;
}

/* Could one of the sets hold the whole request if nobody else were there? */
static bool fits_in_empty_set(const struct attempt *a)
{
    struct attempt whole = {
        .pool = a->pool, .w = a->w, .rq = a->rq, .around = a->around, .find = a->find
    };
    size_t n = a->w->n;
    const struct placement_set *last;
    struct fit f;
    int64_t *free = arena_alloc(a->w->scratch, n * a->w->n_res * sizeof(*free) + 1);
    bool *eligible = arena_alloc(a->w->scratch, n * sizeof(*eligible) + 1);

    pool_when_empty(a->pool, a->w, a->rq, free, eligible);
    sum_demand(&whole);
    return fit_in_a_set(&whole, free, eligible, &f, &last);
}

static enum plan_failure fit_anywhere(const struct attempt *a, struct fit *f)
{
    struct pool *pool = a->pool;
    bool found = fit_on(a, pool->free, pool->eligible, a->w->order, a->w->n,
                        checks_left(pool), f);

    if (pool->checks)
        *pool->checks = f->checks;
    return found ? FAIL_NONE : FAIL_SHORT;
}

/* 'why' NULL: the caller does not ask. */
static enum plan_failure fit_in_sets(struct attempt *a, struct fit *f,
                                     struct plan_short *why)
{
    const struct placement_set *last;

    placement_sets_order(a->w, a->pool->sets, a->pool->free);
    sum_demand(a);
    if (fit_in_a_set(a, a->pool->free, a->pool->eligible, f, &last))
        return FAIL_NONE;
    if (last && fits_in_empty_set(a)) {
        if (why)
            why->resource = last->name;
        return FAIL_SET_BUSY;
    }
    if (a->w->s->do_not_span_psets)
        return FAIL_SETS_TOO_SMALL;
    if (a->words)
        set_words_spans(a->words);
    return fit_anywhere(a, f);
}

static enum plan_failure fit_in_pool(struct pool *pool, struct world *w,
                                     const struct request *rq, const int64_t *counts,
                                     const struct placement *kept, struct fit *f,
                                     struct plan_short *why)
{
    struct attempt a = { .pool = pool,
                         .w = w,
                         .rq = rq,
                         .counts = counts,
                         .kept = kept,
                         .around = kept,
                         .find = fit_find,
                         .words = pool->words };
    enum plan_failure failure;

    MUST(pool->free && pool->eligible); /* it has been filled */
    failure = pool->sets ? fit_in_sets(&a, f, why) : fit_anywhere(&a, f);
    return failure == FAIL_SHORT && why ? pool_explain(pool, f, why) : failure;
}

#ifdef HF_CHECKS
static bool same_placed(const struct world *w, const struct placed *a,
                        const struct placed *b)
{
    bool same = a->n == b->n;

    for (size_t i = 0; same && i < a->n; i++)
        same = a->pieces[i].vnode == b->pieces[i].vnode &&
               memcmp(&a->pieces[i].amounts[1], &b->pieces[i].amounts[1],
                      (w->n_res - 1) * sizeof(int64_t)) == 0;
    return same;
}

static bool same_short(const struct plan_short *a, const struct plan_short *b)
{
    return str_same(a->resource, b->resource) && str_same(a->vnode, b->vnode) &&
           str_same(a->holder, b->holder) && a->needed == b->needed &&
           a->most_free == b->most_free && a->chunk == b->chunk &&
           a->until_at == b->until_at && str_same(a->value, b->value) &&
           a->n_placed == b->n_placed && a->n_copies == b->n_copies;
}

/* What a search finds that has asked all vnodes beforehand, on a desk of its own. */
struct other_way {
    struct world w;
    struct pool pool;
    int64_t checks;
    struct fit fit;
    enum plan_failure failure;
    struct plan_short why;
};

static void begin_other_way(struct other_way *o, const struct pool *pool,
                            const struct world *w, const struct request *rq)
{
    *o = (struct other_way){ .w = *w, .pool = *pool };
    o->w.scratch = arena_new();
    o->w.desk = desk_new(o->w.scratch, w->n, w->n_hosts, w->n_res);
    o->pool.turn = 0;
    o->pool.words = NULL;
    o->pool.free = o->w.desk->free;
    o->pool.eligible = o->w.desk->eligible;
    if (pool->checks) {
        o->checks = *pool->checks;
        o->pool.checks = &o->checks;
    }
    for (size_t i = 0; i < w->n; i++)
        pool_ask(&o->pool, &o->w, i);
    pool_judge(&o->pool, &o->w, rq);
}

static void compare_placed(const struct other_way *o, const struct fit *f)
{
    MUST(f->n_placed == o->fit.n_placed);
    for (size_t i = 0; i < f->n_placed; i++)
        MUST(same_placed(f->w, &f->placed[i], &o->fit.placed[i]));
}

static void compare_ways(struct other_way *o, const struct pool *pool,
                         const struct fit *f, enum plan_failure failure,
                         const struct plan_short *why)
{
    MUST(failure == o->failure && (!why || same_short(why, &o->why)));
    MUST(!pool->checks || *pool->checks == o->checks);
    compare_placed(o, f);
    arena_free(o->w.scratch);
}
#endif

enum plan_failure pool_fit(struct pool *pool, struct world *w, const struct request *rq,
                           const int64_t *counts, const struct placement *kept,
                           struct fit *f, struct plan_short *why)
{
    enum plan_failure failure = pool_server_fit(pool, w, rq, why);
#ifdef HF_CHECKS
    struct other_way o;
#endif

    if (failure)
        return failure;
#ifdef HF_CHECKS
    if (pool->turn) {
        begin_other_way(&o, pool, w, rq);
        if (why)
            o.why = *why;
        o.failure =
            fit_in_pool(&o.pool, &o.w, rq, counts, kept, &o.fit, why ? &o.why : NULL);
    }
#endif
    failure = fit_in_pool(pool, w, rq, counts, kept, f, why);
#ifdef HF_CHECKS
    if (pool->turn)
        compare_ways(&o, pool, f, failure, why);
#endif
    return failure;
}

static bool fits_first(struct pool *pool, struct world *w, const struct request *rq,
                       struct fit *f)
{
    struct attempt a = { .pool = pool, .w = w, .rq = rq, .find = fit_first };

    return (pool->sets ? fit_in_sets(&a, f, NULL) : fit_anywhere(&a, f)) == FAIL_NONE;
}

bool pool_fits_first(struct pool *pool, struct world *w, const struct request *rq,
                     struct fit *f)
{
    bool fits;
#ifdef HF_CHECKS
    struct other_way o;
#endif

    if (pool_server_fit(pool, w, rq, NULL))
        return false;
    fits = fits_first(pool, w, rq, f);
#ifdef HF_CHECKS
    if (pool->turn) {
        begin_other_way(&o, pool, w, rq);
        MUST(fits_first(&o.pool, &o.w, rq, &o.fit) == fits);
        compare_placed(&o, f);
        arena_free(o.w.scratch);
    }
#endif
    return fits;
}

static bool fits_empty(struct pool *pool, struct world *w, const struct request *rq,
                       struct plan_short *why)
{
    struct plan_short empty = { .never = true };
    struct fit f;

    fit_init(&f, w, w->desk, rq, NULL, pool->free, pool->eligible, w->order, w->n);
    pool_lend(pool, &f);
    if (fit_find(&f))
        return true;
    if (why && pool_explain_short(pool, &f, &empty))
        *why = empty;
    return false;
}

bool pool_fits_empty(struct world *w, const struct request *rq, enum asker asker,
                     const char *queue, struct plan_short *why)
{
    struct pool pool = { .asker = asker, .queue = queue, .as_if_empty = true };
    bool fits;
#ifdef HF_CHECKS
    struct plan_short before = why ? *why : (struct plan_short){ 0 };
    struct other_way o;
#endif

    if (pool_server_fit(&pool, w, rq, why))
        return false;
    pool_fill(&pool, w, rq);
    fits = fits_empty(&pool, w, rq, why);
#ifdef HF_CHECKS
    begin_other_way(&o, &pool, w, rq);
    MUST(fits_empty(&o.pool, &o.w, rq, &before) == fits);
    MUST(!why || same_short(why, &before));
    arena_free(o.w.scratch);
#endif
    return fits;
}
