/* resv_ask.c - putting the question that is open about a reservation to the schedulers,
 * and giving up one that nobody answers.
 *
 * A question is a record with its time. It is put when somebody is there to hear it,
 * and again when no answer came; resv_question.h says when, by its kind. Commands to
 * schedulers only wake them; they look at the states, also those that register
 * meanwhile.
 *
 * An alteration that is given up is denied for that reason, and a forced one is made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/rules/rules.h"

/* Two rules and two deadlines: a question that is due while nobody is there to hear it
 * stays due, and its limit comes all the same. */
int64_t deadline_resv_give_up(const struct model *m, const struct object *o)
{
    return question_limit_at(m, TO_RESV(o));
}

int64_t deadline_resv_ask(const struct model *m, const struct object *o)
{
    return question_due_at(m, TO_RESV(o));
}

static void give_up(const struct rule_context *c, const struct resv *r,
                    struct decision *out)
{
    const char *against = proposal_obstacle(c->m, r, c->now_at, c->arena);

    if (!against && proposal_is_forced(r)) {
        proposal_force(c->m, r, c->server_actor, REASON_LOCAL, c->now_at, out);
        return;
    }
    if (!against)
        against = arena_printf(c->arena, "no scheduler answered within %" PRId64 " s",
                               resv_answer_time_s(c->m));
    proposal_deny(c->m, r, c->server_actor, against, c->now_at, out);
}

bool rule_resv_give_up(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    if (c->now_at < question_limit_at(c->m, TO_RESV(o)))
        return false;
    give_up(c, TO_RESV(o), out);
    return true;
}

bool rule_resv_ask(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    const char *asks;

    if (c->now_at < question_due_at(c->m, r))
        return false;
    asks = question_asks(c->m, c->view, r, c->arena);
    if (!asks)
        return false;
    question_put(rule_decide(c, o, FACT_RESV_ASKED, out), c->arena, asks, c->now_at);
    return true;
}
