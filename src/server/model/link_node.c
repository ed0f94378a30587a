/* link_node.c - a vnode, its host, and the queue that it is attached to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static int node_order(const struct node *a, const struct node *b)
{
    return a->obj.created_seq < b->obj.created_seq ? -1 : 1;
}

static struct host *host_make(struct model *m, const char *name)
{
    struct host *h;

    HASH_FIND_STR(m->hosts, name, h);
    if (h)
        return h;
    h = xcalloc(1, sizeof(*h));
    h->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, m->hosts, h->name, strlen(h->name), h);
    return h;
}

void link_node(struct model *m, struct node *n)
{
    const struct attr_value *mom = obj_attr(&n->obj, NODE_A_MOM);
    struct object *q = find_object(m, OBJ_QUEUE, obj_str(&n->obj, NODE_A_QUEUE, ""));

    MUST(!n->host && !n->queue);
    link_references(m, n);
    adopt_references(m);
    if (q) {
        n->queue = STRUCT_OF(q, struct queue, obj);
        n->queue->n_nodes++;
    }
    /* The vnode may be one on which jobs of a hot start are to be put back. */
    find_awaits(m);
    /* A vnode without a MoM is on no host that is known. */
    if (!mom->set || mom->u.list.n == 0)
        return;
    n->host = host_make(m, mom->u.list.v[0]);
    n->host->n++;
    /* A new one is nearly always the last; looking for its place would make a host of
     * many vnodes cost their square. */
    if (n->host->nodes && node_order(n->host->nodes->host_prev, n) < 0)
        DL_APPEND2(n->host->nodes, n, host_prev, host_next);
    else
        DL_INSERT_INORDER2(n->host->nodes, n, node_order, host_prev, host_next);
}

void unlink_node(struct model *m, struct node *n)
{
    struct host *h = n->host;

    /* Sums leave the vnode before its place among the others changes. */
    unlink_references(m, n);
    if (n->queue)
        n->queue->n_nodes--;
    n->queue = NULL;
    drop_awaited(n);
    if (!h)
        return;
    MUST(h->n > 0 && h->nodes);
    DL_DELETE2(h->nodes, n, host_prev, host_next);
    n->host = NULL;
    /* A host exists as long as a vnode is on it. */
    if (--h->n > 0)
        return;
    HASH_DELETE(hh, m->hosts, h);
    free(h->name);
    free(h);
}
