/* resv.c - reservations: confirm new ones, re-make degraded ones, answer alterations.
 *
 * What has not started may land anywhere: it is searched as if it were new, and its own
 * vnodes count as free. What runs keeps what works: every chunk whose vnodes are all
 * usable stays where it is, the others are replaced from now to the end, and a vnode
 * that is gone while a job is on it makes everything wait for that job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/endless.h"
#include "scheduler/plan/jobs_beside.h"
#include "scheduler/plan/own_chunks.h"
#include "scheduler/plan/push.h"
#include "scheduler/plan/series.h"
#include "scheduler/plan/shortage.h"
#include "scheduler/plan/shorten.h"
#include "scheduler/plan/together.h"

#include <string.h>

/* Add the answer to a question. The plan ends with 'again' when the answer changes
 * what the server holds: a yes gives vnodes to the reservation, and either answer to
 * an alteration ends the proposal. */
static struct plan_step *answer(const struct question *q, enum plan_kind kind)
{
    struct plan_step *step = plan_add(q->pl, kind, q->r->id);

    MUST(kind == PLAN_CONFIRM_RESV || kind == PLAN_DENY_RESV);
    step->degraded = q->degraded;
    step->altered = q->altered;
    step->advice = step->shortage = "";
    step->has_seq = q->r->question.is_set;
    step->seq = q->r->question.value;
    if (kind == PLAN_CONFIRM_RESV || q->altered)
        q->pl->plan->again = true;
    return step;
}

static void deny(const struct question *q, const struct verdict *v)
{
    struct plan_step *step = answer(q, PLAN_DENY_RESV);

    step->failure = v->failure;
    step->reason =
        failure_log(q->pl->arena, v->failure, ASKER_RESV, v->why.resource, NULL);
    if (v->advice)
        step->advice = v->advice;
    if (q->altered && q->running && q->r->substate == RESV_DEGRADED)
        step->advice = "; a manager can insist with -W force";
    step->why = v->why;
    step->shortage = shortage_words(&v->why, q->pl->arena);
    /* The reason is told when the plan is carried out; the book may have changed. */
    step->why.holder = arena_strdup(q->pl->arena, v->why.holder);
    step->start_at = v->why.earliest_at;
}

/* The vnodes of a yes. An alteration of a series is about its current occurrence only
 * (reservations.md 9.3). */
static const char *vnodes_text(const struct question *q, const struct verdict *v)
{
    const char *text;

    if (v->map)
        return v->map;
    text = placement_print(q->pl->w, &v->found);
    return q->r->standing ? execvnodes_print(&text, 1, q->pl->arena) : text;
}

/* The start that a yes confirms. */
static int64_t start_of(const struct question *q, const struct verdict *v)
{
    if (v->map)
        return series_of(q->pl, q->r)->v[0].start_at;
    if (q->later)
        return q->r->later.start_at;
    return q->r->start_at == RESV_START_OPEN ? q->start_at : q->r->start_at;
}

static void confirm(const struct question *q, const struct verdict *v)
{
    struct planner *pl = q->pl;
    struct bookings beside = { 0 };
    struct plan_step *step = answer(q, PLAN_CONFIRM_RESV);

    /* Of a series only a later occurrence may have been found. */
    MUST((v->found.n > 0 || v->map) && q->start_at < q->end_at);
    step->vnodes = vnodes_text(q, v);
    step->away = q->away;
    step->n_places = v->n_places;
    step->places = v->places;
    step->start_at = start_of(q, v);
    if (v->map && !q->degraded)
        step->n_occurrences = series_of(pl, q->r)->n;
    step->partition = pl->s->partition ? pl->s->partition : PARTITION_DEFAULT;
    if (q->later) /* which was booked when it was found */
        return;
    /* The next question and the jobs see the reservation where it is now. */
    world_drop(pl->w, q->r->id);
    world_book(pl->w, q->r->id, q->r->request, &v->found, q->start_at, q->end_at);
    jobs_beside_take(q, &beside);
}

void question_say(const struct question *q, const struct verdict *v)
{
    if (v->failure == FAIL_NONE)
        confirm(q, v);
    else
        deny(q, v);
}

