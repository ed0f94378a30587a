/* holds.c - an exec_vnode as amounts per vnode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <stdlib.h>

static struct hold *hold_of(struct holds *holds, struct node *n)
{
    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            return &holds->v[i];
    holds->v = xrealloc(holds->v, (holds->n + 1) * sizeof(*holds->v));
    holds->v[holds->n] = (struct hold){ .node = n };
    return &holds->v[holds->n++];
}

static void hold_add(struct model *m, struct hold *hold, const struct chunk_resource *r)
{
    struct attr_value v = { .set = hold->amount.n > 0, .u.res = hold->amount };

    if (!r->def || !(r->def->flags & RESOURCE_CONSUMABLE))
        return;
    if (attr_value_set(&attr_resources, &v, m->defs, r->name, r->value, WIRE_OP_INCR))
        return; /* not a number: it counts for nothing */
    hold->amount = v.u.res;
}

/* Vnodes that are not there hold nothing. */
void holds_make(struct model *m, const char *text, struct holds *ret)
{
    struct exec_vnode ev;

    if (!text || *text == '\0')
        return;
    arena_clear(m->scratch);
    if (exec_vnode_parse(text, m->defs, m->scratch, &ev, NULL))
        return;
    for (size_t i = 0; i < ev.n; i++)
        for (size_t k = 0; k < ev.chunks[i].n; k++) {
            const struct vnode_part *share = &ev.chunks[i].parts[k];
            struct object *o = find_object(m, OBJ_NODE, share->vnode);

            if (!o)
                continue;
            struct hold *hold = hold_of(ret, STRUCT_OF(o, struct node, obj));

            hold->n_parts++;
            for (size_t r = 0; r < share->n; r++)
                hold_add(m, hold, &share->res[r]);
        }
}

void holds_drop(struct holds *holds)
{
    for (size_t i = 0; i < holds->n; i++)
        resources_clear(&holds->v[i].amount);
    free(holds->v);
    *holds = (struct holds){ 0 };
}
