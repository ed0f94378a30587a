/* route_pass.c - the jobs of a routing queue that have found no place are tried again
 * (doc/design/060-routing.md).
 *
 * Every route_retry_time the queue looks at its classes of waiting jobs
 * (model/route_wait.h), takes the mark away from as many of each as a destination has
 * room for, and each of these is tried as at first. So a pass costs what the classes
 * cost and the jobs that go; one that waits is not looked at behind the first of its
 * class that has no room. How far the pass has come is stored with the queue.
 *
 * Whether another server has room is not known here. One job of each class asks; when
 * it was taken, two more ask, and so on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/queue_door.h"
#include "server/decide/route_away.h"
#include "server/model/job_tally.h"
#include "server/model/route_wait.h"
#include "server/rules/route_try.h"
#include "server/rules/rules.h"

#include <string.h>

/* So many jobs are looked at in one step of a pass, at the least. */
#define PASS_STEP      256
/* A pass has not more steps than that: rules that speak too often do not settle. */
#define PASS_STEPS_MAX 500
/* Who is tried because another server has taken a job, and how many are looked at to
 * find one that may be routed. */
#define GOES_ON_MAX    2
#define GOES_ON_LOOKS  16

int64_t queue_route_deadline(const struct model *m UNUSED, const struct object *o)
{
    const struct queue *q = TO_QUEUE(o);

    /* One that is stopped goes on when it is started again. */
    if (!queue_is_routing(q) || !obj_num(o, QUEUE_A_STARTED, 0))
        return INT64_MAX;
    return obj_num(o, QUEUE_A_HF_ROUTE_AT, INT64_MAX);
}

/* One step of a pass. */
struct pass {
    struct rule_context c; /* what nobody knows yet is not asked for in its name */
    struct needs unused;
    const struct queue *q;
    struct decision *out;
    size_t n_left;  /* so many may still be looked at */
    size_t n_tried; /* those whose marks went */
    bool waits;     /* a job is left for another time */
    bool over;
    const struct route_class *in; /* where the step has ended, when it is not over */
    int64_t after;
};

static struct job_entity entity_of(const struct job *job)
{
    return (struct job_entity){
        .user = tally_name_of(job, 'u'),
        .group = tally_name_of(job, 'g'),
        .project = tally_name_of(job, 'p'),
        .is_here = true,
    };
}

/* What the destinations say to so many jobs of a class. */
enum hope {
    HOPE_NONE,
    HOPE_AWAY, /* another server may have room */
    HOPE_HERE, /* a queue here has it, or all are gone: then it is tried and rejected */
};

static enum hope find_hope(const struct pass *p, const struct job_entity *who)
{
    const struct attr_value *names = obj_attr(&p->q->obj, QUEUE_A_ROUTE_DESTINATIONS);
    enum hope best = HOPE_NONE;
    bool all_gone = true;

    for (size_t i = 0; names->set && i < names->u.list.n; i++) {
        const char *name = names->u.list.v[i];
        bool away = transfer_is_needed(p->c.cfg, name);
        const struct queue *q = away ? NULL : route_queue(p->c.m, name, p->c.arena);
        struct diag unused = { 0 };

        all_gone = all_gone && !away && !q;
        if (away)
            best = HOPE_AWAY;
        else if (q && obj_num(&q->obj, QUEUE_A_ENABLED, 0) &&
                 queue_has_room_after(q, p->n_tried) &&
                 !job_keeps_count_limits(p->c.m, q, who, &unused))
            return HOPE_HERE;
    }
    return all_gone ? HOPE_HERE : best;
}

/* Would it go now, or be rejected? What has to be found out is found out by its own
 * rule. */
static bool is_worth_a_try(struct pass *p, const struct job *job)
{
    struct route_try t;
    bool worth;

    if (!route_try_begin(&p->c, job, &t))
        return true;
    worth = t.verdict != ROUTE_LATER;
    route_try_end(&t);
    return worth;
}

static void unmark(const struct rule_context *c, const struct job *job,
                   struct decision *out)
{
    record_change(rule_decide(c, &job->obj, FACT_JOB_MODIFIED, out), out->arena,
                  JOB_A_HF_ROUTE_TRIED, NULL, NULL);
}

/* 'who' counts the jobs of its class that this step tries. False: neither this one nor
 * those behind it are tried. */
