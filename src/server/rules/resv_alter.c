/* resv_alter.c - an alteration that nobody answers.
 *
 * After resv_answer_time it is denied for that reason, and a forced one is made. A no
 * that was said while vnodes were not heard of yet is not final: the question is put
 * again soon. Schedulers that register meanwhile look at it by themselves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/instant.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/model/resv_state.h"
#include "server/rules/rules.h"

static int64_t over_at(const struct model *m, const struct object *o)
{
    return instant_after(obj_num(o, RESV_A_HF_ALTER_AT, 0), resv_answer_time_s(m));
}

int64_t deadline_resv_alter(const struct model *m, const struct object *o)
{
    if (!proposal_is_open(TO_RESV(o)))
        return INT64_MAX;
    return MIN_OF(over_at(m, o), question_again_at(o));
}

static void force(const struct rule_context *c, const struct resv *r,
                  struct decision *out)
{
    struct edit wanted;
    struct proposal_grant g = {
        .e = &wanted,
        .actor = c->server_actor,
        .reason = REASON_LOCAL,
        .now_at = c->now_at,
    };

    edit_init(&wanted, c->m, OBJ_RESV, &r->obj);
    proposal_edit(r, &wanted, c->arena);
    proposal_grant(c->m, r, &g, out);
    edit_fini(&wanted);
}

static void give_up(const struct rule_context *c, const struct resv *r,
                    struct decision *out)
{
    const char *against = proposal_obstacle(r, c->now_at);

    if (against)
        proposal_deny(r, c->server_actor, against, c->now_at, out);
    else if (proposal_is_forced(r))
        force(c, r, out);
    else
        proposal_deny(r, c->server_actor,
                      arena_printf(c->arena,
                                   "no scheduler answered within %" PRId64 " s",
                                   resv_answer_time_s(c->m)),
                      c->now_at, out);
}

bool rule_resv_alter(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const char *asks;

    if (!proposal_is_open(TO_RESV(o)))
        return false;
    if (c->now_at >= over_at(c->m, o)) {
        give_up(c, TO_RESV(o), out);
        return true;
    }
    if (c->now_at < question_again_at(o))
        return false;
    asks = question_asks(c->m, c->view, TO_RESV(o), c->arena);
    if (!asks)
        return false;
    question_put(rule_decide(c, o, FACT_RESV_ASKED, out), c->arena, asks, c->now_at);
    return true;
}
