/* link_resv.c - a reservation, the vnodes that it holds, and its queue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "server/model/link_priv.h"
#include "server/model/resv_state.h"

#include <stdio.h>
#include <string.h>

static void node_add_resv(const struct model *m, struct node *n, struct resv *r)
{
    size_t at = n->n_resvs;

    while (at > 0 && n->resvs[at - 1]->obj.created_seq > r->obj.created_seq)
        at--;
    n->resvs = array_insert(n->resvs, &n->n_resvs, r, at);
    looks_new(m, &n->obj);
}

static void node_remove_resv(const struct model *m, struct node *n, struct resv *r)
{
    n->resvs = array_remove(n->resvs, &n->n_resvs, r);
    looks_new(m, &n->obj);
}

/* A reservation counts from its start until it is purged. */
static bool resv_counts(const struct resv *r)
{
    int64_t state = obj_num(&r->obj, RESV_A_RESERVE_STATE, 0);

    return state == RESV_RUNNING || state == RESV_BEING_DELETED ||
           state == RESV_DELETING_JOBS;
}

static void resv_count(struct model *m, struct resv *r, int sign)
{
    bookings_count(m, &r->bookings, sign);
    list_count(m, &m->assigned, &r->obj, RESV_A_RESOURCE_LIST, sign);
}

void link_resv(struct model *m, struct resv *r)
{
    char name[ID_MAX_RESV + 1];
    struct object *o;

    bookings_make(m, obj_str(&r->obj, RESV_A_RESV_NODES, NULL), &r->bookings);
    for (size_t i = 0; i < r->bookings.n; i++)
        node_add_resv(m, r->bookings.v[i].node, r);
    r->counted = resv_counts(r);
    if (r->counted)
        resv_count(m, r, 1);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->obj.id, "."), r->obj.id);
    o = find_object(m, OBJ_QUEUE, name);
    if (o)
        link_queue(m, STRUCT_OF(o, struct queue, obj));
}

void unlink_resv(struct model *m, struct resv *r)
{
    if (r->counted)
        resv_count(m, r, -1);
    r->counted = false;
    if (r->queue)
        unlink_queue(m, r->queue);
    for (size_t i = 0; i < r->bookings.n; i++)
        node_remove_resv(m, r->bookings.v[i].node, r);
    bookings_drop(&r->bookings);
}
