/* link_resv.c - a reservation, the vnodes that it holds, and its queue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "server/model/link_priv.h"
#include "server/model/occurrence.h"

#include <stdio.h>
#include <string.h>

static bool is_before(const struct occurrence *a, const struct occurrence *b)
{
    if (a->resv != b->resv)
        return a->resv->obj.created_seq < b->resv->obj.created_seq;
    return occurrence_index(a) < occurrence_index(b);
}

static void node_add(const struct model *m, struct node *n, struct occurrence *oc)
{
    size_t at = n->n_occurrences;

    while (at > 0 && is_before(oc, n->occurrences[at - 1]))
        at--;
    n->occurrences = array_insert(n->occurrences, &n->n_occurrences, oc, at);
    looks_new(m, &n->obj);
}

static void node_remove(const struct model *m, struct node *n, struct occurrence *oc)
{
    n->occurrences = array_remove(n->occurrences, &n->n_occurrences, oc);
    looks_new(m, &n->obj);
}

/* The vnodes that it has. */
static void occurrence_book(struct model *m, struct occurrence *oc, const char *vnodes)
{
    bookings_make(m, vnodes, &oc->bookings);
    for (size_t i = 0; i < oc->bookings.n; i++)
        node_add(m, oc->bookings.v[i].node, oc);
}

static void occurrence_unbook(struct model *m, struct occurrence *oc)
{
    for (size_t i = 0; i < oc->bookings.n; i++)
        node_remove(m, oc->bookings.v[i].node, oc);
    bookings_drop(&oc->bookings);
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
    bookings_count(m, &r->current.bookings, sign);
    list_count(m, &m->assigned, &r->obj, RESV_A_RESOURCE_LIST, sign);
}

void link_resv(struct model *m, struct resv *r)
{
    char name[ID_MAX_RESV + 1];
    struct object *o;

    occurrence_book(m, &r->current, obj_str(&r->obj, RESV_A_RESV_NODES, NULL));
    r->current.counted = resv_counts(r);
    if (r->current.counted)
        resv_count(m, r, 1);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->obj.id, "."), r->obj.id);
    o = find_object(m, OBJ_QUEUE, name);
    if (o)
        link_queue(m, STRUCT_OF(o, struct queue, obj));
}

void unlink_resv(struct model *m, struct resv *r)
{
    if (r->current.counted)
        resv_count(m, r, -1);
    r->current.counted = false;
    if (r->queue)
        unlink_queue(m, r->queue);
    occurrence_unbook(m, &r->current);
}
