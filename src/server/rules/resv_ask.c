/* resv_ask.c - putting the question that is open about a reservation to the schedulers,
 * and giving up one that nobody answers.
 *
 * A question is a record with its time. It is put when somebody is there to hear it,
 * and again when no answer came; the row of its kind says when, and what giving it up
 * does (question_kind.h). Commands to schedulers only wake them; they look at the
 * states, also those that register meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/decide/resv_question.h"
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

bool rule_resv_give_up(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    if (c->now_at < question_limit_at(c->m, TO_RESV(o)))
        return false;
    question_give_up(c->m, TO_RESV(o), c->server_actor, c->now_at, out);
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
