/* job_rerun.c - Rerun: running jobs go back to their queue. It is for subjobs, ranges of
 * them and whole arrays, too: for what of them runs (job_named.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_rerun.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_named.h"

#include <string.h>

/* Whoever wants it back in the queue does not want a hot start to put it on its vnodes.
 */
static void forget_vnodes(struct record *rec, struct decision *out)
{
    MUST(rec->kind == OBJ_JOB);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

/* A job that is being deleted does not come back. */
static int check_coming_back(const struct job *job, struct decision *out)
{
    return obj_is_set(&job->obj, JOB_A_HF_KILL_BY) ? diag_code(&out->why, PBSE_BADSTATE)
                                                   : 0;
}

int job_may_rerun(const struct job *job, struct decision *out)
{
    int err = check_coming_back(job, out);

    if (err)
        return err;
    if (!obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        return diag_code(&out->why, PBSE_NORERUN);
    return job_mom_is_heard(job, out);
}

struct record *job_rerun_record(const struct job *job, const char *actor, int64_t now_at,
                                struct decision *out)
{
    struct record *rec = record_add(&out->records, out->arena, FACT_JOB_MODIFIED,
                                    OBJ_JOB, job->obj.id, actor, now_at);

    /* The job goes on running until its MoM reports the end; this attribute says what
     * becomes of it then. */
    rec->reason = REASON_RERUN;
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    forget_vnodes(rec, out);
    return rec;
}

static void rerun(const struct request *rq, const struct job *job, bool force,
                  struct decision *out)
{
    if (!force) {
        (void)job_rerun_record(job, rq->actor, rq->now_at, out);
        return;
    }
    /* Force does not wait for the MoM: the job is back in its queue at once, and the
     * MoM discards the run when it hears of it. */
    job_requeue_records(job, rq->actor, rq->now_at, JOB_EXIT_RERUN, "Rerun", out);
    forget_vnodes(decide(out, rq, FACT_SET, OBJ_JOB, job->obj.id), out);
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
        int no = force ? check_coming_back(jobs->v[i], out)
                       : job_may_rerun(jobs->v[i], out);

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
