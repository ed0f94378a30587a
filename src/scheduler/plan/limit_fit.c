/* limit_fit.c - do the limits of running jobs let the job start (scheduling.md 13)?
 *
 * What everybody, a user, a group or a project runs in a queue and in the complex is
 * counted at the first question of a plan; jobs that the plan starts count for the
 * next. What is promised to top jobs counts from its start on, for a job that would not
 * have ended by then (ahead.h); where nobody is promised anything nothing of that is
 * kept. A limit of one's own stands in the place of the generic one. Without any limit
 * nothing is counted. Soft limits never stop a job: they lower its level (level.h), by
 * what runs now.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/preempt.h"
#include "lib/attr/run_limit.h"
#include "scheduler/plan/ahead.h"
#include "scheduler/plan/holders.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/rules.h"
#include "scheduler/plan/top_job.h"

#include <string.h>

/* What somebody has, of jobs or of a resource. */
struct running {
    char *key;
    size_t len;
    int64_t amount;
    int64_t waiting; /* of jobs that stand before the one that is asked about */
    struct ahead ahead;
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
    bool looks_ahead;              /* something may be promised in this plan */
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

/* What becomes of the sums in which a job counts. */
struct change {
    struct planner *pl;
    const struct snap_job *j;
    void (*make)(const struct change *ch, struct running *x, int64_t amount);
    int64_t start_at, end_at; /* where they matter */
};

static void comes(const struct change *ch, struct running *x, int64_t amount)
{
    x->amount = ahead_sum(x->amount, amount);
    if (ch->pl->running->looks_ahead)
        ahead_has(&x->ahead, ch->pl->arena, ch->end_at, amount);
}

static void goes(const struct change *ch, struct running *x, int64_t amount)
{
    x->amount = ahead_sum(x->amount, -amount);
    if (ch->pl->running->looks_ahead)
        ahead_has_not(&x->ahead, ch->end_at, amount);
}

static void is_promised(const struct change *ch, struct running *x, int64_t amount)
{
    ahead_promise(&x->ahead, ch->pl->arena, ch->start_at, ch->end_at, amount);
}

static void stands_before(const struct change *ch UNUSED, struct running *x,
                          int64_t amount)
{
    x->waiting = ahead_sum(x->waiting, amount);
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

static void change_in(const struct change *ch, const struct snap_queue *q)
{
    struct planner *pl = ch->pl;
    const struct limited_list *list = limited_of(pl, q);
    const struct res_values *asked = &ch->j->asked;
    const char *queue = q ? q->name : NULL;

    for (size_t i = 0; i < list->n; i++) {
        const struct limited *l = &list->v[i];
        const char *name = name_of(ch->j, l->kind);

        if (l->res == SIZE_MAX)
            ch->make(ch, running_of(pl, queue, l->kind, name, l->res, true), 1);
        for (size_t r = 0; r < asked->n; r++)
            if (asked->v[r].res == l->res)
                ch->make(ch, running_of(pl, queue, l->kind, name, l->res, true),
                         asked->v[r].amount);
    }
}

static void change(const struct change *ch)
{
    const struct snap_queue *q = link_of_job(ch->pl, ch->j)->queue;

    change_in(ch, NULL);
    if (q)
        change_in(ch, q);
}

static void count(struct planner *pl, const struct snap_job *j, int64_t end_at)
{
    pl->running->version++;
    change(&(struct change){ .pl = pl, .j = j, .make = comes, .end_at = end_at });
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
    pl->running->looks_ahead = top_jobs_may_be(pl);
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];

        if (link_of_job(pl, j)->has_vnodes && rules_runs(j))
            count(pl, j, holders_end_at(pl, j));
    }
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

/* A job that would run until 'end_at'. */
struct starter {
    const struct snap_job *j;
    int64_t end_at;
};

/* The most that there is until then of what the limit counts. */
static int64_t most_until(const struct running *x, int64_t end_at)
{
    return x ? ahead_most(&x->ahead, x->amount, end_at) : 0;
}

static bool keeps(struct planner *pl, const struct starter *who, const struct scope *s,
                  char kind, size_t res, int64_t wanted, struct limit_words *words)
{
    const char *name = name_of(who->j, kind);
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

    if (!l || wanted <= l->amount - most_until(has, who->end_at))
        return true;
    words->of_all = kind == KIND_OF_ALL;
    words->comment = run_limit_comment(&about, pl->arena);
    words->log = run_limit_log(&about, pl->arena);
    return false;
}

static bool keeps_amounts(struct planner *pl, const struct starter *who,
                          const struct scope *s, char kind, struct limit_words *words)
{
    const struct res_values *asked = &who->j->asked;

    for (size_t i = 0; i < asked->n; i++)
        if (!keeps(pl, who, s, kind, asked->v[i].res, asked->v[i].amount, words))
            return false;
    return true;
}

bool limit_fit(struct planner *pl, const struct snap_job *j, int64_t end_at,
               struct limit_words *words)
{
    const struct starter who = { j, holders_end_inside(pl, j, end_at) };
    const struct snap_queue *q = link_of_job(pl, j)->queue;
    const struct scope scopes[] = { { &q->limits, q->name }, { &pl->s->limits, NULL } };

    if (!make_counts(pl))
        return true;
    for (size_t s = 0; s < ARRAY_LEN(scopes); s++)
        for (size_t i = 0; scopes[s].limits->n && run_limit_kinds[i]; i++)
            if (!keeps(pl, &who, &scopes[s], run_limit_kinds[i], SIZE_MAX, 1, words))
                return false;
    for (size_t s = 0; s < ARRAY_LEN(scopes); s++)
        for (size_t i = 0; scopes[s].limits->n && run_limit_kinds[i]; i++)
            if (!keeps_amounts(pl, &who, &scopes[s], run_limit_kinds[i], words))
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

    return l && ahead_sum(wanted, has ? ahead_sum(has->amount, has->waiting) : 0) >
                    l->amount;
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
    change(&(struct change){ .pl = pl, .j = j, .make = stands_before });
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

void limit_fit_took(struct planner *pl, const struct snap_job *j, int64_t end_at)
{
    if (make_counts(pl))
        count(pl, j, holders_end_inside(pl, j, end_at));
}

void limit_fit_left(struct planner *pl, const struct snap_job *j, int64_t end_at)
{
    if (!make_counts(pl))
        return;
    pl->running->version++;
    change(&(struct change){
        .pl = pl, .j = j, .make = goes, .end_at = holders_end_inside(pl, j, end_at) });
}

void limit_fit_promise(struct planner *pl, const struct snap_job *j, int64_t start_at,
                       int64_t end_at)
{
    if (!make_counts(pl))
        return;
    MUST(pl->running->looks_ahead);
    change(&(struct change){ .pl = pl,
                             .j = j,
                             .make = is_promised,
                             .start_at = start_at,
                             .end_at = end_at });
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
