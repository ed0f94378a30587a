/* manager_sched.c - creating, setting and deleting schedulers (attributes.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

#include "lib/attr/formula.h"
#include "server/decide/config.h"
#include "server/decide/know.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define SCHED_DEFAULT     "default"
#define SCHED_NAME_MAX    15

#define DEFAULT_PARTITION "pbs-default"

/* Two schedulers share no partition and no directory. */
static int check_unique(const struct manager *g, const struct edit *e,
                        const struct object *self, int attr, int code)
{
    const char *text = edit_str(e, attr, NULL);

    /* What is not changed was unique before and is still. */
    if (!e->touched[attr] || !text)
        return 0;
    MODEL_EACH (g->m, OBJ_SCHED, o) {
        if (o != self && strcmp(obj_str(o, attr, ""), text) == 0)
            return diag_code(&g->out->why, code);
    }
    return 0;
}

static bool is_default(const struct manager *g)
{
    return strcmp(g->name, SCHED_DEFAULT) == 0;
}

/* What is fixed for the default one, and its alone. Who says what is so already, as a
 * dump does, changes nothing. */
static int check_default(const struct manager *g, const struct edit *e,
                         const struct object *self)
{
    static const int fixed[] = { SCHED_A_PARTITION, SCHED_A_SCHED_PRIV,
                                 SCHED_A_SCHED_LOG };

    if (!is_default(g)) {
        if (strcmp(edit_str(e, SCHED_A_PARTITION, ""), DEFAULT_PARTITION) != 0)
            return 0;
        return diag_code(&g->out->why, PBSE_DEFAULT_PARTITION);
    }
    /* A scheduler that is just being created has nothing fixed yet. */
    for (size_t i = 0; self && i < ARRAY_LEN(fixed); i++)
        if (!str_same(edit_str(e, fixed[i], NULL), obj_str(self, fixed[i], NULL)))
            return diag_code(&g->out->why, PBSE_SCHED_OP_NOT_PERMITTED);
    return 0;
}

/* throughput_mode and job_run_wait say the same in two ways; each sets the other, and
 * without one neither is left. */
static void pair_run_wait(struct manager *g, struct edit *e)
{
    const char *wait = edit_str(e, SCHED_A_JOB_RUN_WAIT, "runjob_hook");
    bool touched =
        e->touched[SCHED_A_JOB_RUN_WAIT] || e->touched[SCHED_A_THROUGHPUT_MODE];

    if (manager_sets(g, "job_run_wait")) {
        /* Without any wait there is no throughput mode to speak of. */
        if (strcasecmp(wait, "none") == 0)
            edit_unset(e, SCHED_A_THROUGHPUT_MODE, NULL);
        else
            edit_set_num(e, SCHED_A_THROUGHPUT_MODE,
                         strcasecmp(wait, "runjob_hook") == 0);
    } else if (manager_sets(g, "throughput_mode")) {
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SCHED, g->name,
                   "'throughput_mode' is being deprecated, it is recommended to use "
                   "'job_run_wait'");
        edit_set_str(e, SCHED_A_JOB_RUN_WAIT,
                     edit_num(e, SCHED_A_THROUGHPUT_MODE, 1) ? "runjob_hook"
                                                             : "execjob_hook");
    } else if (touched) {
        edit_set_str(e, SCHED_A_JOB_RUN_WAIT, "runjob_hook");
        edit_set_num(e, SCHED_A_THROUGHPUT_MODE, 1);
    }
}

/* Root of that host is believed as a scheduler: whoever writes it decides whom the
 * server trusts, which managers may not beyond the server's own host. */
static bool may_name_host(const struct manager *g, const struct object *self,
                          const char *host)
{
    return g->rq->who->server_uid || !host ||
           strcasecmp(host, g->rq->cfg->server_host) == 0 ||
           (self && str_same(host, obj_str(self, SCHED_A_SCHED_HOST, NULL)));
}

