/* manager_resource.c - resources of the site (attributes.md 6.2).
 *
 * A definition is tried on a scratch table first, so that applying it cannot fail.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

#include "server/requests/node_indirect.h"

#include <string.h>
#include <strings.h>

static bool names_resource(const struct object *o, const char *name)
{
    /* A reference to another vnode uses the resource without having a value. */
    if (o->kind == OBJ_NODE && node_reference(obj_attr(o, NODE_A_HF_INDIRECT), name))
        return true;
    /* Lists of resources and limits per entity are both asked for a member. */
    for (size_t i = 0; i < kind_table(o->kind)->n; i++)
        if (attr_value_has_member(kind_table(o->kind)->rows[i].type,
                                  obj_attrs_get(&o->attrs, i), name))
            return true;
    return false;
}

static bool select_names(const char *select, const char *name)
{
    size_t len = strlen(name);

    MUST(len > 0); /* the search goes on behind what it found */
    for (const char *at = select; at && (at = strcasestr(at, name)); at += len)
        /* In a schedselect a resource stands between ":" and "=", so a longer name that
         * contains this one does not count. */
        if (at > select && at[-1] == ':' && at[len] == '=')
            return true;
    return false;
}

static bool kind_uses(const struct model *m, enum obj_kind kind, const char *name)
{
    MODEL_EACH (m, kind, o) {
        if (names_resource(o, name))
            return true;
        if (kind == OBJ_JOB && select_names(obj_str(o, JOB_A_SCHEDSELECT, ""), name))
            return true;
        if (kind == OBJ_RESV && select_names(obj_str(o, RESV_A_SCHEDSELECT, ""), name))
            return true;
    }
    return false;
}

static int refuse_busy(struct manager *g, const char *where)
{
    return diag_set(&g->out->why, PBSE_RESCBUSY, "Resource busy on %s", where);
}

/* Flags that say how a resource is counted; the others may change at any time. */
#define COUNTING_FLAGS "fhnq"

static bool counts_alike(const char *was, const char *is)
{
    for (const char *flag = COUNTING_FLAGS; *flag; flag++)
        /* The "not" on both sides turns the pointers into yes or no. */
        if (!strchr(was, *flag) != !strchr(is, *flag))
            return false;
    return true;
}

/* A definition that jobs or reservations count with stays as it is. */
static int check_unused(struct manager *g, bool type_changes)
{
    /* The order of the kinds decides which one the refusal names. */
    if (kind_uses(g->m, OBJ_JOB, g->name))
        return refuse_busy(g, "job");
    if (kind_uses(g->m, OBJ_RESV, g->name))
        return refuse_busy(g, "reservation");
    /* Values stay readable when only flags change, and not when the type does. */
    if (!type_changes)
        return 0;
    if (kind_uses(g->m, OBJ_QUEUE, g->name))
        return refuse_busy(g, "queue");
    if (kind_uses(g->m, OBJ_SERVER, g->name))
        return refuse_busy(g, "server");
    return kind_uses(g->m, OBJ_NODE, g->name) ? refuse_busy(g, "node") : 0;
}

static bool is_restricted(const struct model *m, const char *name)
{
    const struct attr_value *v =
        obj_attr(m->server, SERVER_A_RESTRICT_RES_TO_RELEASE_ON_SUSPEND);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        if (strcasecmp(v->u.list.v[i], name) == 0)
            return true;
    return false;
}

struct wish {
    const char *type;
    const char *flags;
};

/* The last of each counts; an empty flag means none. */
static int read_wish(struct manager *g, struct wish *w)
{
    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];

        if (strcasecmp(a->name, "type") == 0) {
            if (*a->value == '\0')
                return REFUSE(g, PBSE_IVALREQ);
            w->type = a->value;
        } else if (strcasecmp(a->name, "flag") == 0) {
            w->flags = a->value;
        } else {
            return REFUSE(g, PBSE_BADATVAL);
        }
    }
    return 0;
}

