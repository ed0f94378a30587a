/* vnode_pool.c - from timelines to what a search may use, and from a failure to its
 * reason.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/ceiling_walk.h"

#include <string.h>

/* Vnodes that a search looks at before it asks where others may have room: most
 * searches end here, and the ceilings need not be brought up to date for them. */
#ifdef HF_CHECKS
#define PLAIN_VNODES 0
#else
#define PLAIN_VNODES 32
#endif

/* [host]: is somebody on one of its vnodes in the window? Such a host cannot be taken
 * whole. */
static const bool *busy_hosts(const struct pool *pool, struct world *w)
{
    bool *ret = arena_zero(w->scratch, w->n_hosts * sizeof(*ret) + 1);

    for (size_t i = 0; i < w->n; i++)
        if (pool->free[i * w->n_res + RES_PRESENCE] < PRESENCE_ALL)
            ret[w->host[i]] = true;
    return ret;
}

static bool has_presence(const struct pool *pool, const struct world *w,
                         bool host_is_busy, size_t vnode, const struct place *place)
{
    int64_t presence = pool->free[vnode * w->n_res + RES_PRESENCE];

    switch (world_use(w, vnode, place)) {
    case USE_SHARED:
        return presence >= 1;
    case USE_EXCL:
        return presence >= PRESENCE_ALL;
    case USE_HOST:
        return !host_is_busy;
    }
    return false;
}

/* May this asker use the vnode at all? */
static bool may_use(const struct pool *pool, const struct world *w, size_t vnode,
                    const struct request *rq)
{
    const struct snap_vnode *v = &w->s->vnodes[vnode];

    if (pool->closed && pool->closed[vnode])
        return false;
    if (!v->usable && !(pool->with_away && v->may_return))
        return false;
    if (!str_same(v->queue, pool->queue))
        return false;
    if (pool->asker == ASKER_JOB && v->busy)
        return false;
    return !v->no_multinode || rq->n_total == 1;
}

/* The spans after the i-th one that the timeline goes through as it does through that
 * one, because nothing changes on the vnode until they are over: the first other one.
 */
