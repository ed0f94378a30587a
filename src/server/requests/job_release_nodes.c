/* job_release_nodes.c - RelnodesJob: a running job gives vnodes back (cli.md 11.1).
 *
 * The request only says what is to go. The job's MoM has to let the hosts go first, so
 * what is asked becomes an attribute of the job, its MoM is told what follows from that
 * (moms/release.c), and the reply waits for the record with which the vnodes are free.
 * A server that dies in between asks the MoM again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_release.h"
#include "server/model/job_phase.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_named.h"

#include <string.h>

#define KEEP "select="

/* It is at its MoM, nobody is ending it, and no other release is under way. Whether its
 * processes have begun is the MoM's to say, who knows it first. */
static bool may_release(const struct job *job)
{
    enum job_phase phase = job_phase(job);

    static const int in_the_way[] = { JOB_A_HF_KILL_BY, JOB_A_HF_REQUEUE,
                                      JOB_A_HF_RELEASE, JOB_A_HF_SUSPEND,
                                      JOB_A_HF_CHECKPOINT };

    for (size_t i = 0; i < ARRAY_LEN(in_the_way); i++)
        if (obj_is_set(&job->obj, in_the_way[i]))
            return false;
    return (phase == JOB_RUNNING || phase == JOB_STARTING) &&
           obj_num(&job->obj, JOB_A_HF_SENT, 0);
}

/* What PBS takes for a select: everything behind "select=" (wire.md 8). */
static int read_keep(const char *extend, const char **ret, struct diag *why)
{
    *ret = NULL;
    if (!extend || !*extend)
        return 0;
    if (strncmp(extend, KEEP, strlen(KEEP)) != 0)
        return diag_code(why, PBSE_IVALREQ);
    *ret = extend + strlen(KEEP);
    return 0;
}

static void release(const struct request *rq, const struct job *job, const char *signs,
                    struct decision *out)
{
    const struct wait_for until = { .why = WAIT_FOR_OBJECT,
                                    .kind = OBJ_JOB,
                                    .id = job->obj.id };
    struct record *rec = decide(out, rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);

    rec->reason = REASON_RELEASE;
    record_change(rec, out->arena, JOB_A_HF_RELEASE, NULL, signs);
    act_wait(out, &until);
}

/* One job, which may be a subjob: a select or a list of vnodes is about the vnodes of
 * one. */
static int find_job(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why)
{
    struct job_named named;
    struct job_list running;
    int err = job_named_find(m, rq, id, &named, why);

    if (err)
        return err;
    err = job_owner_or_staff(m, rq, named.job, why);
    if (!err && named.job->array && !named.subjobs)
        err = diag_code(why, PBSE_IVALREQ);
    if (!err)
        err = job_named_running(m, rq, &named, &running, why);
    if (!err && running.n != 1)
        err = diag_code(why, PBSE_IVALREQ);
    if (!err)
        *ret = running.v[0];
    job_named_fini(&named);
    return err;
}

static int plan(const struct model *m, const struct request *rq, struct job_release *r,
                const char **ret_signs, struct decision *out)
{
    const struct body_release_nodes *body = rq->body;
    int err = find_job(m, rq, body->job_id, &r->job, &out->why);

    if (!err && !may_release(r->job))
        err = diag_code(&out->why, PBSE_BADSTATE);
    if (!err)
        err = read_keep(rq->wire->extend, &r->keep, &out->why);
    if (!err)
        err = job_release_plan(r, out->arena, ret_signs, &out->why);
    return err ? err : job_mom_is_heard(r->job, out);
}

int handle_release_nodes(const struct model *m, const struct request *rq,
                         struct decision *out)
{
    const struct body_release_nodes *body = rq->body;
    struct job_release r = { .m = m, .vnodes = body->vnodes };
    const char *signs;
    int err = plan(m, rq, &r, &signs, out);

    if (err)
        return err;
    if (strchr(signs, RELEASE_GOES))
        release(rq, r.job, signs, out);
    else
        reply_text(out, "%s", rq->wire->extend);
    return 0;
}