/* A shortage that somebody else causes is a matter of time when the request would
 * fit on the empty complex: it is a conflict then. Where it would not, nobody is to
 * blame, and what is short there is said. */
static enum plan_failure blame_time(const struct question *q, enum plan_failure failure,
                                    struct plan_short *why)
{
    if (failure != FAIL_SHORT ||
        !pool_fits_empty(q->pl->w, q->rq, ASKER_RESV, NULL, why))
        return failure;
    return why->holder ? FAIL_CONFLICT : failure;
}

/* Was all of the window promised before? An alteration of the select asks for no more
 * than before. */
static bool was_promised(const struct question *q)
{
    int64_t old_start_at = q->later ? q->later->start_at : q->r->old_start_at;
    int64_t old_end_at = q->later ? q->later->end_at : q->r->old_end_at;

    return q->degraded || (q->altered && !q->is_new && q->start_at >= old_start_at &&
                           q->end_at <= old_end_at);
}

/* The dedicated time that the window would run into or out of, NULL: none. A window
 * that was promised before is not asked again. */
static const struct period *crossed(const struct question *q)
{
    if (was_promised(q) || q->pl->p->resvs_ignore_dedicated)
        return NULL;
    return policy_crossed(q->pl->p, q->start_at, q->end_at);
}

bool question_crosses(const struct question *q)
{
    return crossed(q) != NULL;
}

/* Move the window; its length stays. */
static void move_to(struct question *q, int64_t start_at)
{
    q->end_at += start_at - q->start_at;
    q->start_at = start_at;
}

/* May the reservation be promised vnodes that are down or offline today? Only when it
 * has none to lose, starts so late that it is tried again before that, and at a server
 * that sees by itself that it is degraded from the beginning: one that numbers its
 * questions. */
static bool may_wait_for_vnodes(const struct question *q)
{
    return !q->degraded && !q->altered && q->r->question.is_set &&
           q->start_at - q->pl->now_at > q->pl->s->retry_time_s;
}

/* How much of the window of a new reservation has passed already. */
static int64_t missed_s(const struct question *q)
{
    bool is_new = !q->degraded && !q->altered && !q->r->standing;

    return is_new && q->r->start_at < q->start_at ? q->start_at - q->r->start_at : 0;
}

bool question_search(struct question *q, struct placement *found, struct verdict *v)
{
    struct pool pool = { .asker = ASKER_RESV,
                         .start_at = q->start_at,
                         .end_at = q->end_at,
                         .checks = q->checks,
                         .without_server = was_promised(q),
                         .closed = vnodes_of_jobs_outside(q->pl, q->r) };

    pool.sets = pool_sets(&pool, q->pl->w, q->rq, NULL);
    v->failure = pool_search(&pool, q->pl->w, q->rq, found, &v->why);
    if (v->failure && may_wait_for_vnodes(q)) {
        struct plan_short other = { 0 }; /* the first one is what users are told */

        pool.with_away = true;
        if (pool_search(&pool, q->pl->w, q->rq, found, &other) == FAIL_NONE)
            v->failure = FAIL_NONE;
        q->away = v->failure == FAIL_NONE;
        pool.with_away = false;
    }
    pool.without_server = false;
    pool.end_at += missed_s(q); /* another start is one for the whole length */
    if (v->failure)
        v->why.earliest_at = pool_earliest(
            &pool, q->pl->w, q->rq,
            q->r->start_at == RESV_START_OPEN ? OPEN_TRIES : EARLIEST_TRIES);
    return v->failure == FAIL_NONE;
}

void question_explain(const struct question *q, struct verdict *v)
{
    v->failure = blame_time(q, v->failure, &v->why);
    v->advice = endless_advice(q->pl, q->rq, q->start_at, q->end_at);
}

static void place_anywhere(struct question *q, struct verdict *v)
{
    MUST(!q->running);
    world_drop(q->pl->w, q->r->id);
    if (question_search(q, &v->found, v))
        return;
    /* A reservation that takes whatever start comes first is moved to the first
     * start that a denial would name. */
    if (q->r->start_at == RESV_START_OPEN && v->why.earliest_at) {
        move_to(q, v->why.earliest_at);
        MUST(!crossed(q)); /* pool_earliest() keeps out of dedicated time */
        if (question_search(q, &v->found, v))
            return;
    }
    question_explain(q, v);
    world_restore(q->pl->w, q->r->id);
}

