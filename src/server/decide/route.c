/* route.c - see route.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/route.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/job_defaults.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_transfer.h"
#include "server/decide/route_away.h"
#include "server/model/job_array.h"
#include "server/model/job_tally.h"

#include <string.h>
#include <strings.h>

/* What may be otherwise the next time. Everything else is for good. */
static const int refused_for_now[] = {
    PBSE_QUNOENB,    /* disabled */
    PBSE_MAXQUED,    /* full */
    PBSE_ENTLIMCT,   /* its user, group or project has enough there */
    PBSE_ENTLIMRESC, /* ... has enough of a resource there */
    PBSE_SYSTEM,     /* nobody could say which groups the user has */
};

bool route_refused_for_now(int code)
{
    for (size_t i = 0; i < ARRAY_LEN(refused_for_now); i++)
        if (refused_for_now[i] == code)
            return true;
    return false;
}

bool queue_is_routing(const struct queue *q)
{
    return strncasecmp(obj_str(&q->obj, QUEUE_A_QUEUE_TYPE, "Execution"), "R", 1) == 0;
}

bool queue_routes_now(const struct queue *q, const char *holds, int64_t execution_at,
                      int64_t now_at)
{
    const struct object *o = &q->obj;

    if (!queue_is_routing(q) || !obj_num(o, QUEUE_A_STARTED, 0))
        return false;
    if (*holds && *holds != 'n' && !obj_num(o, QUEUE_A_ROUTE_HELD_JOBS, 0))
        return false;
    return execution_at <= now_at || obj_num(o, QUEUE_A_ROUTE_WAITING_JOBS, 0);
}

static void copy_edit(const struct route_job *r, struct edit *to)
{
    const struct edit *from = r->job;

    edit_init(to, r->m, OBJ_JOB, from->o);
    for (size_t i = 0; i < from->table->n; i++) {
        to->touched[i] = from->touched[i];
        if (from->touched[i] && from->v[i].set)
            from->table->rows[i].type->copy(&to->v[i], &from->v[i]);
    }
}

const struct queue *route_queue(const struct model *m, const char *destination,
                                struct arena *arena)
{
    return model_queue(m, arena_strndup(arena, destination, strcspn(destination, "@")));
}

/* The queue that a destination names, if the job may go there at all. */
static int find_queue(const struct route_job *r, const char *name,
                      const struct queue **ret, struct diag *why)
{
    const struct queue *q;

    q = route_queue(r->m, name, r->rq->arena);
    /* The queue of a reservation takes those whom its owner sends there. */
    if (!q || q->resv)
        return diag_code(why, PBSE_UNKQUE);
    /* A circle has no end, so it is one hop too many at once where it is that short. */
    if (q == r->from || edit_num(r->job, JOB_A_HOP_COUNT, 1) >= JOB_HOPS_MAX)
        return diag_code(why, PBSE_HOPCOUNT);
    *ret = q;
    return 0;
}

/* The steps are those of a submission, in their order. */
static int check_entry(const struct route_job *r, const struct queue *q,
                       struct edit *to, struct diag *why)
{
    static const struct resources nothing;
    const struct job_entity who = {
        .user = r->acct->user,
        .group = r->acct->group,
        .project = edit_str(r->job, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight = new_job_weight(edit_str(r->job, JOB_A_ARRAY_INDICES_SUBMITTED, NULL)),
        .is_here = true,
    };
    const struct attr_value *list;
    const struct resources *asked;
    int err = obj_num(&q->obj, QUEUE_A_ENABLED, 0) ? 0 : diag_code(why, PBSE_QUNOENB);

    if (!err)
        err = queue_has_room(q, why);
    if (!err)
        err = queue_takes_size(q, edit_str(r->job, JOB_A_ARRAY_INDICES_SUBMITTED, NULL),
                               why);
    if (!err)
        err = queue_takes_routed(r->rq, q, r->acct, why);
    if (!err)
        err = job_keeps_count_limits(r->m, q, &who, why);
    if (!err)
        err = job_defaults_renew(to, r->m, q, r->rq->arena, why);
    job_checkpoint_in(to, q, r->rq->arena);
    if (err)
        return err;
    list = edit_value(to, JOB_A_RESOURCE_LIST);
    asked = list->set ? &list->u.res : &nothing;
    err = job_keeps_amount_limits(r->m, q, &who, asked, why);
    return err ? err : job_keeps_limits(r->m, q, asked, why);
}

static int try_destination(const struct route_job *r, const char *name, struct edit *to,
                           const struct queue **ret)
{
    struct diag why = { 0 };
    int err = find_queue(r, name, ret, &why);

    if (err)
        return err;
    copy_edit(r, to);
    err = check_entry(r, *ret, to, &why);
    if (err)
        edit_fini(to);
    return err;
}

/* A job that others hold on to waits until they do not. */
static enum route_verdict judge_away(const struct route_job *r, const char *name)
{
    const struct object *o = r->job->o;
    struct diag unused = { 0 };
    int err = o ? transfer_check(TO_JOB(o), &unused) : 0;

