/* resv_qmove.c - see resv_qmove.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_qmove.h"

#include "server/decide/resource_limits.h"
#include "server/decide/resv_from_job.h"
#include "server/model/job_state.h"
#include "server/model/resource_request.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/resv_number.h"

#include <string.h>

/* Queued, held, or waiting for its time: it has no vnodes and is not on its way. */
static bool waits(const struct job *job)
{
    return strchr("QHW", job_state(job)) != NULL;
}

static bool may_move(const struct model *m, const struct request *rq,
                     const struct job *job)
{
    return (rq->who->rights & WHO_STAFF) ||
           requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, ""));
}

int resv_qmove_find(const struct model *m, const struct request *rq, const char *text,
                    const struct job **ret, struct diag *why)
{
    const struct job *job;
    int err = resv_job_find_alone(m, rq, text, &job, why);

    if (err)
        return err;
    if (!may_move(m, rq, job))
        return diag_code(why, PBSE_PERM);
    if (!waits(job))
        return diag_code(why, PBSE_BADSTATE);
    *ret = job;
    return 0;
}

/* Sums over the chunks, which a server makes of the select; PBS's command sends them
 * beside it, where nobody else may. */
static const char *const sums[] = { "nodect", "neednodes", "ncpus", "mpiprocs", "mem" };

static bool is_sum(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(sums); i++)
        if (strcmp(sums[i], name) == 0)
            return true;
    return false;
}

static bool is_given(const struct edit *resv, const char *name)
{
    const struct attr_value *list = edit_value(resv, RESV_A_RESOURCE_LIST);

    return list->set && resources_find(&list->u.res, name);
}

static void forget_sums(struct edit *resv)
{
    for (size_t i = 0; i < ARRAY_LEN(sums); i++)
        if (is_given(resv, sums[i]))
            edit_unset(resv, RESV_A_RESOURCE_LIST, sums[i]);
}

static int copy_resources(const struct request *rq, const struct job *job,
                          struct edit *resv, struct diag *why)
{
    const struct resources *list = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);

    forget_sums(resv);
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        int err;

        if (is_sum(name) || is_given(resv, name))
            continue;
        err = edit_set(resv, RESV_A_RESOURCE_LIST, name,
                       resources_text(list, name, rq->arena), WIRE_OP_SET, why);
        if (err)
            return err;
    }
    return 0;
}

int resv_qmove_copy(const struct request *rq, const struct job *job, struct edit *resv,
                    struct diag *why)
{
    /* The start is the scheduler's to choose; the number is what PBS's command sends.
     */
    if (edit_num(resv, RESV_A_RESERVE_START, RESV_START_OPEN) != RESV_START_OPEN ||
        edit_value(resv, RESV_A_RESERVE_END)->set)
        return diag_code(why, PBSE_BADTSPEC);
    edit_set_num(resv, RESV_A_RESERVE_START, RESV_START_OPEN);
    edit_set_str(resv, RESV_A_QMOVE, job->obj.id);
    if (!edit_value(resv, RESV_A_DELETE_IDLE_TIME)->set)
        edit_set_num(resv, RESV_A_DELETE_IDLE_TIME, RESV_QMOVE_IDLE_S);
    return copy_resources(rq, job, resv, why);
}

bool resv_qmove_is(const struct resv *r)
{
    return obj_is_set(&r->obj, RESV_A_QMOVE);
}

/* It was asked for when the job was as it was then, and it may have been altered. */
static bool queue_admits(const struct resv *r, const struct job *job)
{
    MUST(r->queue); /* made with the reservation */
    return !resource_limits_broken(obj_resources(&r->queue->obj, QUEUE_A_RESOURCES_MAX),
                                   NULL, obj_resources(&job->obj, JOB_A_RESOURCE_LIST),
                                   LIMIT_MOST);
}

const struct job *resv_qmove_job(const struct model *m, const struct resv *r)
{
    const struct job *job = model_job(m, obj_str(&r->obj, RESV_A_QMOVE, ""));

    return job && waits(job) && !job->resv && queue_admits(r, job) ? job : NULL;
}

void resv_qmove_record(const struct request *rq, const struct resv *r,
                       const struct job *job, struct decision *out)
{
    struct record *rec = decide(out, rq, FACT_JOB_MOVED, OBJ_JOB, job->obj.id);

    MUST(r->queue); /* open since the reservation is confirmed */
    rec->actor = obj_str(&r->obj, RESV_A_RESERVE_OWNER, rq->actor);
    /* Where it goes back to when the reservation ends without killing it. */
    record_change(rec, out->arena, JOB_A_HF_QUEUE_BEFORE, NULL,
                  obj_str(&job->obj, JOB_A_QUEUE, NULL));
    record_change(rec, out->arena, JOB_A_QUEUE, NULL, r->queue->obj.id);
    record_change(rec, out->arena, JOB_A_RESERVE_ID, NULL, r->obj.id);
    record_change_num(rec, out->arena, JOB_A_MTIME, rq->now_at);
}
