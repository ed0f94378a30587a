/* manager_queue.c - creating, setting and deleting queues (attributes.md 12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager_each.h"

#include "lib/attr/ids.h"

#include <ctype.h>
#include <string.h>

#define QUEUE_EXECUTION "Execution"
#define QUEUE_ROUTE     "Route"

/* What one of many queues costs, in the units of request_slice_cost(). */
#define SET_COST        100

/* The stored type is the whole word, whatever prefix was given. */
static void spell_out_type(struct edit *e)
{
    const char *type = edit_str(e, QUEUE_A_QUEUE_TYPE, NULL);

    if (!e->touched[QUEUE_A_QUEUE_TYPE] || !type)
        return;
    MUST(strchr("eErR", *type)); /* check_queue_type() takes no other */
    edit_set_str(e, QUEUE_A_QUEUE_TYPE,
                 tolower((unsigned char)*type) == 'e' ? QUEUE_EXECUTION : QUEUE_ROUTE);
}

/* An attribute of the other type of queue is refused and not stored. */
static int check_types(const struct edit *e, const char *queue, struct diag *why)
{
    const char *type = edit_str(e, QUEUE_A_QUEUE_TYPE, NULL);
    uint32_t other;

    /* A queue without a type takes attributes of both, until it gets one. */
    if (!type)
        return 0;
    other = strcmp(type, QUEUE_ROUTE) == 0 ? ATTR_EXEC_QUEUE : ATTR_ROUTE_QUEUE;
    for (size_t i = 0; i < e->table->n; i++) {
        const struct attr_row *row = &e->table->rows[i];

        if ((row->flags & other) && !(row->flags & ATTR_ANY_QUEUE) && e->touched[i] &&
            e->v[i].set)
            return diag_set(why, PBSE_ATTRTYPE,
                            "Warning: type of queue %s incompatible with attribute %s",
                            queue, row->name);
    }
    return 0;
}

static int check_enabled(const struct edit *e, struct diag *why)
{
    const char *type = edit_str(e, QUEUE_A_QUEUE_TYPE, NULL);
    const struct attr_value *to = edit_value(e, QUEUE_A_ROUTE_DESTINATIONS);

    if (!e->touched[QUEUE_A_ENABLED] || !edit_num(e, QUEUE_A_ENABLED, 0))
        return 0;
    /* A queue that could not pass a job on, or does not know how to, does not take
     * any. */
    if (!type || (strcmp(type, QUEUE_ROUTE) == 0 && (!to->set || to->u.list.n == 0)))
        return diag_code(why, PBSE_QUENOEN);
    return 0;
}

static int check_partition_of_queue(const struct edit *e, struct diag *why)
{
    const char *type = edit_str(e, QUEUE_A_QUEUE_TYPE, "");

    if (!edit_value(e, QUEUE_A_PARTITION)->set || strcmp(type, QUEUE_ROUTE) != 0)
        return 0;
    /* The code says which of the two attributes the request has changed. */
    if (e->touched[QUEUE_A_PARTITION])
        return diag_code(why, PBSE_ROUTE_QUE_NO_PARTITION);
    return diag_code(why, PBSE_CANNOT_SET_ROUTE_QUE);
}

/* Its jobs have been admitted as jobs of a queue of its type. */
static int check_type_of_jobs(const struct edit *e, struct diag *why)
{
    const struct queue *q = e->o ? TO_QUEUE(e->o) : NULL;

    if (!q || q->n_jobs == 0 || !e->touched[QUEUE_A_QUEUE_TYPE] ||
        strcmp(obj_str(e->o, QUEUE_A_QUEUE_TYPE, QUEUE_EXECUTION),
               edit_str(e, QUEUE_A_QUEUE_TYPE, "")) == 0)
        return 0;
    return diag_code(why, PBSE_OBJBUSY);
}

/* Vnodes attached to it run jobs, and are of its partition. */
static int check_nodes_of_queue(const struct manager *g, const struct edit *e)
{
    const struct queue *q = e->o ? TO_QUEUE(e->o) : NULL;
    const char *partition = edit_str(e, QUEUE_A_PARTITION, NULL);

    if (!q || q->n_nodes == 0)
        return 0;
    if (e->touched[QUEUE_A_QUEUE_TYPE] &&
        strcmp(edit_str(e, QUEUE_A_QUEUE_TYPE, ""), QUEUE_ROUTE) == 0)
        return diag_code(&g->out->why, PBSE_ATTRTYPE);
    if (!e->touched[QUEUE_A_PARTITION] || !partition)
        return 0;
    /* A vnode without a partition is content with any, which the default value here
     * says. */
    MODEL_EACH (g->m, OBJ_NODE, o) {
        const char *of_node = obj_str(o, NODE_A_PARTITION, partition);

        if (TO_NODE(o)->queue == q && strcmp(of_node, partition) != 0)
            return diag_code(&g->out->why, PBSE_INVALID_PARTITION_QUE);
    }
    return 0;
}

