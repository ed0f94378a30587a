/* node_react.c - what is told of a vnode's availability.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/model/node_state.h"
#include "server/react/reactions.h"

/* A vnode that was not there and is: jobs may start on it. The reference would wait for
 * the next timer. */
static bool came_up(const struct reaction *r, const struct node *n)
{
    const uint32_t away = NODE_UNUSABLE;

    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (r->rec->changes[i].attr == NODE_A_HF_STATE)
            return (node_state_stored(n) & away) == 0;
    return false;
}

void react_node(const struct reaction *r)
{
    const struct node *n = model_node(r->m, r->rec->id);

    if (r->rec->note)
        effect_log(r->out, r->rec->seq, LOG_EV_SYSTEM, LOG_IN_NODE, r->rec->id, "%s",
                   r->rec->note);
    if (n && came_up(r, n))
        effect_wake_schedulers(r, NULL, SCHED_NEW);
}
