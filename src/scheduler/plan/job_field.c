/* job_field.c - vnodes for a job outside of all reservations: as long as it asks for,
 * or as long as it may last, and why there are none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/log.h"
#include "scheduler/plan/jobs.h"
#include "scheduler/plan/vnode_limit.h"

const char *jobs_queue_with_vnodes(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    return q && pl->links->queue_has_vnodes[q - pl->s->queues] ? q->name : NULL;
}

/* True when the job would fit if it lasted one second only. Then it waits for its
 * walltime's sake: a reservation that begins later is in its way. */
static bool fits_now(struct planner *pl, const struct snap_job *j, const char *queue)
{
    struct pool pool = { .asker = ASKER_JOB,
                         .queue = queue,
                         .start_at = pl->now_at,
                         .end_at = pl->now_at + 1 };
    struct placement found = { 0 };
    struct plan_short why = { 0 };

    pool.sets = pool_sets(&pool, pl->w, j->request, link_of_job(pl, j)->queue);
    return pool_search(&pool, pl->w, j->request, &found, &why) == FAIL_NONE;
}

static struct pool pool_until(const struct job_field *f, int64_t end_at)
{
    struct planner *pl = f->jobs->pl;
    struct pool pool = {
        .asker = ASKER_JOB,
        .queue = f->queue,
        .start_at = pl->now_at,
        .end_at = end_at,
        .closed = f->closed,
    };

    pool.sets = pool_sets(&pool, pl->w, f->j->request, link_of_job(pl, f->j)->queue);
    return pool;
}

static enum plan_failure failed(const struct job_field *f, enum plan_failure failure,
                                const struct plan_short *why)
{
    f->fail->resource = why->resource;
    f->fail->never = failure == FAIL_SETS_TOO_SMALL || (why->of_server && why->never);
    if (why->of_server)
        f->fail->numbers = plan_numbers(f->jobs->pl, why->res, why->needed,
                                        why->most_free, why->total);
    return failure;
}

/* Would it fit until then? */
static enum plan_failure try_until(void *arg, int64_t end_at)
{
    const struct job_field *f = arg;
    struct planner *pl = f->jobs->pl;
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    struct pool pool;

    if (policy_crossed(pl->p, pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    pool = pool_until(f, end_at);
    return failed(f, pool_search(&pool, pl->w, f->j->request, &found, &why), &why);
}

/* Limits have been asked about the least that the job may last. */
static bool is_let_until(const struct job_field *f, int64_t end_at)
{
    struct limit_words words;

    return f->jobs->asked || !job_may_shrink(f->j) ||
           limit_fit(f->jobs->pl, f->j, end_at, &words);
}

/* The same, and would limits let it? */
static enum plan_failure try_shortened(void *arg, int64_t end_at)
{
    const struct job_field *f = arg;

    if (policy_crossed(f->jobs->pl->p, f->jobs->pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    return is_let_until(f, end_at) ? try_until(arg, end_at) : FAIL_LIMIT;
}

/* Take the vnodes for the job until then: at once, so that the next job finds what is
 * left. */
static enum plan_failure take_until(const struct job_field *f, const char *id,
                                    int64_t end_at, struct placement *found)
{
    struct planner *pl = f->jobs->pl;
    const struct request *rq = f->j->request;
    struct set_words words = { .arena = pl->arena };
    struct plan_short why = { 0 };
    enum plan_failure failure;
    struct pool pool;

    if (policy_crossed(pl->p, pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    if (!is_let_until(f, end_at))
        return FAIL_LIMIT;
    pool = pool_until(f, end_at);
    pool.words = f->jobs->tells_sets ? &words : NULL;
    failure = alike_search(&f->jobs->alike, pl->w, &pool, rq, found)
                  ? FAIL_NONE
                  : pool_search(&pool, pl->w, rq, found, &why);
    for (size_t i = 0; i < words.n; i++)
        plan_note_add(pl, &f->jobs->notes, LOG_EV_DEBUG3, id, words.v[i]);
    if (failure)
        return failed(f, failure, &why);
    world_book(pl->w, id, rq, found, pool.start_at, pool.end_at);
    quick_fit_took(pl, found);
    return FAIL_NONE;
}

/* Is it the limits of vnodes that are in the way? */
static bool would_fit_open(struct job_field *f)
{
    const bool *closed = f->closed;
    bool fits;

    f->closed = NULL;
    fits = try_until(f, job_end_at(f->jobs->pl, f->j)) == FAIL_NONE;
    f->closed = closed;
    return fits;
}

enum plan_failure jobs_search_field(struct job_field *f, const char *id,
                                    struct placement *found, struct shrunk *ret)
{
    struct planner *pl = f->jobs->pl;
    struct failure *fail = f->fail;
    enum plan_failure limit = FAIL_NONE,
                      failure = quick_fit(pl, f->j, f->queue, &fail->resource,
                                          &fail->numbers, &fail->never);

    if (failure)
        return failure;
    if (!f->jobs->asked)
        f->closed = vnode_limit_closes(pl, f->j, &limit);
    failure = take_until(f, id, job_end_at(pl, f->j), found);
    if (failure && job_may_shrink(f->j)) {
        failure =
            shrink_to_fit(pl, f->j, &f->jobs->starts, failure, try_shortened, f, ret);
        if (!failure)
            failure = take_until(f, id, pl->now_at + ret->length_s, found);
    }
    if (!failure || failure == FAIL_CROSSES_DEDICATED)
        return failure;
    if (f->closed && would_fit_open(f))
        return limit;
    return fits_now(pl, f->j, f->queue) ? FAIL_CONFLICT : failure;
}
