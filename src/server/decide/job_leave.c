/* job_leave.c - see job_leave.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_leave.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "lib/base/log.h"
#include "server/decide/job_limits.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/route.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/job_tally.h"

#include <string.h>

/* All that a queue asks of a job at its door, with the rights of the job's owner: the
 * end of a reservation opens no queue to anybody. */
static int takes(const struct model *m, const struct request *rq, const struct queue *q,
                 const struct job *job, const struct job_account *acct,
                 struct diag *why)
{
    const struct resources *asked = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);
    const struct job_entity who = {
        .user = acct->user,
        .group = acct->group,
        .project = obj_str(&job->obj, JOB_A_PROJECT, TALLY_NO_PROJECT),
        /* What waits of an array counts there, with or without an object. */
        .weight = job->array ? job->array->waiting.n : job->weight,
        .is_here = true,
    };
    int err = on_end_queue_check(q, why);

    if (!err && queue_is_routing(q) && array_is_under_way(job))
        err = diag_set(why, PBSE_IVALREQ, "%s: no array that has begun is routed",
                       pbse_text(PBSE_IVALREQ));
    if (!err)
        err = queue_lets_in(rq, q, acct, why);
    if (!err)
        err = job_keeps_count_limits(m, q, &who, why);
    if (!err)
        err = job_keeps_amount_limits(m, q, &who, asked, why);
    return err ? err : job_keeps_limits(m, q, asked, why);
}

const struct queue *job_leave_queue(const struct model *m, const struct request *rq,
                                    const struct job *job,
                                    const struct job_account *acct,
                                    struct decision *out)
{
    MUST(job->resv &&
         !job_is_at_mom(job)); /* a run belongs to its queue until it ends */

    const char *const names[] = {
        obj_str(&job->resv->obj, RESV_A_ON_END_QUEUE, ""),
        obj_str(&job->obj, JOB_A_HF_QUEUE_BEFORE, ""),
        obj_str(m->server, SERVER_A_DEFAULT_QUEUE, ""),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct queue *q = *names[i] ? model_queue(m, names[i]) : NULL;
        struct diag why = { 0 };
        int err;

        if (!*names[i])
            continue;
        err = q ? takes(m, rq, q, job, acct, &why) : diag_code(&why, PBSE_UNKQUE);
        if (!err)
            return q;
        decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
                   "Queue %s does not take the job at the end of its reservation: %s",
                   names[i], why.text);
    }
    return NULL;
}

void job_leave_record(const struct job *job, const struct queue *q, const char *actor,
                      int64_t now_at, struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_JOB_MOVED, OBJ_JOB,
                   arena_strdup(out->arena, job->obj.id), actor, now_at);

    MUST(!q->resv);
    record_change(rec, out->arena, JOB_A_QUEUE, NULL,
                  arena_strdup(out->arena, q->obj.id));
    record_change(rec, out->arena, JOB_A_RESERVE_ID, NULL, NULL);
    record_change(rec, out->arena, JOB_A_HF_QUEUE_BEFORE, NULL, NULL);
    /* A routing queue sends it on. */
    record_change(rec, out->arena, JOB_A_QUEUE_TYPE, NULL,
                  queue_is_routing(q) ? "R" : "E");
    record_change_num(rec, out->arena, JOB_A_QTIME, now_at);
    record_change_num(rec, out->arena, JOB_A_MTIME, now_at);
}
