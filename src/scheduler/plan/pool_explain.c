/* pool_explain.c - from a search that has failed to its reason.
 *
 * A search that knows of all vnodes is explained by what it knows. One that has left
 * vnodes out goes on further walks, for what the reason needs to say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ceiling_walk.h"

/* Has the search left out vnodes? */
static bool walks(const struct fit *f)
{
    return f->n_plain != SIZE_MAX;
}

/* Is there an eligible vnode among those that are sought, and does it meet the need?
 * NULL: any does. */
static bool finds_eligible(struct fit *f, const struct sought *what)
{
    struct ceiling_walk k;

    ceiling_walk_begin(&k, f->w, what, 0);
    for (size_t v; (v = ceiling_walk_next(&k)) != SIZE_MAX;) {
        f->judge(f, v);
        if (f->eligible[v] && (!what->met || fit_need_is_met(f->w, what->met, v)))
            return true;
    }
    return false;
}

/* Ask vnodes of that sort until one has been counted. */
static void count_one(struct fit *f, const struct sought *what, const size_t *count)
{
    struct ceiling_walk k;

    if (*count > 0)
        return;
    ceiling_walk_begin(&k, f->w, what, 0);
    for (size_t v; *count == 0 && (v = ceiling_walk_next(&k)) != SIZE_MAX;)
        f->judge(f, v);
}

/* Complete the counts of the pool as far as they matter: when no vnode is eligible, is
 * one in use, or none for reservations? */
static void count(struct pool *pool, struct fit *f)
{
    struct sought what = { .pool = pool, .rq = f->rq, .present = true };

    count_one(f, &what, &pool->n_eligible);
    if (pool->n_eligible > 0)
        return;
    what.present = false;
    count_one(f, &what, &pool->n_in_use);
    what.other_kind = true;
    count_one(f, &what, &pool->n_not_for_resv);
}

/* What the vnodes of a host, which are known, have of the resource for the chunk. */
static int64_t free_on(const struct fit *f, const struct req_chunk *chunk, size_t res,
                       const size_t *vnodes, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t free = f->free[world_slot(f->w, vnodes[i], res)];

        if (!fit_matches(f, chunk, vnodes[i]) || free < 0)
            continue;
        sum = f->rq->place.arrange == PLACE_VSCATTER ? MAX_OF(free, sum) : sum + free;
    }
    return sum;
}

/* The same, on a walk for more and more. */
static int64_t most_on_walk(struct pool *pool, struct fit *f,
                            const struct req_chunk *chunk, size_t res)
{
    const struct world *w = f->w;
    const struct sought what = {
        .pool = pool, .rq = f->rq, .chunk = chunk, .present = true
    };
    uint64_t turn = ++f->desk->turn;
    struct ceiling_walk k;
    int64_t most = 0;

    ceiling_walk_begin(&k, f->w, &what, 0);
    if (!ceiling_walk_raise(&k, res, most))
        return 0;
    for (size_t v; (v = ceiling_walk_next(&k)) != SIZE_MAX;) {
        size_t host = w->host[v], first = w->host_first[host];
        size_t n = w->host_first[host + 1] - first;
        int64_t sum;

        if (f->desk->host_tried[host] == turn)
            continue;
        f->desk->host_tried[host] = turn;
        for (size_t i = 0; i < n; i++)
            f->judge(f, w->on_host[first + i]);
        sum = free_on(f, chunk, res, &w->on_host[first], n);
        if (sum > most) {
            most = sum;
            (void)ceiling_walk_raise(&k, res, most);
        }
    }
    return most;
}

/* The most any eligible vnode, or host where chunks may be split, has of a resource. */
static int64_t most_free(struct pool *pool, struct fit *f,
                         const struct req_chunk *chunk, size_t res)
{
    int64_t most = 0;

    if (walks(f))
        return most_on_walk(pool, f, chunk, res);
    for (size_t h = 0; h < f->n_hosts; h++)
        most = MAX_OF(most, free_on(f, chunk, res, f->hosts[h].vnodes, f->hosts[h].n));
    return most;
}

