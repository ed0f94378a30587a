/* job_run.c - RunJob, AsyrunJob, AsyrunJob_ack (wire.md 10.2, 12.4): who may start a
 * job, and who is asked where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/array_run.h"
#include "server/decide/config.h"
#include "server/decide/job_start.h"
#include "server/decide/sched_link.h"
#include "server/model/hot_start.h"
#include "server/model/job_phase.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"

/* What a hot start puts back on its vnodes no scheduler sends elsewhere meanwhile,
 * unless a manager has told it to. */
static bool is_hot_starts(const struct model *m, const struct request *rq,
                          const struct job *job)
{
    return rq->who->scheduler && hot_start_is_on(m) && job_ran_before(job) &&
           !sched_links_run_job(rq->view->links, job->obj.id);
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
static void ask_scheduler(const struct request *rq, const struct job *job,
                          struct decision *out)
{
    bool waits = rq->wire->number == BATCH_RUN_JOB;

    act_about_job(out, waits ? ACT_DEFER_RUN : ACT_DEFER_RUN_QUIETLY, job->obj.id);
}

/* The job that an id names, or the subjob as one that may not be an object yet. */
static int find_job(const struct model *m, const struct request *rq, const char *id,
                    struct subjob *sub, const struct job **ret, struct diag *why)
{
    *sub = subjob_find(m, id, rq->arena);
    if (sub->array && sub->place == INDEX_NO_PLACE)
        return diag_code(why, PBSE_UNKJOBID);
    if (sub->array && !subjob_may_start(sub))
        return diag_code(why, PBSE_BADSTATE);
    if (!sub->array)
        return job_live(m, id, ret, why);
    *ret = subjob_view(sub, rq->arena);
    return 0;
}

int handle_run_job(const struct model *m, const struct request *rq,
                   struct decision *out)
{
    const struct body_run *body = rq->body;
    const struct job *job = NULL;
    struct subjob sub;
    struct job_start st = {
        .m = m,
        .cfg = rq->cfg,
        .vnodes = body->vnodes,
        .actor = rq->actor,
        .now_at = rq->now_at,
        .needs_room = rq->who->scheduler,
    };
    int err;

    if (!requester_is_staff(rq) && !rq->who->scheduler)
        return diag_code(&out->why, PBSE_PERM);
    err = find_job(m, rq, body->object_id, &sub, &job, &out->why);
    if (err)
        return err;
    /* The table of phases says which jobs can be started, and a job of a hot start is
     * spoken for. */
    if (job_next(job_phase(job), JOB_EV_RUN) == JOB_PHASE_NONE ||
        is_hot_starts(m, rq, job))
        return diag_code(&out->why, PBSE_BADSTATE);
    /* A scheduler that names no vnodes would be asked by the server where to run the
     * job, and so on in a circle. */
    if (*body->vnodes == '\0' && rq->who->scheduler)
        return diag_code(&out->why, PBSE_IVALREQ);
    /* An administrator leaves the choice of vnodes to the scheduler. */
    if (*body->vnodes == '\0') {
        ask_scheduler(rq, job, out);
        return 0;
    }
    /* An array as a whole is given no vnodes: its subjobs are. */
    if (job->array)
        return diag_code(&out->why, PBSE_IVALREQ);
    st.job = sub.array ? subjob_begin_records(&sub, rq->cfg, rq->actor, rq->now_at, out)
                       : job;
    err = job_start(&st, out);
    if (!err)
        promise_reply(rq, job, out);
    return err;
}
