/* job_locate.c - LocateJob (wire.md 10.4): a job that is here is here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"
#include "server/decide/said_id.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"

/* Where a job went that has left; its next server knows if it went on. */
static int answer_place(const struct job *job, const struct request *rq,
                        struct decision *out)
{
    const struct transfer_to to =
        transfer_to_parse(obj_str(&job->obj, JOB_A_HF_MOVE_TO, ""), rq->arena);

    out->reply = (struct wire_reply){ .choice = REPLY_LOCATE,
                                      .text = arena_strdup(out->arena, to.server) };
    return 0;
}

int handle_locate_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct job *job = job_behind(m, said_job_id(m, rq, body->id), rq->arena);

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    if (job->past && job_state(job) == 'M')
        return answer_place(job, rq, out);
    if (job->past)
        return diag_code(&out->why, PBSE_HISTJOBID);
    out->reply = (struct wire_reply){
        .choice = REPLY_LOCATE,
        .text = arena_strdup(out->arena, rq->cfg->server_name),
    };
    return 0;
}
