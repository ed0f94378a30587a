/* top_job.c - see top_job.h.
 *
 * The place of a top job is a booking in the world as any other, only later: jobs
 * behind it find no room across its beginning, and that is all of backfilling.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/top_job.h"

#include "scheduler/plan/level.h"
#include "scheduler/plan/resume.h"

/* Instants at which a place is searched: running jobs may end one after the other for
 * a long time before there is room. */
#define TOP_JOB_TRIES 2000

static size_t queue_of(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    MUST(q >= pl->s->queues && q < pl->s->queues + pl->s->n_queues);
    return (size_t)(q - pl->s->queues);
}

static bool is_inside(const struct planner *pl, const struct snap_job *j)
{
    return link_of_job(pl, j)->resv != NULL;
}

bool top_jobs_may_be(const struct planner *pl)
{
    return pl->p->backfill &&
           (pl->p->strict_ordering || pl->s->preempt.enforces_resumption);
}

bool top_jobs_hold(const struct top_jobs *t, const struct planner *pl,
                   const struct snap_job *j)
{
    if (is_inside(pl, j))
        return false;
    return t->all_wait || (t->queue_waits && t->queue_waits[queue_of(pl, j)]);
}

static void hold_queue(struct top_jobs *t, const struct planner *pl, size_t q)
{
    if (!t->queue_waits)
        t->queue_waits = arena_zero(pl->arena, pl->s->n_queues * sizeof(bool) + 1);
    t->queue_waits[q] = true;
}

/* How many top jobs there may be of those that are counted with the queue's, and where
 * they are counted. */
static int64_t depth(struct top_jobs *t, const struct planner *pl, size_t q,
                     int64_t **count)
{
    const struct maybe_number *own = &pl->s->queues[q].backfill_depth;
    const struct maybe_number *all = &pl->s->backfill_depth;

    if (!own->is_set) {
        *count = &t->n;
        return all->is_set ? all->value : 1;
    }
    if (!t->n_of_queue)
        t->n_of_queue = arena_zero(pl->arena, pl->s->n_queues * sizeof(int64_t) + 1);
    *count = &t->n_of_queue[q];
    return own->value;
}

/* The first instant at which the job fits, with the vnodes that it takes then. */
static void search(struct planner *pl, const struct snap_job *j, const char *id,
                   const char *queue, int64_t length_s, struct estimate *ret)
{
    struct pool pool = {
        .asker = ASKER_JOB,
        .queue = queue,
        .start_at = pl->now_at,
        .end_at = pl->now_at + length_s,
        .steps_s = pl->s->backfill_fuzzy_s,
        .in_dedicated =
            policy_prefix_has(pl->p->dedicated_prefix, link_of_job(pl, j)->queue->name),
    };
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    int64_t at;

    pool.sets = pool_sets(&pool, pl->w, j->request, link_of_job(pl, j)->queue);
    at = pool_earliest(&pool, pl->w, j->request, TOP_JOB_TRIES);
    if (at == 0)
        return;
    pool.start_at = at;
    pool.end_at = at + length_s;
    if (pool_search(&pool, pl->w, j->request, &found, &why) != FAIL_NONE)
        return;
    world_book(pl->w, id, j->request, &found, pool.start_at, pool.end_at);
    limit_fit_promise(pl, j, pool.start_at, pool.end_at);
    ret->start_at = at;
    ret->vnodes = placement_print(pl->w, &found);
}

/* A job that was preempted is to run again as soon as it can, whatever the order is and
 * however many others are top jobs (scheduling.md 20.3). */
static bool is_enforced(struct planner *pl, const struct snap_job *j)
{
    return pl->s->preempt.enforces_resumption && j->preempted_at && pl->p->backfill &&
           !j->topjob_ineligible && !is_inside(pl, j) &&
           level_of(pl, j) >= level_normal(pl);
}

/* Is backfilling off for the jobs of that queue? */
static bool nobody_backfills(struct top_jobs *t, const struct planner *pl, size_t q)
{
    int64_t *count;

    return depth(t, pl, q, &count) <= 0;
}

struct estimate top_jobs_stands(struct planner *pl, const struct snap_job *j)
{
    struct estimate ret = { 0 };
    struct top_jobs t = { 0 };

    if (!is_enforced(pl, j) || nobody_backfills(&t, pl, queue_of(pl, j)))
        return ret;
    ret.tried = true;
    ret.start_at = resume_later(pl, j);
    if (ret.start_at)
        limit_fit_promise(pl, j, ret.start_at,
                          ret.start_at + job_end_at(pl, j) - pl->now_at);
    ret.vnodes = ret.start_at ? j->exec_vnode : NULL;
    return ret;
}

struct estimate top_jobs_failed(struct top_jobs *t, struct planner *pl,
                                const struct snap_job *j, const char *id,
                                const char *queue, int64_t length_s, bool by_vnodes,
                                bool never)
{
    struct estimate ret = { 0 };
    int64_t *count, most;
    size_t q;

    if (is_inside(pl, j))
        return ret;
    q = queue_of(pl, j);
    if (by_vnodes && !never && is_enforced(pl, j) && !nobody_backfills(t, pl, q)) {
        ret.tried = true;
        search(pl, j, id, queue, length_s, &ret);
        return ret;
    }
    if (!pl->p->strict_ordering && !pl->p->strict_fifo)
        return ret;
    most = depth(t, pl, q, &count);
    if (pl->p->strict_fifo || (pl->s->queues[q].backfill_depth.is_set && most <= 0))
        hold_queue(t, pl, q);
    else if (!pl->p->backfill || most <= 0)
        t->all_wait = true;
    else if (by_vnodes && !never && !j->topjob_ineligible && *count < most) {
        ++*count;
        ret.tried = true;
        search(pl, j, id, queue, length_s, &ret);
    }
    return ret;
}
