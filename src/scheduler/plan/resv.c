/* resv.c - reservations: confirm new ones, re-make degraded ones, answer alterations.
 *
 * What has not started may land anywhere: it is searched as if it were new, and its own
 * vnodes count as free. What runs keeps what works: every chunk whose vnodes are all
 * usable stays where it is, the others are replaced from now to the end, and a vnode
 * that is gone while a job is on it makes everything wait for that job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"

#include <string.h>

struct question {
    struct planner *pl;
    const struct snap_resv *r;
    bool degraded; /* to be reconfirmed */
    bool altered;
    bool running;     /* and stays so: its vnodes are bound */
    int64_t start_at; /* the window that is needed */
    int64_t end_at;
};

/* Answers. */

static struct plan_step *answer(const struct question *q, enum plan_kind kind)
{
    struct plan_step *step = plan_add(q->pl, kind, q->r->id);

    MUST(kind == PLAN_CONFIRM_RESV || kind == PLAN_DENY_RESV);
    step->degraded = q->degraded;
    step->altered = q->altered;
    step->advice = "";
    step->has_seq = q->r->question.is_set;
    step->seq = q->r->question.value;
    if (kind == PLAN_CONFIRM_RESV || q->altered)
        q->pl->plan->again = true;
    return step;
}

static void deny(const struct question *q, enum plan_failure failure,
                 const struct plan_short *why)
{
    struct plan_step *step = answer(q, PLAN_DENY_RESV);

    step->failure = failure;
    step->reason = failure_log(q->pl->arena, failure, ASKER_RESV,
                               why ? why->resource : NULL, NULL);
    if (q->altered && q->running && q->r->substate == RESV_DEGRADED)
        step->advice = "; a manager can insist with -W force";
    if (why) {
        step->why = *why;
        step->start_at = why->earliest_at;
    }
}

static void confirm(const struct question *q, const struct placement *found)
{
    struct planner *pl = q->pl;
    int64_t hold_from_at = q->start_at;
    struct plan_step *step = answer(q, PLAN_CONFIRM_RESV);

    step->vnodes = placement_print(pl->w, found);
    step->start_at = q->r->start_at == RESV_START_OPEN ? q->start_at : q->r->start_at;
    step->partition = pl->s->partition ? pl->s->partition : PARTITION_DEFAULT;
    world_drop(pl->w, q->r->id);
    world_hold(pl->w, q->r->id, &q->r->request->place, found, hold_from_at, q->end_at);
}

/* Short of capacity as such, or of time? */
static enum plan_failure blame_time(const struct question *q, enum plan_failure failure,
                                    const struct plan_short *why)
{
    if (failure == FAIL_SHORT && why->holder &&
        pool_fits_empty(q->pl->w, q->r->request, ASKER_RESV, NULL))
        return FAIL_CONFLICT;
    return failure;
}

/* Dedicated time. */

/* Would the window run into dedicated time, or out of it? What has been promised before
 * is not asked again. */
static const struct period *crossed(const struct question *q)
{
    bool promised = q->degraded || (q->altered && q->start_at >= q->r->old_start_at &&
                                    q->end_at <= q->r->old_end_at);

    if (promised || q->pl->p->resvs_ignore_dedicated)
        return NULL;
    return policy_crossed(q->pl->p, q->start_at, q->end_at);
}

static void move_to(struct question *q, int64_t start_at)
{
    q->end_at += start_at - q->start_at;
    q->start_at = start_at;
}

/* Not running: a search as for a new one. */

static bool search_anywhere(const struct question *q, struct placement *found,
                            enum plan_failure *failure, struct plan_short *why)
{
    struct pool pool = { .asker = ASKER_RESV,
                         .start_at = q->start_at,
                         .end_at = q->end_at };

    *failure = pool_search(&pool, q->pl->w, q->r->request, found, why);
    if (*failure)
        why->earliest_at =
            pool_earliest(&pool, q->pl->w, q->r->request, EARLIEST_TRIES);
    return *failure == FAIL_NONE;
}