/* A need that no eligible vnode meets. */
static const struct need *find_unmet(struct pool *pool, struct fit *f,
                                     const struct req_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];
        const struct sought what = {
            .pool = pool, .rq = f->rq, .met = n, .present = true
        };
        bool met = fit_is_counted(f->w, n);

        if (!met && walks(f))
            met = finds_eligible(f, &what);
        for (size_t v = 0; v < f->w->n && !met && !walks(f); v++)
            met = f->eligible[v] && fit_need_is_met(f->w, n, v);
        if (!met)
            return n;
    }
    return NULL;
}

/* The first counted need that is short everywhere; else the first counted one: it is
 * short wherever the others are not. */
static const struct need *find_short(struct pool *pool, struct fit *f,
                                     const struct req_chunk *chunk)
{
    const struct need *first = NULL;

    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];

        if (!fit_is_counted(f->w, n) || n->amount <= 0)
            continue;
        if (!first)
            first = n;
        if (most_free(pool, f, chunk, n->res) < n->amount)
            return n;
    }
    return first;
}

/* The next vnode on which somebody may have something: in the order of the server. */
static size_t next_held(const struct fit *f, size_t from)
{
    if (walks(f))
        return book_next_held(f->w->book, from);
    return from < f->w->n ? from : SIZE_MAX;
}

/* Somebody who holds 'res' on a vnode that would be big enough without them. */
static void find_holder(const struct pool *pool, const struct fit *f,
                        const struct need *n, struct plan_short *why)
{
    const struct world *w = f->w;

    for (size_t i = next_held(f, 0); i != SIZE_MAX; i = next_held(f, i + 1)) {
        size_t home = world_slot(w, i, n->res) / w->n_res;
        const struct booking *h;

        if (!w->s->vnodes[i].usable || w->total[world_slot(w, i, n->res)] < n->amount)
            continue;
        h = world_holder(w, home, n->res, pool->start_at, pool->end_at);
        if (!h)
            continue;
        why->vnode = w->s->vnodes[i].name;
        why->holder = h->id;
        why->until_at = h->end_at;
        return;
    }
}

/* What the chunk on which 'f' failed needs and does not find; NULL: it needs nothing.
 */
static const struct need *explain_short(struct pool *pool, struct fit *f,
                                        struct plan_short *why)
{
    const struct req_chunk *chunk = &f->rq->chunks[f->failed_chunk];
    const struct need *unmet = find_unmet(pool, f, chunk);
    const struct need *n = unmet ? unmet : find_short(pool, f, chunk);

    MUST(f->failed_chunk < f->rq->n && f->n_placed == 0);
    why->chunk = f->failed_chunk;
    /* What packed chunks lacked is told by the last host, which says nothing. */
    why->n_placed = f->rq->place.arrange == PLACE_PACK ? 0 : f->failed_copy;
    why->n_copies = f->counts[f->failed_chunk];
    why->arrange = f->rq->place.arrange;
    if (!n)
        return NULL;
    why->res = &f->w->s->res.v[n->res];
    why->resource = why->res->name;
    why->needed = n->amount;
    why->most_free = most_free(pool, f, chunk, n->res);
    why->value = unmet ? n->text : NULL;
    return n;
}

bool pool_explain_short(struct pool *pool, struct fit *f, struct plan_short *why)
{
    return explain_short(pool, f, why) != NULL;
}

enum plan_failure pool_explain(struct pool *pool, struct fit *f, struct plan_short *why)
{
    const struct need *n;

    if (walks(f))
        count(pool, f);
    if (pool->n_eligible == 0) {
        if (pool->n_in_use > 0)
            return FAIL_IN_USE;
        return pool->n_not_for_resv > 0 ? FAIL_NOT_FOR_RESV : FAIL_NO_VNODES;
    }
    n = explain_short(pool, f, why);
    if (!n)
        return FAIL_NO_VNODES;
    find_holder(pool, f, n, why);
    return FAIL_SHORT;
}
