/* route_rules.c - a routing queue sends its jobs on (attributes.md 12,
 * doc/design/060-routing.md).
 *
 * A job is tried at once: when it comes into the queue, when it may be routed at last,
 * when the queue is started. One that finds no place now is marked, and the queue notes
 * when its marked jobs are tried again. At that time the queue takes the marks away
 * from those that a destination may have room for, some at a time, and each of them is
 * tried as at first. So a job that waits costs nothing until then, and is written only
 * where something happens to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_over.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/route.h"
#include "server/decide/route_away.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/job_tally.h"
#include "server/rules/rules.h"

#include <string.h>

#define ROUTE_RETRY_TIME_S 30

/* So many jobs are looked at in one step of a pass, at the least. */
#define PASS_STEP          256
/* A pass has not more steps than that: rules that speak too often do not settle. */
#define PASS_STEPS_MAX     500

/* Subjobs go with their array, and one that has begun goes nowhere. One that leaves for
 * another server is that server's until it says otherwise. */
static bool is_routed(const struct job *job)
{
    return job->queue && !job->parent &&
           obj_num(&job->obj, JOB_A_QUEUE_TYPE, 'E') == 'R' && !job_is_at_mom(job) &&
           !job_is_leaving(job) && !array_is_under_way(job);
}

static bool may_go_now(const struct job *job, int64_t now_at, struct arena *arena)
{
    return queue_routes_now(job->queue, job_holds_text(job, arena),
                            obj_num(&job->obj, JOB_A_EXECUTION_TIME, 0), now_at);
}

static int64_t lifetime_ends_at(const struct job *job)
{
    int64_t s = obj_num(&job->queue->obj, QUEUE_A_ROUTE_LIFETIME, 0);

    /* 0 stands for ever. */
    return s > 0 ? instant_after(obj_num(&job->obj, JOB_A_QTIME, 0), s) : INT64_MAX;
}

int64_t job_route_deadline(const struct model *m UNUSED, const struct object *o)
{
    const struct job *job = TO_JOB(o);

    return is_routed(job) ? lifetime_ends_at(job) : INT64_MAX;
}

static void give_up(const struct rule_context *c, const struct job *job,
                    enum reason reason, struct decision *out)
{
    job_withdrawn_record(c->m, job, c->server_actor, c->now_at, false, out)->reason =
        reason;
}

static int64_t retry_at(const struct queue *q, int64_t now_at)
{
    int64_t s = obj_num(&q->obj, QUEUE_A_ROUTE_RETRY_TIME, ROUTE_RETRY_TIME_S);

    return instant_after(now_at, s > 0 ? s : ROUTE_RETRY_TIME_S);
}

/* It waits until all that wait are tried again. */
static void mark(const struct rule_context *c, const struct job *job,
                 struct decision *out)
{
    const struct queue *q = job->queue;
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_MODIFIED, out);

    record_change(rec, out->arena, JOB_A_HF_ROUTE_TRIED, NULL, "True");
    record_change(rec, out->arena, JOB_A_HF_ROUTE_SAID, NULL, NULL);
    if (obj_is_set(&q->obj, QUEUE_A_HF_ROUTE_AT))
        return;
    rec = rule_decide(c, &q->obj, FACT_SET, out);
    rec->reason = REASON_ROUTED;
    record_change_num(rec, out->arena, QUEUE_A_HF_ROUTE_AT, retry_at(q, c->now_at));
}

static void move(const struct rule_context *c, const struct job *job,
                 const struct edit *to, struct decision *out)
{
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_MOVED, out);

    MUST(to->o == &job->obj);
    rec->reason = REASON_ROUTED;
    edit_commit(to, out->arena, rec);
}

/* Too many at a time take turns. */
static bool has_too_many_away(const struct queue *q)
{
    return q->n_state[job_state_index('T')] >= ROUTE_AWAY_MAX;
}

static void send_away(const struct rule_context *c, const struct job *job,
                      const char *destination, struct decision *out)
{
    struct record *rec =
        transfer_leaves_record(job, c->server_actor, destination, c->now_at, out);

    record_change(rec, out->arena, JOB_A_HF_ROUTE_SENT, NULL, "True");
}

static void carry_out(const struct rule_context *c, const struct job *job,
                      enum route_verdict verdict, const struct route_choice *choice,
                      const struct edit *to, struct decision *out)
{
    switch (verdict) {
    case ROUTE_TAKEN:
        move(c, job, to, out);
        break;
    case ROUTE_AWAY:
        if (has_too_many_away(job->queue))
            mark(c, job, out);
        else
            send_away(c, job, choice->away, out);
        break;
    case ROUTE_LATER:
        mark(c, job, out);
        break;
    case ROUTE_NEVER:
        give_up(c, job, REASON_ROUTE_REJECTED, out);
        break;
    }
}

/* False: something has to be found out first. */
static bool try_to_route(const struct rule_context *c, const struct job *job,
                         struct decision *out)
{
    const struct object *o = &job->obj;
    struct requester owner =
        requester_named(c->m, obj_str(o, JOB_A_JOB_OWNER, ""), c->arena);
    struct job_account acct = { .user = obj_str(o, JOB_A_EUSER, ""),
                                .group = obj_str(o, JOB_A_EGROUP, "") };
    struct request rq = {
        .who = &owner,
        .actor = c->server_actor,
        .now_at = c->now_at,
        .arena = c->arena,
        .cfg = c->cfg,
        .view = c->view,
        .knows = c->knows,
    };
    struct diag unused = { 0 };
    struct edit e, to;
    struct route_job route = { c->m, &rq, &e, &acct, job->queue };
    struct route_choice choice = { 0 };
    enum route_verdict verdict;

