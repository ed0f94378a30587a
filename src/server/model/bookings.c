/* bookings.c - an exec_vnode as amounts per vnode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"
#include "server/model/resv_claims.h"

#include <stdlib.h>

static struct booking *booking_of(struct bookings *list, struct node *n)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].node == n)
            return &list->v[i];
    /* A job is on few vnodes, so the list grows by one and is searched from its
     * beginning. */
    list->v = xrealloc(list->v, (list->n + 1) * sizeof(*list->v));
    list->v[list->n] = (struct booking){ .node = n };
    return &list->v[list->n++];
}

static void booking_add(const struct model *m, struct booking *booking,
                        const struct chunk_resource *r)
{
    struct attr_value v = { .set = booking->amount.n > 0, .u.res = booking->amount };

    /* A resource that is not counted down is asked for and not booked. */
    if (!r->def || !(r->def->flags & RESOURCE_CONSUMABLE))
        return;
    if (attr_value_set(&attr_resources, &v, m->defs, r->name, r->value, WIRE_OP_INCR))
        return; /* not a number: it counts for nothing */
    booking->amount = v.u.res;
}

/* Vnodes that are not there book nothing. */
void bookings_read(const struct model *m, const char *text, struct arena *scratch,
                   struct bookings *ret)
{
    struct exec_vnode ev;

    if (!text || *text == '\0')
        return;
    if (exec_vnode_parse(text, m->defs, scratch, &ev, NULL))
        return;
    for (size_t i = 0; i < ev.n; i++)
        for (size_t k = 0; k < ev.chunks[i].n; k++) {
            const struct vnode_part *share = &ev.chunks[i].parts[k];
            struct object *o = find_object(m, OBJ_NODE, share->vnode);

            if (!o)
                continue;
            struct booking *booking = booking_of(ret, STRUCT_OF(o, struct node, obj));

            /* A vnode may stand in the text several times; it has one booking with the
             * sum. */
            booking->n_parts++;
            for (size_t r = 0; r < share->n; r++)
                booking_add(m, booking, &share->res[r]);
        }
}

void bookings_make(struct model *m, const char *text, struct bookings *ret)
{
    /* The parsed text is needed only here. What stays is the amounts. */
    arena_clear(m->scratch);
    bookings_read(m, text, m->scratch, ret);
}

void bookings_drop(struct bookings *list)
{
    for (size_t i = 0; i < list->n; i++)
        resources_clear(&list->v[i].amount);
    free(list->v);
    *list = (struct bookings){ 0 };
}