static int check_queue(const struct manager *g, const struct edit *e)
{
    struct diag *why = &g->out->why;
    int err;

    /* The type can be changed and not taken away. */
    if (e->touched[QUEUE_A_QUEUE_TYPE] && !edit_value(e, QUEUE_A_QUEUE_TYPE)->set)
        return diag_code(why, PBSE_NEEDQUET);
    if ((err = check_types(e, g->name, why)) ||
        (err = check_partition_of_queue(e, why)) ||
        (err = check_type_of_jobs(e, why)) || (err = check_nodes_of_queue(g, e)) ||
        (err = check_limit_styles(g, e, OBJ_QUEUE)) || (err = check_enabled(e, why)) ||
        (err = check_default_chunk(e, QUEUE_A_DEFAULT_CHUNK, why)) ||
        (err = check_limits_of_jobs(e, QUEUE_A_RESOURCES_MAX, why)) ||
        (err = check_limits_of_jobs(e, QUEUE_A_RESOURCES_MIN, why)))
        return err;
    return check_group_key(e, QUEUE_A_NODE_GROUP_KEY, true, why);
}

/* A destination may be made later: said, not refused. */
static void warn_unknown_destinations(struct manager *g, const struct edit *e)
{
    const struct attr_value *to = edit_value(e, QUEUE_A_ROUTE_DESTINATIONS);

    if (!e->touched[QUEUE_A_ROUTE_DESTINATIONS] || !to->set)
        return;
    for (size_t i = 0; i < to->u.list.n; i++)
        if (!strchr(to->u.list.v[i], '@') && !model_queue(g->m, to->u.list.v[i]))
            decide_log(g->out, LOG_EV_ADMIN, LOG_IN_QUEUE, g->name,
                       "there is no queue %s to route to", to->u.list.v[i]);
}

static int change_queue(struct manager *g, const struct object *o, enum fact fact,
                        bool decides)
{
    struct edit e;
    int err;

    edit_init(&e, g->m, OBJ_QUEUE, o);
    err = edit_list(&e, &g->attrs, g->rq->who->rights, &g->out->why);
    if (err == 0) {
        /* The checks below compare whole words. */
        spell_out_type(&e);
        err = check_queue(g, &e);
    }
    if (err == 0 && decides) {
        manager_commit(g, &e, fact, OBJ_QUEUE, g->name);
        warn_unknown_destinations(g, &e);
    }
    edit_fini(&e);
    return err;
}

int manager_queue_create(struct manager *g)
{
    if (strlen(g->name) > NAME_MAX_QUEUE)
        return REFUSE(g, PBSE_QUENBIG);
    if (!queue_name_is_valid(g->name))
        return REFUSE(g, PBSE_IVAL_OBJ_NAME);
    if (model_queue(g->m, g->name))
        return REFUSE(g, PBSE_QUEEXIST);
    return change_queue(g, NULL, FACT_CREATED, true);
}

static int set_one(struct manager *g, const struct object *o, bool decides)
{
    return change_queue(g, o, FACT_SET, decides);
}

/* One that is refused refuses all. */
static bool always(int code UNUSED)
{
    return true;
}

static const struct manager_each set_each = {
    .kind = OBJ_QUEUE,
    .tries_first = true,
    .cost = SET_COST,
    .one = set_one,
    .is_for_all = always,
};

int manager_queue_set(struct manager *g)
{
    const struct object *o = model_find(g->m, OBJ_QUEUE, g->name);

    if (manager_means_all(g))
        return manager_each(g, &set_each, NULL);
    if (!o)
        return REFUSE(g, PBSE_UNKQUE);
    return set_one(g, o, true);
}

int manager_queue_delete(struct manager *g)
{
    const struct queue *q = model_queue(g->m, g->name);

    if (!q)
        return REFUSE(g, PBSE_UNKQUE);
    /* The queue of a reservation goes with its reservation only. */
    if (q->n_jobs > 0 || q->resv || q->n_nodes > 0)
        return REFUSE(g, PBSE_OBJBUSY);
    decide(g->out, g->rq, FACT_DELETED, OBJ_QUEUE, q->obj.id);
    manager_log(g, OBJ_QUEUE, q->obj.id, "deleted");
    return 0;
}
