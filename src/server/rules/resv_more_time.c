/* resv_more_time.c - a reservation in which jobs run asks for more time before its end.
 *
 * It asks once before each end: who has said no is not asked again, and an answer that
 * does not come in time is none. While nobody is there to be asked it is due, and a
 * scheduler that registers before the end is asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_extend.h"
#include "server/decide/resv_question.h"
#include "server/model/resv_state.h"
#include "server/rules/rules.h"

int64_t deadline_resv_extend(const struct model *m, const struct object *o)
{
    return resv_extend_at(m, TO_RESV(o));
}

bool rule_resv_extend(const struct rule_context *c, const struct object *o,
                      struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    const char *asks;

    if (c->now_at < resv_extend_at(c->m, r) || !resv_has_busy_job(r))
        return false;
    asks = question_asks(c->m, c->view, r, c->arena);
    if (!asks)
        return false;
    resv_extend_ask(c->m, r, asks, c->server_actor, c->now_at, out);
    return true;
}
