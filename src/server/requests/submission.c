/* submission.c - what is asked of a job on its way in, and what the server says of it
 * (wire.md 8.1, attributes.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/submission.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_defaults.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_transfer.h"
#include "server/decide/route.h"
#include "server/model/job_array.h"
#include "server/model/job_tally.h"
#include "server/model/resource_request.h"
#include "server/requests/array_submit.h"
#include "server/requests/job_arrive.h"
#include "server/requests/job_paths.h"

#include <string.h>

/* The entries that the table knows; an unknown one is refused later, after the account
 * was looked at (wire.md 8.1). */
static void known_entries(const struct submission *s, struct wire_attrs *known,
                          bool *ret_unknown)
{
    const struct wire_attrs *all = &s->body->attrs;

    for (size_t i = 0; i < all->n; i++) {
        const struct wire_attr *a = &all->v[i];
        int attr = attr_find(&job_table, a->name);

        /* Nobody may write the indices, and whoever submits an array has to say them.
         */
        if (attr == JOB_A_ARRAY_INDICES_SUBMITTED)
            continue;
        if (s->arrives && attr >= 0 && !transfer_has(&job_rows[attr]))
            continue;
        /* A name that nobody knows is left out here and refused once the account has
         * been looked at. */
        if (attr < 0)
            *ret_unknown = true;
        else
            wire_attrs_add(known, s->rq->arena, a->name, a->resource, a->value, a->op);
    }
}

static int check_holds(const struct submission *s, struct diag *why)
{
    const struct attr_value *v = edit_value(&s->job, JOB_A_HOLD_TYPES);

    if (!v->set)
        return 0;
    /* A job may be submitted with a hold that its owner may set, and with no other. */
    return check_hold_letters(
        s->rq, attr_value_text(job_rows[JOB_A_HOLD_TYPES].type, v, s->rq->arena), why);
}

static int complete_request(struct submission *s, struct diag *why)
{
    struct attr_value *list = &s->job.v[JOB_A_RESOURCE_LIST];
    const char *schedselect;
    int err;

    /* A request without a select is in an older form. An alteration later needs to know
     * that. */
    if (!list->set || !resources_find(&list->u.res, "select"))
        edit_set_num(&s->job, JOB_A_HF_OLD_FORM, 1);
    s->job.touched[JOB_A_RESOURCE_LIST] = true;
    /* An empty request is completed, too: every job has a select, if only of one
     * cpu. */
    list->set = true;
    err = resource_request_complete(&list->u.res, s->m, s->queue, false, s->rq->arena,
                                    &schedselect, why);
    if (err)
        return err;
    edit_set_str(&s->job, JOB_A_SCHEDSELECT, schedselect);
    job_defaults_note(&s->job, &s->body->attrs, s->rq->arena);
    job_checkpoint_in(&s->job, s->queue, s->rq->arena);
    return 0;
}

static int add_variable(struct submission *s, const char *name, const char *value,
                        struct diag *why)
{
    const char *text = arena_printf(s->rq->arena, "%s=%s", name, value);

    return edit_set(&s->job, JOB_A_VARIABLE_LIST, NULL, text, WIRE_OP_INCR, why);
}

/* PBS_O_QUEUE, then PBS_O_HOST, at the end of Variable_List (cli.md 3.6). */
static int add_places(struct submission *s, struct diag *why)
{
    const char *given = job_variable(&s->job, "PBS_O_HOST");
    const char *host = arena_strdup(s->rq->arena, given ? given : s->rq->who->host);
    int err = 0;

    /* The variable is taken out and added again, so that it stands last, where clients
     * of PBS find it. */
    if (given)
        err = edit_set(&s->job, JOB_A_VARIABLE_LIST, NULL,
                       arena_printf(s->rq->arena, "PBS_O_HOST=%s", host), WIRE_OP_DECR,
                       why);
    if (!err)
        err = add_variable(s, "PBS_O_QUEUE", s->queue->obj.id, why);
    return err ? err : add_variable(s, "PBS_O_HOST", host, why);
}

