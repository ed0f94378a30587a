/* manager.c - the Manager request: who may, which object, which command (wire.md 7.3,
 * attributes.md 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

#include "server/decide/config.h"
#include "server/requests/handlers.h"

#include <string.h>
#include <strings.h>

/* By object type; kinds without a row, and commands without a function, are 15004. */
static const struct {
    manager_fn create, remove, set;
    bool set_by_manager; /* operators may not */
} manager_rows[] = {
    [OBJECT_SERVER] = { .set = manager_server_set },
    [OBJECT_QUEUE] = { manager_queue_create, manager_queue_delete, manager_queue_set,
                       false },
    [OBJECT_NODE] = { manager_node_create, manager_node_delete, manager_node_set,
                      false },
    [OBJECT_RESOURCE] = { manager_resource_create, manager_resource_delete,
                          manager_resource_set, true },
    [OBJECT_SCHED] = { manager_sched_create, manager_sched_delete, manager_sched_set,
                       false },
    [OBJECT_HOST] = { .set = manager_host_set },
};

static manager_fn find_function(uint32_t type, uint32_t command)
{
    if (type >= ARRAY_LEN(manager_rows))
        return NULL;
    switch (command) {
    case MANAGER_CREATE:
        return manager_rows[type].create;
    case MANAGER_DELETE:
        return manager_rows[type].remove;
    case MANAGER_SET:
    case MANAGER_UNSET:
        return manager_rows[type].set;
    default:
        return NULL;
    }
}

static uint32_t may_use(uint32_t type, uint32_t command)
{
    MUST(type < ARRAY_LEN(manager_rows)); /* find_function() has a function of it */
    if (command == MANAGER_CREATE || command == MANAGER_DELETE)
        return WHO_MANAGER;
    return manager_rows[type].set_by_manager ? WHO_MANAGER : WHO_STAFF;
}

/* The value of an unset is not looked at. */
static struct wire_attrs without_values(const struct wire_attrs *attrs,
                                        struct arena *arena)
{
    struct wire_attrs list = { 0 };

    for (size_t i = 0; i < attrs->n; i++)
        wire_attrs_add(&list, arena, attrs->v[i].name, attrs->v[i].resource, "",
                       WIRE_OP_SET);
    return list;
}

int handle_manager(const struct model *m, const struct request *rq,
                   struct decision *out)
{
    const struct body_manage *body = rq->body;
    struct manager g = {
        .m = m,
        .rq = rq,
        .body = body,
        .command = (enum manager_command)body->command,
        .name = body->object_name,
        .attrs = body->attrs,
        .out = out,
    };
    manager_fn fn = find_function(body->object_type, body->command);

    if (body->command == MANAGER_UNSET)
        g.attrs = without_values(&body->attrs, rq->arena);
    /* Hooks have rules of their own about who may, so they are asked before the rights
     * of the table. */
    if (body->object_type == OBJECT_HOOK || body->object_type == OBJECT_PBS_HOOK)
        return manager_hook(&g);
    /* A command that does not exist is refused as such to everybody, before any
     * question of rights. */
    if (!fn)
        return REFUSE(&g, PBSE_IVALREQ);
    if (!(rq->who->rights & may_use(body->object_type, body->command)))
        return REFUSE(&g, PBSE_PERM);
    return fn(&g);
}

bool manager_means_all(const struct manager *g)
{
    return *g->name == '\0' || *g->name == '@';
}

bool manager_sets(const struct manager *g, const char *attr)
{
    for (size_t i = 0; i < g->attrs.n; i++)
        if (strcasecmp(g->attrs.v[i].name, attr) == 0 && *g->attrs.v[i].value != '\0')
            return true;
    return false;
}

static uint32_t log_class(enum obj_kind kind)
{
    switch (kind) {
    case OBJ_QUEUE:
        return LOG_IN_QUEUE;
    case OBJ_NODE:
        return LOG_IN_NODE;
    case OBJ_SCHED:
        return LOG_IN_SCHED;
    case OBJ_RESOURCE:
        return LOG_IN_RESOURCE;
    case OBJ_HOOK:
        return LOG_IN_HOOK;
    default:
        return LOG_IN_SERVER;
    }
}

static const char *log_object(const struct manager *g, enum obj_kind kind,
                              const char *id)
{
    if (kind == OBJ_SERVER)
        return log_server_name(g->rq->cfg, g->out->arena);
    return id;
}

