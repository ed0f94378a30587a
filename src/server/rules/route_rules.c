/* route_rules.c - a routing queue sends its jobs on (attributes.md 12,
 * doc/design/060-routing.md).
 *
 * A job is tried at once: when it comes into the queue, when it may be routed at last,
 * when the queue is started. One that finds no place now is marked, and the queue notes
 * when its marked jobs are tried again (route_pass.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/job_over.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/route_away.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/rules/route_try.h"
#include "server/rules/rules.h"

#define ROUTE_RETRY_TIME_S 30

bool job_is_routed(const struct job *job)
{
    return job->queue && !job->parent &&
           obj_num(&job->obj, JOB_A_QUEUE_TYPE, 'E') == 'R' && !job_is_at_mom(job) &&
           !job_is_leaving(job) && !array_is_under_way(job);
}

bool job_may_be_routed(const struct job *job, int64_t now_at, struct arena *arena)
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

    return job_is_routed(job) ? lifetime_ends_at(job) : INT64_MAX;
}

static void give_up(const struct rule_context *c, const struct job *job,
                    enum reason reason, struct decision *out)
{
    job_withdrawn_record(c->m, job, c->server_actor, c->now_at, false, out)->reason =
        reason;
}

int64_t queue_retries_at(const struct queue *q, int64_t now_at)
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
    record_change_num(rec, out->arena, QUEUE_A_HF_ROUTE_AT,
                      queue_retries_at(q, c->now_at));
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
    return q->n_away >= ROUTE_AWAY_MAX;
}

static void send_away(const struct rule_context *c, const struct job *job,
                      const char *destination, struct decision *out)
{
    struct record *rec =
        transfer_leaves_record(job, c->server_actor, destination, c->now_at, out);

    record_change(rec, out->arena, JOB_A_HF_ROUTE_SENT, NULL, "True");
}

bool route_try_begin(const struct rule_context *c, const struct job *job,
                     struct route_try *ret)
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
    struct route_job route = { c->m, &rq, &ret->now, &acct, job->queue };

    /* Groups that nobody can find out open no queue that asks for one. */
    if (request_groups(&rq, acct.user, &acct.groups, &unused) == NEEDED)
        return false;
    ret->choice = (struct route_choice){ 0 };
    edit_init(&ret->now, c->m, OBJ_JOB, o);
    ret->verdict = route_judge(&route, &ret->there, &ret->choice);
    return true;
}

void route_try_end(struct route_try *t)
{
    if (t->verdict == ROUTE_TAKEN)
        edit_fini(&t->there);
    edit_fini(&t->now);
}

static void carry_out(const struct rule_context *c, const struct job *job,
                      const struct route_try *t, struct decision *out)
{
    switch (t->verdict) {
    case ROUTE_TAKEN:
        move(c, job, &t->there, out);
        break;
    case ROUTE_AWAY:
        if (has_too_many_away(job->queue))
            mark(c, job, out);
        else
            send_away(c, job, t->choice.away, out);
        break;
    case ROUTE_LATER:
        mark(c, job, out);
        break;
    case ROUTE_NEVER:
        give_up(c, job, REASON_ROUTE_REJECTED, out);
        break;
    }
}

bool job_route_due(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const struct job *job = TO_JOB(o);
    struct route_try t;

    if (!job_is_routed(job))
        return false;
    if (lifetime_ends_at(job) <= c->now_at) {
        give_up(c, job, REASON_ROUTE_EXPIRED, out);
        return true;
    }
    if (obj_num(o, JOB_A_HF_ROUTE_TRIED, 0) ||
        !job_may_be_routed(job, c->now_at, c->arena))
        return false;
    if (!route_try_begin(c, job, &t))
        return false;
    carry_out(c, job, &t, out);
    route_try_end(&t);
    return true;
}
