/* link_resv.c - a reservation, the vnodes that it holds, and its queue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "server/model/link_priv.h"
#include "server/model/occurrence.h"

#include <stdio.h>
#include <string.h>

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

struct queue *queue_of_resv(const struct model *m, const struct resv *r)
{
    char name[ID_MAX_RESV + 1];
    struct object *o;

    /* The queue has the reservation's id without its server as its name. */
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->obj.id, "."), r->obj.id);
    o = find_object(m, OBJ_QUEUE, name);
    return o ? STRUCT_OF(o, struct queue, obj) : NULL;
}

void link_resv(struct model *m, struct resv *r)
{
    struct queue *q;

    /* Whether it counts is settled first, because the bookings depend on it. */
    r->current.counted = resv_counts(r);
    occurrence_book(m, &r->current, obj_str(&r->obj, RESV_A_RESV_NODES, NULL));
    if (r->current.counted)
        resv_count(m, r, 1);
    /* Occurrences may have been loaded before their reservation. */
    if (m->n_stray > 0)
        adopt_strays(m);
    q = queue_of_resv(m, r);
    if (q)
        link_queue(m, q);
}

void unlink_resv(struct model *m, struct resv *r)
{
    if (r->current.counted)
        resv_count(m, r, -1);
    /* From here on nothing is counted, so the bookings can go. */
    r->current.counted = false;
    if (r->queue)
        unlink_queue(r->queue);
    occurrence_unbook(&r->current);
}
