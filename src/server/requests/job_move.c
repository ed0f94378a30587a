/* job_move.c - see job_move.h; MoveJob (cli.md 5.4, attributes.md 9).
 *
 * The job keeps its place in the order and its holds. What it has asked for
 * stays; what it got from the defaults of its queue is replaced by those of the new one
 * (job_defaults.h), and all of it is held against the limits there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_move.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/job_defaults.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/object_size.h"
#include "server/decide/route.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_tally.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_admit.h"
#include "server/requests/job_move_away.h"

struct move {
    const struct model *m;
    const struct request *rq;
    const struct job *job;
    const struct queue *q;
    bool exchange;
    struct edit e;
};

int job_move_check(const struct job *job, struct diag *why)
{
    /* An array that has begun is in one queue with its subjobs. */
    return job_is_at_mom(job) || array_is_under_way(job) ? diag_code(why, PBSE_BADSTATE)
                                                         : 0;
}

static bool by_manager(const struct move *mv)
{
    return (mv->rq->who->rights & WHO_MANAGER) != 0;
}

/* The queue's door, with the rights of the job's owner: who moves a job of somebody
 * else's opens no queue to that one. */
static int check_door(const struct move *mv, struct diag *why)
{
    const struct object *o = &mv->job->obj;
    struct requester owner =
        requester_named(mv->m, obj_str(o, JOB_A_JOB_OWNER, ""), mv->rq->arena);
    struct job_account acct = { .user = obj_str(o, JOB_A_EUSER, ""),
                                .group = obj_str(o, JOB_A_EGROUP, ""),
                                .from_host = mv->rq->who->host,
                                .indices =
                                    obj_str(o, JOB_A_ARRAY_INDICES_SUBMITTED, NULL) };
    struct request asks = *mv->rq;
    int err = request_groups(mv->rq, acct.user, &acct.groups, why);

    if (err)
        return err;
    asks.who = &owner;
    /* Jobs that change places are in the queues already, but for their users. */
    return mv->exchange ? queue_takes_routed(&asks, mv->q, &acct, why)
                        : queue_lets_in(&asks, mv->q, &acct, why);
}

static struct job_entity entity_of(const struct move *mv)
{
    const struct object *o = &mv->job->obj;

    return (struct job_entity){
        .user = obj_str(o, JOB_A_EUSER, ""),
        .group = obj_str(o, JOB_A_EGROUP, ""),
        .project = obj_str(o, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight = mv->job->weight,
        .is_here = true,
    };
}

/* The steps are those of a submission, in their order. */
static int check_move(struct move *mv, struct diag *why)
{
    static const struct resources nothing;
    struct job_entity who = entity_of(mv);
    const struct attr_value *list;
    const struct resources *asked;
    int err = 0;

    if (!by_manager(mv))
        err = check_door(mv, why);
    if (!err && !by_manager(mv))
        err = job_keeps_count_limits(mv->m, mv->q, &who, why);
    if (!err)
        err = job_defaults_renew(&mv->e, mv->m, mv->q, mv->rq->arena, why);
    job_checkpoint_in(&mv->e, mv->q, mv->rq->arena);
    if (err)
        return err;
    list = edit_value(&mv->e, JOB_A_RESOURCE_LIST);
    asked = list->set ? &list->u.res : &nothing;
    if (!by_manager(mv))
        err = job_keeps_amount_limits(mv->m, mv->q, &who, asked, why);
    if (!err)
        err = job_fits_resv(mv->q, &mv->e, mv->rq->arena, why);
    if (!err && !by_manager(mv))
        err = job_keeps_limits(mv->m, mv->q, asked, why);
    return err ? err : object_keeps_size(mv->rq, &mv->e, why);
}

/* What a job is told of the reservation that it comes into, or has left; and where it
 * goes back to when the reservation ends without killing it. */
static void change_resv(struct move *mv)
{
    if (mv->q->resv)
        edit_set_str(&mv->e, JOB_A_RESERVE_ID, mv->q->resv->obj.id);
    else
        edit_unset(&mv->e, JOB_A_RESERVE_ID, NULL);
    if (!mv->q->resv)
        edit_unset(&mv->e, JOB_A_HF_QUEUE_BEFORE, NULL);
    else if (!mv->job->resv && mv->job->queue)
        edit_set_str(&mv->e, JOB_A_HF_QUEUE_BEFORE, mv->job->queue->obj.id);
}

static void decide_move(struct move *mv, int64_t rank, struct decision *out)
{
    struct record *rec = decide(out, mv->rq, FACT_JOB_MOVED, OBJ_JOB, mv->job->obj.id);

    rec->reason = REASON_MOVED;
    job_comes_into(&mv->e, mv->q, mv->rq->now_at);
    change_resv(mv);
    /* A hot start does not put it back where it ran for another queue. */
    edit_unset(&mv->e, JOB_A_HF_HOT_VNODES, NULL);
    edit_set_num(&mv->e, JOB_A_MTIME, mv->rq->now_at);
    if (rank)
        edit_set_num(&mv->e, JOB_A_QUEUE_RANK, rank);
    edit_commit(&mv->e, out->arena, rec);
}

int job_move_decide(const struct model *m, const struct request *rq,
                    const struct job *job, const struct queue *q, bool exchange,
                    int64_t rank, struct decision *out)
{
    struct move mv = { .m = m, .rq = rq, .job = job, .q = q, .exchange = exchange };
    int err;

    MUST(job->queue != q && !job_is_at_mom(job));
    if (!obj_is_set(&q->obj, QUEUE_A_QUEUE_TYPE))
        return diag_code(&out->why, PBSE_QUENOEN);
    /* A reservation that is not confirmed, or ends, takes jobs from nobody: they would
     * go with it. */
    if (q->resv && !obj_num(&q->obj, QUEUE_A_ENABLED, 0))
        return diag_code(&out->why, PBSE_QUNOENB);
    edit_init(&mv.e, m, OBJ_JOB, &job->obj);
    err = check_move(&mv, &out->why);
    if (!err)
        decide_move(&mv, rank, out);
    edit_fini(&mv.e);
    return err;
}

int handle_move_job(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_move *body = rq->body;
    const struct job *job;
    const struct queue *q;
    int err = job_for_request(m, rq, body->job_id, &job, &out->why);

    if (!err)
        err = job_move_check(job, &out->why);
    if (!err && transfer_is_needed(rq->cfg, body->destination))
        return job_move_away(rq, job, body->destination, out);
    if (!err)
        err = job_find_queue(m, rq, body->destination, &q, &out->why);
    /* A job that is there already has nowhere to go. */
    if (err || job->queue == q)
        return err;
    return job_move_decide(m, rq, job, q, false, 0, out);
}