static bool look_at_job(struct pass *p, const struct job *job, struct job_entity *who)
{
    size_t before = who->weight;
    enum hope hope;

    if (!job_is_routed(job) || !job_may_be_routed(job, p->c.now_at, p->c.arena)) {
        p->waits = true;
        return true;
    }
    who->weight += job->weight;
    hope = find_hope(p, who);
    if (hope == HOPE_NONE || !is_worth_a_try(p, job)) {
        who->weight = before;
        p->waits = true;
        return hope != HOPE_NONE;
    }
    unmark(&p->c, job, p->out);
    p->n_tried++;
    p->waits |= hope == HOPE_AWAY;
    return hope == HOPE_HERE;
}

/* False: the step is over, and the class is not. */
static bool look_at_class(struct pass *p, const struct route_class *class,
                          int64_t after)
{
    struct job_entity who = entity_of(class->first);
    const struct job *job = class->first;

    while (job && (int64_t)job->obj.created_seq <= after)
        job = job->route_next;
    for (; job; job = job->route_next) {
        if (p->n_left == 0) {
            p->in = class;
            return false;
        }
        p->n_left--;
        p->after = (int64_t)job->obj.created_seq;
        if (!look_at_job(p, job, &who))
            break;
    }
    return true;
}

static void look_at_classes(struct pass *p)
{
    const struct object *o = &p->q->obj;
    const char *key = obj_str(o, QUEUE_A_HF_ROUTE_CLASS, "");

    for (size_t i = route_class_from(p->q, key); i < p->q->n_classes; i++) {
        const struct route_class *class = p->q->classes[i];
        bool is_first = strcmp(class->key, key) == 0;

        p->after = is_first ? obj_num(o, QUEUE_A_HF_ROUTE_AFTER, -1) : -1;
        if (!look_at_class(p, class, p->after))
            return;
    }
    p->over = true;
}

static void note_place(const struct pass *p, struct record *rec)
{
    struct arena *arena = p->out->arena;

    if (!p->over) {
        record_change_num(rec, arena, QUEUE_A_HF_ROUTE_AFTER, p->after);
        record_change(rec, arena, QUEUE_A_HF_ROUTE_CLASS, NULL,
                      arena_strdup(arena, p->in->key));
        return;
    }
    record_change(rec, arena, QUEUE_A_HF_ROUTE_AFTER, NULL, NULL);
    record_change(rec, arena, QUEUE_A_HF_ROUTE_CLASS, NULL, NULL);
    /* Who is marked from now on sets the next time; a pass of several steps does not
     * know whom the others have left. */
    if (p->waits || obj_is_set(&p->q->obj, QUEUE_A_HF_ROUTE_CLASS))
        record_change_num(rec, arena, QUEUE_A_HF_ROUTE_AT,
                          queue_retries_at(p->q, p->c.now_at));
    else
        record_change(rec, arena, QUEUE_A_HF_ROUTE_AT, NULL, NULL);
}

bool queue_route_due(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const struct queue *q = TO_QUEUE(o);
    struct pass p = {
        .c = *c,
        .q = q,
        .out = out,
        .n_left = MAX_OF(PASS_STEP, q->n_jobs / PASS_STEPS_MAX + 1),
    };
    struct record *rec;

    if (queue_route_deadline(c->m, o) > c->now_at)
        return false;
    p.c.knows.needs = &p.unused;
    look_at_classes(&p);
    rec = rule_decide(c, o, FACT_SET, out);
    rec->reason = REASON_ROUTED;
    note_place(&p, rec);
    return true;
}

/* The first of a class that may be routed, but for 'other'; NULL. */
static const struct job *first_to_go(const struct rule_context *c,
                                     const struct route_class *class,
                                     const struct job *other)
{
    const struct job *job = class->first;

    for (int i = 0; job && i < GOES_ON_LOOKS; i++, job = job->route_next)
        if (job != other && job_is_routed(job) &&
            job_may_be_routed(job, c->now_at, c->arena))
            return job;
    return NULL;
}

void route_goes_on(const struct rule_context *c, const struct job *taken,
                   struct decision *out)
{
    const struct queue *q = taken->queue;
    const struct job *other = NULL;
    size_t room, at;

    if (!q || q->n_classes == 0)
        return;
    /* The one that was taken is among those away. */
    room = q->n_away > ROUTE_AWAY_MAX ? 0 : ROUTE_AWAY_MAX - q->n_away + 1;
    at = route_class_of(q, taken);
    /* One of its class, and one of the next, so that all classes come to their turn. */
    for (size_t i = 0; i < MIN_OF(room, (size_t)GOES_ON_MAX); i++) {
        const struct job *job =
            first_to_go(c, q->classes[(at + i) % q->n_classes], other);

        if (job)
            unmark(c, job, out);
        other = job;
    }
}
