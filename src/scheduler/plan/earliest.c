/* earliest.c - the first later start at which a request would fit.
 *
 * The window slides from one instant of change to the next. Only vnodes on which
 * something leaves the window at its start, or enters it at its end, are asked again,
 * so that the cost follows what changes and not the vnodes times the instants. A search
 * for a place is made only where some vnode has gained something.
 *
 * Where a search asks vnodes as it comes to them, even that is too much: nobody has to
 * know what is free of each vnode. A vnode can gain something only where a booking
 * ends, and the book has them in this order. A search need not look at vnodes that had
 * no room in the window from which all began, unless they have gained something. A
 * request of very many chunks looks at so many vnodes in each search that it is better
 * to remember what was free of each, as above.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/vnode_pool.h"

#include "lib/base/deadlines.h"
#include "scheduler/plan/links.h"

#include <string.h>

/* So many vnodes that gain something at one instant, or half of all, are not noted one
 * by one: a search looks wherever there may be room then. */
#ifdef HF_CHECKS
#define GAINED_AT_ONCE 4
#define SMALL_PART     0
#else
#define GAINED_AT_ONCE 2048
#define SMALL_PART     8 /* more chunks than that part of all vnodes are very many */
#endif

/* The changes of one vnode that the window meets next. */
struct edge {
    struct deadline leaving;  /* the first behind the window's start */
    struct deadline entering; /* the first at its end, or behind it */
};

struct slide {
    struct pool pool; /* the window where it stands */
    struct world *w;
    const struct request *rq;
    struct arena *arena;
    struct edge *edges;        /* [vnode], and the server's: world_server() */
    struct deadlines leaving;  /* of all vnodes */
    struct deadlines entering; /* likewise */
    int64_t *before;           /* [n_res] */
    int64_t opens_at; /* the window crosses dedicated time; when it may not any more */
    bool has_gained;  /* since the last try */
    size_t looks;     /* at vnodes, so far */
    struct gained gained; /* by_ends(): since the window from which it began */
    size_t n_gained;      /* vnodes of that, some of them more than once */
};

static void set_edges(struct slide *s, size_t vnode)
{
    const struct timeline *line = s->w->line[vnode];

    if (!line)
        return; /* nobody has ever been there */
    deadline_set(&s->leaving, &s->edges[vnode].leaving,
                 timeline_next_change(line, s->pool.start_at));
    deadline_set(&s->entering, &s->edges[vnode].entering,
                 timeline_next_change(line, s->pool.end_at - 1));
}

/* What is free of the vnode, or of the server, through the window. */
static void ask(struct slide *s, size_t vnode)
{
    if (vnode == world_server(s->w))
        world_least_all(s->w, vnode, s->pool.start_at, s->pool.end_at,
                        &s->pool.free[vnode * s->w->n_res]);
    else
        pool_ask(&s->pool, s->w, vnode);
}

static void slide_init(struct slide *s, const struct pool *pool, struct world *w,
                       const struct request *rq)
{
    struct arena *arena = arena_new();

    *s = (struct slide){
        .pool = { .asker = pool->asker,
                  .queue = pool->queue,
                  .sets = pool->sets,
                  .closed = pool->closed,
                  .in_dedicated = pool->in_dedicated,
                  .steps_s = pool->steps_s,
                  .start_at = pool->start_at,
                  .end_at = pool->end_at,
                  .free = arena_alloc(arena, (w->n + 1) * w->n_res * sizeof(int64_t)),
                  .eligible = arena_zero(arena, w->n * sizeof(bool) + 1) },
        .w = w,
        .rq = rq,
        .arena = arena,
        .edges = arena_zero(arena, (w->n + 1) * sizeof(struct edge)),
        .before = arena_alloc(arena, w->n_res * sizeof(int64_t)),
        .opens_at = TIMELINE_NEVER,
        .looks = w->n,
    };
    for (size_t i = 0; i < w->n; i++) {
        pool_ask(&s->pool, w, i);
        set_edges(s, i);
    }
    if (pool_asks_server(w, rq)) {
        ask(s, world_server(w));
        set_edges(s, world_server(w));
    }
}

static void slide_fini(struct slide *s)
{
    deadlines_fini(&s->leaving);
    deadlines_fini(&s->entering);
    arena_free(s->arena);
}

