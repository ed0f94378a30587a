/* sched_requests.c - what schedulers ask beside their ordinary requests (wire.md 12.1,
 * 12.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"

#include "server/decide/config.h"
#include "server/decide/dry_run.h"
#include "server/decide/sched_link.h"
#include "server/model/job_array.h"

#include "lib/wire/confirm.h"

#include <stdlib.h>

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
    if (!job_behind(m, body->job_id, rq->arena))
        return diag_code(&out->why, PBSE_UNKJOBID);
    act = act_add(out, ACT_END_DEFERRED);
    act->u.deferred.job_id = body->job_id;
    act->u.deferred.code = body->error;
    act->u.deferred.text = body->text;
    return 0;
}

/* DryRun has the answer to the dry run before, in the form of ConfirmResv; none has ""
 * in the place of its number. */
static int read_answer(const struct request *rq, const struct body_run *body,
                       struct dry_answer *ret)
{
    struct wire_confirm said;

    if (!wire_confirm_read(rq->wire->extend, rq->arena, &said))
        return PBSE_IVALREQ;
    *ret = (struct dry_answer){
        .yes = said.yes,
        .away = said.away,
        .start_at = body->argument,
        .partition = said.partition,
        .vnodes = body->vnodes,
        .reason = said.reason,
    };
    return 0;
}

static void answer_dry_run(struct decision *out, uint64_t number,
                           const struct dry_answer *answer)
{
    struct act *act = act_add(out, ACT_DRY_RUN);

    act->u.dry_run.number = number;
    act->u.dry_run.answer = number > 0 ? answer : NULL;
}

int handle_dry_run(const struct model *m UNUSED, const struct request *rq,
                   struct decision *out)
{
    const struct body_run *body = rq->body;
    struct dry_answer *answer = ARENA_NEW(rq->arena, struct dry_answer);
    uint64_t number = strtoull(body->object_id, NULL, 10);
    int err = rq->who->scheduler ? 0 : PBSE_PERM;

    if (!err && number > 0)
        err = read_answer(rq, body, answer);
    if (err)
        return diag_code(&out->why, err);
    answer_dry_run(out, number, answer);
    return 0;
}

int handle_dry_offer(const struct model *m UNUSED, const struct request *rq,
                     struct decision *out)
{
    const struct body_offer_resv *body = rq->body;
    struct dry_answer *answer = ARENA_NEW(rq->arena, struct dry_answer);

    if (!rq->who->scheduler)
        return diag_code(&out->why, PBSE_PERM);
    if (body->n == 0 || body->n > PUSH_MOST + 1)
        return diag_code(&out->why, PBSE_IVALREQ);
    *answer = (struct dry_answer){
        .yes = true,
        .partition = *body->partition ? body->partition : NULL,
        .vnodes = body->offers[0].vnodes,
        .offer = body,
    };
    answer_dry_run(out, body->seq, answer);
    return 0;
}
