/* node_rules.c - the last known availability of a vnode does not hold for ever.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/model/node_life.h"
#include "server/rules/rules.h"

int64_t node_wait_deadline(const struct model *m UNUSED, const struct object *o)
{
    if (!(node_state_stored(TO_NODE(o)) & NODE_LAST_KNOWN))
        return INT64_MAX;
    return obj_num(o, NODE_A_HF_UNKNOWN_AT, 0) + NODE_WAIT_S;
}

bool node_wait_due(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    uint32_t bits = node_state_stored(TO_NODE(o));
    struct record *rec;

    if (node_wait_deadline(c->m, o) > c->now_at)
        return false;
    MUST(bits & NODE_LAST_KNOWN); /* the others have no deadline */
    rec = rule_decide(c, o, FACT_NODE_STATE, out);
    record_change_num(rec, out->arena, NODE_A_HF_STATE,
                      (int64_t)(bits & ~(uint32_t)NODE_LAST_KNOWN));
    record_change(rec, out->arena, NODE_A_HF_UNKNOWN_AT, NULL, NULL);
    record_change_num(rec, out->arena, NODE_A_LAST_STATE_CHANGE_TIME, c->now_at);
    return true;
}
