/* resv_from_job.c - see resv_from_job.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_from_job.h"

#include "server/decide/config.h"
#include "server/decide/resv_record.h"
#include "server/decide/said_id.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"

#include <string.h>

/* A job without walltime: five years. */
#define FOREVER_S         157680000
#define DEFAULT_PARTITION "pbs-default"

/* How long a MoM may take to say that a job has started: as long as it may take to
 * answer a command. */
#define START_WAIT_S      60

static bool is_array(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_ARRAY, 0) || obj_is_set(&job->obj, JOB_A_ARRAY_ID);
}

static bool runs_its_script(const struct job *job)
{
    enum job_phase phase = job_phase(job);

    return (phase == JOB_RUNNING || phase == JOB_STARTING) &&
           obj_is_set(&job->obj, JOB_A_EXEC_VNODE);
}

bool resv_await_job(const struct request *rq, const struct job *job,
                    struct decision *out)
{
    /* The time limit was set when the request came first, and is not set anew each time
     * it is decided. */
    int64_t until_at =
        rq->progress ? rq->progress->waits_until_at : rq->now_at + START_WAIT_S;

    /* Only the report of the MoM is missing; nothing but time can help. */
    if (job_phase(job) != JOB_STARTING || rq->now_at >= until_at)
        return false;
    act_add(out, ACT_ASK_AGAIN)->u.wait_for = (struct wait_for){
        .why = WAIT_TO_ASK_AGAIN,
        .kind = OBJ_JOB,
        .id = job->obj.id,
        .until_at = until_at,
    };
    return true;
}

/* For "3[1]" that waits, and is no object, its array. */
static const struct job *find_job(const struct model *m, const struct request *rq,
                                  const char *text)
{
    const struct job *job, *array;
    const char *indices;

    text = said_job_id(m, rq, text);
    job = model_job(m, text);
    if (job)
        return job;
    array = array_of_indices(m, text, rq->arena, &indices);
    return array && array_has_indices(array, indices) ? array : NULL;
}

int resv_job_find_alone(const struct model *m, const struct request *rq,
                        const char *text, const struct job **ret, struct diag *why)
{
    const struct job *job = find_job(m, rq, text);

    if (!job)
        return diag_code(why, PBSE_UNKJOBID);
    /* The order of the checks is that of PBS, whose codes tell users what to do. */
    if (job->resv)
        return diag_code(why, PBSE_RESV_FROM_RESVJOB);
    if (is_array(job))
        return diag_code(why, PBSE_RESV_FROM_ARRJOB);
    *ret = job;
    return 0;
}

int resv_job_find(const struct model *m, const struct request *rq, const char *text,
                  const struct job **ret, struct diag *why)
{
    const struct job *job;
    int err = resv_job_find_alone(m, rq, text, &job, why);

    if (err)
        return err;
    if (!requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, "")))
        return diag_code(why, PBSE_PERM);
    if (!runs_its_script(job))
        return diag_code(why, PBSE_BADSTATE);
    *ret = job;
    return 0;
}

/* Members that a reservation does not have, or has from elsewhere. */
static bool is_copied(const char *resource)
{
    static const char *const own[] = { "walltime", "min_walltime", "max_walltime" };

    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (strcmp(own[i], resource) == 0)
            return false;
    return true;
}

/* What is reserved is what the job has, whatever else was asked for. */
static void forget_given(const struct request *rq, struct edit *resv)
{
    const struct attr_value *list = edit_value(resv, RESV_A_RESOURCE_LIST);
    size_t i = 0;

    while (list->set && i < list->u.res.n) {
        const char *name = list->u.res.v[i].def->name;

        /* Removing an entry moves the next one into its place, so the index stays. */
        if (is_copied(name))
            edit_unset(resv, RESV_A_RESOURCE_LIST, arena_strdup(rq->arena, name));
        else
            i++;
    }
}

static int copy_resources(const struct request *rq, const struct job *job,
                          struct edit *resv, struct diag *why)
{
    const struct resources *list = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);

    forget_given(rq, resv);
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        int err;

        if (!is_copied(name))
            continue;
        err = edit_set(resv, RESV_A_RESOURCE_LIST, name,
                       resources_text(list, name, rq->arena), WIRE_OP_SET, why);
        if (err)
            return err;
    }
    return 0;
}

