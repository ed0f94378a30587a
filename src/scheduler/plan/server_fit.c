/* server_fit.c - has the server enough left, through a window, of what it limits?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/vnode_pool.h"

bool pool_asks_server(const struct world *w, const struct request *rq)
{
    for (size_t i = 0; w->has_server && i < rq->all.n; i++)
        if (rq->all.v[i].amount > 0 && world_is_limited(w, rq->all.v[i].res))
            return true;
    return false;
}

static int64_t most_free(const struct pool *pool, const struct world *w, size_t res)
{
    size_t server = world_server(w);
    int64_t least;

    if (pool->as_if_empty)
        return w->total[server * w->n_res + res];
    if (pool->n_spans == 0)
        return world_least(w, server, res, pool->start_at, pool->end_at);
    least = INT64_MAX;
    for (size_t i = 0; i < pool->n_spans; i++)
        least = MIN_OF(least, world_least(w, server, res, pool->spans[i].start_at,
                                          pool->spans[i].end_at));
    return least;
}

/* Without the jobs of whom nobody knows when they end, where the search is to be. */
static int64_t most_free_of_pool(const struct pool *pool, struct world *w, size_t res)
{
    int64_t most;

    if (!pool->without_endless)
        return most_free(pool, w, res);
    book_set_endless_aside(w->book, world_server(w), true);
    most = most_free(pool, w, res);
    book_set_endless_aside(w->book, world_server(w), false);
    return most;
}

/* Whoever has some of it in the window; nobody where the server has too little. */
static void blame(const struct pool *pool, const struct world *w,
                  const struct need *need, struct plan_short *why)
{
    size_t server = world_server(w);
    const struct booking *h = NULL;

    why->never = need->amount > w->total[server * w->n_res + need->res];
    if (!why->never)
        h = world_holder(w, server, need->res, pool->start_at, pool->end_at);
    if (!h)
        return;
    why->vnode = arena_printf(w->arena, "%s of the server", why->resource);
    why->holder = h->id;
    why->until_at = h->end_at;
}

enum plan_failure pool_server_fit(const struct pool *pool, struct world *w,
                                  const struct request *rq, struct plan_short *why)
{
    /* What a reservation's jobs have is a part of what the reservation has. */
    for (size_t i = 0;
         w->has_server && !pool->room && !pool->without_server && i < rq->all.n; i++) {
        const struct need *need = &rq->all.v[i];
        int64_t most;

        if (need->amount <= 0 || !world_is_limited(w, need->res))
            continue;
        most = most_free_of_pool(pool, w, need->res);
        if (need->amount <= most)
            continue;
        if (!why)
            return FAIL_SERVER_SHORT;
        *why =
            (struct plan_short){ .resource = w->s->res.v[need->res].name,
                                 .res = &w->s->res.v[need->res],
                                 .of_server = true,
                                 .total =
                                     w->total[world_server(w) * w->n_res + need->res],
                                 .needed = need->amount,
                                 .most_free = MAX_OF(most, 0) };
        blame(pool, w, need, why);
        return FAIL_SERVER_SHORT;
    }
    return FAIL_NONE;
}
