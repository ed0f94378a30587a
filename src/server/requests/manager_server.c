/* manager_server.c - setting and unsetting attributes of the server (attributes.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

#include "server/svr.h"

#include <string.h>
#include <strings.h>

/* Rows whose default comes back when they are unset; the others vanish. */
static bool default_returns(int attr)
{
    return attr != SERVER_A_NODE_FAIL_REQUEUE && attr != SERVER_A_RESEND_TERM_DELAY &&
           attr != SERVER_A_MAX_JOB_SEQUENCE_ID;
}

static void restore_defaults(struct edit *e)
{
    for (size_t i = 0; i < e->table->n; i++) {
        const struct attr_row *row = &e->table->rows[i];

        if (e->touched[i] && !e->v[i].set && row->dflt &&
            !(row->flags & ATTR_NOT_SAVED) && default_returns((int)i))
            edit_set_str(e, (int)i, row->dflt);
    }
}

/* Unsetting resources_default.ncpus puts 1 back; unsetting the whole does not. */
static int restore_ncpus(struct manager *g, struct edit *e)
{
    const struct wire_attr *a =
        wire_attrs_find(&g->attrs, "resources_default", "ncpus");

    if (!a || *a->value != '\0' ||
        resources_find(&edit_value(e, SERVER_A_RESOURCES_DEFAULT)->u.res, "ncpus"))
        return 0;
    return edit_set(e, SERVER_A_RESOURCES_DEFAULT, "ncpus", "1", WIRE_OP_SET,
                    &g->out->why);
}

/* The older name sets both; the newer one unsets the older (reservations.md 2). */
static void pair_retry_times(struct manager *g, struct edit *e)
{
    if (manager_sets(g, "reserve_retry_init"))
        edit_set_num(e, SERVER_A_RESERVE_RETRY_TIME,
                     edit_num(e, SERVER_A_RESERVE_RETRY_INIT, 0));
    else if (manager_sets(g, "reserve_retry_time"))
        edit_unset(e, SERVER_A_RESERVE_RETRY_INIT, NULL);
}

/* Old-style and new-style limits do not live together (attributes.md 5). */
static const int old_limits[] = {
    SERVER_A_MAX_RUNNING,        SERVER_A_MAX_USER_RUN,
    SERVER_A_MAX_GROUP_RUN,      SERVER_A_MAX_USER_RES,
    SERVER_A_MAX_GROUP_RES,      SERVER_A_MAX_USER_RUN_SOFT,
    SERVER_A_MAX_GROUP_RUN_SOFT, SERVER_A_MAX_USER_RES_SOFT,
    SERVER_A_MAX_GROUP_RES_SOFT,
};
static const int new_limits[] = {
    SERVER_A_MAX_RUN,
    SERVER_A_MAX_RUN_RES,
    SERVER_A_MAX_RUN_SOFT,
    SERVER_A_MAX_RUN_RES_SOFT,
};

static bool any_set(const struct edit *e, const int *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (edit_value(e, attrs[i])->set)
            return true;
    return false;
}

static int check_limits(const struct edit *e, struct diag *why)
{
    if (any_set(e, old_limits, ARRAY_LEN(old_limits)) &&
        any_set(e, new_limits, ARRAY_LEN(new_limits)))
        return diag_code(why, PBSE_MIXENTLIMS);
    return 0;
}

static int check_licenses(const struct edit *e, struct diag *why)
{
    int64_t least = edit_num(e, SERVER_A_PBS_LICENSE_MIN, 0);
    int64_t most = edit_num(e, SERVER_A_PBS_LICENSE_MAX, INT32_MAX);

    if (least <= most)
        return 0;
    return diag_code(why, e->touched[SERVER_A_PBS_LICENSE_MIN]
                              ? PBSE_LICENSE_MIN_BADVAL
                              : PBSE_LICENSE_MAX_BADVAL);
}

