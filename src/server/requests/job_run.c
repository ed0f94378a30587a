/* job_run.c - RunJob, AsyrunJob, AsyrunJob_ack (wire.md 10.2, 12.4): who may start a
 * job, and who is asked where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/array_run.h"
#include "server/decide/config.h"
#include "server/decide/job_start.h"
#include "server/decide/run_limits.h"
#include "server/decide/said_id.h"
#include "server/decide/sched_link.h"
#include "server/model/depend.h"
#include "server/model/hot_start.h"
#include "server/model/job_phase.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_named.h"

/* What a hot start puts back on its vnodes no scheduler sends elsewhere meanwhile,
 * unless a manager has told it to. */
static bool is_hot_starts(const struct model *m, const struct request *rq,
                          const struct job *job)
{
    return rq->who->scheduler && hot_start_is_on(m) && job_ran_before(job) &&
           !sched_links_run_job(rq->view->links, job->obj.id);
}

/* An administrator may leave the choice of vnodes to the scheduler. */
static bool chooses_scheduler(const struct request *rq)
{
    const struct body_run *body = rq->body;

    return *body->vnodes == '\0';
}

/* Who waits for what: RunJob for the MoM, AsyrunJob for nothing. */
static void promise_reply(const struct request *rq, const struct job *job,
                          struct decision *out)
{
    if (rq->wire->number != BATCH_RUN_JOB)
        return;
    MUST(out->records.n > 0); /* the reply waits for what becomes of them */
    act_wait(out, &(struct wait_for){ .kind = OBJ_JOB, .id = job->obj.id });
}

/* Only RunJob waits for what becomes of it (wire.md 10.2). */
static void ask_scheduler(const struct request *rq, const char *id,
                          struct decision *out)
{
    bool waits = rq->wire->number == BATCH_RUN_JOB;

    act_about_job(out, waits ? ACT_DEFER_RUN : ACT_DEFER_RUN_QUIETLY, id);
}

/* The table of phases says which jobs can be started, and a job of a hot start is
 * spoken for. */
static bool may_run(const struct model *m, const struct request *rq,
                    const struct job *job)
{
    return job_next(job_phase(job), JOB_EV_RUN) != JOB_PHASE_NONE &&
           !is_hot_starts(m, rq, job);
}

static int start(const struct model *m, const struct request *rq, const struct job *job,
                 struct decision *out)
{
    const struct body_run *body = rq->body;
    const struct job_start st = {
        .m = m,
        .cfg = rq->cfg,
        .job = job,
        .vnodes = body->vnodes,
        .actor = rq->actor,
        .now_at = rq->now_at,
        .needs_room = rq->who->scheduler,
    };

    return job_start(&st, out);
}

static bool is_routed(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_QUEUE_TYPE, 'E') == 'R';
}

static int run_one(const struct model *m, const struct request *rq,
                   const struct job *job, struct decision *out)
{
    int err;

    /* An array as a whole is given no vnodes: its subjobs are. */
    if (job->array)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (!may_run(m, rq, job))
        return diag_code(&out->why, PBSE_BADSTATE);
    err = job_keeps_run_limits(m, job, 1, rq->arena, &out->why);
    if (err)
        return err;
    if (chooses_scheduler(rq)) {
        ask_scheduler(rq, job->obj.id, out);
        return 0;
    }
    err = start(m, rq, job, out);
    if (!err)
        promise_reply(rq, job, out);
    return err;
}

/* Those of the places that can be started. */
static void keep_startable(const struct model *m, const struct request *rq,
                           const struct job_named *named, struct index_set *ret)
{
    const struct index_set *set = &named->places;

    index_set_init(ret, &set->range, false);
    for (size_t at = 0; (at = index_set_next(set, at)) != INDEX_NO_PLACE; at++) {
        const struct subjob s = subjob_at(m, named->job, at, rq->arena);

        if (subjob_may_start(&s) && may_run(m, rq, subjob_view(&s, rq->arena)))
            index_set_put(ret, at, true);
    }
}

/* All of them on the vnodes that the request names, or none; the reply waits for the
 * last of them. */
static int start_all(const struct model *m, const struct request *rq,
                     const struct job *array, const struct index_set *places,
                     struct decision *out)
{
    const struct job *job = NULL;
    int err = 0;

    for (size_t at = 0; !err && (at = index_set_next(places, at)) != INDEX_NO_PLACE;
         at++) {
        const struct subjob s = subjob_at(m, array, at, rq->arena);

        job = subjob_begin_records(&s, rq->cfg, rq->actor, rq->now_at, out);
        err = start(m, rq, job, out);
    }
    MUST(job); /* there is a place */
    if (!err)
        promise_reply(rq, job, out);
    return err;
}

/* The rule that holds it may not have looked yet. */
static bool array_must_wait(const struct model *m, const struct request *rq,
                            const struct job *array)
{
    return !job_is_beyond_depend(array) && job_waits_for_others(m, array, rq->arena);
}

static int run_subjobs(const struct model *m, const struct request *rq,
                       const struct job_named *named, struct decision *out)
{
    const struct body_run *body = rq->body;
    struct index_set places;
    int err = 0;

    keep_startable(m, rq, named, &places);
    if (places.n == 0 || array_must_wait(m, rq, named->job))
        err = diag_code(&out->why, PBSE_BADSTATE);
    else
        err = job_keeps_run_limits(m, named->job, places.n, rq->arena, &out->why);
    if (!err && chooses_scheduler(rq))
        ask_scheduler(rq, said_job_id(m, rq, body->object_id), out);
    else if (!err)
        err = start_all(m, rq, named->job, &places, out);
    index_set_fini(&places);
    return err;
}

int handle_run_job(const struct model *m, const struct request *rq,
                   struct decision *out)
{
    const struct body_run *body = rq->body;
    struct job_named named;
    int err;

    if (!requester_is_staff(rq) && !rq->who->scheduler)
        return diag_code(&out->why, PBSE_PERM);
    err = job_named_find(m, rq, body->object_id, &named, &out->why);
    if (err)
        return err;
    /* What its routing queue has not sent on is nowhere where jobs run. A scheduler
     * that names no vnodes would be asked by the server where to run the job, and so on
     * in a circle. */
    if (is_routed(named.job) || (chooses_scheduler(rq) && rq->who->scheduler))
        err = diag_code(&out->why, PBSE_IVALREQ);
    else if (named.subjobs)
        err = run_subjobs(m, rq, &named, out);
    else
        err = run_one(m, rq, named.job, out);
    job_named_fini(&named);
    return err;
}
