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
    char *key;
    size_t len;
    int64_t amount;
    int64_t waiting; /* of jobs that stand before the one that is asked about */
    UT_hash_handle hh;
};

/* What some limit of a queue, or of the complex, is about; nothing else is counted. */
struct limited {
    char kind;
    size_t res; /* SIZE_MAX: jobs */
};

struct limited_list {
    bool made;
    size_t n, cap;
    struct limited *v;
};

struct running_counts {
    struct running *by_key;
    struct limited_list of_all;
    struct limited_list *of_queue; /* [queue of the snapshot] */
    uint64_t version;
};

/* Does the complex have any, or one of its queues? */
struct limits_kinds {
    bool hard, soft;
    bool of_owner; /* hard ones of users, groups or projects */
};

#define GENERIC     "PBS_GENERIC"
#define ALL         "PBS_ALL"
#define KIND_OF_ALL 'o'

static const char *name_of(const struct snap_job *j, char kind)
{
    const char *name = kind == 'u'   ? j->user
                       : kind == 'g' ? j->group
                       : kind == 'p' ? j->project
                                     : ALL;

    return name ? name : "";
}

/* The key of a count is made of these bytes, and the name behind them. */
struct count_head {
    const char *queue;
    size_t res;
    char kind;
};

enum {
    NAME_ROOM = 256 /* longer names need memory for each question */
};

/* 'queue' NULL: the complex, else the text of the snapshot; 'res' SIZE_MAX: jobs. */
static struct running *running_of(struct planner *pl, const char *queue, char kind,
                                  const char *name, size_t res, bool make)
{
    char room[sizeof(struct count_head) + NAME_ROOM];
    size_t len = sizeof(struct count_head) + strlen(name);
    char *key = len <= sizeof(room) ? room : arena_alloc(pl->arena, len);
    struct count_head head;
    struct running *x;

    memset(&head, 0, sizeof(head)); /* the bytes between members are compared, too */
    head.queue = queue;
    head.res = res;
    head.kind = kind;
    memcpy(key, &head, sizeof(head));
    memcpy(key + sizeof(head), name, len - sizeof(head));
    HASH_FIND(hh, pl->running->by_key, key, len, x);
    if (x || !make)
        return x;
    x = ARENA_NEW(pl->arena, struct running);
    x->key = arena_copy(pl->arena, key, len);
    x->len = len;
    HASH_ADD_KEYPTR(hh, pl->running->by_key, x->key, x->len, x);
    return x;
}

/* Of absurd amounts a thousand leave the range. */
static int64_t sum(int64_t a, int64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

static void add(struct running *x, int64_t amount)
{
    x->amount = sum(x->amount, amount);
}

static void add_waiting(struct running *x, int64_t amount)
{
    x->waiting = sum(x->waiting, amount);
}

static void list_limited(struct limited_list *list, struct arena *arena,
                         const struct snap_limits *limits)
{
    for (size_t i = 0; i < limits->n; i++) {
        const struct snap_limit *l = &limits->v[i];
        size_t k = 0;

        while (k < list->n && (list->v[k].kind != l->kind || list->v[k].res != l->res))
            k++;
        if (k < list->n)
            continue;
        ARENA_ROOM(arena, list, v, 4);
        list->v[list->n++] = (struct limited){ l->kind, l->res };
    }
    list->made = true;
}

/* 'q' NULL: of the complex. */
static const struct limited_list *limited_of(struct planner *pl,
                                             const struct snap_queue *q)
{
    struct limited_list *list =
        q ? &pl->running->of_queue[q - pl->s->queues] : &pl->running->of_all;

    if (!list->made) {
        list_limited(list, pl->arena, q ? &q->limits : &pl->s->limits);
        list_limited(list, pl->arena, q ? &q->soft : &pl->s->soft);
    }
    return list;
}

/* 'times': 1, or -1 when it leaves. */
static void count_in(struct planner *pl, const struct snap_queue *q,
                     const struct snap_job *j, int64_t times,
                     void (*add_to)(struct running *x, int64_t amount))
{
    const struct limited_list *list = limited_of(pl, q);
    const char *queue = q ? q->name : NULL;

    for (size_t i = 0; i < list->n; i++) {
        const struct limited *l = &list->v[i];
        const char *name = name_of(j, l->kind);

        if (l->res == SIZE_MAX)
            add_to(running_of(pl, queue, l->kind, name, l->res, true), times);
        for (size_t r = 0; r < j->asked.n; r++)
            if (j->asked.v[r].res == l->res)
                add_to(running_of(pl, queue, l->kind, name, l->res, true),
                       times * j->asked.v[r].amount);
    }
}

static void count_everywhere(struct planner *pl, const struct snap_job *j,
                             int64_t times,
                             void (*add_to)(struct running *x, int64_t amount))
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    count_in(pl, NULL, j, times, add_to);
    if (q)
        count_in(pl, q, j, times, add_to);
}

static void count(struct planner *pl, const struct snap_job *j, int64_t times)
{
    pl->running->version++;
    count_everywhere(pl, j, times, add);
}

static bool has_of_owner(const struct snap_limits *limits)
{
    for (size_t i = 0; i < limits->n; i++)
        if (limits->v[i].kind != KIND_OF_ALL)
            return true;
    return false;
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
    k->of_owner = has_of_owner(&pl->s->limits);
    for (size_t i = 0; i < pl->s->n_queues; i++) {
        k->soft |= pl->s->queues[i].soft.n > 0;
        k->hard |= pl->s->queues[i].limits.n > 0;
        k->of_owner |= has_of_owner(&pl->s->queues[i].limits);
    }
    pl->limits = k;
    return k;
}

bool limit_fit_is_soft(struct planner *pl)
{
    return limits_kinds(pl)->soft;
}

bool limit_fit_is_of_owner(struct planner *pl)
{
    return limits_kinds(pl)->of_owner;
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
    pl->running->of_queue =
        ARENA_ARRAY(pl->arena, struct limited_list, pl->s->n_queues + 1);
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
    words->of_all = kind == KIND_OF_ALL;
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

/* Beyond the limit, if all that stand before it ran as well. */
static bool is_beyond(struct planner *pl, const struct snap_job *j,
                      const struct scope *s, char kind, size_t res, int64_t wanted)
{
    const char *name = name_of(j, kind);
    const struct snap_limit *l = limit_of(s->limits, kind, name, res);
    const struct running *has =
        l ? running_of(pl, s->queue, kind, name, res, false) : NULL;

    return l && sum(wanted, has ? sum(has->amount, has->waiting) : 0) > l->amount;
}

static bool is_beyond_any(struct planner *pl, const struct snap_job *j,
                          const struct scope *s)
{
    for (size_t i = 0; s->limits->n && run_limit_kinds[i]; i++) {
        char kind = run_limit_kinds[i];

        if (kind == KIND_OF_ALL)
            continue;
        if (is_beyond(pl, j, s, kind, SIZE_MAX, 1))
            return true;
        for (size_t r = 0; r < j->asked.n; r++)
            if (is_beyond(pl, j, s, kind, j->asked.v[r].res, j->asked.v[r].amount))
                return true;
    }
    return false;
}

bool limit_fit_is_beyond(struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;
    bool beyond;

    if (!limit_fit_is_of_owner(pl) || !make_counts(pl))
        return false;
    beyond = is_beyond_any(pl, j, &(struct scope){ &pl->s->limits, NULL }) ||
             (q && is_beyond_any(pl, j, &(struct scope){ &q->limits, q->name }));
    count_everywhere(pl, j, 1, add_waiting);
    return beyond;
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
