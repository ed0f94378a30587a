/* node_used.c - see node_used.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/node_used.h"

void nodes_used_records(const struct bookings *held, const char *actor, int64_t now_at,
                        struct decision *out)
{
    for (size_t i = 0; i < held->n; i++) {
        const struct object *o = &held->v[i].node->obj;
        struct record *rec;

        /* Many jobs may leave a vnode in one second, and one record of it is enough. */
        if (obj_num(o, NODE_A_LAST_USED_TIME, -1) == now_at)
            continue;
        rec = record_add(&out->records, out->arena, FACT_SET, OBJ_NODE,
                         arena_strdup(out->arena, o->id), actor, now_at);
        record_change_num(rec, out->arena, NODE_A_LAST_USED_TIME, now_at);
    }
}