static void place_anywhere(struct question *q)
{
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    enum plan_failure failure;

    world_drop(q->pl->w, q->r->id);
    if (search_anywhere(q, &found, &failure, &why)) {
        confirm(q, &found);
        return;
    }
    if (q->r->start_at == RESV_START_OPEN && why.earliest_at) {
        move_to(q, why.earliest_at);
        if (crossed(q))
            failure = FAIL_CROSSES_DEDICATED;
        else if (search_anywhere(q, &found, &failure, &why)) {
            confirm(q, &found);
            return;
        }
    }
    deny(q, blame_time(q, failure, &why), &why);
    world_restore(q->pl->w, q->r->id);
}

/* Running: keep what works. */

/* A chunk that the reservation has already. */
struct own_chunk {
    struct placed *placed;
    size_t chunk; /* of the request it was found for, SIZE_MAX: a bare extra */
    bool usable;
    bool has_job;
    bool kept;
};

struct own_chunks {
    size_t n;
    struct own_chunk *v;
};

static bool uses(const struct placement *at, const struct placed *pd)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (placed_has(pd, at->chunks[c].pieces[i].vnode))
                return true;
    return false;
}

static bool has_job(const struct question *q, const struct placed *pd)
{
    for (size_t i = 0; i < q->pl->s->n_jobs; i++) {
        const struct job_link *link = &q->pl->links->jobs[i];

        if (link->has_vnodes && link->resv == q->r && uses(&link->at, pd))
            return true;
    }
    return false;
}

static bool is_usable(const struct world *w, const struct placed *pd)
{
    for (size_t i = 0; i < pd->n; i++)
        if (!w->s->vnodes[pd->pieces[i].vnode].usable)
            return false;
    return pd->n > 0 && !pd->incomplete;
}

static bool is_bare(const struct world *w, const struct placed *pd)
{
    for (size_t i = 0; i < pd->n; i++)
        for (size_t r = 1; r < w->n_res; r++)
            if (pd->pieces[i].amounts[r])
                return false;
    return !pd->incomplete;
}

/* Chunks of resv_nodes belong to the chunks of the request in order (reservations.md
 * 25.4); bare vnodes of hosts taken whole belong to none. False when they do not add
 * up. */
static bool read_own_chunks(const struct question *q, const struct request *rq,
                            struct own_chunks *ret)
{
    struct world *w = q->pl->w;
    const struct resv_link *link = link_of_resv(q->pl, q->r);
    size_t chunk = 0;
    int64_t copies = 0;

    if (!link->has_vnodes)
        return false;
    ret->n = link->at.n;
    ret->v = arena_zero(w->arena, link->at.n * sizeof(*ret->v) + 1);
    for (size_t i = 0; i < link->at.n; i++) {
        struct own_chunk *oc = &ret->v[i];

        *oc = (struct own_chunk){ .placed = &link->at.chunks[i], .chunk = SIZE_MAX };
        oc->usable = is_usable(w, oc->placed);
        oc->has_job = has_job(q, oc->placed);
        if ((int64_t)link->at.n > rq->n_total && is_bare(w, oc->placed))
            continue;
        if (chunk == rq->n)
            return false;
        oc->chunk = chunk;
        if (++copies == rq->chunks[chunk].count) {
            chunk++;
            copies = 0;
        }
    }
    return chunk == rq->n;
}

static bool same_needs(const struct req_chunk *a, const struct req_chunk *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->needs[i].res != b->needs[i].res ||
            strcmp(a->needs[i].text, b->needs[i].text) != 0)
            return false;
    return true;
}

/* The chunk of the wanted request that an old chunk goes on as, SIZE_MAX: given up.
 * Equal chunks may be written more than once; they are tied in order. */