static void ask_again(struct slide *s, size_t vnode)
{
    size_t n_res = s->w->n_res;
    const int64_t *free = &s->pool.free[vnode * n_res];

    memcpy(s->before, free, n_res * sizeof(*free));
    ask(s, vnode);
    for (size_t r = 0; r < n_res; r++)
        s->has_gained = s->has_gained || free[r] > s->before[r];
    s->looks++;
    set_edges(s, vnode);
}

/* Move the window to the next instant that may make a difference; false: there is none.
 */
static bool slide_on(struct slide *s)
{
    int64_t length_s = s->pool.end_at - s->pool.start_at;
    int64_t to_at = MIN_OF(deadlines_next(&s->leaving), s->opens_at);
    struct deadline *d;

    MUST(to_at > s->pool.start_at);
    if (to_at > INT64_MAX - length_s)
        return false;
    s->pool.start_at = to_at;
    s->pool.end_at = to_at + length_s;
    if (s->opens_at <= to_at)
        s->opens_at = TIMELINE_NEVER;
    /* A vnode that is asked again gets both edges anew, and so comes only once. */
    while ((d = deadlines_take(&s->leaving, to_at)))
        ask_again(s, (size_t)(STRUCT_OF(d, struct edge, leaving) - s->edges));
    while ((d = deadlines_take(&s->entering, s->pool.end_at - 1)))
        ask_again(s, (size_t)(STRUCT_OF(d, struct edge, entering) - s->edges));
    return true;
}

/* The last change of a step: what changes until its end happens before the next try. */
static bool slide_step(struct slide *s)
{
    int64_t step_s = s->pool.steps_s;
    int64_t until_at;

    if (!slide_on(s))
        return false;
    until_at = step_s > 0 ? (s->pool.start_at / step_s + 1) * step_s : 0;
    while (deadlines_next(&s->leaving) <= until_at)
        if (!slide_on(s))
            return false;
    return true;
}

/* Neither jobs nor reservations may cross a boundary of dedicated time, unless the site
 * says so of the latter; and inside of it there are jobs of its own queues only. */
static bool is_crossed(struct slide *s)
{
    const struct policy *p = s->w->p;
    bool job = s->pool.asker == ASKER_JOB;
    int64_t start_at = s->pool.start_at;
    const struct period *period = NULL;

    s->opens_at = TIMELINE_NEVER;
    if (job || !p->resvs_ignore_dedicated)
        period = policy_crossed(p, start_at, s->pool.end_at);
    if (period)
        s->opens_at = policy_next_start(period, start_at);
    else if (job && !s->pool.in_dedicated &&
             (period = policy_dedicated_at(p, start_at)) != NULL)
        s->opens_at = period->to_at;
    return period != NULL;
}

static bool fits_here(struct slide *s)
{
    struct fit f;

    s->has_gained = false;
    s->looks += s->w->n;
    (void)world_scratch(s->w); /* what the search before had there is given back */
    pool_judge(&s->pool, s->w, s->rq);
    /* First fit is enough: the answer is a hint to the user, or where a complete search
     * follows, and one at each of the instants would cost too much. */
    return pool_fits_first(&s->pool, s->w, s->rq, &f);
}

/* Two ways to go from one instant to the next at which the window may have gained
 * something, with the look at whether the request fits there. */
struct way {
    bool (*step)(struct slide *s); /* false: there is none */
    bool (*fits)(struct slide *s);
};

/* The first instant on that way at which it fits; 0: none of so many tries did. */
static int64_t walk(struct slide *s, const struct way *way, size_t tries)
{
    /* What waits for dedicated time alone gains nothing when that is over. */
    s->has_gained = is_crossed(s);
    while (tries > 0 && s->looks < EARLIEST_LOOKS && way->step(s)) {
        if (is_crossed(s) || !s->has_gained)
            continue;
        tries--;
        if (way->fits(s))
            return s->pool.start_at;
    }
    return 0;
}

static int64_t by_sliding(const struct pool *pool, struct world *w,
                          const struct request *rq, size_t tries)
{
    static const struct way way = { slide_step, fits_here };
    struct slide s;
    int64_t ret;

    slide_init(&s, pool, w, rq);
    ret = walk(&s, &way, tries);
    slide_fini(&s);
    return ret;
}

/* Has the vnode more of something through the window than through the one that begins a
 * second earlier? */
