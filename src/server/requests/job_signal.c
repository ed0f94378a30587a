/* job_signal.c - SignalJob and MessJob: requests that the MoM of a running job carries
 * out. Signals are for subjobs, ranges of them and whole arrays, too: for what of them
 * runs (job_named.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
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
        return job_stop_all(m, rq, named->job->array ? named->job : NULL, &jobs, out);
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
    int err;

    if (rq->progress && rq->progress->state)
        return requester_is_staff(rq) ? job_stop_go_on(m, rq, out)
                                      : diag_code(&out->why, PBSE_PERM);
    err = job_named_find(m, rq, body->job_id, &named, &out->why);
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