static void tie_chunks(const struct request *old, const struct request *wanted,
                       size_t *ret)
{
    size_t next = 0;

    for (size_t o = 0; o < old->n; o++) {
        ret[o] = SIZE_MAX;
        for (size_t k = next; k < wanted->n && ret[o] == SIZE_MAX; k++)
            if (same_needs(&old->chunks[o], &wanted->chunks[k])) {
                ret[o] = k;
                next = k + 1;
            }
    }
}

/* Keep up to 'count' chunks of one kind: those with jobs, then the usable ones. False
 * when a job would lose its vnodes. counts gets what is left to search. */
static bool keep_chunks(struct own_chunks *all, size_t old_chunk, int64_t count,
                        int64_t *left)
{
    for (size_t i = 0; i < all->n; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != old_chunk || !oc->has_job)
            continue;
        if (!oc->usable || count-- == 0)
            return false;
        oc->kept = true;
    }
    for (size_t i = 0; i < all->n && count > 0; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != old_chunk || oc->kept || !oc->usable)
            continue;
        oc->kept = true;
        count--;
    }
    *left = count;
    return true;
}

/* Bare vnodes stay while they are usable. */
static bool keep_extras(struct own_chunks *all)
{
    for (size_t i = 0; i < all->n; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != SIZE_MAX)
            continue;
        if (!oc->usable && oc->has_job)
            return false;
        oc->kept = oc->usable;
    }
    return true;
}

static bool vnode_fits(const struct question *q, size_t vnode, const struct fit *f)
{
    struct world *w = q->pl->w;
    bool shared = world_use(w, vnode, &q->r->request->place) == USE_SHARED;

    for (size_t r = 1; r < w->n_res; r++)
        if (f->free[world_slot(w, vnode, r)] < 0)
            return false;
    return timeline_least(w->line[vnode], RES_PRESENCE, q->start_at, q->end_at) >=
           (shared ? 1 : PRESENCE_ALL);
}

/* Who is on the vnode in the window. */
static void blame(const struct question *q, size_t vnode, struct plan_short *why)
{
    const struct world *w = q->pl->w;

    for (const struct holding *h = w->holdings[vnode]; h; h = h->next) {
        if (h->dropped || h->start_at >= q->end_at || h->end_at <= q->start_at)
            continue;
        why->vnode = w->s->vnodes[vnode].name;
        why->holder = h->id;
        why->until_at = h->end_at;
        return;
    }
}

/* What is kept must also be free of others until the new end. What it had promised
 * before is nobody's question. */
static bool kept_fits(const struct question *q, const struct own_chunks *all,
                      const struct fit *f, struct plan_short *why)
{
    if (!q->altered || (q->r->knows_old_end && q->end_at <= q->r->old_end_at))
        return true;
    for (size_t i = 0; i < all->n; i++) {
        const struct placed *pd = all->v[i].placed;

        for (size_t k = 0; all->v[i].kept && k < pd->n; k++) {
            if (vnode_fits(q, pd->pieces[k].vnode, f))
                continue;
            blame(q, pd->pieces[k].vnode, why);
            return false;
        }
    }
    return true;
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
                         .end_at = q->end_at };

    pool_fill(&pool, w, q->r->request);
    fit_init(f, w, q->r->request, counts, pool.free, pool.eligible, w->order, w->n);
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].kept)
            fit_pin(f, all->v[i].placed);
    if (!kept_fits(q, all, f, why))
        *failure = FAIL_CONFLICT;
    else
        *failure = fit_find(f) ? FAIL_NONE : pool_explain(&pool, f, why);
    return *failure == FAIL_NONE;
}

static void remake(struct question *q, struct own_chunks *all, const size_t *tied,
                   const int64_t *counts)
{
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    enum plan_failure failure;
    struct fit f;

    world_drop(q->pl->w, q->r->id);
    if (replace_chunks(q, all, counts, &f, &failure, &why)) {
        join_chunks(q, all, tied, &f, &found);
        confirm(q, &found);
        return;
    }
    deny(q, blame_time(q, failure, &why), &why);
    world_restore(q->pl->w, q->r->id);
}

