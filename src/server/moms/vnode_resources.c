/* vnode_resources.c - which resources a report gives to a vnode (tpp.md 5.5).
 *
 * Values that a manager set stay; values that the MoM reported before and does not
 * report any more go. Which ones are the MoM's is in hf_from_mom.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/decide/edit.h"
#include "server/model/indirect.h"
#include "server/model/node_life.h"
#include "server/moms/vnode_report.h"

#include <string.h>
#include <strings.h>

#define AVAILABLE "resources_available."

static bool is_from_mom(const struct node *n, const char *resource)
{
    const struct attr_value *v = obj_attr(&n->obj, NODE_A_HF_FROM_MOM);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        if (strcasecmp(v->u.list.v[i], resource) == 0)
            return true;
    return false;
}

static bool is_managers(const struct node *n, const char *resource)
{
    const struct object *o = &n->obj;

    /* A value or a reference that is here and did not come from the MoM was set by a
     * manager. */
    return (resources_find(obj_resources(o, NODE_A_RESOURCES_AVAILABLE), resource) ||
            node_reference(obj_attr(o, NODE_A_HF_INDIRECT), resource)) &&
           !is_from_mom(n, resource);
}

static void say_undefined(const struct report *rp, const char *vnode,
                          const char *resource)
{
    effect_log(rp->t->effects, rp->t->m->seq, LOG_EV_ERROR, LOG_IN_NODE, vnode,
               "error: resource %s for vnode %s cannot be defined", resource, vnode);
}

static const struct resource_def *find_def(const struct report *rp,
                                           const char *resource)
{
    const struct resource_def *def = resource_find(rp->t->m->defs, resource);

    /* A resource that an earlier entry of the same report defines is not in the model
     * before the records are applied. */
    return !def && rp->fresh ? resource_find(rp->fresh, resource) : def;
}

/* A resource that nobody has defined is, when the MoM says of what type it is. */
static void define(struct report *rp, const char *resource,
                   const struct is_vnode_attr *a)
{
    struct arena *arena = rp->t->out->arena;
    const char *type = resource_type_of_number(a->type);
    struct buf flags = { 0 };
    struct record *rec;
    /* The type is a number on the wire; one that PBS does not have defines nothing. */
    int err = type ? 0 : PBSE_BADATVAL;

    if (!rp->fresh)
        rp->fresh = resource_defs_new();
    resource_flags_of_number((uint32_t)a->flags, &flags);
    if (!err)
        /* The same checks as for a manager's definition, made on a table that lives as
         * long as the report. */
        err = resource_define(rp->fresh, resource, type, flags.data ? flags.data : "",
                              NULL);
    if (!err) {
        rec = moms_record(rp->t, FACT_CREATED, OBJ_RESOURCE,
                          arena_strdup(arena, resource));
        record_change(rec, arena, RESOURCE_A_TYPE, NULL, type);
        if (flags.len > 0)
            record_change(rec, arena, RESOURCE_A_FLAG, NULL,
                          arena_strdup(arena, flags.data));
    }
    buf_fini(&flags);
}

void report_define(struct report *rp, const struct is_vnode *vn)
{
    for (size_t i = 0; i < vn->n; i++) {
        const struct is_vnode_attr *a = &vn->attrs[i];
        const char *resource = a->name + strlen(AVAILABLE);

        if (strncasecmp(a->name, AVAILABLE, strlen(AVAILABLE)) == 0 && a->type &&
            !find_def(rp, resource))
            define(rp, resource, a);
    }
}

/* May a value of that resource be taken? It is known, and of the type that is said.
 * Without a type what nobody knows is passed over in silence. */
static bool is_defined(const struct report *rp, const char *vnode, const char *resource,
                       const struct is_vnode_attr *a)
{
    const struct resource_def *def = find_def(rp, resource);
    bool good = def && (!a->type || def->type->wire_type == a->type);

    /* The administrator learns from the log why a value that a MoM configures has no
     * effect. */
    if (!good && (def || a->type))
        say_undefined(rp, vnode, resource);
    return good;
}

static bool lists_own(const struct report *rp, const char *vnode, const char *resource)
{
    const struct is_vnode *vn = vnode_names_find(rp->names, vnode);

    for (size_t k = 0; vn && k < vn->n; k++)
        if (strncasecmp(vn->attrs[k].name, AVAILABLE, strlen(AVAILABLE)) == 0 &&
            strcasecmp(vn->attrs[k].name + strlen(AVAILABLE), resource) == 0)
            /* A value that begins with "@" is a reference to yet another vnode. */
            return *vn->attrs[k].value != '@';
    return false;
}

static bool has_own(const struct report *rp, const char *vnode, const char *resource)
{
    const struct node *n = model_node(rp->t->m, vnode);

    return n &&
           resources_find(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE), resource);
}

/* The rules of a manager's reference (requests/node_indirect.c). */
static bool may_borrow(const struct report *rp, const struct node *n, const char *vnode,
                       const char *resource, const char *home)
{
    /* A vnode does not borrow from itself, ncpus are never shared, and a vnode that
     * lends a resource cannot borrow it. */
    if (strcmp(vnode, home) == 0 || strcasecmp(resource, "ncpus") == 0 ||
        (n && node_shares(n, resource) && node_home(n, resource) == n))
        return false;
    /* The home must have the resource, in this report or from before. */
    return lists_own(rp, home, resource) || has_own(rp, home, resource);
}

