/* links.c - what follows from the attributes: which queue a job is in, which vnodes a
 * reservation or a running job holds, and how much is assigned because of it.
 *
 * Each kind has its links in a file of its own (link_*.c). An object's links are taken
 * away before it changes and made again afterwards; sums (sums.c) follow the links.
 * Whoever shows something of it looks new then (edges.h), and so does whoever's sum was
 * changed (sums.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

void link_object(struct model *m, struct object *o)
{
    if (o->kind == OBJ_QUEUE) {
        /* Jobs are adopted after the reservation is known, so that each gets it with
         * its queue. */
        link_queue(m, STRUCT_OF(o, struct queue, obj));
        adopt_jobs(m, STRUCT_OF(o, struct queue, obj));
    } else if (o->kind == OBJ_NODE)
        link_node(m, STRUCT_OF(o, struct node, obj));
    else if (o->kind == OBJ_RESV)
        link_resv(m, STRUCT_OF(o, struct resv, obj));
    else if (o->kind == OBJ_OCCURRENCE)
        link_later(m, STRUCT_OF(o, struct later, obj));
    else if (o->kind == OBJ_JOB)
        link_job(m, STRUCT_OF(o, struct job, obj));
}

void unlink_object(struct model *m, struct object *o)
{
    if (o->kind == OBJ_QUEUE) {
        unlink_queue(STRUCT_OF(o, struct queue, obj));
        orphan_jobs(m, STRUCT_OF(o, struct queue, obj));
    } else if (o->kind == OBJ_NODE)
        unlink_node(m, STRUCT_OF(o, struct node, obj));
    else if (o->kind == OBJ_RESV)
        unlink_resv(m, STRUCT_OF(o, struct resv, obj));
    else if (o->kind == OBJ_OCCURRENCE)
        unlink_later(m, STRUCT_OF(o, struct later, obj));
    else if (o->kind == OBJ_JOB)
        unlink_job(m, STRUCT_OF(o, struct job, obj));
}
