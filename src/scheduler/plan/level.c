/* level.c - see level.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/level.h"

#include "lib/attr/preempt.h"

/* Where preempt_prio is not set. */
#define PRIO_DEFAULT "express_queue, normal_jobs"

/* Priorities of queues lie between these. */
#define PRIORITY_MIN (-1024)
#define PRIORITY_MAX 1024

/* What lies between two levels. */
#define LEVEL_STEP   (PRIORITY_MAX - PRIORITY_MIN + 1)

struct levels {
    struct preempt_levels prio;
    size_t normal; /* the place of normal_jobs; behind all when it is not named */
    bool soft;     /* there are soft limits */
    bool differ;   /* not all jobs have one level */
};

static int n_bits(uint32_t bits)
{
    int n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* Queues that are and queues that are not express ones make different levels, and
 * express ones of different priorities do. */
static bool queues_differ(const struct snapshot *s)
{
    int64_t express = s->preempt.queue_priority;

    for (size_t i = 1; i < s->n_queues; i++) {
        int64_t a = s->queues[0].priority, b = s->queues[i].priority;

        if (a != b && MAX_OF(a, b) >= express)
            return true;
    }
    return false;
}

static const struct levels *levels_of(struct planner *pl)
{
    const char *prio = pl->s->preempt.prio;
    struct levels *l = pl->levels;

    if (l)
        return l;
    l = pl->levels = ARENA_NEW(pl->arena, struct levels);
    l->prio = preempt_levels_read(prio ? prio : PRIO_DEFAULT);
    l->soft = limit_fit_is_soft(pl);
    while (l->normal < l->prio.n && l->prio.v[l->normal] != PREEMPT_NORMAL)
        l->normal++;
    l->differ = l->soft || queues_differ(pl->s);
    return l;
}

bool levels_differ(struct planner *pl)
{
    return pl->p->preemptive && levels_of(pl)->differ;
}

bool level_is_express(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    return pl->p->preemptive && q && q->priority >= pl->s->preempt.queue_priority;
}

/* Levels with more conditions are tested before those with fewer (scheduling.md
 * 22.1). */
static size_t place_of(const struct levels *l, uint32_t bits)
{
    size_t best = l->normal;
    int most = 0;

    for (size_t i = 0; i < l->prio.n; i++)
        if ((l->prio.v[i] & bits) == l->prio.v[i] && n_bits(l->prio.v[i]) > most) {
            best = i;
            most = n_bits(l->prio.v[i]);
        }
    return best;
}

int64_t level_normal(struct planner *pl)
{
    return pl->p->preemptive ? -(int64_t)levels_of(pl)->normal * LEVEL_STEP : 0;
}

int64_t level_of(struct planner *pl, const struct snap_job *j)
{
    const struct levels *l;
    uint32_t bits = 0;
    int64_t priority;
    size_t place;

    if (!pl->p->preemptive)
        return 0;
    l = levels_of(pl);
    if (level_is_express(pl, j))
        bits |= PREEMPT_EXPRESS;
    if (l->soft)
        bits |= limit_fit_soft(pl, j);
    place = place_of(l, bits);
    if (place >= l->prio.n || !(l->prio.v[place] & PREEMPT_EXPRESS))
        return -(int64_t)place * LEVEL_STEP;
    priority = link_of_job(pl, j)->queue->priority;
    return -(int64_t)place * LEVEL_STEP +
           MIN_OF(MAX_OF(priority, PRIORITY_MIN), PRIORITY_MAX) - PRIORITY_MIN;
}
