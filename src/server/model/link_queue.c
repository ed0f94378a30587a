/* link_queue.c - a queue and the reservation that it is the queue of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <string.h>

/* "R7" is the queue of R7.svr, and of no S7.svr. */
static bool is_queue_of(const struct resv *r, const char *queue)
{
    size_t len = strcspn(r->obj.id, ".");

    return strlen(queue) == len && strncmp(queue, r->obj.id, len) == 0;
}

void link_queue(struct model *m, struct queue *q)
{
    struct object *o = find_object(m, OBJ_RESV, q->obj.id);
    struct resv *r = o ? STRUCT_OF(o, struct resv, obj) : NULL;

    /* The search ignores the first letter of ids, so "S7" finds R7, whose queue it is
     * not. */
    if (!r || !is_queue_of(r, q->obj.id))
        return;
    MUST((!q->resv || q->resv == r) && (!r->queue || r->queue == q));
    q->resv = r;
    r->queue = q;
    /* Jobs that are in the queue already are in the reservation from now on. */
    queue_jobs_follow(m, q);
}

void unlink_queue(struct queue *q)
{
    if (!q->resv)
        return;
    /* Its jobs follow when the record is through: mostly the link is made again, and
     * there may be many. */
    q->resv->queue = NULL;
    q->resv = NULL;
}