/* What the server itself says of a new job. */
int submission_describe(struct submission *s, struct diag *why)
{
    const struct requester *who = s->owner;
    struct edit *e = &s->job;
    int err = 0;

    MUST(s->acct.user && s->acct.group); /* submission_check() has found them */
    edit_set_str(e, JOB_A_JOB_OWNER,
                 arena_printf(s->rq->arena, "%s@%s", who->user, who->host));
    edit_set_str(e, JOB_A_QUEUE, s->queue->obj.id);
    edit_set_str(e, JOB_A_SERVER, s->rq->cfg->server_name);
    edit_set_str(e, JOB_A_EUSER, s->acct.user);
    edit_set_str(e, JOB_A_EGROUP, s->acct.group);
    edit_set_num(e, JOB_A_QUEUE_TYPE, queue_is_routing(s->queue) ? 'R' : 'E');
    /* A job counts the servers and queues that it went through. */
    edit_set_num(e, JOB_A_HOP_COUNT,
                 s->arrives ? job_arrival_hops(&s->body->attrs) : 1);
    if (s->arrives)
        edit_set_num(e, JOB_A_HF_CAME, 1);
    if (s->arrives && job_is_foreign(s->rq->cfg, s->id, s->rq->arena))
        edit_set_num(e, JOB_A_HF_TRACK_AT, s->rq->now_at);
    if (!s->arrives || !edit_value(e, JOB_A_CTIME)->set)
        edit_set_num(e, JOB_A_CTIME, s->rq->now_at);
    if (!edit_value(e, JOB_A_SUBMIT_HOST)->set)
        edit_set_str(e, JOB_A_SUBMIT_HOST, who->host);
    if (s->queue->resv)
        edit_set_str(e, JOB_A_RESERVE_ID, s->queue->resv->obj.id);
    /* The places are added before the defaults, which depend on the variables. */
    if (!s->arrives)
        err = add_places(s, why);
    edit_defaults(e);
    job_force_entries(e);
    /* The default paths contain the name and the number of the job, which are known
     * only now. */
    job_paths_default(e, s->number, s->rq->who->host, s->rq->arena);
    if (s->indices)
        array_name_files(e, s->rq->arena);
    return err;
}

static struct job_entity entity_of(const struct submission *s)
{
    return (struct job_entity){
        .user = s->acct.user,
        .group = s->acct.group,
        .project = edit_str(&s->job, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight =
            new_job_weight(edit_str(&s->job, JOB_A_ARRAY_INDICES_SUBMITTED, NULL)),
    };
}

static const struct resources *asked_for(const struct submission *s)
{
    static const struct resources nothing;
    const struct attr_value *v = edit_value(&s->job, JOB_A_RESOURCE_LIST);

    return v->set ? &v->u.res : &nothing;
}

/* A queue opens to the job's owner, whoever sends the job. */
static int check_door(const struct submission *s, struct diag *why)
{
    struct request asks = *s->rq;
    struct job_account acct = s->acct;

    asks.who = s->owner;
    acct.indices = edit_str(&s->job, JOB_A_ARRAY_INDICES_SUBMITTED, NULL);
    return queue_lets_in(&asks, s->queue, &acct, why);
}

/* A job that its routing queue could only reject is refused at once (attributes.md 12).
 * One that waits, or whose queue is stopped, is told of it when it is tried. */
static int check_route(const struct submission *s, struct diag *why)
{
    const char *holds =
        attr_value_text(job_rows[JOB_A_HOLD_TYPES].type,
                        edit_value(&s->job, JOB_A_HOLD_TYPES), s->rq->arena);
    struct request asks = *s->rq;
    struct route_job route = { s->m, &asks, &s->job, &s->acct, s->queue };
    struct route_choice choice;
    struct edit to;

    asks.who = s->owner;
    /* What it depends on may hold it as well. */
    if (edit_value(&s->job, JOB_A_DEPEND)->set ||
        !queue_routes_now(s->queue, holds ? holds : "n",
                          edit_num(&s->job, JOB_A_EXECUTION_TIME, 0), s->rq->now_at))
        return 0;
    switch (route_judge(&route, &to, &choice)) {
    case ROUTE_TAKEN:
        edit_fini(&to);
        return 0;
    case ROUTE_AWAY: /* that is known when it has been sent */
    case ROUTE_LATER:
        return 0;
    case ROUTE_NEVER:
        break;
    }
    return diag_code(why, PBSE_ROUTEREJ);
}

/* All checks in their order (wire.md 8.1, attributes.md 9); the job is complete when
 * they have passed. */
int submission_check(struct submission *s, struct diag *why)
{
    struct wire_attrs known = { 0 };
    struct job_entity who;
    bool unknown = false;
    int err = job_attrs_offered(&s->body->attrs, why);

    /* Unknown names are only noted here, because the order of refusals is PBS's. */
    known_entries(s, &known, &unknown);
    if (!err)
        err = edit_list(&s->job, &known, s->rq->who->rights, why);
    if (!err && s->indices)
        err = array_submit(s->m, s->indices, &s->job, s->rq->arena, why);
    if (!err)
        err = check_holds(s, why);
    if (!err)
        err = job_entries_agree(&s->job, why);
    if (!err)
        err = job_targets_are_known(s->m, &s->job, s->rq->arena, why);
    if (!err)
        err = job_find_account(s->m, s->rq, s->owner, &s->job, &s->acct, why);
    if (!err && unknown)
        err = diag_code(why, PBSE_NOATTR);
    if (!err)
        err = check_door(s, why);
    /* The limits count by user, group and project, which the account has settled. */
    who = entity_of(s);
    if (!err)
        err = job_keeps_count_limits(s->m, s->queue, &who, why);
    if (!err)
        /* The amounts are known only when the defaults of queue and server are in the
         * request. */
        err = complete_request(s, why);
    if (!err)
        err = job_keeps_amount_limits(s->m, s->queue, &who, asked_for(s), why);
    if (!err)
        err = job_fits_resv(s->queue, &s->job, s->rq->arena, why);
    if (!err)
        err = job_keeps_limits(s->m, s->queue, asked_for(s), why);
    return err ? err : check_route(s, why);
}