static int check_host(const struct manager *g, const struct edit *e,
                      const struct object *self)
{
    const char *host = edit_str(e, SCHED_A_SCHED_HOST, NULL);

    if (!e->touched[SCHED_A_SCHED_HOST])
        return 0;
    if (!may_name_host(g, self, host))
        return diag_code(&g->out->why, PBSE_ATTRRO);
    /* A host whose name cannot be found out could never be recognised when it
     * connects. */
    return host ? request_host(g->rq, host, PBSE_BADATVAL, &g->out->why) : 0;
}

/* The server has a formula too, from older days; two must be the same. */
static int check_formula(const struct manager *g, const struct edit *e)
{
    const char *text = edit_str(e, SCHED_A_JOB_SORT_FORMULA, NULL);
    int err;

    if (!e->touched[SCHED_A_JOB_SORT_FORMULA] || !text)
        return 0;
    err = formula_check(text, e->defs, &g->out->why);
    if (!err &&
        strcmp(obj_str(g->m->server, SERVER_A_JOB_SORT_FORMULA, text), text) != 0)
        err = diag_code(&g->out->why, PBSE_SVR_SCHED_JSF_INCOMPAT);
    return err;
}

static int check_sched(const struct manager *g, const struct edit *e,
                       const struct object *self)
{
    int err = check_default(g, e, self);

    if (err == 0)
        err = check_host(g, e, self);
    if (err == 0)
        err = check_formula(g, e);
    if (err == 0)
        err = check_unique(g, e, self, SCHED_A_PARTITION,
                           PBSE_SCHED_PARTITION_ALREADY_EXISTS);
    if (err == 0)
        err = check_unique(g, e, self, SCHED_A_SCHED_PRIV, PBSE_SCHED_PRIV_EXIST);
    if (err == 0)
        err = check_unique(g, e, self, SCHED_A_SCHED_LOG, PBSE_SCHED_LOG_EXIST);
    return err;
}

static const char *own_directory(const struct manager *g, const char *name)
{
    const char *home = g->rq->cfg->home;

    /* Each scheduler has directories of its own, named after it; those of the default
     * one have the plain name. */
    return arena_printf(g->rq->arena, "%s%s%s%s%s", home ? home : "", home ? "/" : "",
                        name, is_default(g) ? "" : "_", is_default(g) ? "" : g->name);
}

/* What it is without being set; NULL: nothing. */
static const char *default_of(const struct manager *g, int attr)
{
    const struct attr_row *row = &sched_rows[attr];

    switch (attr) {
    case SCHED_A_SCHED_HOST:
        return is_default(g) ? g->rq->cfg->server_host : NULL;
    case SCHED_A_PARTITION:
        return is_default(g) ? DEFAULT_PARTITION : NULL;
    case SCHED_A_SCHED_PRIV:
        return own_directory(g, "sched_priv");
    case SCHED_A_SCHED_LOG:
        return own_directory(g, "sched_logs");
    case SCHED_A_SCHEDULING:
        return is_default(g) ? "True" : "False";
    default:
        return row->flags & ATTR_NOT_SAVED ? NULL : row->dflt;
    }
}

/* Defaults come back when they are unset, and are there from the beginning. */
static void restore_defaults(struct manager *g, struct edit *e)
{
    MUST(e->table->rows == sched_rows);
    for (size_t i = 0; i < e->table->n; i++) {
        const char *text;

        /* For an existing scheduler only what this request has unset gets its default
         * back. */
        if (edit_value(e, (int)i)->set || (e->o && !e->touched[i]))
            continue;
        text = default_of(g, (int)i);
        if (text)
            edit_set_str(e, (int)i, text);
    }
}

