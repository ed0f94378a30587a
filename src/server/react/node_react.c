/* node_react.c - what is told of a vnode's availability.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/model/node_life.h"
#include "server/react/reactions.h"

/* A vnode that was not there and is: jobs may start on it. The reference would wait for
 * the next timer. */
static bool came_up(const struct reaction *r)
{
    MUST(r->o->kind == OBJ_NODE);
    return reaction_change(r->rec, NODE_A_HF_STATE) &&
           (node_state_stored(TO_NODE(r->o)) & (uint32_t)NODE_UNUSABLE) == 0;
}

static bool may_take_more(const struct reaction *r)
{
    return reaction_lets_run(r) && node_is_usable(TO_NODE(r->o));
}

void log_node_words(const struct reaction *r)
{
    if (r->rec->note)
        effect_log(r->out, r->rec->seq, LOG_EV_SYSTEM, LOG_IN_NODE, r->rec->id, "%s",
                   r->rec->note);
}

void wake_node_changed(const struct reaction *r)
{
    if (came_up(r) || may_take_more(r))
        effect_wake_schedulers(r, NULL, SCHED_NEW);
}
