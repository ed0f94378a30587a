/* rules.c - see rules.h.
 *
 * A new limit is a row among the rules, a new order of jobs a row among the orders.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/rules.h"

#include "scheduler/plan/job_value.h"
#include "scheduler/plan/level.h"
#include "scheduler/plan/subjobs.h"

#include <stdlib.h>
#include <string.h>

bool rules_runs(const struct snap_job *j)
{
    return j->state == 'R' || j->state == 'U';
}

bool rules_resumes(const struct snap_job *j)
{
    return j->state == 'S' && j->substate == JOB_SUBSTATE_SCHED_SUSPENDED;
}

bool rules_waits(const struct planner *pl, const char *only, const struct snap_job *j)
{
    const struct job_link *link = link_of_job(pl, j);

    if (!link->queue)
        return false; /* of a routing queue, or of another partition */
    /* A subjob that waits is one of those that its array has left. */
    if (j->array_id)
        return rules_resumes(j) && (!only || subjobs_names(only, j));
    if (only)
        return subjobs_names(only, j) && (!link->has_vnodes || rules_resumes(j));
    if (j->array)
        return (j->state == 'Q' || j->state == 'B') && subjobs_remain(j);
    return j->state == 'Q' || rules_resumes(j);
}

static bool is_of_stopped_queue(const struct planner *pl, const struct snap_job *j)
{
    return !link_of_job(pl, j)->queue->started;
}

/* True when now is dedicated time and the job's queue is none for it, or the other
 * way round. What is promised to a reservation is not asked again. */
static bool meets_dedicated(const struct planner *pl, const struct snap_job *j)
{
    bool now = policy_dedicated_at(pl->p, pl->now_at) != NULL;

    return !link_of_job(pl, j)->resv &&
           policy_prefix_has(pl->p->dedicated_prefix, j->queue) != now;
}

/* Non-prime time never comes: this scheduler knows prime time only. */
static bool waits_for_nonprime(const struct planner *pl, const struct snap_job *j)
{
    return !link_of_job(pl, j)->resv &&
           policy_prefix_has(pl->p->nonprime_prefix, j->queue);
}

static bool is_unreadable(const struct planner *pl, const struct snap_job *j)
{
    (void)pl;
    return !j->request || !j->request->valid;
}

/* The rules are asked in this order, and the first that refuses gives the job's
 * comment. */
static const struct rule {
    bool (*refuses)(const struct planner *pl, const struct snap_job *j);
    enum plan_failure failure;
    bool of_queue; /* or of policy: command 11 does not ask it */
} rules[] = {
    { is_of_stopped_queue, FAIL_QUEUE_STOPPED, .of_queue = true },
    { meets_dedicated, FAIL_DEDICATED, .of_queue = true },
    { waits_for_nonprime, FAIL_NONPRIME_ONLY, .of_queue = true },
    { job_is_under_threshold, FAIL_FORMULA, .of_queue = true },
    { is_unreadable, FAIL_JOB_SELECT },
};

enum plan_failure rules_refuse(const struct planner *pl, bool asked,
                               const struct snap_job *j)
{
    MUST(rules_waits(pl, asked ? j->id : NULL, j)); /* so that the job has a queue */
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (!(asked && rules[i].of_queue) && rules[i].refuses(pl, j))
            return rules[i].failure;
    return FAIL_NONE;
}

/* Jobs of reservations first, reservation after reservation. */
static int64_t by_resv(const struct planner *pl, const struct job_rank *c)
{
    const struct snap_resv *r = link_of_job(pl, c->job)->resv;

    return r ? (int64_t)(r - pl->s->resvs) : INT64_MAX;
}

static int64_t by_front(const struct planner *pl, const struct job_rank *c)
{
    (void)pl;
    return !c->front;
}

/* The queue by whose priority the job is ordered, NULL: none. Jobs of a reservation
 * have been ordered by their reservation. */
static const struct snap_queue *queue_that_counts(const struct planner *pl,
                                                  const struct job_rank *c)
{
    const struct job_link *link = link_of_job(pl, c->job);

    return pl->p->by_queue && !link->resv && !c->front ? link->queue : NULL;
}

/* The highest priority first; the complement reverses the order of all numbers. */
static int64_t by_queue_priority(const struct planner *pl, const struct job_rank *c)
{
    const struct snap_queue *q = queue_that_counts(pl, c);

    return q ? ~q->priority : 0;
}