static size_t next_span(const struct pool *pool, const struct timeline *line, size_t i)
{
    int64_t changes_at = timeline_next_change(line, pool->spans[i].start_at);
    size_t low = i + 1;
    size_t high = pool->n_spans;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (pool->spans[mid].end_at <= changes_at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What is free in each of the spans. The cost follows the changes on the vnode, and is
 * no more than a look for each span. */
static void least_in_spans(const struct pool *pool, struct world *w, size_t vnode,
                           int64_t *free)
{
    int64_t *least = arena_alloc(w->scratch, w->n_res * sizeof(*least));

    world_least_all(w, vnode, pool->spans[0].start_at, pool->spans[0].end_at, free);
    if (!w->line[vnode])
        return; /* nobody has ever been there */
    for (size_t i = next_span(pool, w->line[vnode], 0); i < pool->n_spans;
         i = next_span(pool, w->line[vnode], i)) {
        timeline_least_all(w->line[vnode], pool->spans[i].start_at,
                           pool->spans[i].end_at, least);
        for (size_t r = 0; r < w->n_res; r++)
            free[r] = MIN_OF(free[r], least[r]);
    }
}

static void ask_line(const struct pool *pool, struct world *w, size_t vnode,
                     int64_t *free)
{
    if (pool->n_spans > 0)
        least_in_spans(pool, w, vnode, free);
    else
        world_least_all(w, vnode, pool->start_at, pool->end_at, free);
}

static void ask_into(const struct pool *pool, struct world *w, size_t vnode,
                     int64_t *free)
{
    bool without = pool->without_endless && book_has_endless(w->book, vnode);

    if (pool->as_if_empty) {
        memcpy(free, &w->total[vnode * w->n_res], w->n_res * sizeof(*free));
        return;
    }
    if (without)
        book_set_endless_aside(w->book, vnode, true);
    ask_line(pool, w, vnode, free);
    if (without)
        book_set_endless_aside(w->book, vnode, false);
}

void pool_ask(const struct pool *pool, struct world *w, size_t vnode)
{
    ask_into(pool, w, vnode, &pool->free[vnode * w->n_res]);
}

/* What is free of the vnode is known. */
static void judge(struct pool *pool, const struct world *w, const struct request *rq,
                  size_t vnode, bool host_is_busy)
{
    pool->eligible[vnode] = false;
    /* A vnode that may not be used at all gives no reason: it is as if it were not
     * there. The other two are counted, for the words of a failure. */
    if (!may_use(pool, w, vnode, rq))
        return;
    if (pool->asker == ASKER_RESV && !w->s->vnodes[vnode].resv_enable) {
        pool->n_not_for_resv++;
    } else if (!has_presence(pool, w, host_is_busy, vnode, &rq->place)) {
        pool->n_in_use++;
    } else {
        pool->eligible[vnode] = true;
        pool->n_eligible++;
    }
}

void pool_judge(struct pool *pool, struct world *w, const struct request *rq)
{
    const bool *host_is_busy = busy_hosts(pool, w);

    pool->n_eligible = pool->n_in_use = pool->n_not_for_resv = 0;
    for (size_t i = 0; i < w->n; i++)
        judge(pool, w, rq, i, host_is_busy[w->host[i]]);
}

/* busy_hosts() for one host. */
static bool is_busy(const struct pool *pool, struct world *w, size_t host)
{
    struct desk *d = w->desk;
    int64_t *free;

    if (d->host_asked[host] == pool->turn)
        return d->host_busy[host];
    d->host_asked[host] = pool->turn;
    d->host_busy[host] = false;
    free = arena_alloc(w->scratch, w->n_res * sizeof(*free));
    for (size_t i = w->host_first[host]; i < w->host_first[host + 1]; i++) {
        ask_into(pool, w, w->on_host[i], free);
        d->host_busy[host] = d->host_busy[host] || free[RES_PRESENCE] < PRESENCE_ALL;
    }
    return d->host_busy[host];
}

void pool_look(struct pool *pool, struct world *w, const struct request *rq,
               size_t vnode)
{
    if (!pool->turn || w->desk->judged[vnode] == pool->turn)
        return;
    w->desk->judged[vnode] = pool->turn;
    w->desk->n_looks++;
    pool_ask(pool, w, vnode);
    judge(pool, w, rq, vnode,
          world_use(w, vnode, &rq->place) == USE_HOST &&
              is_busy(pool, w, w->host[vnode]));
}

/* Called by a fit that comes to the vnode. */
static void look(struct fit *f, size_t vnode)
{
    pool_look(f->asker, f->w, f->rq, vnode);
}

/* Called by a fit that sets out for hosts that may hold the chunk. */
static void set_out(struct fit *f, const struct req_chunk *chunk)
{
    const struct pool *pool = f->asker;
    const struct sought what = {
        .pool = pool, .rq = f->rq, .chunk = chunk, .room = true, .present = true
    };

    ceiling_walk_begin(f->walk, f->w, &what, pool->with_away ? 0 : f->n_seen);
}

static size_t next(struct fit *f)
{
    return ceiling_walk_next(f->walk);
}

/* Which of several chunks a host lacks room for is told of the last host, when all have
 * to lie on one. */
static bool may_set_out(const struct pool *pool, const struct fit *f)
{
    return ceiling_walk_can(pool, f->w) &&
           (f->rq->place.arrange != PLACE_PACK || fit_only_chunk(f) != SIZE_MAX);
}

void pool_lend(struct pool *pool, struct fit *f)
{
    if (!pool->turn)
        return;
    MUST(f->free == pool->free && f->w->desk->judged); /* it is the desk's */
    f->judge = look;
    f->asker = pool;
    f->there_first = pool->with_away;
    if (!may_set_out(pool, f))
        return;
    f->n_plain = PLAIN_VNODES;
    f->set_out = set_out;
    f->next = next;
    f->walk = ARENA_NEW(f->w->scratch, struct ceiling_walk);
}

/* Some searches have to know all vnodes before they look at the first: sets are ordered
 * by what is free of them, and so are vnodes that are sorted anew. What a vnode borrows
 * is asked of another one. */
bool pool_can_wait(const struct pool *pool, const struct world *w)
{
    return !pool->sets && !w->p->sorts_anew && !w->home;
}

void pool_fill(struct pool *pool, struct world *w, const struct request *rq)
{
    struct arena *scratch = world_scratch(w);

    MUST(pool->as_if_empty || pool->start_at < pool->end_at);
    pool->n_eligible = pool->n_in_use = pool->n_not_for_resv = 0;
    if (pool_can_wait(pool, w)) {
        pool->turn = ++w->desk->turn;
        pool->free = w->desk->free;
        pool->eligible = w->desk->eligible;
        return;
    }
    pool->turn = 0;
    pool->free = arena_alloc(scratch, w->n * w->n_res * sizeof(int64_t) + 1);
    pool->eligible = arena_alloc(scratch, w->n * sizeof(bool) + 1);
    for (size_t i = 0; i < w->n; i++)
        pool_ask(pool, w, i);
    pool_judge(pool, w, rq);
}

/* Note the last chunk on each host, and which vnodes have a piece of a chunk. */
static void note_places(const struct fit *f)
{
    for (size_t k = 0; k < f->n_placed; k++)
        for (size_t i = 0; i < f->placed[k].n; i++) {
            size_t vnode = f->placed[k].pieces[i].vnode;

            f->desk->last_here[f->w->host[vnode]] = k;
            f->desk->taken[vnode] = f->turn;
        }
}

static bool takes_host(const struct world *w, const struct fit *f, size_t placed)
{
    return f->placed[placed].n > 0 &&
           world_use(w, f->placed[placed].pieces[0].vnode, &f->rq->place) == USE_HOST;
}

/* After the last chunk on a host that is taken whole, add the other vnodes of the
 * host as chunks without an amount: the server is told that they belong to it. */
static void add_rest_of_host(struct world *w, const struct fit *f, size_t placed,
                             struct placement *ret)
{
    size_t host = w->host[f->placed[placed].pieces[0].vnode];

    if (f->desk->last_here[host] != placed)
        return;
    for (size_t i = w->host_first[host]; i < w->host_first[host + 1]; i++)
        if (f->desk->taken[w->on_host[i]] != f->turn)
            (void)placed_add(placement_add(ret, w->arena), w->arena, w, w->on_host[i]);
}

void pool_take_result(struct world *w, const struct fit *f, struct placement *ret)
{
    MUST(f->n_placed > 0 || f->rq->n == 0); /* there is a result */
    note_places(f);
    for (size_t k = 0; k < f->n_placed; k++) {
        *placement_add(ret, w->arena) = placed_keep(w, &f->placed[k]);
        if (takes_host(w, f, k))
            add_rest_of_host(w, f, k, ret);
    }
}

enum plan_failure pool_search(struct pool *pool, struct world *w,
                              const struct request *rq, struct placement *ret,
                              struct plan_short *why)
{
    struct fit f;

    enum plan_failure failure;

    pool_fill(pool, w, rq);
    failure = pool_fit(pool, w, rq, NULL, NULL, &f, why);
    if (failure == FAIL_NONE)
        pool_take_result(w, &f, ret);
    return failure;
}

bool pool_search_all(struct pool *pool, struct world *w, const struct request *rq,
                     const struct span *spans, size_t n, struct placement *ret)
{
    struct fit f;

    MUST(n > 0);
    pool->spans = spans;
    pool->n_spans = n;
    pool->start_at = spans[0].start_at;
    pool->end_at = spans[n - 1].end_at;
    pool_fill(pool, w, rq);
    if (!pool_fits_first(pool, w, rq, &f))
        return false;
    pool_take_result(w, &f, ret);
    return true;
}

struct placement_sets *pool_sets(const struct pool *pool, struct world *w,
                                 const struct request *rq,
                                 const struct snap_queue *queue)
{
    const char *keys = placement_set_keys(w->s, rq, queue);

    return keys ? placement_sets_find(w, keys, pool->queue) : NULL;
}

void pool_may_use(const struct pool *pool, const struct world *w,
                  const struct request *rq, bool *ret)
{
    for (size_t i = 0; i < w->n; i++)
        ret[i] = may_use(pool, w, i, rq) &&
                 (pool->asker == ASKER_JOB || w->s->vnodes[i].resv_enable);
}

/* A reservation's jobs have no more than what it has. */
static void room_when_empty(const struct pool *pool, const struct world *w,
                            int64_t *free, bool *eligible)
{
    memset(free, 0, w->n * w->n_res * sizeof(*free));
    memset(eligible, 0, w->n * sizeof(*eligible));
    for (size_t c = 0; c < pool->room->n; c++)
        for (size_t i = 0; i < pool->room->chunks[c].n; i++) {
            const struct piece *piece = &pool->room->chunks[c].pieces[i];

            eligible[piece->vnode] = w->s->vnodes[piece->vnode].usable;
            for (size_t r = 1; r < w->n_res; r++)
                free[world_slot(w, piece->vnode, r)] += piece->amounts[r];
        }
}

void pool_when_empty(const struct pool *pool, const struct world *w,
                     const struct request *rq, int64_t *free, bool *eligible)
{
    if (pool->room) {
        room_when_empty(pool, w, free, eligible);
        return;
    }
    memcpy(free, w->total, w->n * w->n_res * sizeof(*free));
    pool_may_use(pool, w, rq, eligible);
}
