/* push.c - see push.h.
 *
 * Followers are what begins behind the one that is altered and has not begun
 * (follower.h). First it is placed as if they all could give way, and those that it can
 * do without are put back. The others are placed one by one in the order of their
 * starts, each at the first start, not before its own, at which it fits while those
 * behind it could give way; of these again only those that have to are taken from their
 * places, and come in their turn. What was placed before stays. So each is moved by the
 * least that those before it allow, and the cost follows those that are moved.
 *
 * An occurrence also pushes the next one of its series, on whatever vnodes that is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/push.h"

#include "scheduler/plan/follower.h"
#include "scheduler/plan/jobs_beside.h"
#include "scheduler/plan/series.h"

struct push {
    struct planner *pl;
    struct question *q;
    int64_t checks; /* what complete searches may still cost */
    size_t n;
    struct follower *v; /* by start, then id */
    size_t n_placed;
    const char *against; /* why there is no room: advice of the denial */
};

/* One that is to be placed in a window, from where on followers may give way for it. */
struct comer {
    struct push *p;
    size_t from; /* the first follower that may */
    int64_t start_at, end_at;
    /* Search a place for it in the world as it is. */
    bool (*search)(struct comer *c);
    struct follower *f; /* NULL: the one that is altered */
    struct verdict v;   /* of the one that is altered */
    const bool *closed; /* vnodes that a follower may not have */
    struct placement found;
};

static int64_t length_of(const struct follower *f)
{
    return f->until_at - f->from_at;
}

static void set_away(struct push *p, struct follower *f, bool away)
{
    if (f->away == away)
        return;
    MUST(!f->trial); /* that would be set aside with it */
    if (away)
        world_drop(p->pl->w, f->id);
    else
        world_restore(p->pl->w, f->id);
    f->away = away;
}

static bool meets(const struct comer *c, const struct follower *f)
{
    return f->from_at < c->end_at && f->until_at > c->start_at;
}

/* It stands where it was, and could be asked to leave. */
static bool may_yield(const struct follower *f)
{
    return !f->ousted && !f->placed;
}

static void set_range_away(const struct comer *c, size_t from, size_t to, bool away)
{
    for (size_t i = from; i < to; i++)
        if (may_yield(&c->p->v[i]) && meets(c, &c->p->v[i]))
            set_away(c->p, &c->p->v[i], away);
}

static size_t count_away(const struct comer *c, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        n += may_yield(&c->p->v[i]) && c->p->v[i].away;
    return n;
}

/* Put back what the comer can do without, of [from, to): all at once where that can be,
 * else half by half, the earlier half first. So who begins later gives way. */
static void put_back(struct comer *c, size_t from, size_t to)
{
    struct comer before = *c;

    if (count_away(c, from, to) == 0)
        return;
    set_range_away(c, from, to, false);
    if (c->search(c))
        return;
    *c = before; /* the place that was found last */
    set_range_away(c, from, to, true);
    if (to - from == 1)
        return;
    put_back(c, from, from + (to - from) / 2);
    put_back(c, from + (to - from) / 2, to);
}

/* Find a place for it; followers that have to leave for it are ousted. False: there is
 * none, and the world is as it was. */
static bool make_room(struct comer *c)
{
    struct push *p = c->p;

    if (c->search(c))
        return true;
    set_range_away(c, c->from, p->n, true);
    if (!c->search(c)) {
        set_range_away(c, c->from, p->n, false);
        return false;
    }
    put_back(c, c->from, p->n);
    for (size_t i = c->from; i < p->n; i++)
        if (may_yield(&p->v[i]) && p->v[i].away)
            p->v[i].ousted = true;
    return true;
}

/* A later occurrence is searched anywhere, as one that has not begun. */
static void find_later(struct question *q, struct verdict *v)
{
    world_drop(q->pl->w, q->later->id);
    if (question_crosses(q))
        v->failure = FAIL_CROSSES_DEDICATED;
    else if (!question_search(q, &v->found, v))
        question_explain(q, v);
    if (v->failure != FAIL_NONE)
        world_restore(q->pl->w, q->later->id);
}

static bool search_altered(struct comer *c)
{
    struct verdict v = { 0 };

    if (c->p->q->later)
        find_later(c->p->q, &v);
    else
        question_find_current(c->p->q, &v);
    c->v = v;
    c->found = v.found;
    return v.failure == FAIL_NONE;
}

static struct pool pool_of(struct comer *c)
{
    struct pool pool = { .asker = ASKER_RESV,
                         .start_at = c->start_at,
                         .end_at = c->end_at,
                         .checks = &c->p->checks,
                         .closed = c->closed };