static bool gains(struct slide *s, size_t vnode)
{
    int64_t start_at = s->pool.start_at, end_at = s->pool.end_at;
    int64_t *now = &s->before[s->w->n_res];
    bool any = false;

    world_least_all(s->w, vnode, start_at - 1, end_at - 1, s->before);
    world_least_all(s->w, vnode, start_at, end_at, now);
    for (size_t r = 0; r < s->w->n_res; r++)
        any = any || now[r] > s->before[r];
    s->looks += 2;
    return any;
}

/* Something of the vnode's is over: its host may have more. */
static void note_gain(struct slide *s, size_t vnode)
{
    size_t host;

    if (vnode == world_server(s->w))
        return;
    host = s->w->host[vnode];
    for (size_t i = s->w->host_first[host]; i < s->w->host_first[host + 1]; i++) {
        links_put(s->gained.places, s->w->place[s->w->on_host[i]], true);
        s->n_gained++;
    }
}

/* A booking ends where the window begins. */
static void pass_end(struct slide *s, const struct booking *h)
{
    s->looks++;
    for (size_t i = 0; i < h->n && !h->dropped; i++) {
        if (h->made[i].vnode == world_server(s->w) && !pool_asks_server(s->w, s->rq))
            continue;
        note_gain(s, h->made[i].vnode);
        s->has_gained = s->has_gained || gains(s, h->made[i].vnode);
    }
}

/* Move the window to the next instant at which a booking ends, or at which it is out of
 * dedicated time; false: there is none. */
static bool go_to_next_end(struct slide *s)
{
    int64_t length_s = s->pool.end_at - s->pool.start_at;
    struct end_node *e = ends_after(book_ends(s->w->book), s->pool.start_at);
    int64_t to_at = MIN_OF(e ? e->at : INT64_MAX, s->opens_at);
    size_t before = s->n_gained;

    if (to_at > INT64_MAX - length_s)
        return false;
    s->pool.start_at = to_at;
    s->pool.end_at = to_at + length_s;
    if (s->opens_at <= to_at)
        s->opens_at = TIMELINE_NEVER;
    /* When so many have gained something that they are no help, nobody notes them. */
    for (; e && e->at == to_at && !(s->has_gained && !s->pool.gained);
         e = ends_next(s->w->book->ends, e)) {
        pass_end(s, STRUCT_OF(e, struct booking, end));
        if (s->n_gained > before + GAINED_AT_ONCE || s->n_gained > s->w->n / 2)
            s->pool.gained = NULL;
    }
    return true;
}

static bool fits_at_end(struct slide *s)
{
    uint64_t looks = s->w->desk->n_looks;
    struct fit f;
    bool fits;

    s->has_gained = false;
    pool_fill(&s->pool, s->w, s->rq);
    fits = pool_fits_first(&s->pool, s->w, s->rq, &f);
    s->looks += (size_t)(s->w->desk->n_looks - looks);
    return fits;
}

static int64_t by_ends(const struct pool *pool, struct world *w,
                       const struct request *rq, size_t tries)
{
    static const struct way way = { go_to_next_end, fits_at_end };
    struct arena *arena = arena_new();
    struct slide s = { .pool = *pool,
                       .w = w,
                       .rq = rq,
                       .before = ARENA_ARRAY(arena, int64_t, 2 * w->n_res),
                       .opens_at = TIMELINE_NEVER };
    int64_t ret;

    s.pool.checks = NULL;
    s.gained.window = (struct span){ pool->start_at, pool->end_at };
    s.gained.places = ARENA_ARRAY(arena, uint64_t, w->n / 64 + 1);
    s.pool.gained = &s.gained;
    ret = walk(&s, &way, tries);
    arena_free(arena);
    return ret;
}

int64_t pool_earliest(const struct pool *pool, struct world *w,
                      const struct request *rq, size_t tries)
{
    bool can_wait = pool_can_wait(pool, w) && !pool->with_away && pool->steps_s == 0 &&
                    (size_t)rq->n_total * SMALL_PART <= w->n;
    int64_t ret;

    /* What never fits is not looked for. */
    if (!pool_fits_empty(w, rq, pool->asker, pool->queue, NULL))
        return 0;
    ret = can_wait ? by_ends(pool, w, rq, tries) : by_sliding(pool, w, rq, tries);
#ifdef HF_CHECKS
    if (can_wait)
        MUST(by_sliding(pool, w, rq, tries) == ret);
#endif
    MUST(ret == 0 || ret > pool->start_at);
    return ret;
}
