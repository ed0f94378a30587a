/* sched_requests.c - what schedulers ask beside their ordinary requests (wire.md 12.1,
 * 12.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"

#include "server/decide/config.h"
#include "server/decide/sched_link.h"

#include <string.h>

/* Who may register: the uid that runs the server, by the kernel's word, or a
 * scheduler's user on a host where a scheduler may run, which the shell has checked. A
 * registration on the connection itself never counts twice, and both must come from one
 * host. */
int handle_register_sched(const struct model *m, const struct request *rq,
                          struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct sched_link *l = sched_link_find(rq->view->links, body->id);

    out->close = true; /* after every refusal */
    if (!rq->who->server_uid && !rq->who->may_schedule)
        return diag_code(&out->why, PBSE_PERM);
    if (!model_find(m, OBJ_SCHED, body->id))
        return diag_code(&out->why, PBSE_UNKSCHED);
    if (l && l->conn[0] && l->conn[1])
        return diag_code(&out->why, PBSE_SCHEDCONNECTED);
    if (sched_link_of_conn(rq->view->links, rq->who->conn))
        return diag_code(&out->why, PBSE_IVALREQ);
    if (l && l->conn[0] && strcmp(l->host, rq->who->host) != 0)
        return diag_code(&out->why, PBSE_PERM);
    out->close = false;
    return 0;
}

int handle_def_sched_reply(const struct model *m, const struct request *rq,
                           struct decision *out)
{
    const struct body_sched_reply *body = rq->body;

    if (!rq->who->scheduler)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (body->command != 11)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (!model_job(m, body->job_id))
        return diag_code(&out->why, PBSE_UNKJOBID);
    out->deferred_id = body->job_id;
    out->deferred_code = body->error;
    out->deferred_text = body->text;
    return 0;
}
