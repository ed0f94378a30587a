/* manager_server.c - setting and unsetting attributes of the server (attributes.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

#include "lib/attr/formula.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/know.h"
#include "server/model/job_state.h"

#include <string.h>
#include <strings.h>

#define MAX_SEQUENCE_DEFAULT 9999999

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

        /* Only what this request has unset gets its default back. */
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

    /* Every job asks for at least one cpu, unless a site takes the whole list away. */
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

/* Hosts of managers and operators that are new must be real, by their full name. */
static int check_hosts(const struct manager *g, const struct edit *e, int attr)
{
    MUST(e->table->rows[attr].type->list);

    const struct attr_value *v = edit_value(e, attr);
    const struct attr_value *was = obj_attr(g->m->server, attr);
    int err = 0;

    for (size_t i = 0; e->touched[attr] && v->set && i < v->u.list.n; i++) {
        const char *host = strchr(v->u.list.v[i], '@');
        bool known = false;
        int one;

        /* Entries that were there stay valid, even if their host is not known any
         * more. */
        for (size_t k = 0; was->set && k < was->u.list.n; k++)
            known |= strcmp(was->u.list.v[k], v->u.list.v[i]) == 0;
        if (known || !host || host[1] == '*')
            continue;
        one = request_full_name(g->rq, host + 1, PBSE_BADHOST, &g->out->why);
        /* A refusal is given at once. Hosts that have to be found out are asked for
         * together. */
        if (one && one != NEEDED)
            return one;
        err = one ? one : err;
    }
    return err;
}

static int check_licenses(const struct edit *e, struct diag *why)
{
    int64_t least = edit_num(e, SERVER_A_PBS_LICENSE_MIN, 0);
    int64_t most = edit_num(e, SERVER_A_PBS_LICENSE_MAX, INT32_MAX);

    if (least <= most)
        return 0;
    /* The limit that the request has changed is the one that is wrong. */
    return diag_code(why, e->touched[SERVER_A_PBS_LICENSE_MIN]
                              ? PBSE_LICENSE_MIN_BADVAL
                              : PBSE_LICENSE_MAX_BADVAL);
}

/* Only who is on the server's host sets a formula. One that differs from a scheduler's
 * is none (scheduling.md 24). */
static int check_formula(const struct manager *g, const struct edit *e)
{
    const char *text = edit_str(e, SERVER_A_JOB_SORT_FORMULA, NULL);
    int err;

    if (!e->touched[SERVER_A_JOB_SORT_FORMULA] || !text)
        return 0;
    if (strcasecmp(g->rq->who->host, g->rq->cfg->server_host) != 0)
        return diag_code(&g->out->why, PBSE_PERM);
    err = formula_check(text, e->defs, &g->out->why);
    MODEL_EACH (g->m, OBJ_SCHED, o) {
        const char *theirs = obj_str(o, SCHED_A_JOB_SORT_FORMULA, text);

        if (!err && strcmp(theirs, text) != 0)
            err = diag_code(&g->out->why, PBSE_SVR_SCHED_JSF_INCOMPAT);
    }
    return err;
}

/* What makes the server run something as itself, or lets jobs run as root: the kernel
 * must have named root, or the server's own user. A manager is neither. */
static int check_roots_own(const struct manager *g, const struct edit *e)
{
    static const int roots_own[] = { SERVER_A_ACL_ROOTS, SERVER_A_MAILER };

    for (size_t i = 0; i < ARRAY_LEN(roots_own); i++)
        if (e->touched[roots_own[i]] && !g->rq->who->server_uid)
            return diag_code(&g->out->why, PBSE_ATTRRO);
    return 0;
}

