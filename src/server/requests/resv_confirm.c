/* resv_confirm.c - ConfirmResv: a scheduler's answer about a reservation
 * (reservations.md 7.3, 7.4).
 *
 * The answer is about the question that is open; what it does is in the row of that
 * question's kind (question_kind.h). Our own schedulers say by the number of an
 * alteration which one they answer, and a number that is over is refused
 * (lib/wire/confirm.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/requests/handlers.h"

#include "lib/wire/confirm.h"

int handle_resv_confirm(const struct model *m, const struct request *rq,
                        struct decision *out)
{
    const struct body_run *body = rq->body;
    struct resv_answer a = { .m = m, .rq = rq, .out = out };
    struct wire_confirm said;

    if (!(rq->who->rights & WHO_STAFF))
        return diag_code(&out->why, PBSE_PERM);
    a.r = model_resv(m, body->object_id);
    if (!a.r)
        return diag_code(&out->why, PBSE_UNKRESVID);
    if (!wire_confirm_read(rq->wire->extend, rq->arena, &said))
        return diag_code(&out->why, PBSE_resvFail);
    if (said.has_seq && said.seq != proposal_seq(a.r))
        return diag_code(&out->why, PBSE_BADSTATE);
    /* Who does not say which question it answers does not know of this one. */
    if (!said.has_seq && proposal_is_open(a.r) && !proposal_is_about_shown(a.r))
        return diag_code(&out->why, PBSE_BADSTATE);
    a.sched = question_who(m, rq, said.partition);
    a.partition = said.partition ? said.partition : DEFAULT_PARTITION;
    a.vnodes = body->vnodes;
    a.start_at = body->argument;
    a.away = said.away;
    a.reason = said.reason;
    return question_take(&a, said.yes);
}