static bool value_decodes(const struct report *rp, const char *resource,
                          const char *text)
{
    const struct resource_def *def = find_def(rp, resource);
    struct attr_value v = { 0 };

    /* The decoded value is thrown away: the record keeps the text. */
    if (!def || resource_decode(def, rp->t->m->defs, &v, text))
        return false;
    def->type->clear(&v);
    return true;
}

static void give(struct report *rp, struct given *g, const struct node *n,
                 const char *vnode, const char *resource, const char *text)
{
    struct arena *arena = rp->t->out->arena;
    bool good = *text == '@' ? may_borrow(rp, n, vnode, resource, text + 1)
                             : value_decodes(rp, resource, text);

    /* What was given first stays, and a manager's value is never replaced. */
    if (wire_attrs_find(&g->list, resource, NULL) || (n && is_managers(n, resource)))
        return;
    if (good)
        wire_attrs_add(&g->list, arena, arena_strdup(arena, resource), NULL,
                       arena_strdup(arena, text), WIRE_OP_SET);
    else
        say_undefined(rp, vnode, resource);
}

void report_give_listed(struct report *rp, struct given *g, const struct node *n,
                        const struct is_vnode *vn)
{
    const char *vnode = n ? n->obj.id : vn->name;

    for (size_t i = 0; i < vn->n; i++) {
        const struct is_vnode_attr *a = &vn->attrs[i];
        const char *resource = a->name + strlen(AVAILABLE);

        if (strncasecmp(a->name, AVAILABLE, strlen(AVAILABLE)) == 0 &&
            is_defined(rp, vnode, resource, a))
            give(rp, g, n, vnode, resource, a->value);
    }
}

void report_give_block(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, bool natural)
{
    const struct is_state *state = rp->state;
    struct arena *arena = rp->t->out->arena;

    if (state->arch && *state->arch)
        give(rp, g, n, vnode, "arch", state->arch);
    /* The numbers are those of the whole host. Giving them to each vnode would sell the
     * host several times. */
    if (!natural)
        return;
    give(rp, g, n, vnode, "ncpus", arena_printf(arena, "%" PRIu32, state->acpus));
    give(rp, g, n, vnode, "mem", arena_printf(arena, "%" PRIu64 "kb", state->mem_kb));
}

/* What the list leaves out: every vnode is on a host and has its own name. */
void report_give_place(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, const char *mom_host)
{
    struct arena *arena = rp->t->out->arena;

    if (!wire_attrs_find(&g->list, "host", NULL))
        give(rp, g, n, vnode, "host", node_default_host(mom_host, arena));
    if (!wire_attrs_find(&g->list, "vnode", NULL))
        give(rp, g, n, vnode, "vnode", vnode);
}

static const char *names_of(const struct given *g, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    for (size_t i = 0; i < g->list.n; i++)
        buf_printf(&text, "%s%s", i ? "," : "", g->list.v[i].name);
    /* No name at all unsets the attribute. */
    ret = text.len ? arena_strdup(arena, text.data) : NULL;
    buf_fini(&text);
    return ret;
}

/* "sz=other" for each one that is another vnode's: what a manager said, and this. */
static const char *references_of(const struct node *n, const struct given *g,
                                 struct arena *arena)
{
    const char *resource, *vnode, *ret = NULL;

    for (size_t i = 0;
         n && (resource = node_reference_at(obj_attr(&n->obj, NODE_A_HF_INDIRECT), i,
                                            arena, &vnode));
         i++)
        /* What the MoM said before is replaced by what it says now; what a manager said
         * stays. */
        if (!is_from_mom(n, resource))
            ret = arena_printf(arena, "%s%s%s=%s", ret ? ret : "", ret ? "," : "",
                               resource, vnode + 1);
    for (size_t i = 0; i < g->list.n; i++)
        /* The value begins with "@", which the stored form does not have. */
        if (*g->list.v[i].value == '@')
            ret = arena_printf(arena, "%s%s%s=%s", ret ? ret : "", ret ? "," : "",
                               g->list.v[i].name, g->list.v[i].value + 1);
    return ret;
}

void report_put(struct node_record *nr, const struct given *g)
{
    const struct attr_value *old = obj_attr(&nr->n->obj, NODE_A_HF_FROM_MOM);

    for (size_t i = 0; i < g->list.n; i++) {
        const char *text = g->list.v[i].value;

        /* A borrowed resource has no value of its own at this vnode. */
        node_put(nr, NODE_A_RESOURCES_AVAILABLE, g->list.v[i].name,
                 *text == '@' ? NULL : text);
    }
    /* The MoM gave these before and does not give them any more. */
    for (size_t i = 0; old->set && i < old->u.list.n; i++)
        if (!wire_attrs_find(&g->list, old->u.list.v[i], NULL))
            node_put(nr, NODE_A_RESOURCES_AVAILABLE, old->u.list.v[i], NULL);
    node_put(nr, NODE_A_HF_INDIRECT, NULL, references_of(nr->n, g, nr->t->out->arena));
    node_put(nr, NODE_A_HF_FROM_MOM, NULL, names_of(g, nr->t->out->arena));
}

void report_record(struct record *rec, const struct given *g, struct arena *arena)
{
    for (size_t i = 0; i < g->list.n; i++)
        if (*g->list.v[i].value != '@')
            record_change(rec, arena, NODE_A_RESOURCES_AVAILABLE, g->list.v[i].name,
                          g->list.v[i].value);
    /* A vnode that is new has no references of a manager. */
    record_change(rec, arena, NODE_A_HF_INDIRECT, NULL, references_of(NULL, g, arena));
    record_change(rec, arena, NODE_A_HF_FROM_MOM, NULL, names_of(g, arena));
}