/* True when nobody else has, in the window, what the kept chunks need on the vnode.
 * 'free' has the kept amounts taken off already; what is below 0 was not there. */
static bool vnode_fits(const struct question *q, size_t vnode, const int64_t *free)
{
    struct world *w = q->pl->w;
    bool shared = world_use(w, vnode, &q->r->request->place) == USE_SHARED;

    for (size_t r = 1; r < w->n_res; r++)
        if (free[world_slot(w, vnode, r)] < 0)
            return false;
    return world_least(w, vnode, RES_PRESENCE, q->start_at, q->end_at) >=
           (shared ? 1 : PRESENCE_ALL);
}

/* Name somebody who is on the vnode in the window, for the reason of the denial. */
static void blame(const struct question *q, size_t vnode, struct plan_short *why)
{
    const struct world *w = q->pl->w;

    const struct booking *h =
        world_holder(w, vnode, RES_PRESENCE, q->start_at, q->end_at);

    if (!h)
        return;
    why->vnode = w->s->vnodes[vnode].name;
    why->holder = h->id;
    why->until_at = h->end_at;
}

/* Take what is kept off what is free ('sign' -1), or give it back. */
static void take_kept(const struct question *q, const struct placement *kept,
                      struct pool *pool, int sign)
{
    struct world *w = q->pl->w;

    for (size_t c = 0; c < kept->n; c++)
        for (size_t i = 0; i < kept->chunks[c].n; i++) {
            const struct piece *piece = &kept->chunks[c].pieces[i];

            pool_look(pool, w, q->r->request, piece->vnode);
            for (size_t r = 1; r < w->n_res; r++)
                pool->free[world_slot(w, piece->vnode, r)] += sign * piece->amounts[r];
        }
}

/* What is kept must also be free of others until the new end. A window that ends no
 * later than the promised one needs no such check; but who may move others also makes
 * room for what was forced before. */
static bool kept_fits(const struct question *q, const struct placement *kept,
                      struct pool *pool, struct plan_short *why)
{
    size_t misfit = SIZE_MAX;

    if (!q->altered ||
        (!q->r->may_push && q->r->knows_old_end && q->end_at <= q->r->old_end_at))
        return true;
    take_kept(q, kept, pool, -1);
    for (size_t c = 0; c < kept->n && misfit == SIZE_MAX; c++)
        for (size_t i = 0; i < kept->chunks[c].n && misfit == SIZE_MAX; i++)
            if (!vnode_fits(q, kept->chunks[c].pieces[i].vnode, pool->free))
                misfit = kept->chunks[c].pieces[i].vnode;
    take_kept(q, kept, pool, 1);
    if (misfit != SIZE_MAX)
        blame(q, misfit, why);
    return misfit == SIZE_MAX;
}

/* Kept and found chunks in the order of the select: each old chunk's kept copies, then
 * the copies that replace the others. With nothing given up a replacement takes the
 * place of what it replaces. */
static void join_chunks(const struct question *q, const struct own_chunks *all,
                        const size_t *tied, const struct fit *f, struct placement *ret)
{
    struct arena *arena = q->pl->w->arena;
    size_t next = 0; /* in f->placed, which follows the request's order too */
    size_t chunk = 0;
    int64_t in_chunk = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct own_chunk *oc = &all->v[i];

        if (oc->kept) {
            *placement_add(ret, arena) = *oc->placed;
            continue;
        }
        if (oc->chunk == SIZE_MAX || tied[oc->chunk] == SIZE_MAX)
            continue;
        while (chunk < tied[oc->chunk]) {
            next += (size_t)(f->counts[chunk++] - in_chunk);
            in_chunk = 0;
        }
        if (in_chunk == f->counts[chunk])
            continue; /* shrunk: this one is not replaced */
        *placement_add(ret, arena) = placed_keep(q->pl->w, &f->placed[next++]);
        in_chunk++;
    }
}