void manager_log(struct manager *g, enum obj_kind kind, const char *id,
                 const char *what)
{
    decide_log(g->out, LOG_EV_ADMIN, log_class(kind), log_object(g, kind, id),
               "%s at request of %s", what, g->rq->actor);
}

static const char *op_text(const struct wire_attr *a)
{
    if (a->op == WIRE_OP_INCR)
        return "+=";
    return a->op == WIRE_OP_DECR ? "-=" : "=";
}

static void log_attrs(struct manager *g, enum obj_kind kind, const char *id)
{
    const char *object = log_object(g, kind, id);
    bool unset = g->command == MANAGER_UNSET;

    if (g->attrs.n == 0)
        return;
    /* The first line says who asked, and one line for each attribute follows. */
    manager_log(g, kind, id, unset ? "attributes unset: " : "attributes set: ");
    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];
        const char *dot = a->resource ? "." : "";
        const char *member = a->resource ? a->resource : "";

        if (unset)
            decide_log(g->out, LOG_EV_ADMIN, log_class(kind), object,
                       "attributes unset: %s%s%s", a->name, dot, member);
        else
            decide_log(g->out, LOG_EV_ADMIN, log_class(kind), object,
                       "attributes set: %s%s%s %s %s", a->name, dot, member, op_text(a),
                       a->value);
    }
}

struct record *manager_commit(struct manager *g, const struct edit *e, enum fact fact,
                              enum obj_kind kind, const char *id)
{
    struct record *rec =
        decide(g->out, g->rq, fact, kind, arena_strdup(g->out->arena, id));
    bool any = edit_commit(e, g->out->arena, rec);

    MUST((fact == FACT_CREATED) == !e->o && (fact == FACT_CREATED || fact == FACT_SET));
    if (fact == FACT_CREATED)
        manager_log(g, kind, id, "created");
    log_attrs(g, kind, id);
    /* A record without a change is made for a new object only. */
    if (any || fact == FACT_CREATED)
        return rec;
    MUST(g->out->records.n > 0 && g->out->records.v[g->out->records.n - 1] == rec);
    g->out->records.n--; /* nothing has changed */
    return NULL;
}

int check_default_chunk(const struct edit *e, int attr, struct diag *why)
{
    const struct attr_value *v = edit_value(e, attr);

    MUST(e->table->rows[attr].type == &attr_resources);
    /* What was stored before was checked when it was set. */
    if (!e->touched[attr] || !v->set)
        return 0;
    for (size_t i = 0; i < v->u.res.n; i++)
        /* A chunk is a part of a host, so it can only ask for what hosts have. */
        if (!(v->u.res.v[i].def->flags & RESOURCE_HOST))
            return diag_set(why, PBSE_INVALJOBRESC, "%s: %s",
                            pbse_text(PBSE_INVALJOBRESC), v->u.res.v[i].def->name);
    return 0;
}

int check_limits_of_jobs(const struct edit *e, int attr, struct diag *why)
{
    static const char *const unlimited[] = { "min_walltime", "max_walltime" };
    const struct attr_value *v = edit_value(e, attr);

    MUST(e->table->rows[attr].type == &attr_resources);
    if (!e->touched[attr] || !v->set)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(unlimited); i++)
        /* The two are bounds of a walltime themselves, and a limit on a bound would
         * have no meaning. */
        if (resources_find(&v->u.res, unlimited[i]))
            return diag_set(why, PBSE_NOLIMIT_RESOURCE, "%s %s.%s",
                            pbse_text(PBSE_NOLIMIT_RESOURCE), e->table->rows[attr].name,
                            unlimited[i]);
    return 0;
}

int check_group_key(const struct edit *e, int attr, bool strings_only, struct diag *why)
{
    const struct attr_value *v = edit_value(e, attr);

    MUST(e->table->rows[attr].type->list); /* of names of resources */
    if (!e->touched[attr] || !v->set)
        return 0;
    for (size_t i = 0; i < v->u.list.n; i++) {
        const struct resource_def *def = resource_find(e->defs, v->u.list.v[i]);

        /* Vnodes are grouped by the values of a resource, which has to exist. */
        if (!def)
            return diag_code(why, PBSE_UNKRESC);
        if (strings_only && def->type != &attr_string && def->type != &attr_strings)
            return diag_code(why, PBSE_RESCNOTSTR);
    }
    return 0;
}