    pool.sets = pool_sets(&pool, c->p->pl->w, c->f->request, NULL);
    return pool;
}

static bool search_follower(struct comer *c)
{
    struct pool pool = pool_of(c);
    struct placement found = { 0 };
    struct plan_short why = { 0 };

    if (pool_search(&pool, c->p->pl->w, c->f->request, &found, &why) != FAIL_NONE)
        return false;
    c->found = found;
    return true;
}

static void move_to(struct comer *c, int64_t start_at)
{
    c->end_at += start_at - c->start_at;
    c->start_at = start_at;
}

/* Keep the window out of the edges of dedicated time; its old window was promised. */
static void keep_off_dedicated(struct comer *c)
{
    const struct policy *policy = c->p->pl->p;
    const struct period *crossed;

    if (policy->resvs_ignore_dedicated || c->start_at == c->f->from_at)
        return;
    while ((crossed = policy_crossed(policy, c->start_at, c->end_at)))
        move_to(c, policy_next_start(crossed, c->start_at));
}

/* Move the window to the first start, from where it is on, at which it fits now. */
static bool find_start(struct comer *c)
{
    struct pool pool;
    int64_t start_at;

    keep_off_dedicated(c);
    if (search_follower(c))
        return true;
    pool = pool_of(c);
    start_at = pool_earliest(&pool, c->p->pl->w, c->f->request, OPEN_TRIES);
    if (start_at == 0)
        return false;
    move_to(c, start_at);
    return true;
}

static bool shared_vnode(const struct placement *a, const struct placement *b)
{
    for (size_t c = 0; c < a->n; c++)
        for (size_t i = 0; i < a->chunks[c].n; i++)
            for (size_t k = 0; k < b->n; k++)
                if (placed_has(&b->chunks[k], a->chunks[c].pieces[i].vnode))
                    return true;
    return false;
}

static void close_vnodes(const struct placement *found, bool *closed)
{
    for (size_t c = 0; c < found->n; c++)
        for (size_t i = 0; i < found->chunks[c].n; i++)
            closed[found->chunks[c].pieces[i].vnode] = true;
}

/* Nobody overtakes on a vnode: the new vnodes of those that were before it on one of
 * its vnodes, and begin later than 'at' now. *limit_at is the first start of these, or
 * INT64_MAX. */
static const bool *closed_at(struct comer *c, int64_t at, int64_t *limit_at)
{
    struct push *p = c->p;
    bool *closed = NULL;

    *limit_at = INT64_MAX;
    for (size_t i = 0; &p->v[i] != c->f; i++) {
        const struct follower *k = &p->v[i];

        if (!k->placed || k->start_at <= at || !shared_vnode(k->at, c->f->at))
            continue;
        if (!closed)
            closed = arena_zero(p->pl->arena, p->pl->w->n * sizeof(*closed) + 1);
        close_vnodes(&k->found, closed);
        *limit_at = MIN_OF(*limit_at, k->start_at);
    }
    return closed;
}

/* The first start at which it fits when those behind it give way, and overtakes nobody.
 */
static bool find_least(struct comer *c)
{
    int64_t limit_at;

    for (;;) {
        c->closed = closed_at(c, c->start_at, &limit_at);
        if (find_start(c) && c->start_at < limit_at)
            return true;
        if (limit_at == INT64_MAX)
            return false;
        move_to(c, limit_at);
    }
}

/* One of its series that may not be moved begins before it would end. */
static bool meets_own_series(const struct comer *c)
{
    return meets_next(c->end_at, c->f->until_at, c->f->next_at);
}

/* The next one of a series leaves its place when the one before it ends later than that
 * allows; 'was_at': the end that it had. NULL: there is none. */
static void oust_next(struct push *p, struct follower *next, int64_t end_at,
                      int64_t was_at)
{
    if (!next || !meets_next(end_at, was_at, next->from_at))
        return;
    MUST(!next->placed); /* its turn comes later */
    set_away(p, next, true);
    next->ousted = true;
    next->not_before_at = end_at + 1;
}

static const char *words_against(const struct comer *c)
{
    struct arena *arena = c->p->pl->arena;
    const char *id = c->f->id;

    if (meets_own_series(c))
        return arena_printf(arena, "; %s would meet its next occurrence", id);
    return arena_printf(arena, "; %s finds no place within %d days of its start", id,
                        PUSH_FARTHEST_S / 86400);
}