static bool has_length(const struct edit *resv)
{
    const struct attr_value *list = edit_value(resv, RESV_A_RESOURCE_LIST);

    /* Whoever says when the reservation ends, or how long it lasts, has the last
     * word. */
    return edit_value(resv, RESV_A_RESERVE_END)->set ||
           edit_value(resv, RESV_A_RESERVE_DURATION)->set ||
           (list->set && resources_find(&list->u.res, "walltime"));
}

static int copy_length(const struct request *rq, const struct job *job,
                       struct edit *resv, struct diag *why)
{
    const struct resources *list = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);
    int64_t length_s = resources_amount(list, "walltime", FOREVER_S);

    if (has_length(resv))
        return 0;
    return edit_set(resv, RESV_A_RESOURCE_LIST, "walltime",
                    arena_printf(rq->arena, "%" PRId64, length_s), WIRE_OP_SET, why);
}

int resv_job_copy(const struct request *rq, const struct job *job, struct edit *resv,
                  struct diag *why)
{
    const struct object *o = &job->obj;
    int err = copy_resources(rq, job, resv, why);

    if (!err)
        err = copy_length(rq, job, resv, why);
    if (err)
        return err;
    edit_set_str(resv, RESV_A_RESERVE_JOB, o->id);
    /* The reservation begins when the job did, so that its times contain the whole
     * run. */
    edit_set_num(resv, RESV_A_RESERVE_START, obj_num(o, JOB_A_STIME, rq->now_at));
    if (obj_is_set(o, JOB_A_SCHEDSELECT))
        edit_set_str(resv, RESV_A_SCHEDSELECT, obj_str(o, JOB_A_SCHEDSELECT, ""));
    return 0;
}

static const char *partition_of(const struct job *job)
{
    if (!job->queue)
        return DEFAULT_PARTITION;
    return obj_str(&job->queue->obj, QUEUE_A_PARTITION, DEFAULT_PARTITION);
}

static void record_open(const struct request *rq, const struct job *job,
                        const char *queue, struct decision *out)
{
    struct record *rec = decide(out, rq, FACT_SET, OBJ_QUEUE, queue);

    /* The queue is the server's to keep, whoever has asked. */
    rec->actor = arena_printf(out->arena, "pbs_server@%s", rq->cfg->server_name);
    rec->reason = REASON_RESV_KEEPS;
    record_change(rec, out->arena, QUEUE_A_ENABLED, NULL, "True");
    record_change(rec, out->arena, QUEUE_A_PARTITION, NULL, partition_of(job));
}

static void record_confirmed(const struct request *rq, const struct job *job,
                             const char *id, struct decision *out)
{
    struct record *rec = decide(out, rq, FACT_RESV_CONFIRMED, OBJ_RESV, id);

    rec->reason = REASON_LOCAL;
    record_change_phase(rec, out->arena, resv_next(PHASE_UNCONFIRMED, RESV_EV_CONFIRM));
    /* The job is on its vnodes already, so no scheduler has to be asked. */
    record_change(rec, out->arena, RESV_A_RESV_NODES, NULL,
                  obj_str(&job->obj, JOB_A_EXEC_VNODE, ""));
    record_change(rec, out->arena, RESV_A_PARTITION, NULL, partition_of(job));
}

static void record_moved(const struct request *rq, const struct job *job,
                         const char *id, const char *queue, struct decision *out)
{
    struct record *rec = decide(out, rq, FACT_JOB_MOVED, OBJ_JOB, job->obj.id);

    /* Where it goes back to when the reservation ends without killing it. */
    record_change(rec, out->arena, JOB_A_HF_QUEUE_BEFORE, NULL,
                  obj_str(&job->obj, JOB_A_QUEUE, NULL));
    record_change(rec, out->arena, JOB_A_QUEUE, NULL, queue);
    record_change(rec, out->arena, JOB_A_RESERVE_ID, NULL, id);
    record_change_num(rec, out->arena, JOB_A_MTIME, rq->now_at);
}

void resv_job_records(const struct request *rq, const struct job *job, const char *id,
                      const char *queue, struct decision *out)
{
    /* The queue is opened before the job moves into it, and the reservation is
     * confirmed in between. */
    record_open(rq, job, queue, out);
    record_confirmed(rq, job, id, out);
    record_moved(rq, job, id, queue, out);
}