static int check_server(const struct manager *g, const struct edit *e)
{
    struct diag *why = &g->out->why;
    const char *queue = edit_str(e, SERVER_A_DEFAULT_QUEUE, NULL);
    int err = check_roots_own(g, e);

    if (err)
        return err;
    /* The order of the checks decides which refusal is given. */
    if (e->touched[SERVER_A_DEFAULT_QUEUE] && queue && !model_queue(g->m, queue))
        return diag_code(why, PBSE_UNKQUE);
    if ((err = check_hosts(g, e, SERVER_A_MANAGERS)) ||
        (err = check_hosts(g, e, SERVER_A_OPERATORS)) ||
        (err = check_limit_styles(g, e, OBJ_SERVER)) ||
        (err = check_licenses(e, why)) ||
        (err = check_default_chunk(e, SERVER_A_DEFAULT_CHUNK, why)) ||
        (err = check_limits_of_jobs(e, SERVER_A_RESOURCES_MAX, why)) ||
        (err = check_formula(g, e)) ||
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
    MUST(g->out->records.v[g->out->records.n - 1] == rec);
    /* The values are equal already, and a record that changes nothing is not kept. */
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
    rec->reason = REASON_CYCLE;
}

/* Changes that the log tells about in words of their own (attributes.md 17). */
static void log_effects(struct manager *g, const struct edit *e)
{
    static const struct {
        int attr;
        const char *words; /* before the number */
    } rows[] = {
        { SERVER_A_NODE_FAIL_REQUEUE, "node_fail_requeue value changed to" },
        { SERVER_A_JOB_HISTORY_DURATION, "svr_history_duration set to val" },
        { SERVER_A_MAX_JOB_SEQUENCE_ID, "svr_max_job_sequence_id set to val" },
    };
    static const int ignored[] = { SERVER_A_RPP_RETRY, SERVER_A_RPP_HIGHWATER };
    const char *server = log_server_name(g->rq->cfg, g->out->arena);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (e->touched[rows[i].attr] && edit_value(e, rows[i].attr)->set)
            decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER, server, "%s %" PRId64,
                       rows[i].words, edit_num(e, rows[i].attr, 0));
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        if (e->touched[ignored[i]] && edit_value(e, ignored[i])->set)
            decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER, server,
                       "%s is deprecated and has no effect",
                       e->table->rows[ignored[i]].name);
    if (e->touched[SERVER_A_MAX_JOB_SEQUENCE_ID] &&
        (int64_t)g->rq->view->next_number >
            edit_num(e, SERVER_A_MAX_JOB_SEQUENCE_ID, MAX_SEQUENCE_DEFAULT))
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER, server,
                   "svr_max_job_sequence_id wrapped to 0");
}

/* What was estimated of jobs that are no top jobs goes at once when the site wants to
 * see no such estimates; later it goes when a job stops being one (job_modify.c). Of an
 * array no attribute says that it is one, so its estimate comes back with the next
 * cycle. */
static void drop_estimates(struct manager *g, const struct edit *e)
{
    if (!e->touched[SERVER_A_CLEAR_TOPJOB_ESTIMATES_ENABLE] ||
        !edit_num(e, SERVER_A_CLEAR_TOPJOB_ESTIMATES_ENABLE, 0))
        return;
    MODEL_EACH_LIVE(g->m, OBJ_JOB, o)
    {
        struct edit to;

        if (!obj_is_set(o, JOB_A_ESTIMATED) || obj_num(o, JOB_A_TOPJOB, 0) ||
            job_is_at_mom(TO_JOB(o)))
            continue;
        edit_init(&to, g->m, OBJ_JOB, o);
        edit_unset(&to, JOB_A_ESTIMATED, NULL);
        edit_commit(&to, g->out->arena,
                    decide(g->out, g->rq, FACT_SET, OBJ_JOB, o->id));
        edit_fini(&to);
    }
}

/* Tools unset all that a status shows but for what they know to be read-only, in one
 * request, and do not know what is ours alone. */
static bool is_ours_to_keep(const struct manager *g, const struct wire_attr *a)
{
    /* Our own read-only attributes are left out of the request instead of refusing all
     * of it. */
    return g->command == MANAGER_UNSET && strncasecmp(a->name, "holdfast_", 9) == 0;
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
        else if (!is_ours_to_keep(g, a))
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
    /* Defaults and pairs are settled before the checks, which judge what will be
     * true. */
    restore_defaults(e);
    err = restore_ncpus(g, e);
    if (err)
        return err;
    pair_retry_times(g, e);
    err = check_server(g, e);
    if (err)
        return err;
    manager_commit(g, e, FACT_SET, OBJ_SERVER, g->m->server->id);
    /* The lines and the scheduler's copy follow the record, so they are never there
     * without it. */
    log_effects(g, e);
    drop_estimates(g, e);
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