static void place_running(struct question *q)
{
    const struct request *wanted = q->r->request;
    const struct request *old =
        q->altered && q->r->request_orig ? q->r->request_orig : wanted;
    struct arena *arena = q->pl->arena;
    size_t *tied = arena_alloc(arena, old->n * sizeof(*tied) + 1);
    int64_t *counts = arena_alloc(arena, wanted->n * sizeof(*counts) + 1);
    struct own_chunks all = { 0 };
    bool ok = old->valid && read_own_chunks(q, old, &all) && keep_extras(&all);

    for (size_t k = 0; k < wanted->n; k++)
        counts[k] = wanted->chunks[k].count;
    if (ok)
        tie_chunks(old, wanted, tied);
    for (size_t o = 0; ok && o < old->n; o++) {
        int64_t left;
        size_t to = tied[o];

        ok = keep_chunks(&all, o, to == SIZE_MAX ? 0 : wanted->chunks[to].count, &left);
        if (ok && to != SIZE_MAX)
            counts[to] = left;
    }
    if (ok)
        remake(q, &all, tied, counts);
    else
        deny(q, FAIL_RESV_JOBS, NULL);
}

/* Which questions are open. */

static bool is_due(const struct planner *pl, const struct snap_resv *r)
{
    return (r->substate == RESV_DEGRADED || r->substate == RESV_IN_CONFLICT) &&
           r->retry.is_set && r->retry.value <= pl->now_at;
}

static bool is_open(const struct planner *pl, const struct snap_resv *r)
{
    if (r->skip)
        return false;
    switch (r->state) {
    case RESV_UNCONFIRMED:
    case RESV_BEING_ALTERED:
        return true;
    case RESV_CONFIRMED:
    case RESV_DEGRADED:
        return is_due(pl, r);
    case RESV_RUNNING: /* in conflict it is left alone until its end */
        return r->substate != RESV_IN_CONFLICT && is_due(pl, r);
    default:
        return false;
    }
}

static void answer_question(struct planner *pl, const struct snap_resv *r)
{
    struct question q = { .pl = pl, .r = r };
    const struct period *in_the_way;

    q.altered = r->state == RESV_BEING_ALTERED;
    q.degraded = !q.altered && r->state != RESV_UNCONFIRMED;
    q.running = resv_is_running(pl, r) && r->nodes && r->start_at <= pl->now_at;
    q.start_at = r->start_at > pl->now_at ? r->start_at : pl->now_at;
    q.end_at = r->end_at;
    if (r->start_at == RESV_START_OPEN) {
        q.start_at = pl->now_at;
        q.end_at = pl->now_at + (r->end_at - r->start_at);
        while ((in_the_way = crossed(&q))) /* each time it is moved behind one */
            move_to(&q, in_the_way->to_at);
    }
    if (!r->request || !r->request->valid)
        deny(&q, FAIL_RESV_UNREADABLE, NULL);
    else if (r->standing)
        deny(&q, FAIL_RESV_STANDING, NULL);
    else if (q.start_at >= q.end_at)
        deny(&q, FAIL_RESV_TIMES, NULL);
    else if (crossed(&q))
        deny(&q, FAIL_CROSSES_DEDICATED, NULL);
    else if (q.running)
        place_running(&q);
    else
        place_anywhere(&q);
}

/* Alterations first, then the order of the server (reservations.md 25.1). */
void plan_resvs(struct planner *pl)
{
    for (int altered = 1; altered >= 0; altered--)
        for (size_t i = 0; i < pl->s->n_resvs; i++)
            if ((pl->s->resvs[i].state == RESV_BEING_ALTERED) == altered &&
                is_open(pl, &pl->s->resvs[i]))
                answer_question(pl, &pl->s->resvs[i]);
}