static int check_server(const struct manager *g, const struct edit *e)
{
    struct diag *why = &g->out->why;
    const char *queue = edit_str(e, SERVER_A_DEFAULT_QUEUE, NULL);
    int err;

    if (e->touched[SERVER_A_ACL_ROOTS] && !g->rq->who->server_uid)
        return diag_code(why, PBSE_ATTRRO);
    if (e->touched[SERVER_A_DEFAULT_QUEUE] && queue && !model_queue(g->m, queue))
        return diag_code(why, PBSE_UNKQUE);
    if ((err = check_limits(e, why)) || (err = check_licenses(e, why)) ||
        (err = check_default_chunk(e, SERVER_A_DEFAULT_CHUNK, why)) ||
        (err = check_limits_of_jobs(e, SERVER_A_RESOURCES_MAX, why)) ||
        (err = check_group_key(e, SERVER_A_NODE_GROUP_KEY, true, why)))
        return err;
    return check_group_key(e, SERVER_A_RESTRICT_RES_TO_RELEASE_ON_SUSPEND, false, why);
}

/* scheduling and scheduler_iteration are those of the default scheduler too. */
static void mirror_to_sched(struct manager *g, const struct edit *e)
{
    const struct object *sched = model_find(g->m, OBJ_SCHED, "default");
    struct edit to;
    struct record *rec;

    if (!sched ||
        (!e->touched[SERVER_A_SCHEDULING] && !e->touched[SERVER_A_SCHEDULER_ITERATION]))
        return;
    edit_init(&to, g->m, OBJ_SCHED, sched);
    edit_set_num(&to, SCHED_A_SCHEDULING, edit_num(e, SERVER_A_SCHEDULING, 1));
    edit_set_num(&to, SCHED_A_SCHEDULER_ITERATION,
                 edit_num(e, SERVER_A_SCHEDULER_ITERATION, 600));
    rec = decide(g->out, g->rq, FACT_SET, OBJ_SCHED, "default");
    if (!edit_commit(&to, g->out->arena, rec))
        g->out->records.n--;
    edit_fini(&to);
}

/* Setting scheduling to True starts a cycle even if it was True. */
static void note_scheduling(struct manager *g, const struct edit *e)
{
    struct record *rec;

    if (!manager_sets(g, "scheduling") || !edit_num(e, SERVER_A_SCHEDULING, 0))
        return;
    rec = decide(g->out, g->rq, FACT_SET, OBJ_SCHED, "default");
    rec->note = NOTE_CYCLE;
}

/* reserve_retry_cutoff is no more; setting it succeeds and does nothing. */
static void drop_obsolete(struct manager *g)
{
    struct wire_attrs kept = { 0 };

    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];

        if (strcasecmp(a->name, "reserve_retry_cutoff") == 0)
            decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER,
                       log_server_name(g->rq->cfg, g->out->arena),
                       "reserve_retry_cutoff is obsolete and has no effect");
        else
            wire_attrs_add(&kept, g->rq->arena, a->name, a->resource, a->value, a->op);
    }
    g->attrs = kept;
}

static int set_server(struct manager *g, struct edit *e)
{
    int err;

    drop_obsolete(g);
    err = edit_list(e, &g->attrs, g->rq->who->rights, &g->out->why);
    if (err)
        return err;
    restore_defaults(e);
    err = restore_ncpus(g, e);
    if (err)
        return err;
    pair_retry_times(g, e);
    err = check_server(g, e);
    if (err)
        return err;
    manager_commit(g, e, FACT_SET, OBJ_SERVER, g->m->server->id);
    mirror_to_sched(g, e);
    note_scheduling(g, e);
    return 0;
}

int manager_server_set(struct manager *g)
{
    struct edit e;
    int err;

    edit_init(&e, g->m, OBJ_SERVER, g->m->server);
    err = set_server(g, &e);
    edit_fini(&e);
    return err;
}
