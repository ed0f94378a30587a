/* sched_requests.c - what schedulers ask beside their ordinary requests (wire.md 12.1,
 * 12.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"

#include "server/decide/config.h"
#include "server/decide/sched_link.h"

/* Who may register: the uid that runs the server, by the kernel's word, or a
 * scheduler's user on a host where a scheduler may run, which the shell has checked. */
static int may_register(const struct model *m, const struct request *rq)
{
    const struct body_id *body = rq->body;
    const struct requester *who = rq->who;

    if (!who->server_uid && !who->may_schedule)
        return PBSE_PERM;
    if (!model_find(m, OBJ_SCHED, body->id))
        return PBSE_UNKSCHED;
    return sched_link_may_register(rq->view->links, body->id, who->conn, who->host);
}

int handle_register_sched(const struct model *m, const struct request *rq,
                          struct decision *out)
{
    const struct body_id *body = rq->body;
    int err = may_register(m, rq);

    act_add(out, err ? ACT_CLOSE : ACT_REGISTER)->u.sched = body->id;
    return err ? diag_code(&out->why, err) : 0;
}

int handle_def_sched_reply(const struct model *m, const struct request *rq,
                           struct decision *out)
{
    const struct body_sched_reply *body = rq->body;
    struct act *act;

    if (!rq->who->scheduler)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (body->command != SCHED_RUN_JOB)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (!model_job(m, body->job_id))
        return diag_code(&out->why, PBSE_UNKJOBID);
    act = act_add(out, ACT_END_DEFERRED);
    act->u.deferred.job_id = body->job_id;
    act->u.deferred.code = body->error;
    act->u.deferred.text = body->text;
    return 0;
}
