/* endless.c - see endless.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/endless.h"

/* How many jobs a denial names. */
enum {
    NAMED_MAX = 5
};

/* Set their bookings aside, or take them again: of jobs that book vnodes on their own.
 * Those of a reservation end with it. */
static void switch_all(struct planner *pl, bool drop)
{
    const struct snapshot *s = pl->s;
    const uint64_t *bits = pl->links->endless;

    for (size_t i = links_next(bits, s->n_jobs, 0); i != SIZE_MAX;
         i = links_next(bits, s->n_jobs, i + 1)) {
        if (drop)
            world_drop(pl->w, s->jobs[i].id);
        else
            world_restore(pl->w, s->jobs[i].id);
    }
}

/* A search that asks all vnodes. */
static bool fits_beside_all(struct planner *pl, struct pool *pool,
                            const struct request *rq)
{
    enum plan_failure failure;
    struct fit f;

    switch_all(pl, true);
    pool_fill(pool, pl->w, rq);
    failure = pool_fit(pool, pl->w, rq, NULL, NULL, &f, NULL);
    switch_all(pl, false);
    return failure == FAIL_NONE;
}

/* One that sets them aside on those vnodes alone that it comes to. */
static bool fits_where_it_looks(struct planner *pl, struct pool *pool,
                                const struct request *rq)
{
    struct fit f;

    pool->without_endless = true;
    pool_fill(pool, pl->w, rq);
    return pool_fit(pool, pl->w, rq, NULL, NULL, &f, NULL) == FAIL_NONE;
}

static bool fits_without(struct planner *pl, const struct request *rq, int64_t start_at,
                         int64_t end_at)
{
    struct pool pool = { .asker = ASKER_RESV, .start_at = start_at, .end_at = end_at };
    bool fits;

    pool.sets = pool_sets(&pool, pl->w, rq, NULL);
    if (!pool_can_wait(&pool, pl->w))
        return fits_beside_all(pl, &pool, rq);
    fits = fits_where_it_looks(pl, &pool, rq);
#ifdef HF_CHECKS
    pool.without_endless = false;
    MUST(fits_beside_all(pl, &pool, rq) == fits);
#endif
    return fits;
}

static const char *name_them(const struct planner *pl)
{
    const char *text = "; jobs without a walltime may never give back their vnodes:";
    const struct snapshot *s = pl->s;
    const uint64_t *bits = pl->links->endless;
    size_t i = links_next(bits, s->n_jobs, 0), n_all = links_count(bits, s->n_jobs);
    size_t n = 0;

    for (; i != SIZE_MAX && n < NAMED_MAX; i = links_next(bits, s->n_jobs, i + 1))
        text =
            arena_printf(pl->arena, "%s%s %s", text, n++ > 0 ? "," : "", s->jobs[i].id);
    if (n_all > n)
        text = arena_printf(pl->arena, "%s and %zu more", text, n_all - n);
    return text;
}

const char *endless_advice(struct planner *pl, const struct request *rq,
                           int64_t start_at, int64_t end_at)
{
    bool any = links_next(pl->links->endless, pl->s->n_jobs, 0) != SIZE_MAX;

    return any && fits_without(pl, rq, start_at, end_at) ? name_them(pl) : "";
}