/* Search the chunks that are not kept; the kept ones take their part. */
static bool replace_chunks(const struct question *q, const struct own_chunks *all,
                           const int64_t *counts, struct fit *f,
                           enum plan_failure *failure, struct plan_short *why)
{
    struct world *w = q->pl->w;
    struct pool pool = { .asker = ASKER_RESV,
                         .start_at = q->start_at,
                         .end_at = q->end_at,
                         .without_server = was_promised(q) };

    struct placement kept = { 0 };

    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].kept)
            *placement_add(&kept, w->arena) = *all->v[i].placed;
    pool.sets = pool_sets(&pool, w, q->r->request, NULL);
    pool_fill(&pool, w, q->r->request);
    if (!kept_fits(q, &kept, &pool, why)) {
        *failure = FAIL_CONFLICT;
        return false;
    }
    *failure = pool_fit(&pool, w, q->r->request, counts, &kept, f, why);
    return *failure == FAIL_NONE;
}

static void remake(struct question *q, struct own_chunks *all, const size_t *tied,
                   const int64_t *counts, struct verdict *v)
{
    struct fit f;

    world_drop(q->pl->w, q->r->id);
    if (replace_chunks(q, all, counts, &f, &v->failure, &v->why)) {
        join_chunks(q, all, tied, &f, &v->found);
        return;
    }
    v->failure = blame_time(q, v->failure, &v->why);
    world_restore(q->pl->w, q->r->id);
}

static void place_running(struct question *q, struct verdict *v)
{
    const struct request *proposed = q->r->request;
    const struct request *old =
        q->altered && q->r->request_orig ? q->r->request_orig : proposed;
    struct arena *arena = q->pl->arena;
    size_t *tied = arena_alloc(arena, old->n * sizeof(*tied) + 1);
    int64_t *counts = arena_alloc(arena, proposed->n * sizeof(*counts) + 1);
    struct own_chunks all = { 0 };
    bool ok = old->valid && own_chunks_read(q->pl, q->r, old, &all) &&
              own_chunks_keep_extras(&all);

    MUST(q->running);
    for (size_t k = 0; k < proposed->n; k++)
        counts[k] = proposed->chunks[k].count;
    if (ok)
        own_chunks_tie(old, proposed, tied);
    for (size_t o = 0; ok && o < old->n; o++) {
        int64_t left;
        size_t to = tied[o];

        ok = own_chunks_keep(&all, o, to == SIZE_MAX ? 0 : proposed->chunks[to].count,
                             &left);
        if (ok && to != SIZE_MAX)
            counts[to] = left;
    }
    if (ok)
        remake(q, &all, tied, counts, v);
    else
        v->failure = FAIL_RESV_JOBS;
}

/* True when a degraded reservation is to be planned again now. */
static bool is_due(const struct planner *pl, const struct snap_resv *r)
{
    return (r->substate == RESV_DEGRADED || r->substate == RESV_IN_CONFLICT) &&
           r->retry.is_set && r->retry.value <= pl->now_at;
}

/* A state in which a degraded reservation is planned again. */
static bool resv_is_promised(const struct snap_resv *r)
{
    return r->state == RESV_CONFIRMED || r->state == RESV_DEGRADED ||
           r->state == RESV_RUNNING;
}

/* True when the server waits for an answer about the reservation. */
static bool is_open(const struct planner *pl, const struct snap_resv *r)
{
    if (r->skip || r->alien)
        return false;
    if (r->later.index)
        return true;
    switch (r->state) {
    case RESV_UNCONFIRMED: /* whoever makes maintenance confirms it */
        return r->id[0] != 'M';
    case RESV_BEING_ALTERED:
        return true;
    default:
        break;
    }
    /* Our server says of each occurrence whether its time has come. */
    if (r->standing && r->occurrences.n > 0)
        return resv_is_promised(r) && series_is_due(pl, r);
    switch (r->state) {
    case RESV_CONFIRMED:
    case RESV_DEGRADED:
        return is_due(pl, r);
    case RESV_RUNNING: /* in conflict it is left alone until its end */
        return r->substate != RESV_IN_CONFLICT && is_due(pl, r);
    default:
        return false;
    }
}

