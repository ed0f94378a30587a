/* job_signal.c - SignalJob, MessJob and Rerun: requests that the MoM of a running job
 * carries out. Signals and reruns are for subjobs, ranges of them and whole arrays,
 * too: for what of them runs (job_named.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_named.h"
#include "server/requests/job_stop.h"

#include <string.h>
#include <strings.h>

/* Those that have a process to be signalled: a job that its MoM has not confirmed has
 * none. */
static void keep_sent(struct job_list *jobs)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        if (obj_num(&jobs->v[i]->obj, JOB_A_HF_SENT, 0))
            jobs->v[n++] = jobs->v[i];
    jobs->n = n;
}

/* 15070 when no MoM of them is there; one that is away answers for its part alone. */
static int check_heard(const struct job_list *jobs, struct decision *out)
{
    int err = 0;

    for (size_t i = 0; i < jobs->n; i++)
        if (!(err = job_mom_is_heard(jobs->v[i], out)))
            return 0;
    return err;
}

static void forward_to(const struct request *rq, const struct job_list *jobs,
                       struct decision *out)
{
    const char **ids = ARENA_ARRAY(rq->arena, const char *, jobs->n);

    for (size_t i = 0; i < jobs->n; i++)
        ids[i] = jobs->v[i]->obj.id;
    act_forward(out, jobs->n, ids);
}

static int signal_named(const struct model *m, const struct request *rq,
                        const struct job_named *named, struct decision *out)
{
    struct job_list jobs;
    int err = job_named_running(m, rq, named, &jobs, &out->why);

    if (err)
        return err;
    if (rq->wire->number == BATCH_SIGNAL_JOB &&
        is_stop_signal(((const struct body_signal *)rq->body)->signal))
        return job_stop_all(m, rq, &jobs, out);
    keep_sent(&jobs);
    if (jobs.n == 0)
        return diag_code(&out->why, PBSE_BADSTATE);
    err = check_heard(&jobs, out);
    if (err)
        return err;
    for (size_t i = 0; rq->wire->number == BATCH_SIGNAL_JOB && i < jobs.n; i++)
        job_signal_log(rq, jobs.v[i]->obj.id, out);
    forward_to(rq, &jobs, out);
    return 0;
}

int handle_signal_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_signal *body = rq->body;
    struct job_named named;
    int err = job_named_find(m, rq, body->job_id, &named, &out->why);

    if (err)
        return err;
    err = job_owner_or_staff(m, rq, named.job, &out->why);
    if (!err && is_stop_signal(body->signal) && !requester_is_staff(rq))
        err = diag_code(&out->why, PBSE_PERM);
    if (!err)
        err = signal_named(m, rq, &named, out);
    job_named_fini(&named);
    return err;
}

/* The MoM of the job writes the message. */
int handle_message_job(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_message *body = rq->body;
    struct job_named named;
    bool of_array;
    int err = job_named_find(m, rq, body->job_id, &named, &out->why);

    if (err)
        return err;
    of_array = named.subjobs || named.job->array;
    err = job_owner_or_staff(m, rq, named.job, &out->why);
    if (!err && of_array)
        err = diag_set(&out->why, PBSE_NOSUP, "not supported for Array Jobs");
    if (!err)
        err = signal_named(m, rq, &named, out);
    job_named_fini(&named);
    return err;
}

/* Whoever wants it back in the queue does not want a hot start to put it on its vnodes.
 */
static void forget_vnodes(struct record *rec, struct decision *out)
{
    MUST(rec->kind == OBJ_JOB);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

/* What keeps a running job from going back to its queue. */
static int check_rerun(const struct job *job, bool force, struct decision *out)
{
    /* A job that is being deleted does not come back. */
    if (obj_is_set(&job->obj, JOB_A_HF_KILL_BY))
        return diag_code(&out->why, PBSE_BADSTATE);
    if (force)
        return 0;
    if (!obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        return diag_code(&out->why, PBSE_NORERUN);
    return job_mom_is_heard(job, out);
}

static void rerun(const struct request *rq, const struct job *job, bool force,
                  struct decision *out)
{
    struct record *rec;

    /* Force does not wait for the MoM: the job is back in its queue at once, and the
     * MoM discards the run when it hears of it. */
    if (force) {
        job_requeue_records(job, rq->actor, rq->now_at, JOB_EXIT_RERUN, "Rerun", out);
        forget_vnodes(decide(out, rq, FACT_SET, OBJ_JOB, job->obj.id), out);
        return;
    }
    rec = record_add(&out->records, out->arena, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id,
                     rq->actor, rq->now_at);
    /* The job goes on running until its MoM reports the end; this attribute says what
     * becomes of it then. */
    rec->reason = REASON_RERUN;
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    forget_vnodes(rec, out);
}

/* Of an array what can be rerun is, whatever becomes of the rest; the reply has the
 * first failure. */
static int rerun_all(const struct request *rq, const struct job_list *jobs,
                     struct decision *out)
{
    bool force = rq->wire->extend && strcmp(rq->wire->extend, "force") == 0;
    size_t n_done = 0;
    int err = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        int no = check_rerun(jobs->v[i], force, out);

        if (no) {
            err = err ? err : no;
            continue;
        }
        rerun(rq, jobs->v[i], force, out);
        n_done++;
    }
    if (err && n_done == 0)
        return diag_code(&out->why, err);
    if (err)
        out->reply = (struct wire_reply){ .code = err,
                                          .choice = REPLY_TEXT,
                                          .text = pbse_text(err) };
    return 0;
}

int handle_rerun_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    const struct body_id *body = rq->body;
    struct job_list jobs;
    struct job_named named;
    int err = job_named_find(m, rq, body->id, &named, &out->why);

    if (err)
        return err;
    if (!requester_is_staff(rq))
        err = diag_code(&out->why, PBSE_PERM);
    if (!err)
        err = job_named_running(m, rq, &named, &jobs, &out->why);
    if (!err)
        err = rerun_all(rq, &jobs, out);
    job_named_fini(&named);
    return err;
}
