/* limit_fit.c - do the limits of running jobs let the job start (scheduling.md 13)?
 *
 * What everybody, a user, a group or a project runs in a queue and in the complex is
 * counted at the first question of a plan; jobs that the plan starts count for the
 * next. A limit of one's own stands in the place of the generic one. Without any limit
 * nothing is counted. Soft limits never stop a job: they lower its level (level.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/preempt.h"
#include "lib/attr/run_limit.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/rules.h"

#include <string.h>

/* What somebody has, of jobs or of a resource. */
struct running {
    const char *key;
    int64_t amount;
    UT_hash_handle hh;
};

struct running_counts {
    struct running *by_key;
    uint64_t version;
};

/* Does the complex have any, or one of its queues? */
struct limits_kinds {
    bool hard, soft;
};

#define GENERIC "PBS_GENERIC"
#define ALL     "PBS_ALL"

static const char *name_of(const struct snap_job *j, char kind)
{
    const char *name = kind == 'u'   ? j->user
                       : kind == 'g' ? j->group
                       : kind == 'p' ? j->project
                                     : ALL;

    return name ? name : "";
}

/* 'queue' NULL: the complex; 'res' SIZE_MAX: jobs. */
static struct running *running_of(struct planner *pl, const char *queue, char kind,
                                  const char *name, size_t res, bool make)
{
    const char *key =
        arena_printf(pl->arena, "%s/%c/%zu/%s", queue ? queue : "", kind, res, name);
    struct running *x;

    HASH_FIND_STR(pl->running->by_key, key, x);
    if (x || !make)
        return x;
    x = ARENA_NEW(pl->arena, struct running);
    x->key = key;
    HASH_ADD_KEYPTR(hh, pl->running->by_key, x->key, strlen(x->key), x);
    return x;
}

static void add(struct running *x, int64_t amount)
{
    /* Of absurd amounts a thousand leave the range. */
    if (__builtin_add_overflow(x->amount, amount, &x->amount))
        x->amount = INT64_MAX;
}

/* 'times': 1, or -1 when it leaves. */
static void count_in(struct planner *pl, const char *queue, const struct snap_job *j,
                     int64_t times)
{
    for (size_t i = 0; run_limit_kinds[i]; i++) {
        const char *name = name_of(j, run_limit_kinds[i]);

        add(running_of(pl, queue, run_limit_kinds[i], name, SIZE_MAX, true), times);
        for (size_t r = 0; r < j->asked.n; r++)
            add(running_of(pl, queue, run_limit_kinds[i], name, j->asked.v[r].res,
                           true),
                times * j->asked.v[r].amount);
    }
}

static void count(struct planner *pl, const struct snap_job *j, int64_t times)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    pl->running->version++;
    if (pl->s->limits.n + pl->s->soft.n > 0)
        count_in(pl, NULL, j, times);
    if (q && q->limits.n + q->soft.n > 0)
        count_in(pl, q->name, j, times);
}

/* Each reservation has a queue: they are looked at once for all jobs of a plan. */
static const struct limits_kinds *limits_kinds(struct planner *pl)
{
    struct limits_kinds *k;

    if (pl->limits)
        return pl->limits;
    k = ARENA_NEW(pl->arena, struct limits_kinds);
    k->soft = pl->s->soft.n > 0;
    k->hard = pl->s->limits.n > 0;
    for (size_t i = 0; i < pl->s->n_queues; i++) {
        k->soft |= pl->s->queues[i].soft.n > 0;
        k->hard |= pl->s->queues[i].limits.n > 0;
    }
    pl->limits = k;
    return k;
}

bool limit_fit_is_soft(struct planner *pl)
{
    return limits_kinds(pl)->soft;
}

static bool there_are_limits(struct planner *pl)
{
    return limits_kinds(pl)->hard || limits_kinds(pl)->soft;
}

/* False when nothing is limited. Suspended jobs do not count. */
static bool make_counts(struct planner *pl)
{
    if (pl->running)
        return true;
    if (!there_are_limits(pl))
        return false;
    pl->running = ARENA_NEW(pl->arena, struct running_counts);
    for (size_t i = 0; i < pl->s->n_jobs; i++)
        if (link_of_job(pl, &pl->s->jobs[i])->has_vnodes && rules_runs(&pl->s->jobs[i]))
            count(pl, &pl->s->jobs[i], 1);
    return true;
}

static const struct snap_limit *find(const struct snap_limits *list, char kind,
                                     const char *name, size_t res)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].kind == kind && list->v[i].res == res &&
            strcmp(list->v[i].name, name) == 0)
            return &list->v[i];
    return NULL;
}

