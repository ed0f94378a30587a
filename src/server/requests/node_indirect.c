/* node_indirect.c - see node_indirect.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/node_indirect.h"

#include <string.h>
#include <strings.h>

static bool is_referred_to(const struct model *m, const char *resource,
                           const char *vnode)
{
    const struct node *n = model_node(m, vnode);

    for (size_t i = 0; n && i < n->n_referrers; i++) {
        const struct object *o = &n->referrers[i]->obj;

        if (str_same(node_reference(obj_attr(o, NODE_A_HF_INDIRECT), resource), vnode))
            return true;
    }
    return false;
}

static int refuse(struct manager *g, int code, const char *resource)
{
    return diag_set(&g->out->why, code, "%s: %s", pbse_text(code), resource);
}

static int check_target(struct manager *g, const struct resource_def *def,
                        const char *vnode)
{
    const struct node *target = model_node(g->m, vnode);
    const struct object *t;

    if (!target)
        return REFUSE(g, PBSE_UNKNODE);
    t = &target->obj;
    /* Each vnode has cpus of its own, by which jobs are placed. */
    if (strcmp(def->name, "ncpus") == 0)
        return REFUSE(g, PBSE_BADNDATVAL);
    if (strcmp(t->id, g->name) == 0 ||
        /* A reference leads to a value in one step: the target must have the value, and
         * nobody may refer to who refers. */
        node_reference(obj_attr(t, NODE_A_HF_INDIRECT), def->name))
        return refuse(g, PBSE_INDIRECTHOP, def->name);
    if (!resources_find(obj_resources(t, NODE_A_RESOURCES_AVAILABLE), def->name))
        return refuse(g, PBSE_INDIRECTBT, def->name);
    if (is_referred_to(g->m, def->name, g->name))
        return refuse(g, PBSE_INDIRECTHOP, def->name);
    return 0;
}

static int drop_reference(struct manager *g, struct edit *e, const char *resource)
{
    const struct attr_value *v = edit_value(e, NODE_A_HF_INDIRECT);
    const char *to = node_reference(v, resource);
    int err;

    if (!to)
        return 0;
    err = edit_set(e, NODE_A_HF_INDIRECT, NULL,
                   arena_printf(g->rq->arena, "%s=%s", resource, to), WIRE_OP_DECR,
                   &g->out->why);
    /* An empty list would still count as set. */
    if (err == 0 && edit_value(e, NODE_A_HF_INDIRECT)->u.list.n == 0)
        edit_unset(e, NODE_A_HF_INDIRECT, NULL);
    return err;
}

struct record *node_forget_reference(struct manager *g, const struct object *o,
                                     const char *resource)
{
    struct record *rec = decide(g->out, g->rq, FACT_SET, OBJ_NODE, o->id);
    struct edit e;

    edit_init(&e, g->m, OBJ_NODE, o);
    /* The caller adds further changes of this vnode to the same record. */
    if (drop_reference(g, &e, resource) == 0)
        edit_commit(&e, g->out->arena, rec);
    edit_fini(&e);
    return rec;
}

static int add_reference(struct manager *g, struct edit *e,
                         const struct resource_def *def, const char *vnode)
{
    bool first;
    int err = check_target(g, def, vnode);

    if (err == 0)
        /* A vnode refers to one home for each resource, so an older reference is
         * replaced. */
        err = drop_reference(g, e, def->name);
    if (err)
        return err;
    MUST(!node_reference(edit_value(e, NODE_A_HF_INDIRECT), def->name));
    /* The own value goes: what the vnode has is the home's. */
    edit_unset(e, NODE_A_RESOURCES_AVAILABLE, def->name);
    first = !edit_value(e, NODE_A_HF_INDIRECT)->set;
    return edit_set(e, NODE_A_HF_INDIRECT, NULL,
                    arena_printf(g->rq->arena, "%s=%s", def->name, vnode),
                    first ? WIRE_OP_SET : WIRE_OP_INCR, &g->out->why);
}

/* The own value of a vnode that others refer to stays there. */
static int end_reference(struct manager *g, const struct object *o, struct edit *e,
                         const struct resource_def *def, const char *value)
{
    if (o && *value == '\0' && is_referred_to(g->m, def->name, o->id))
        return REFUSE(g, PBSE_OBJBUSY);
    return drop_reference(g, e, def->name);
}

int node_take_references(struct manager *g, const struct object *o, struct edit *e,
                         const struct wire_attrs *changes, struct wire_attrs *rest)
{
    *rest = (struct wire_attrs){ 0 };
    for (size_t i = 0; i < changes->n; i++) {
        const struct wire_attr *a = &changes->v[i];
        const struct resource_def *def = NULL;
        int err = 0;

        if (strcasecmp(a->name, "resources_available") == 0 && a->resource)
            def = resource_find(g->m->defs, a->resource);
        /* A reference is set and not added, and its value begins with "@". */
        if (def && a->op == WIRE_OP_SET && *a->value == '@') {
            err = add_reference(g, e, def, a->value + 1);
        } else {
            if (def)
                /* A plain value ends the reference and becomes the vnode's own. */
                err = end_reference(g, o, e, def, a->value);
            wire_attrs_add(rest, g->rq->arena, a->name, a->resource, a->value, a->op);
        }
        if (err)
            return err;
    }
    MUST(rest->n <= changes->n); /* each change is a reference or is left */
    return 0;
}