    /* Groups that nobody can find out open no queue that asks for one. */
    if (request_groups(&rq, acct.user, &acct.groups, &unused) == NEEDED)
        return false;
    edit_init(&e, c->m, OBJ_JOB, o);
    verdict = route_judge(&route, &to, &choice);
    carry_out(c, job, verdict, &choice, &to, out);
    if (verdict == ROUTE_TAKEN)
        edit_fini(&to);
    edit_fini(&e);
    return true;
}

bool job_route_due(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const struct job *job = TO_JOB(o);

    if (!is_routed(job))
        return false;
    if (lifetime_ends_at(job) <= c->now_at) {
        give_up(c, job, REASON_ROUTE_EXPIRED, out);
        return true;
    }
    if (obj_num(o, JOB_A_HF_ROUTE_TRIED, 0) || !may_go_now(job, c->now_at, c->arena))
        return false;
    return try_to_route(c, job, out);
}

int64_t queue_route_deadline(const struct model *m UNUSED, const struct object *o)
{
    const struct queue *q = TO_QUEUE(o);

    /* One that is stopped goes on when it is started again. */
    if (!queue_is_routing(q) || !obj_num(o, QUEUE_A_STARTED, 0))
        return INT64_MAX;
    return obj_num(o, QUEUE_A_HF_ROUTE_AT, INT64_MAX);
}

/* Is a destination open that has room for another job of these? What else it asks is
 * asked when the job is tried. */
static bool has_hope(const struct rule_context *c, const struct job *job)
{
    const struct attr_value *names =
        obj_attr(&job->queue->obj, QUEUE_A_ROUTE_DESTINATIONS);
    const struct job_entity who = {
        .user = obj_str(&job->obj, JOB_A_EUSER, ""),
        .group = obj_str(&job->obj, JOB_A_EGROUP, ""),
        .project = obj_str(&job->obj, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight = job->weight,
        .is_here = true,
    };
    bool all_gone = true;

    for (size_t i = 0; names->set && i < names->u.list.n; i++) {
        const char *name = names->u.list.v[i];
        struct diag unused = { 0 };
        const struct queue *q;

        if (transfer_is_needed(c->cfg, name))
            return true;
        q = model_queue(c->m, arena_strndup(c->arena, name, strcspn(name, "@")));
        if (!q)
            continue;
        all_gone = false;
        if (obj_num(&q->obj, QUEUE_A_ENABLED, 0) && !queue_has_room(q, &unused) &&
            !job_keeps_count_limits(c->m, q, &who, &unused))
            return true;
    }
    /* Without any it is tried, and rejected. */
    return all_gone;
}

/* One step of a pass. */
struct pass {
    size_t n_looked, most;
    int64_t after; /* the job looked at last, by created_seq */
    bool over;
    size_t n_wait; /* of them they are tried again another time */
};

static void unmark(const struct rule_context *c, const struct job *job,
                   struct decision *out)
{
    record_change(rule_decide(c, &job->obj, FACT_JOB_MODIFIED, out), out->arena,
                  JOB_A_HF_ROUTE_TRIED, NULL, NULL);
}

static void look_at_jobs(const struct rule_context *c, const struct queue *q,
                         struct pass *p, struct decision *out)
{
    const struct job *job = q->jobs;

    while (job && (int64_t)job->obj.created_seq <= p->after)
        job = job->queue_next;
    for (; job && p->n_looked < p->most; job = job->queue_next) {
        p->n_looked++;
        p->after = (int64_t)job->obj.created_seq;
        if (!is_routed(job) || !obj_num(&job->obj, JOB_A_HF_ROUTE_TRIED, 0))
            continue;
        if (may_go_now(job, c->now_at, c->arena) && has_hope(c, job))
            unmark(c, job, out);
        else
            p->n_wait++;
    }
    p->over = job == NULL;
}

bool queue_route_due(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const struct queue *q = TO_QUEUE(o);
    struct pass p = {
        .most = MAX_OF(PASS_STEP, q->n_jobs / PASS_STEPS_MAX + 1),
        .after = obj_num(o, QUEUE_A_HF_ROUTE_AFTER, -1),
    };
    struct record *rec;

    if (queue_route_deadline(c->m, o) > c->now_at)
        return false;
    look_at_jobs(c, q, &p, out);
    rec = rule_decide(c, o, FACT_SET, out);
    rec->reason = REASON_ROUTED;
    if (!p.over) {
        record_change_num(rec, out->arena, QUEUE_A_HF_ROUTE_AFTER, p.after);
        return true;
    }
    record_change(rec, out->arena, QUEUE_A_HF_ROUTE_AFTER, NULL, NULL);
    /* Who is marked from now on sets the next time; a pass of several steps does not
     * know whom the others have left. */
    if (p.n_wait > 0 || obj_is_set(o, QUEUE_A_HF_ROUTE_AFTER))
        record_change_num(rec, out->arena, QUEUE_A_HF_ROUTE_AT, retry_at(q, c->now_at));
    else
        record_change(rec, out->arena, QUEUE_A_HF_ROUTE_AT, NULL, NULL);
    return true;
}
