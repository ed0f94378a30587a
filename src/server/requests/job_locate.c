/* job_locate.c - LocateJob (wire.md 10.4): a job that is here is here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "server/model/job_array.h"
#include "server/requests/handlers.h"

int handle_locate_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct job *job = job_behind(m, body->id, rq->arena);

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    if (job->past)
        return diag_code(&out->why, PBSE_HISTJOBID);
    out->reply = (struct wire_reply){
        .choice = REPLY_LOCATE,
        .text = arena_strdup(out->arena, rq->cfg->server_name),
    };
    return 0;
}