/* Queues of one priority in the order of the server. */
static int64_t by_queue_place(const struct planner *pl, const struct job_rank *c)
{
    const struct snap_queue *q = queue_that_counts(pl, c);

    return q ? (int64_t)(q - pl->s->queues) : 0;
}

static int64_t by_level(const struct planner *pl, const struct job_rank *c)
{
    (void)pl;
    return ~c->level;
}

/* Jobs that were preempted before others, the first one first. */
static int64_t by_preemption(const struct planner *pl, const struct job_rank *c)
{
    (void)pl;
    return c->job->preempted_at ? c->job->preempted_at : INT64_MAX;
}

/* The first difference decides, the smaller number is first; then the formula, the keys
 * of policy, the order of arrival, and the server's order. */
static int64_t (*const orders[])(const struct planner *pl, const struct job_rank *c) = {
    by_resv, by_front, by_queue_priority, by_queue_place, by_level, by_preemption,
};

_Static_assert(ARRAY_LEN(orders) <= RANK_KEYS_MAX, "a key for each order");

int rules_compare(const void *a, const void *b)
{
    const struct job_rank *x = a;
    const struct job_rank *y = b;

    for (size_t i = 0; i < ARRAY_LEN(orders); i++)
        if (x->keys[i] != y->keys[i])
            return x->keys[i] < y->keys[i] ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    for (size_t i = 0; i < x->n_by_key; i++)
        if (x->by_key[i] != y->by_key[i])
            return x->by_key[i] < y->by_key[i] ? -1 : 1;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool goes_ahead(const struct planner *pl, const struct snap_job *j)
{
    return j->preempted_at || level_is_express(pl, j);
}

/* Express jobs and preempted ones come before all queues as long as, by their levels,
 * no other job stands before them (scheduling.md 10). */
static void note_front(const struct planner *pl, struct job_rank *list, size_t n)
{
    int64_t others = INT64_MIN;

    for (size_t i = 0; i < n; i++)
        if (!goes_ahead(pl, list[i].job) && !link_of_job(pl, list[i].job)->resv)
            others = MAX_OF(others, list[i].level);
    for (size_t i = 0; i < n; i++)
        list[i].front = goes_ahead(pl, list[i].job) &&
                        (list[i].level > others ||
                         (list[i].level == others && list[i].job->preempted_at));
}

/* What does not depend on the other jobs. */
static void begin_rank(struct planner *pl, const struct snap_job *j,
                       struct job_rank *ret)
{
    ret->job = j;
    ret->level = level_of(pl, j);
    ret->value = job_value(pl, j, NULL);
    ret->n_by_key = pl->p->n_job_keys;
    job_keys(pl, j, ret->by_key);
    ret->arrival = j->rank;
    ret->place = (size_t)(j - pl->s->jobs);
}

static void fill_keys(const struct planner *pl, struct job_rank *r)
{
    for (size_t k = 0; k < ARRAY_LEN(orders); k++)
        r->keys[k] = orders[k](pl, r);
}

bool rules_are_steady(struct planner *pl)
{
    if (!pl->p->preemptive)
        return true;
    for (size_t i = 0; i < pl->s->n_queues; i++)
        if (pl->s->queues[i].priority >= pl->s->preempt.queue_priority)
            return false;
    return !limit_fit_is_soft(pl);
}

/* All have one level, so that note_front() puts those that were preempted before all
 * queues, whoever else waits. */
void rules_rank(struct planner *pl, const struct snap_job *j, struct job_rank *ret)
{
    begin_rank(pl, j, ret);
    ret->front = pl->p->by_queue && goes_ahead(pl, j);
    fill_keys(pl, ret);
}

void rules_order(struct planner *pl, const struct snap_job **jobs, size_t n)
{
    struct job_rank *list = ARENA_ARRAY(pl->arena, struct job_rank, n + 1);

    for (size_t i = 0; i < n; i++) {
        list[i].by_key = ARENA_ARRAY(pl->arena, double, pl->p->n_job_keys + 1);
        begin_rank(pl, jobs[i], &list[i]);
    }
    if (pl->p->by_queue)
        note_front(pl, list, n);
    for (size_t i = 0; i < n; i++)
        fill_keys(pl, &list[i]);
    if (n > 0)
        qsort(list, n, sizeof(*list), rules_compare);
    for (size_t i = 0; i < n; i++)
        jobs[i] = list[i].job;
}
