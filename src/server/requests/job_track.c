/* job_track.c - TrackJob: another server says where a job is that went through this one
 * (wire.md 14).
 *
 * Commands that ask here are sent there (LocateJob). What comes late is told from what
 * is new by the count of servers that the job has been through.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_transfer.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"

int handle_track_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    const struct body_track *body = rq->body;
    const struct job *job = model_job(m, body->job_id);
    const char *queue = rq->wire->extend;
    struct record *rec;

    if (!rq->who->peer || !*body->location)
        return diag_code(&out->why, PBSE_IVALREQ);
    /* Of a job that is here nobody else knows better. */
    if (!job || job_state(job) != 'M')
        return diag_code(&out->why, PBSE_UNKJOBID);
    if ((int64_t)body->hops <= obj_num(&job->obj, JOB_A_HOP_COUNT, 1))
        return 0;
    rec = decide(out, rq, FACT_SET, OBJ_JOB, job->obj.id);
    record_change(
        rec, out->arena, JOB_A_HF_MOVE_TO, NULL,
        arena_printf(out->arena, "%s@%s", queue ? queue : "", body->location));
    record_change_num(rec, out->arena, JOB_A_HOP_COUNT, body->hops);
    return 0;
}
