/* job_queue.c - QueueJob, JobScript, Commit: a job comes in (wire.md 10.1).
 *
 * QueueJob decides everything: who the job runs as, whether its queue lets it in, what
 * it asks for. What it decided waits beside the model (job_pending.h) until Commit
 * makes it a record; nobody sees a job that was not committed. The number is spent when
 * its sender is told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/job_script.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/decide/job_defaults.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_pending.h"
#include "server/decide/job_transfer.h"
#include "server/decide/next_number.h"
#include "server/decide/object_size.h"
#include "server/decide/route.h"
#include "server/decide/verdict.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/model/job_tally.h"
#include "server/model/resource_request.h"
#include "server/requests/array_submit.h"
#include "server/requests/handlers.h"
#include "server/requests/job_admit.h"
#include "server/requests/job_arrive.h"
#include "server/requests/job_paths.h"

#include <string.h>
#include <strings.h>

#define SCRIPT_MAX_KIB_DEFAULT (100 * 1024)

/* A job on its way in. */
struct submission {
    const struct model *m;
    const struct request *rq;
    const struct body_queue *body;
    const struct queue *queue;
    struct job_account acct;
    const struct requester *owner; /* whose job it is, and with whose rights */
    bool arrives;                  /* from another server, which has made it */
    struct edit job;
    uint64_t number;
    const char *id;
    const char *indices; /* what makes it an array, or NULL */
};

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
static int describe(struct submission *s, struct diag *why)
{
    const struct requester *who = s->owner;
    struct edit *e = &s->job;
    int err = 0;

    MUST(s->acct.user && s->acct.group); /* check_submission() has found them */
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

    asks.who = s->owner;
    return queue_lets_in(&asks, s->queue, &s->acct, why);
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
static int check_submission(struct submission *s, struct diag *why)
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
        err = array_submit(s->m, s->queue, s->indices, &s->job, s->rq->arena, why);
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

static const char *change_text(const struct record *rec, int attr, const char *unset)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr && rec->changes[i].after)
            return rec->changes[i].after;
    return unset;
}

/* In a routing queue no job is eligible to run. */
static void drop_etime(struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_ETIME) {
            rec->changes[i] = rec->changes[--rec->n_changes];
            return;
        }
}

/* Add to the job's record where it belongs now that it is committed. */
static void settle(struct record *rec, const char *holds, int64_t execution_at,
                   uint64_t number, bool waits, const struct request *rq)
{
    /* Order in the queue: microseconds since the epoch. Within one second numbers
     * rise with arrival. */
    int64_t rank = rq->now_at * 1000000 + (int64_t)(number % 1000000);

    /* The state of a job depends on the moment of its commit and not on that of its
     * submission. */
    MUST(rec->fact == FACT_JOB_QUEUED && rec->kind == OBJ_JOB);
    rec->at = rq->now_at;
    if (waits)
        depend_hold_changes(NULL, holds, rec, rq->now_at, rq->arena);
    else
        record_job_event(rec, rq->arena, NULL,
                         job_place(holds, execution_at,
                                   change_text(rec, JOB_A_STAGEIN, NULL) != NULL,
                                   rq->now_at),
                         rq->now_at);
    if (*change_text(rec, JOB_A_QUEUE_TYPE, "E") == 'R')
        drop_etime(rec);
    record_change_num(rec, rq->arena, JOB_A_MTIME, rq->now_at);
    record_change_num(rec, rq->arena, JOB_A_QTIME, rq->now_at);
    record_change_num(rec, rq->arena, JOB_A_QUEUE_RANK, rank);
}

static int64_t execution_at(const struct record *rec)
{
    int64_t at = 0;

    /* The text was written by the server itself and has digits only. */
    for (const char *p = change_text(rec, JOB_A_EXECUTION_TIME, "0"); *p; p++)
        at = *p >= '0' && *p <= '9' ? at * 10 + (*p - '0') : at;
    return at;
}