static int try_definition(struct manager *g, const struct wish *w)
{
    struct resource_defs *scratch = resource_defs_new();
    /* A definition that is refused must not have touched the real table. */
    int err = resource_define(scratch, g->name, w->type, w->flags, &g->out->why);

    resource_defs_free(scratch);
    return err;
}

static void commit(struct manager *g, const struct object *o, const struct wish *w)
{
    struct record *rec =
        decide(g->out, g->rq, o ? FACT_SET : FACT_CREATED, OBJ_RESOURCE, g->name);

    MUST(*w->type != '\0'); /* try_definition() accepts no empty one */
    record_change(rec, g->out->arena, RESOURCE_A_TYPE, NULL, w->type);
    record_change(rec, g->out->arena, RESOURCE_A_FLAG, NULL,
                  *w->flags ? w->flags : NULL);
    manager_log(g, OBJ_RESOURCE, g->name, o ? "modified" : "created");
}

int manager_resource_create(struct manager *g)
{
    struct wish w = { "string", "" };
    int err = read_wish(g, &w);

    if (err)
        return err;
    if (resource_find(g->m->defs, g->name))
        return REFUSE(g, PBSE_DUPLIST);
    err = try_definition(g, &w);
    if (err == 0)
        commit(g, NULL, &w);
    return err;
}

int manager_resource_set(struct manager *g)
{
    const struct object *o = model_find(g->m, OBJ_RESOURCE, g->name);
    struct wish was, w;
    int err;

    if (!resource_find(g->m->defs, g->name))
        return REFUSE(g, PBSE_UNKRESC);
    if (!o)
        return REFUSE(g, PBSE_IVALREQ); /* built in */
    /* What the request does not mention stays as it was. */
    was.type = obj_str(o, RESOURCE_A_TYPE, "string");
    was.flags = obj_str(o, RESOURCE_A_FLAG, "");
    w = was;
    if ((err = read_wish(g, &w)) || (err = try_definition(g, &w)))
        return err;
    /* Only a change in how amounts are read or counted has to spare those that use
     * them. */
    if (strcmp(w.type, was.type) != 0 || !counts_alike(was.flags, w.flags))
        err = check_unused(g, strcmp(w.type, was.type) != 0);
    if (err == 0)
        commit(g, o, &w);
    return err;
}

/* Values of the resource go before its definition, and so do references. */
static void remove_values(struct manager *g, const struct object *o)
{
    struct record *rec = NULL;

    if (o->kind == OBJ_NODE && node_reference(obj_attr(o, NODE_A_HF_INDIRECT), g->name))
        rec = node_forget_reference(g, o, g->name);

    for (size_t i = 0; i < kind_table(o->kind)->n; i++) {
        if (!attr_value_has_member(kind_table(o->kind)->rows[i].type,
                                   obj_attrs_get(&o->attrs, i), g->name))
            continue;
        if (!rec)
            rec = decide(g->out, g->rq, FACT_SET, o->kind, o->id);
        record_change(rec, g->out->arena, (int)i, arena_strdup(g->out->arena, g->name),
                      NULL);
    }
}

int manager_resource_delete(struct manager *g)
{
    static const enum obj_kind kinds[] = { OBJ_SERVER, OBJ_QUEUE, OBJ_NODE };
    int err;

    if (!resource_find(g->m->defs, g->name))
        return REFUSE(g, PBSE_UNKRESC);
    if (!model_find(g->m, OBJ_RESOURCE, g->name))
        return REFUSE(g, PBSE_IVALREQ);
    err = check_unused(g, false);
    if (err)
        return err;
    if (is_restricted(g->m, g->name))
        return refuse_busy(g, "server");
    /* Jobs and reservations have no values of it: check_unused() has refused that. */
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        MODEL_EACH (g->m, kinds[i], o) {
            remove_values(g, o);
        }
    decide(g->out, g->rq, FACT_DELETED, OBJ_RESOURCE, g->name);
    manager_log(g, OBJ_RESOURCE, g->name, "deleted");
    return 0;
}
