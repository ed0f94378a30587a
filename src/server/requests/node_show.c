/* node_show.c - what a status computes of a vnode: who is on it, what is in use there,
 * and what it has of others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/indirect.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/requests/show.h"

#include <strings.h>

/* A job on the vnode that is looked at costs about as much as so many promises
 * (struct look). */
#define JOB_LOOKS 10

static int64_t job_slots(const struct job *j, const struct node *n)
{
    for (size_t i = 0; i < j->bookings.n; i++)
        if (j->bookings.v[i].node == n)
            /* A job without cpus on the vnode is shown there all the same. */
            return MAX_OF(resources_amount(&j->bookings.v[i].amount, "ncpus", 0), 1);
    return 1;
}

/* "152.svr/0, 152.svr/1": one entry per slot. */
static void show_node_jobs(const struct request *rq, const struct node *n, int attr,
                           struct wire_attrs *out)
{
    struct buf text = { 0 };
    int64_t slot = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        for (int64_t k = job_slots(n->jobs[i], n); k > 0; k--)
            buf_printf(&text, "%s%s/%" PRId64, text.len ? ", " : "", n->jobs[i]->obj.id,
                       slot++);
    if (text.len > 0)
        show_text(rq, &n->obj, attr, arena_strdup(rq->arena, text.data), out);
    buf_fini(&text);
}

/* Parts of an occurrence that lie on the vnode; only the current one is shown. */
static size_t parts_on(const struct occurrence *oc, const struct node *n)
{
    if (!occurrence_is_current(oc))
        return 0;
    for (size_t i = 0; i < oc->bookings.n; i++)
        if (oc->bookings.v[i].node == n)
            return oc->bookings.v[i].n_parts;
    return 0;
}

/* The newest reservation comes first, each as often as it has parts there
 * (reservations.md 18). */
static void show_node_resv(const struct request *rq, const struct node *n, int attr,
                           struct wire_attrs *out)
{
    struct buf text = { 0 };

    MUST(n->n_occurrences == 0 || n->occurrences);
    for (size_t i = n->n_occurrences; i > 0; i--)
        for (size_t k = parts_on(n->occurrences[i - 1], n); k > 0; k--)
            buf_printf(&text, "%s%s", text.len ? ", " : "",
                       n->occurrences[i - 1]->resv->obj.id);
    if (text.len > 0)
        show_text(rq, &n->obj, attr, arena_strdup(rq->arena, text.data), out);
    buf_fini(&text);
}

/* Built-in resources that vnodes count are always there, zero when idle. One of the
 * site is there once somebody has used it on this vnode, until the server's next start
 * (attributes.md 6.3), or where it is a reference. */
static void show_node_assigned(const struct model *m, const struct request *rq,
                               const struct node *n, int attr, struct wire_attrs *out)
{
    const struct attr_value *references = obj_attr(&n->obj, NODE_A_HF_INDIRECT);
    bool all = show_sees_invisible(rq->who->rights);

    for (size_t i = 0; i < m->n_counted; i++) {
        const struct resource_def *def = m->counted[i];
        const struct resource_value *rv = resources_find(&n->assigned.shown, def->name);
        const char *text = def->type == &attr_size ? "0kb" : "0";
        const char *to;

        /* The same members are hidden here as in the list of what is available. */
        if ((def->flags & RESOURCE_INVISIBLE) && !all)
            continue;
        if (rv)
            text = attr_value_text(def->type, &rv->value, rq->arena);
        to = references->set ? node_reference(references, def->name) : NULL;
        if (!rv && !to && model_find(m, OBJ_RESOURCE, def->name))
            continue;
        /* The amount is counted at the vnode that has the resource, and is asked for
         * there. */
        if (to)
            text = arena_printf(rq->arena, "@%s", to);
        wire_attrs_add(out, rq->arena, node_table.rows[attr].name, def->name, text,
                       WIRE_OP_SET);
    }
}

static void sort_by_resource(struct wire_attrs *list, size_t from)
{
    MUST(from <= list->n);
    /* A vnode has a few resources, so inserting one after the other is fast enough and
     * keeps equal names in their order. */
    for (size_t i = from + 1; i < list->n; i++)
        for (size_t k = i;
             k > from && strcasecmp(list->v[k - 1].resource, list->v[k].resource) > 0;
             k--) {
            struct wire_attr a = list->v[k];

            list->v[k] = list->v[k - 1];
            list->v[k - 1] = a;
        }
}

/* The vnode's own values, and in their places those that are another vnode's. */
static void show_node_available(const struct request *rq, const struct node *n,
                                int attr, struct wire_attrs *out)
{
    const struct attr_value *references = obj_attr(&n->obj, NODE_A_HF_INDIRECT);
    struct wire_attrs own = { 0 };
    const char *resource, *to;
    size_t at = out->n;

    show_resources(rq, &n->obj, attr,
                   obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE), &own);
    for (size_t i = 0; (resource = node_reference_at(references, i, rq->arena, &to));
         i++)
        wire_attrs_add(&own, rq->arena, node_table.rows[attr].name, resource, to,
                       WIRE_OP_SET);
    for (size_t i = 0; i < own.n; i++)
        wire_attrs_add(out, rq->arena, own.v[i].name, own.v[i].resource, own.v[i].value,
                       WIRE_OP_SET);
    MUST(out->n == at + own.n); /* what was there before stays where it is */
    sort_by_resource(out, at);
}

static void look_at_jobs(const struct request *rq, const struct node *n)
{
    if (rq->look)
        rq->look->n_looked_at += n->n_jobs * JOB_LOOKS;
}

bool show_node(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out)
{
    MUST(o->kind == OBJ_NODE);

    const struct node *n = TO_NODE(o);

    switch (attr) {
    case NODE_A_STATE:
        look_at_jobs(rq, n);
        show_text(rq, o, attr, node_state_text(node_state(n), rq->arena), out);
        return true;
    case NODE_A_JOBS:
        look_at_jobs(rq, n);
        show_node_jobs(rq, n, attr, out);
        return true;
    case NODE_A_RESV:
        show_node_resv(rq, n, attr, out);
        return true;
    case NODE_A_RESOURCES_ASSIGNED:
        show_node_assigned(m, rq, n, attr, out);
        return true;
    /* Without references the stored value is the whole truth. */
    case NODE_A_RESOURCES_AVAILABLE:
        if (!obj_is_set(o, NODE_A_HF_INDIRECT))
            return false;
        show_node_available(rq, n, attr, out);
        return true;
    case NODE_A_IN_MULTIVNODE_HOST:
        if (n->host && n->host->n > 1)
            show_num(rq, o, attr, 1, out);
        return true;
    /* PBS's schedulers place nothing on a vnode without the letter. */
    case NODE_A_LICENSE:
        show_text(rq, o, attr, "l", out);
        return true;
    default:
        return false;
    }
}