/* The limits of one place: a queue, or the complex (NULL). */
struct scope {
    const struct snap_limits *limits;
    const char *queue;
};

/* The limit of one kind that holds for that name, its own or the generic one. */
static const struct snap_limit *limit_of(const struct snap_limits *list, char kind,
                                         const char *name, size_t res)
{
    const struct snap_limit *own = find(list, kind, name, res);

    return own ? own : find(list, kind, GENERIC, res);
}

static bool keeps(struct planner *pl, const struct snap_job *j, const struct scope *s,
                  char kind, size_t res, int64_t wanted, struct limit_words *words)
{
    const char *name = name_of(j, kind);
    const struct snap_limit *own = find(s->limits, kind, name, res);
    const struct snap_limit *l = own ? own : find(s->limits, kind, GENERIC, res);
    const struct running *has =
        l ? running_of(pl, s->queue, kind, name, res, false) : NULL;
    const struct run_limit about = {
        .kind = kind,
        .own = own != NULL,
        .queue = s->queue,
        .entity = name,
        .resource = res == SIZE_MAX ? NULL : pl->s->res.v[res].name,
    };

    if (!l || wanted <= l->amount - (has ? has->amount : 0))
        return true;
    words->of_all = kind == 'o';
    words->comment = run_limit_comment(&about, pl->arena);
    words->log = run_limit_log(&about, pl->arena);
    return false;
}

static bool keeps_amounts(struct planner *pl, const struct snap_job *j,
                          const struct scope *s, char kind, struct limit_words *words)
{
    for (size_t i = 0; i < j->asked.n; i++)
        if (!keeps(pl, j, s, kind, j->asked.v[i].res, j->asked.v[i].amount, words))
            return false;
    return true;
}

bool limit_fit(struct planner *pl, const struct snap_job *j, struct limit_words *words)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;
    const struct scope scopes[] = { { &q->limits, q->name }, { &pl->s->limits, NULL } };

    if (!make_counts(pl))
        return true;
    for (size_t s = 0; s < ARRAY_LEN(scopes); s++)
        for (size_t i = 0; scopes[s].limits->n && run_limit_kinds[i]; i++)
            if (!keeps(pl, j, &scopes[s], run_limit_kinds[i], SIZE_MAX, 1, words))
                return false;
    for (size_t s = 0; s < ARRAY_LEN(scopes); s++)
        for (size_t i = 0; scopes[s].limits->n && run_limit_kinds[i]; i++)
            if (!keeps_amounts(pl, j, &scopes[s], run_limit_kinds[i], words))
                return false;
    return true;
}

/* More than the soft limit runs already. */
static bool is_over(struct planner *pl, const struct snap_job *j, const struct scope *s,
                    char kind, size_t res)
{
    const char *name = name_of(j, kind);
    const struct snap_limit *l = limit_of(s->limits, kind, name, res);
    const struct running *has =
        l ? running_of(pl, s->queue, kind, name, res, false) : NULL;

    return has && has->amount > l->amount;
}

static bool is_over_any(struct planner *pl, const struct snap_job *j,
                        const struct scope *s)
{
    for (size_t i = 0; s->limits->n && run_limit_kinds[i]; i++) {
        if (is_over(pl, j, s, run_limit_kinds[i], SIZE_MAX))
            return true;
        for (size_t r = 0; r < j->asked.n; r++)
            if (is_over(pl, j, s, run_limit_kinds[i], j->asked.v[r].res))
                return true;
    }
    return false;
}

uint32_t limit_fit_soft(struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;
    const struct scope server = { &pl->s->soft, NULL };

    if (!limit_fit_is_soft(pl) || !make_counts(pl))
        return 0;
    return (q && is_over_any(pl, j, &(struct scope){ &q->soft, q->name })
                ? PREEMPT_QUEUE_SOFT
                : 0) |
           (is_over_any(pl, j, &server) ? PREEMPT_SERVER_SOFT : 0);
}

void limit_fit_took(struct planner *pl, const struct snap_job *j)
{
    if (make_counts(pl))
        count(pl, j, 1);
}

void limit_fit_left(struct planner *pl, const struct snap_job *j)
{
    if (make_counts(pl))
        count(pl, j, -1);
}

uint64_t limit_fit_version(const struct planner *pl)
{
    return pl->running ? pl->running->version : 0;
}

void limit_fit_fini(struct planner *pl)
{
    if (pl->running)
        HASH_CLEAR(hh, pl->running->by_key);
}