/* In the place of what was asked for; NULL: nothing is left of that. */
static void put_depend(struct record *rec, const char *text)
{
    size_t i = 0;

    while (i < rec->n_changes && rec->changes[i].attr != JOB_A_DEPEND)
        i++;
    MUST(i < rec->n_changes); /* or there would be nothing to settle */
    if (text)
        rec->changes[i].after = text;
    else
        rec->changes[i] = rec->changes[--rec->n_changes];
}

/* What it waits for is settled with the commit: others may have ended since it was
 * sent. The records of others follow the job's own. */
static int settle_depend(const struct model *m, const struct request *rq,
                         struct record *rec, const char *text, bool *ret_waits,
                         struct decision *out)
{
    const struct depend_wish wish = {
        .m = m,
        .rq = rq,
        .job = rec->id,
        .owner = change_text(rec, JOB_A_JOB_OWNER, ""),
        .text = text,
        .registers = true,
    };
    struct depend_plan plan;
    const char *verify;
    int err = depend_admit(&wish, &plan, out);

    if (err)
        return err;
    put_depend(rec, depend_text(&plan.own, rq->cfg->server_name, rq->arena));
    if (plan.elsewhere.n)
        record_change(rec, rq->arena, JOB_A_HF_WAITERS, NULL,
                      depend_waiters_text(NULL, &plan, rq->arena));
    verify = depend_verify_text(&wish, &plan);
    if (verify) {
        record_change(rec, rq->arena, JOB_A_HF_VERIFY, NULL, verify);
        record_change_num(rec, rq->arena, JOB_A_HF_VERIFY_AT,
                          rq->now_at + DEPEND_VERIFY_AFTER_S);
    }
    depend_tell_others(&wish, &plan, out);
    *ret_waits = plan.state == DEPEND_OPEN;
    return 0;
}

static void settle_record(struct record *rec, const char *id, bool waits,
                          const struct request *rq)
{
    struct job_id parts = { 0 };

    if (!job_id_parse(id, rq->arena, &parts))
        parts.number = 0;
    settle(rec, change_text(rec, JOB_A_HOLD_TYPES, "n"), execution_at(rec),
           parts.number, waits, rq);
}

static bool commits_at_once(const struct wire_request *wire)
{
    return wire->extend && strstr(wire->extend, ":C:");
}

/* Refused at once, and asked again when it is committed. */
static int check_depend(const struct submission *s, struct decision *out)
{
    const struct depend_wish wish = {
        .m = s->m,
        .rq = s->rq,
        .job = s->id,
        .owner = edit_str(&s->job, JOB_A_JOB_OWNER, ""),
        .text = edit_str(&s->job, JOB_A_DEPEND, NULL),
    };
    struct depend_plan plan;

    return wish.text ? depend_admit(&wish, &plan, out) : 0;
}

/* The id says that the queue takes the job and that nobody else gets the number; all
 * else is looked at again with the commit. So the answer need not wait for the jobs of
 * others. */
static uint64_t newest_shown(const struct submission *s)
{
    uint64_t settings = MAX_OF(s->m->server->version, s->m->defs_seq);

    return MAX_OF(settings, s->queue->obj.version);
}

static int accept_submission(struct submission *s, struct decision *out)
{
    struct records scratch = { 0 };
    bool at_once = commits_at_once(s->rq->wire);
    const char *depend = edit_str(&s->job, JOB_A_DEPEND, NULL);
    bool waits = false;
    struct record *rec;
    int err = 0;

    /* It is in the id and in the default paths. */
    if (!s->arrives)
        number_take(s->m, s->rq, s->number, out);
    if (at_once)
        job_arrival_records(s->m, s->rq, s->id, out);
    /* Without a commit the record goes into a list that is thrown away, after
     * pending_add() has copied it. */
    rec = record_add(at_once ? &out->records : &scratch, out->arena, FACT_JOB_QUEUED,
                     OBJ_JOB, s->id, s->rq->actor, s->rq->now_at);
    edit_commit(&s->job, out->arena, rec);
    if (at_once && depend)
        err = settle_depend(s->m, s->rq, rec, depend, &waits, out);
    if (err)
        return err;
    if (at_once)
        settle_record(rec, s->id, waits, s->rq);
    else
        act_add(out, ACT_KEEP_JOB)->u.job = rec;
    if (out->records.n == 0 && !depend && !s->arrives)
        out->shows_seq = newest_shown(s);
    reply_id(out, at_once ? REPLY_COMMIT : REPLY_QUEUE, s->id);
    return 0;
}