struct question question_about(struct planner *pl, const struct snap_resv *r)
{
    struct question q = { .pl = pl, .r = r, .rq = r->request };
    const struct period *in_the_way;

    if (r->later.index) {
        q.altered = true;
        q.later = series_altered(pl, r);
        q.rq = r->later.request;
        q.start_at = MAX_OF(r->later.start_at, pl->now_at);
        q.end_at = r->later.end_at;
        return q;
    }
    q.altered = r->state == RESV_BEING_ALTERED;
    q.is_new = r->state == RESV_UNCONFIRMED || series_is_unconfirmed(r);
    q.degraded = !q.altered && r->state != RESV_UNCONFIRMED;
    q.running = resv_is_running(pl, r) && r->nodes && r->start_at <= pl->now_at;
    q.start_at = r->start_at > pl->now_at ? r->start_at : pl->now_at;
    q.end_at = r->end_at;
    if (r->start_at == RESV_START_OPEN) {
        q.start_at = pl->now_at;
        q.end_at = pl->now_at + (r->end_at - r->start_at);
        while ((in_the_way = crossed(&q)))
            move_to(&q, policy_next_start(in_the_way, q.start_at));
    }
    return q;
}

void question_find_current(struct question *q, struct verdict *v)
{
    if (q->start_at >= q->end_at)
        v->failure = FAIL_RESV_TIMES;
    else if (crossed(q))
        v->failure = FAIL_CROSSES_DEDICATED;
    else if (!jobs_beside_fit(q, &v->why))
        v->failure = FAIL_CONFLICT;
    else if (q->running)
        place_running(q, v);
    else
        place_anywhere(q, v);
}

/* An alteration of an occurrence that comes later. */
static void find_later(struct question *q, struct verdict *v)
{
    if (!q->later)
        v->failure = FAIL_RESV_STANDING;
    else if (!q->rq || !q->rq->valid)
        v->failure = FAIL_RESV_UNREADABLE;
    else
        series_find_altered(q, v);
}

struct verdict question_find(struct question *q)
{
    const struct snap_resv *r = q->r;
    struct verdict v = { 0 };

    if (r->later.index)
        find_later(q, &v);
    else if (!r->request || !r->request->valid)
        v.failure = FAIL_RESV_UNREADABLE;
    else if (r->standing && (!q->altered || q->is_new))
        series_find(q, &v);
    else
        question_find_current(q, &v);
    MUST(v.failure != FAIL_NONE || v.found.n > 0 || v.map);
    return v;
}

static void answer_question(struct planner *pl, const struct snap_resv *r)
{
    struct question q = question_about(pl, r);
    bool is_readable =
        q.altered && !q.is_new && q.rq && q.rq->valid && (!r->later.index || q.later);
    struct verdict v;

    if (!is_readable || !r->may_push || !push_is_needed(&q, &v))
        v = question_find(&q);
    /* What finds no room for itself may be content with something else. */
    if (v.failure != FAIL_NONE && is_readable) {
        if (r->may_push)
            push_find(&q, &v);
        else if (r->may_shorten)
            shorten_find(&q, &v);
    }
    question_say(&q, &v);
}

static void answer_open(struct planner *pl, const struct snap_resv *r)
{
    const struct snap_resv *first = together_first(pl, r);

    if (!first)
        answer_question(pl, r);
    else if (first == r) /* the other parts are answered with it */
        plan_together(pl, r);
}

static bool is_altered(const struct snap_resv *r)
{
    return r->state == RESV_BEING_ALTERED || r->later.index != 0;
}

/* Alterations first, then the order of the server (reservations.md 25.1). */
bool plan_resvs_are_open(const struct planner *pl)
{
    for (size_t i = 0; i < pl->s->n_resvs; i++)
        if (is_open(pl, &pl->s->resvs[i]))
            return true;
    return false;
}

void plan_resvs(struct planner *pl)
{
    for (int altered = 1; altered >= 0; altered--)
        for (size_t i = 0; i < pl->s->n_resvs; i++)
            if (is_altered(&pl->s->resvs[i]) == altered &&
                is_open(pl, &pl->s->resvs[i]))
                answer_open(pl, &pl->s->resvs[i]);
}
