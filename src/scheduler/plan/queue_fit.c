/* queue_fit.c - have the job's queue and the server enough left of what they limit?
 *
 * A queue's resources_available limit the jobs that run from it together (scheduling.md
 * 11, check 10); those of a reservation's queue are the sums that the reservation asked
 * for. Those of the server limit all jobs together, licences for example (check 11). A
 * job in a reservation is not held back by the latter, and counts all the same. What is
 * not named is not limited. Most queues, and most servers, name nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"

/* What the jobs that run from one queue have, and those that this plan has started. */
struct queue_used {
    int64_t *amount; /* [res] */
};

/* As the server counts them: a suspended job has given back what it had. */
static bool uses(const struct planner *pl, const struct snap_job *j)
{
    return link_of_job(pl, j)->has_vnodes && j->state != 'S';
}

/* 'times': 1, or -1 when it leaves. */
static void count(const struct queue_used *used, const struct snap_job *j,
                  int64_t times)
{
    for (size_t i = 0; i < j->asked.n; i++) {
        int64_t *sum = &used->amount[j->asked.v[i].res];

        /* Of absurd amounts a thousand leave the range. */
        if (__builtin_add_overflow(*sum, times * j->asked.v[i].amount, sum))
            *sum = INT64_MAX;
    }
}

/* 'q' NULL: of all queues. */
static struct queue_used *make_used(struct planner *pl, const struct snap_queue *q)
{
    struct queue_used *used = ARENA_NEW(pl->arena, struct queue_used);

    used->amount = arena_zero(pl->arena, pl->w->n_res * sizeof(*used->amount));
    for (size_t i = 0; i < pl->s->n_jobs; i++)
        if ((!q || link_of_job(pl, &pl->s->jobs[i])->queue == q) &&
            uses(pl, &pl->s->jobs[i]))
            count(used, &pl->s->jobs[i], 1);
    return used;
}

/* Of that queue, made at the first question of the plan about it; NULL: it limits
 * nothing. */
static const struct queue_used *used_of(struct planner *pl, const struct snap_queue *q)
{
    struct queue_used **at;

    if (q->available.n == 0)
        return NULL;
    if (!pl->queues)
        pl->queues = arena_zero(pl->arena, pl->s->n_queues * sizeof(*pl->queues));
    at = &pl->queues[q - pl->s->queues];
    if (!*at)
        *at = make_used(pl, q);
    return *at;
}

static const struct queue_used *used_of_all(struct planner *pl)
{
    if (pl->s->available.n && !pl->all)
        pl->all = make_used(pl, NULL);
    return pl->all;
}

/* Is it an amount that somebody counts? */
static bool is_counted(const struct planner *pl, size_t res)
{
    const struct res *row = &pl->s->res.v[res];

    return row->summed && !pl->w->ignored[res];
}

struct shortage { /* what is told of it */
    const char **resource, **numbers;
    bool *never;
};

static bool has_room(struct planner *pl, const struct snap_job *j,
                     const struct res_values *available, const struct queue_used *used,
                     const struct shortage *ret)
{
    for (size_t i = 0; used && i < j->asked.n; i++) {
        const struct res_value *asked = &j->asked.v[i];
        const struct res_value *has = snap_values_find(available, asked->res);
        const struct res *row = &pl->s->res.v[asked->res];
        int64_t left;

        if (!has || !is_counted(pl, asked->res))
            continue;
        left = has->amount - used->amount[asked->res];
        if (asked->amount <= left)
            continue;
        *ret->resource = row->name;
        *ret->never = asked->amount > has->amount;
        *ret->numbers =
            plan_numbers(pl, row, asked->amount, MAX_OF(left, 0), has->amount);
        return false;
    }
    return true;
}

enum plan_failure queue_fit(struct planner *pl, const struct snap_job *j,
                            const char **resource, const char **numbers, bool *never)
{
    const struct shortage why = { resource, numbers, never };
    const struct job_link *link = link_of_job(pl, j);

    if (!has_room(pl, j, &link->queue->available, used_of(pl, link->queue), &why))
        return FAIL_QUEUE_SHORT;
    if (!link->resv && !has_room(pl, j, &pl->s->available, used_of_all(pl), &why))
        return FAIL_SERVER_SHORT;
    return FAIL_NONE;
}

bool failure_is_of_sums(enum plan_failure failure)
{
    return failure == FAIL_QUEUE_SHORT || failure == FAIL_SERVER_SHORT;
}

static void count_change(struct planner *pl, const struct snap_job *j, int64_t times)
{
    const struct queue_used *used = used_of(pl, link_of_job(pl, j)->queue);
    const struct queue_used *all = used_of_all(pl);

    if (used)
        count(used, j, times);
    if (all)
        count(all, j, times);
}

void queue_fit_took(struct planner *pl, const struct snap_job *j)
{
    count_change(pl, j, 1);
}

void queue_fit_left(struct planner *pl, const struct snap_job *j)
{
    count_change(pl, j, -1);
}