/* The number is looked at here and taken only when the submission is accepted. */
static void name_new(struct submission *s)
{
    const char *server = s->rq->cfg->server_name;

    s->number = number_next(s->m, s->rq);
    s->id = s->indices ? array_id_make(s->number, server, s->rq->arena)
                       : job_id_make(s->number, server, s->rq->arena);
}

/* A job keeps the id that its first server gave it, and belongs to whom that server
 * says: the word of a server that is trusted counts. */
static void name_arrival(struct submission *s, struct requester *owner)
{
    *owner = requester_named(s->m, job_arrival_owner(&s->body->attrs), s->rq->arena);
    s->owner = owner;
    s->arrives = true;
    s->id = s->body->id;
}

int handle_queue_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    struct body_queue body = *(const struct body_queue *)rq->body;
    struct submission s = { .m = m, .rq = rq, .body = &body, .owner = rq->who };
    struct requester owner;
    int err;

    /* A client does not choose the id of a job. Only servers that move jobs send
     * one. */
    if (rq->who->peer)
        act_add(out, ACT_FORGET_OTHERS)->u.job_id = arena_strdup(out->arena, body.id);
    if (*body.id || rq->who->peer) {
        err = job_arrival_check(m, rq, body.id, &body.attrs, &out->why);
        if (err)
            return err;
    }
    /* A hook sees the job before any check and may change its attributes, which are
     * then checked like the user's own. */
    err = request_verdict(m, rq, HOOK_QUEUEJOB, &body.attrs, &body.attrs, out);
    if (err)
        return err;
    err = job_find_queue(m, rq, s.body->destination, &s.queue, &out->why);
    if (err)
        return err;
    s.indices = wire_attrs_value(&body.attrs, "array_indices_submitted", NULL);
    if (*body.id)
        name_arrival(&s, &owner);
    else
        name_new(&s);
    edit_init(&s.job, m, OBJ_JOB, NULL);
    err = check_submission(&s, &out->why);
    if (!err)
        err = describe(&s, &out->why);
    if (!err)
        err = object_keeps_size(rq, &s.job, &out->why);
    if (!err)
        err =
            user_jobs_keep_size(m, rq, s.acct.user, edit_bytes(&s.job, -1), &out->why);
    if (!err)
        err = check_depend(&s, out);
    if (!err)
        err = accept_submission(&s, out);
    edit_fini(&s.job);
    return err;
}

static int64_t script_max_kib(const struct model *m)
{
    const struct attr_value *v = obj_attr(m->server, SERVER_A_JOBSCRIPT_MAX_SIZE);

    return v->set ? size_kib(&v->u.size) : SCRIPT_MAX_KIB_DEFAULT;
}

int handle_job_script(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_script *body = rq->body;
    const struct pending_job *job = pending_find(rq->view->pending, rq->who->conn);
    struct act *part;

    if (!job)
        return diag_code(&out->why, PBSE_IVALREQ);
    /* The sum is compared, so a script in many parts is bounded like one in a single
     * part. */
    if (job->script.len + body->data.len > (size_t)script_max_kib(m) * 1024) {
        act_add(out, ACT_FORGET_JOB);
        return diag_code(&out->why, PBSE_JOBSCRIPTMAXSIZE);
    }
    part = act_add(out, ACT_ADD_SCRIPT);
    part->u.script.data = body->data.data;
    part->u.script.len = body->data.len;
    out->shows_seq = 0; /* the job is nobody's yet */
    return 0;
}

