/* resv_ask.c - putting a question to the schedulers: may this new reservation be, and
 * which vnodes replace the lost ones.
 *
 * A question is a record with its time. It is put when somebody is there to hear it,
 * and again when no answer came: for a new reservation after resv_answer_time, for a
 * degraded one after another retry interval. Commands to schedulers only wake them;
 * they look at the states.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/instant.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/model/resv_state.h"
#include "server/model/resv_time.h"
#include "server/rules/rules.h"

/* When the question of a new reservation is due. */
static int64_t new_due_at(const struct model *m, const struct object *o)
{
    int64_t asked_at = question_asked_at(o, INT64_MIN);

    if (asked_at == INT64_MIN)
        return obj_num(o, RESV_A_CTIME, 0);
    return MIN_OF(question_again_at(o), instant_after(asked_at, resv_answer_time_s(m)));
}

/* When that of a degraded one is: at the retry time, once per retry time. */
static int64_t degraded_due_at(const struct model *m, const struct object *o)
{
    int64_t retry_at = obj_num(o, RESV_A_RESERVE_RETRY, 0);
    int64_t asked_at = question_asked_at(o, INT64_MIN);

    if (retry_at == 0)
        return INT64_MAX;
    return asked_at < retry_at ? retry_at
                               : instant_after(asked_at, resv_retry_time_s(m));
}

int64_t deadline_resv_ask(const struct model *m, const struct object *o)
{
    enum resv_phase phase = resv_phase(TO_RESV(o));

    if (proposal_is_open(TO_RESV(o))) /* schedulers see only that question */
        return INT64_MAX;
    if (phase == PHASE_UNCONFIRMED)
        return new_due_at(m, o);
    return phase_is_degraded(phase) ? degraded_due_at(m, o) : INT64_MAX;
}

bool rule_resv_ask(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const char *asks;

    if (c->now_at < deadline_resv_ask(c->m, o))
        return false;
    asks = question_asks(c->m, c->view, TO_RESV(o), c->arena);
    if (!asks)
        return false;
    question_put(rule_decide(c, o, FACT_RESV_ASKED, out), c->arena, asks, c->now_at);
    return true;
}