static bool place_follower(struct push *p, size_t i)
{
    struct follower *f = &p->v[i];
    struct comer c = { .p = p, .from = i + 1, .search = search_follower, .f = f };
    struct comer all_away;
    bool fits;

    c.start_at = MAX_OF(f->from_at, f->not_before_at);
    c.end_at = c.start_at + length_of(f);
    /* All that could ever be in its way, wherever it goes. */
    all_away = c;
    all_away.end_at = INT64_MAX;
    set_range_away(&all_away, c.from, p->n, true);
    fits = find_least(&c);
    set_range_away(&all_away, c.from, p->n, false);
    if (fits)
        oust_next(p, f->next, c.end_at, f->until_at);
    if (!fits || c.start_at - f->from_at > PUSH_FARTHEST_S || meets_own_series(&c) ||
        !make_room(&c)) {
        p->against = words_against(&c);
        return false;
    }
    f->placed = true;
    f->start_at = c.start_at;
    f->found = c.found;
    f->trial = world_book(p->pl->w, f->id, f->request, &f->found, c.start_at, c.end_at);
    p->n_placed++;
    return true;
}

static bool place_followers(struct push *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!p->v[i].ousted)
            continue;
        if (p->n_placed == PUSH_MOST) {
            p->against = arena_printf(
                p->pl->arena, "; more than %d reservations would be moved", PUSH_MOST);
            return false;
        }
        if (!place_follower(p, i))
            return false;
    }
    return true;
}

/* The world is as it was. */
static void end_trial(struct push *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i].trial)
            world_unbook(p->pl->w, p->v[i].trial);
        p->v[i].trial = NULL;
        set_away(p, &p->v[i], false);
    }
}

static void tell_places(const struct push *p, struct verdict *v)
{
    const struct question *q = p->q;
    struct plan_place *places =
        arena_zero(p->pl->arena, (p->n_placed + 1) * sizeof(*places));

    v->places = places;
    places[v->n_places++] = (struct plan_place){
        .id = altered_id(q),
        .start_at = q->later ? q->r->later.start_at : q->r->start_at,
        .end_at = q->end_at,
        .vnodes = placement_print(p->pl->w, &v->found),
    };
    for (size_t i = 0; i < p->n; i++) {
        const struct follower *f = &p->v[i];

        if (f->placed)
            places[v->n_places++] = (struct plan_place){
                .id = f->id,
                .start_at = f->start_at,
                .end_at = f->start_at + length_of(f),
                .vnodes = placement_print(p->pl->w, &f->found),
            };
    }
    MUST(v->n_places == p->n_placed + 1);
}

bool push_is_needed(const struct question *q, struct verdict *v)
{
    const struct followers all = followers_of(q);
    const struct follower *next = all.next;
    int64_t next_at = next ? next->from_at : all.next_at;

    if (!meets_next(q->end_at, altered_old_end(q), next_at))
        return false;
    *v = (struct verdict){ .failure = FAIL_CONFLICT };
    if (!next)
        v->advice = arena_printf(q->pl->arena, "; %s would meet its next occurrence",
                                 altered_id(q));
    return true;
}

/* Everybody is where he was. */
static void give_up(struct push *p, struct booking *trial, struct bookings *beside)
{
    end_trial(p);
    jobs_beside_give(p->q, beside);
    if (trial)
        world_unbook(p->pl->w, trial);
    world_restore(p->pl->w, altered_id(p->q));
}

void push_find(struct question *q, struct verdict *v)
{
    struct followers all = followers_of(q);
    struct push p = {
        .pl = q->pl, .q = q, .checks = FIT_CHECKS_MAX, .n = all.n, .v = all.v
    };
    struct comer c = {
        .p = &p, .search = search_altered, .start_at = q->start_at, .end_at = q->end_at
    };
    const char *id = altered_id(q);
    struct bookings beside = { 0 };
    struct booking *trial;

    MUST(v->failure != FAIL_NONE && q->altered);
    if (q->start_at >= q->end_at ||
        meets_next(q->end_at, altered_old_end(q), all.next_at))
        return;
    oust_next(&p, all.next, q->end_at, altered_old_end(q));
    if (!make_room(&c)) {
        end_trial(&p);
        *v = c.v; /* it names who is in the way and does not give way */
        v->why.earliest_at = 0;
        return;
    }
    /* The last search may have been one in vain, which has put it back. */
    world_drop(q->pl->w, id);
    trial = world_book(q->pl->w, id, q->rq, &c.found, q->start_at, q->end_at);
    jobs_beside_take(q, &beside);
    if (!place_followers(&p)) {
        v->advice = p.against;
        give_up(&p, trial, &beside);
        return;
    }
    *v = c.v;
    tell_places(&p, v);
    /* What a current one gets is booked by whoever says the yes. */
    jobs_beside_give(q, &beside);
    if (trial && !q->later)
        world_unbook(q->pl->w, trial);
}