int handle_rdy_to_commit(const struct model *m UNUSED, const struct request *rq UNUSED,
                         struct decision *out UNUSED)
{
    /* An older step of the protocol: everything was checked by QueueJob, and Commit
     * follows. */
    return 0;
}

/* Resource_List of a record; a definition may have changed since it was made. */
static int asked_for_in(const struct model *m, const struct record *rec,
                        struct attr_value *list, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (c->attr == JOB_A_RESOURCE_LIST && c->after)
            /* A resource may have been deleted since, and the commit is refused
             * then. */
            err = attr_value_set(&attr_resources, list, m->defs, c->resource, c->after,
                                 WIRE_OP_SET);
    }
    return err ? diag_code(why, err) : 0;
}

/* What others may have changed between QueueJob and Commit: its queue, its resources,
 * and who is how near to a limit. */
static int check_again(const struct model *m, const struct record *rec,
                       struct diag *why)
{
    const struct queue *q = model_queue(m, change_text(rec, JOB_A_QUEUE, ""));
    const struct job_entity who = {
        .user = change_text(rec, JOB_A_EUSER, ""),
        .group = change_text(rec, JOB_A_EGROUP, ""),
        .project = change_text(rec, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight = new_job_weight(change_text(rec, JOB_A_ARRAY_INDICES_SUBMITTED, NULL)),
    };
    struct attr_value list = { 0 };
    /* The queue may have been deleted since QueueJob. */
    int err = q ? asked_for_in(m, rec, &list, why) : diag_code(why, PBSE_UNKQUE);

    if (!err)
        err = queue_has_room(q, why);
    if (!err)
        err = job_keeps_count_limits(m, q, &who, why);
    if (!err && list.set)
        err = job_keeps_amount_limits(m, q, &who, &list.u.res, why);
    if (list.set)
        attr_resources.clear(&list);
    return err;
}

/* Two servers may send the same job, each as it has it. */
static int check_arrival_again(const struct model *m, const struct pending_job *pending,
                               struct diag *why)
{
    const struct job *job = model_job(m, pending->id);

    return job && !job->past && !job_is_leaving(job) ? diag_code(why, PBSE_JOBEXIST)
                                                     : 0;
}

int handle_commit(const struct model *m, const struct request *rq, struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct pending_job *job = pending_find(rq->view->pending, rq->who->conn);
    const char *depend;
    bool waits = false;
    struct record *rec;
    int err;

    /* A connection commits the job that it sent itself and no other. */
    if (!job || strcasecmp(job->id, body->id) != 0)
        return diag_code(&out->why, PBSE_UNKJOBID);
    act_add(out, ACT_FORGET_JOB); /* it is a job now, or can be none any more */
    err = check_arrival_again(m, job, &out->why);
    if (!err)
        err = check_again(m, job->rec, &out->why);
    if (!err)
        err = user_jobs_keep_size(m, rq, change_text(job->rec, JOB_A_EUSER, ""),
                                  pending_bytes(job), &out->why);
    if (err)
        return err;
    job_arrival_records(m, rq, job->id, out);
    rec = pending_record(job, &out->records, out->arena);
    depend = change_text(rec, JOB_A_DEPEND, NULL);
    if (depend && (err = settle_depend(m, rq, rec, depend, &waits, out))) {
        out->records.n = 0;
        return err;
    }
    /* From here on nothing refuses: the record becomes the job. */
    settle_record(rec, job->id, waits, rq);
    if (job->has_script)
        record_change(rec, out->arena, JOB_A_HF_SCRIPT, NULL,
                      script_to_text(job->script.data, job->script.len, out->arena));
    reply_id(out, REPLY_COMMIT, rec->id);
    return 0;
}