/* The default scheduler and the server have these two in common. */
static void mirror_to_server(struct manager *g, const struct edit *e)
{
    struct record *rec;

    if (!is_default(g) ||
        (!e->touched[SCHED_A_SCHEDULING] && !e->touched[SCHED_A_SCHEDULER_ITERATION]))
        return;
    /* The server's attributes of the same names always show what the default scheduler
     * has. */
    rec = decide(g->out, g->rq, FACT_SET, OBJ_SERVER, g->m->server->id);
    record_change(rec, g->out->arena, SERVER_A_SCHEDULING, NULL,
                  edit_num(e, SCHED_A_SCHEDULING, 0) ? "True" : "False");
    record_change_num(rec, g->out->arena, SERVER_A_SCHEDULER_ITERATION,
                      edit_num(e, SCHED_A_SCHEDULER_ITERATION, 600));
}

/* It may be made later, or be known elsewhere: said, not refused. */
static int warn_unknown_user(struct manager *g, const struct edit *e)
{
    const char *user = edit_str(e, SCHED_A_SCHED_USER, NULL);
    struct wire_strings groups;
    int err = 0;

    if (e->touched[SCHED_A_SCHED_USER] && user)
        err = request_groups(g->rq, user, &groups, NULL);
    if (err == PBSE_BADUSER)
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SCHED, g->name,
                   "sched_user %s is no account of this host", user);
    return err == NEEDED ? err : 0;
}

static int change_sched(struct manager *g, const struct object *o, struct edit *e)
{
    struct record *rec;
    int err = edit_list(e, &g->attrs, g->rq->who->rights, &g->out->why);

    if (err)
        return err;
    /* Defaults come before the checks, which are then made on what will be true. */
    restore_defaults(g, e);
    pair_run_wait(g, e);
    err = check_sched(g, e, o);
    if (err)
        return err;
    manager_commit(g, e, o ? FACT_SET : FACT_CREATED, OBJ_SCHED, g->name);
    err = warn_unknown_user(g, e);
    if (err)
        return err;
    mirror_to_server(g, e);
    if (!manager_sets(g, "scheduling") || !edit_num(e, SCHED_A_SCHEDULING, 0))
        return 0;
    rec = decide(g->out, g->rq, FACT_SET, OBJ_SCHED, g->name);
    /* Setting the switch starts a cycle, even if it was on already. */
    rec->reason = REASON_CYCLE;
    return 0;
}

static int change(struct manager *g, const struct object *o)
{
    struct edit e;
    int err;

    edit_init(&e, g->m, OBJ_SCHED, o);
    err = change_sched(g, o, &e);
    edit_fini(&e);
    return err;
}

static bool name_is_valid(const char *name)
{
    if (!isalpha((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
            return false;
    return true;
}

int manager_sched_create(struct manager *g)
{
    /* The name becomes part of file names and of a field of the wire. */
    if (strlen(g->name) > SCHED_NAME_MAX)
        return REFUSE(g, PBSE_SCHED_NAME_BIG);
    if (!name_is_valid(g->name))
        return REFUSE(g, PBSE_IVAL_OBJ_NAME);
    if (model_find(g->m, OBJ_SCHED, g->name))
        return REFUSE(g, PBSE_SCHEDEXIST);
    return change(g, NULL);
}

/* "set sched attr=value" names no object: the default one is meant. */
int manager_sched_set(struct manager *g)
{
    const struct object *o;

    if (*g->name == '\0')
        g->name = SCHED_DEFAULT;
    o = model_find(g->m, OBJ_SCHED, g->name);
    if (!o)
        return REFUSE(g, PBSE_UNKSCHED);
    return change(g, o);
}

int manager_sched_delete(struct manager *g)
{
    if (strcmp(g->name, SCHED_DEFAULT) == 0)
        return REFUSE(g, PBSE_SCHED_NO_DEL);
    if (!model_find(g->m, OBJ_SCHED, g->name))
        return REFUSE(g, PBSE_UNKSCHED);
    decide(g->out, g->rq, FACT_DELETED, OBJ_SCHED, g->name);
    manager_log(g, OBJ_SCHED, g->name, "deleted");
    return 0;
}
