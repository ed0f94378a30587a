/* job_signal.c - SignalJob and Rerun: requests that the MoM of a running job carries
 * out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"

#include <string.h>
#include <strings.h>

/* Suspending changes what a job holds; that is not offered. */
static bool is_pseudo_signal(const char *name)
{
    static const char *const names[] = { "suspend", "resume", "admin-suspend",
                                         "admin-resume" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* A subjob that has begun gets signals as any job does; its array says whose it is. */
static int find_job(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why)
{
    const struct job *job = model_job(m, id);
    bool is_subjob = job && job->parent;
    int err = job_for_request(m, rq, is_subjob ? job->parent->obj.id : id, ret, why);

    if (!err && is_subjob)
        *ret = job;
    return err;
}

int handle_signal_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_signal *body = rq->body;
    const struct job *job;
    int err = find_job(m, rq, body->job_id, &job, &out->why);

    if (err)
        return err;
    if (is_pseudo_signal(body->signal))
        return diag_code(&out->why, requester_is_staff(rq) ? PBSE_NOSUP : PBSE_PERM);
    /* A job that its MoM has not confirmed has no process that could get a signal. */
    if (job_state(job) != 'R' || !obj_num(&job->obj, JOB_A_HF_SENT, 0))
        return diag_code(&out->why, PBSE_BADSTATE);
    err = job_mom_is_heard(job, out);
    if (!err)
        act_about_job(out, ACT_FORWARD, job->obj.id);
    return err;
}

/* Whoever wants it back in the queue does not want a hot start to put it on its vnodes.
 */
static void forget_vnodes(struct record *rec, struct decision *out)
{
    MUST(rec->kind == OBJ_JOB);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

int handle_rerun_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    const struct body_id *body = rq->body;
    bool force = rq->wire->extend && strcmp(rq->wire->extend, "force") == 0;
    const struct job *job;
    struct record *rec;
    int err = job_live(m, body->id, &job, &out->why);

    if (err)
        return err;
    if (!requester_is_staff(rq))
        return diag_code(&out->why, PBSE_PERM);
    /* A job that is being deleted does not come back. */
    if (job_state(job) != 'R' || obj_is_set(&job->obj, JOB_A_HF_KILL_BY))
        return diag_code(&out->why, PBSE_BADSTATE);
    if (!force && !obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        return diag_code(&out->why, PBSE_NORERUN);
    /* Force does not wait for the MoM: the job is back in its queue at once, and the
     * MoM discards the run when it hears of it. */
    if (force) {
        job_requeue_records(job, rq->actor, rq->now_at, JOB_EXIT_RERUN, "Rerun", out);
        forget_vnodes(decide(out, rq, FACT_SET, OBJ_JOB, job->obj.id), out);
        return 0;
    }
    if ((err = job_mom_is_heard(job, out)))
        return err;
    rec = record_add(&out->records, out->arena, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id,
                     rq->actor, rq->now_at);
    /* The job goes on running until its MoM reports the end; this attribute says what
     * becomes of it then. */
    rec->reason = REASON_RERUN;
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    forget_vnodes(rec, out);
    return 0;
}