    switch (route_word_of(edit_str(r->job, JOB_A_HF_ROUTE_SAID, NULL), name)) {
    case ROUTE_SAID_NEVER:
        return ROUTE_NEVER;
    case ROUTE_SAID_LATER:
        return ROUTE_LATER;
    case ROUTE_NOT_ASKED:
        break;
    }
    if (err == PBSE_HOPCOUNT)
        return ROUTE_NEVER;
    return err ? ROUTE_LATER : ROUTE_AWAY;
}

static enum route_verdict judge_here(const struct route_job *r, const char *name,
                                     struct edit *to, struct route_choice *ret)
{
    const struct queue *q = NULL;
    int err = try_destination(r, name, to, &q);

    if (err)
        return route_refused_for_now(err) ? ROUTE_LATER : ROUTE_NEVER;
    job_comes_into(to, q, r->rq->now_at);
    edit_set_num(to, JOB_A_HOP_COUNT, edit_num(r->job, JOB_A_HOP_COUNT, 1) + 1);
    ret->queue = q;
    return ROUTE_TAKEN;
}

enum route_verdict route_judge(const struct route_job *r, struct edit *to,
                               struct route_choice *ret)
{
    const struct attr_value *names =
        obj_attr(&r->from->obj, QUEUE_A_ROUTE_DESTINATIONS);
    enum route_verdict best = ROUTE_NEVER;

    for (size_t i = 0; names->set && i < names->u.list.n; i++) {
        const char *name = names->u.list.v[i];
        bool away = transfer_is_needed(r->rq->cfg, name);
        enum route_verdict v =
            away ? judge_away(r, name) : judge_here(r, name, to, ret);

        /* In their order: the first one that takes it, or has to be asked. */
        if (v == ROUTE_AWAY)
            ret->away = name;
        if (v <= ROUTE_AWAY)
            return v;
        best = MIN_OF(best, v);
    }
    return best;
}

/* etime: only in an execution queue is a job eligible. */
static void settle_etime(struct edit *job, bool routing, int64_t now_at)
{
    if (routing)
        edit_unset(job, JOB_A_ETIME, NULL);
    else if (edit_num(job, JOB_A_JOB_STATE, 0) == 'Q' &&
             !edit_value(job, JOB_A_ETIME)->set)
        edit_set_num(job, JOB_A_ETIME, now_at);
}

void job_comes_into(struct edit *job, const struct queue *q, int64_t now_at)
{
    bool routing = queue_is_routing(q);

    edit_set_str(job, JOB_A_QUEUE, q->obj.id);
    edit_set_num(job, JOB_A_QUEUE_TYPE, routing ? 'R' : 'E');
    edit_set_num(job, JOB_A_QTIME, now_at);
    edit_unset(job, JOB_A_HF_ROUTE_TRIED, NULL);
    edit_unset(job, JOB_A_HF_ROUTE_SAID, NULL);
    settle_etime(job, routing, now_at);
}
