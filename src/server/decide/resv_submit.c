/* resv_submit.c - SubmitResv: a new reservation, unconfirmed, with its queue.
 *
 * The order of the checks decides which error wins (reservations.md 5.2), so the steps
 * are a list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_submit.h"

#include "server/decide/config.h"
#include "server/decide/edit.h"
#include "server/decide/know.h"
#include "server/decide/next_number.h"
#include "server/decide/object_size.h"
#include "server/decide/resv_from_job.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/resv_qmove.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_series.h"
#include "server/decide/resv_user.h"
#include "server/decide/verdict.h"
#include "server/model/job_phase.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"
#include "server/model/resv_time.h"

#include "lib/attr/acl.h"
#include "lib/attr/ids.h"
#include "lib/base/instant.h"
#include "lib/base/log.h"

#include <string.h>
#include <strings.h>

struct submission {
    const struct model *m;
    const struct request *rq;
    struct decision *out;
    struct edit *e; /* the reservation */
    bool duplicate; /* an ACL names somebody twice: said at its place in the order */
    const struct job *job;     /* that it is made out of, or NULL */
    const struct job *waiting; /* that it is made for, as soon as possible, or NULL */
    struct resv_account account;
    bool standing;              /* the client says that it is a series */
    struct series_times series; /* n is 0 unless there is a rule */
    const char *id;
    const char *queue;
};

static bool is_maintenance(const struct submission *s)
{
    return s->rq->wire->extend && strchr(s->rq->wire->extend, 'm');
}

static bool is_shrinking(const struct wire_attr *a)
{
    return attr_find(&resv_table, a->name) == RESV_A_RESOURCE_LIST && a->resource &&
           (strcasecmp(a->resource, "min_walltime") == 0 ||
            strcasecmp(a->resource, "max_walltime") == 0);
}

/* That an ACL names somebody twice is said later. */
static int unless_duplicate(struct submission *s, int err)
{
    if (err != PBSE_DUPLIST)
        return err;
    s->duplicate = true;
    return 0;
}

static int take_one(struct submission *s, struct edit_entries *en,
                    const struct wire_attr *a)
{
    int err;

    if (is_shrinking(a)) {
        decide_log(s->out, LOG_EV_ERROR, LOG_IN_REQUEST, "", "%s",
                   pbse_text(PBSE_NOSTF_RESV));
        return diag_code(&s->out->why, PBSE_NOSTF_RESV);
    }
    if (attr_find(&resv_table, a->name) < 0)
        return diag_code(&s->out->why, PBSE_NOATTR);
    if (attr_find(&resv_table, a->name) == RESV_A_RESERVE_STANDING) {
        s->standing = strcmp(a->value, "0") != 0; /* kept when the rule says so, too */
        return 0;
    }
    err = edit_entries_add(en, a, &s->out->why);
    if (!err && attr_find(&resv_table, a->name) == RESV_A_RESERVE_JOB)
        err = resv_job_find(s->m, s->rq, a->value, &s->job, &s->out->why);
    if (!err && attr_find(&resv_table, a->name) == RESV_A_QMOVE)
        err = resv_qmove_find(s->m, s->rq, a->value, &s->waiting, &s->out->why);
    return unless_duplicate(s, err);
}

static int take_attributes(struct submission *s)
{
    const struct body_queue *body = s->rq->body;
    struct edit_entries *en = edit_entries_begin(s->e, s->rq->who->rights);
    int err = 0, err_at_end;

    for (size_t i = 0; i < body->attrs.n && !err; i++)
        err = take_one(s, en, &body->attrs.v[i]);
    err_at_end = edit_entries_end(en, err ? NULL : &s->out->why);
    return err ? err : unless_duplicate(s, err_at_end);
}

static bool server_flag(const struct model *m, int attr)
{
    return obj_num(m->server, attr, 0) != 0;
}

/* Steps 3 to 6 of reservations.md 5.2: who may ask for a reservation at all. */
static int check_admission(struct submission *s)
{
    const struct requester *who = s->rq->who;
    const struct body_queue *body = s->rq->body;

    if (!obj_num(s->m->server, SERVER_A_RESV_ENABLE, 1))
        return diag_set(&s->out->why, PBSE_RESVAUTH_U, "reservations disallowed on %s",
                        s->rq->cfg->server_name);
    if (server_flag(s->m, SERVER_A_ACL_RESV_HOST_ENABLE) &&
        !acl_allows_host(obj_attr(s->m->server, SERVER_A_ACL_RESV_HOSTS), who->host,
                         s->rq->cfg->server_host))
        return diag_code(&s->out->why, PBSE_RESVAUTH_H);
    if (is_maintenance(s) && !(who->rights & WHO_STAFF))
        return diag_code(&s->out->why, PBSE_PERM);
    if (body->id[0])
        return diag_code(&s->out->why, PBSE_IVALREQ);
    return 0;
}

/* A job has one start, and gets its vnodes from a scheduler. */
static int take_waiting_job(struct submission *s)
{
    if (s->job || s->standing || edit_value(s->e, RESV_A_RESERVE_RRULE)->set ||
        is_maintenance(s))
        return diag_code(&s->out->why, PBSE_NOSUP);
    return resv_qmove_copy(s->rq, s->waiting, s->e, &s->out->why);
}

static int take_job(struct submission *s)
{
    if (s->waiting)
        return take_waiting_job(s);
    return s->job ? resv_job_copy(s->rq, s->job, s->e, &s->out->why) : 0;
}

/* What a job has was completed and judged when it was submitted. */
static int check_resources(struct submission *s)
{
    const struct attr_value *v = edit_value(s->e, RESV_A_RESOURCE_LIST);

    if (!v->set || s->job)
        return 0;
    return resource_request_check(&v->u.res, s->m, true, s->rq->arena, &s->out->why);
}

static void given(struct resv_times *t, const struct edit *e, int attr,
                  enum resv_given bit, int64_t *value)
{
    if (!edit_value(e, attr)->set)
        return;
    t->given |= bit;
    *value = edit_num(e, attr, 0);
}

static int derive_times(struct submission *s)
{
    const struct attr_value *res = edit_value(s->e, RESV_A_RESOURCE_LIST);
    struct resv_times t = { 0 };
    int err;

    given(&t, s->e, RESV_A_RESERVE_START, GIVEN_START, &t.start_at);
    given(&t, s->e, RESV_A_RESERVE_END, GIVEN_END, &t.end_at);
    given(&t, s->e, RESV_A_RESERVE_DURATION, GIVEN_DURATION, &t.duration_s);
    if (res->set && resources_find(&res->u.res, "walltime")) {
        t.given |= GIVEN_WALLTIME;
        t.walltime_s = resources_amount(&res->u.res, "walltime", 0);
    }
    err = resv_times_derive(&t, s->rq->now_at, s->job != NULL, &s->out->why);
    if (err)
        return err;
    edit_set_num(s->e, RESV_A_RESERVE_START, t.start_at);
    edit_set_num(s->e, RESV_A_RESERVE_END, t.end_at);
    edit_set_num(s->e, RESV_A_RESERVE_DURATION, t.duration_s);
    return edit_set(s->e, RESV_A_RESOURCE_LIST, "walltime",
                    arena_printf(s->rq->arena, "%" PRId64, t.walltime_s), WIRE_OP_SET,
                    &s->out->why);
}

/* What else has to be found out is noted at once, so that the rule is expanded once. */
static int find_zone(struct submission *s, const struct zone **ret)
{
    struct diag unused = { 0 };
    int err = request_zone(s->rq, edit_str(s->e, RESV_A_RESERVE_TIMEZONE, NULL), ret,
                           &s->out->why);
    int ignored = err == NEEDED
                      ? resv_account_find(s->rq, s->e, s->job, &s->account, &unused)
                      : 0;

    (void)ignored; /* judged in its turn */
    return err;
}

/* One whose only occurrence is not at its start is moved there: nobody else would. */
static void take_only_one(struct submission *s)
{
    edit_set_num(s->e, RESV_A_RESERVE_START, s->series.v[0].start_at);
    edit_set_num(s->e, RESV_A_RESERVE_END, s->series.v[0].end_at);
}

/* When each occurrence of a series is (reservations.md 9.1). */
static int expand_series(struct submission *s)
{
    const char *rule = edit_str(s->e, RESV_A_RESERVE_RRULE, NULL);
    const struct zone *zone;
    int err;

    if (!rule)
        return s->standing ? diag_code(&s->out->why, PBSE_BAD_RRULE_SYNTAX) : 0;
    if (s->job)
        return diag_code(&s->out->why, PBSE_BADTSPEC); /* its time is that of the job */
    if (is_maintenance(s))
        return diag_code(&s->out->why, PBSE_NOSUP); /* it says the vnodes of one time */
    if ((err = find_zone(s, &zone)))
        return err;
    err = resv_series_expand(rule, zone, edit_num(s->e, RESV_A_RESERVE_START, 0),
                             edit_num(s->e, RESV_A_RESERVE_DURATION, 0), s->rq->arena,
                             &s->series, &s->out->why);
    if (!err && s->series.n == 1)
        take_only_one(s);
    return err;
}

static bool is_series(const struct submission *s)
{
    return s->series.n > 1;
}

/* Write the completed list back, member by member. */
static int take_completed(struct submission *s, const struct resources *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        int err = edit_set(s->e, RESV_A_RESOURCE_LIST, name,
                           resources_text(list, name, s->rq->arena), WIRE_OP_SET,
                           &s->out->why);

        if (err)
            return err;
    }
    return 0;
}

static int complete_resources(struct submission *s)
{
    struct attr_value list = { 0 };
    const char *schedselect;
    int err;

    if (s->job)
        return 0;
    attr_resources.copy(&list, edit_value(s->e, RESV_A_RESOURCE_LIST));
    err = resource_request_complete(&list.u.res, s->m, NULL, true, s->rq->arena,
                                    &schedselect, &s->out->why);
    if (!err)
        err = take_completed(s, &list.u.res);
    if (!err)
        edit_set_str(s->e, RESV_A_SCHEDSELECT, schedselect);
    attr_resources.clear(&list);
    return err;
}

static int check_values(struct submission *s)
{
    return edit_check_rows(s->e, &s->out->why);
}

static int find_account(struct submission *s)
{
    return resv_account_find(s->rq, s->e, s->job, &s->account, &s->out->why);
}

/* Steps 14: may this user and these groups reserve anything. */
static int check_lists(struct submission *s)
{
    const struct resv_account *a = &s->account;

    if (server_flag(s->m, SERVER_A_ACL_RESV_GROUP_ENABLE) &&
        !acl_allows_group(obj_attr(s->m->server, SERVER_A_ACL_RESV_GROUPS), a->groups.v,
                          a->groups.n))
        return diag_code(&s->out->why, PBSE_RESVAUTH_G);
    if (server_flag(s->m, SERVER_A_ACL_RESV_USER_ENABLE) &&
        !acl_allows_user(obj_attr(s->m->server, SERVER_A_ACL_RESV_USERS), a->user,
                         s->rq->who->host))
        return diag_code(&s->out->why, PBSE_RESVAUTH_U);
    return 0;
}

static const char *owner(const struct submission *s)
{
    return s->job ? obj_str(&s->job->obj, JOB_A_JOB_OWNER, "") : s->rq->actor;
}

/* The owner may always use what is his; the text decides, as it does for others. */
static int authorize_owner(struct submission *s)
{
    const struct attr_value *v = edit_value(s->e, RESV_A_AUTHORIZED_USERS);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        if (strcmp(v->u.list.v[i], owner(s)) == 0)
            return 0;
    return edit_set(s->e, RESV_A_AUTHORIZED_USERS, NULL, owner(s), WIRE_OP_INCR,
                    &s->out->why);
}

static int describe(struct submission *s)
{
    struct edit *e = s->e;

    if (!edit_value(e, RESV_A_RESERVE_NAME)->set)
        edit_set_str(e, RESV_A_RESERVE_NAME, "NULL");
    edit_set_str(e, RESV_A_RESERVE_OWNER, owner(s));
    edit_set_str(e, RESV_A_SUBMIT_HOST, s->rq->who->host);
    edit_set_str(e, RESV_A_SERVER, s->rq->cfg->server_name);
    edit_set_num(e, RESV_A_RESERVE_STATE, resv_phase_state(PHASE_UNCONFIRMED));
    edit_set_num(e, RESV_A_RESERVE_SUBSTATE, resv_phase_substate(PHASE_UNCONFIRMED));
    edit_set_num(e, RESV_A_CTIME, s->rq->now_at);
    edit_set_num(e, RESV_A_MTIME, s->rq->now_at);
    edit_set_num(e, RESV_A_HOP_COUNT, 1);
    edit_set_num(e, RESV_A_RESERVE_COUNT, (int64_t)MAX_OF(s->series.n, 1U));
    if (is_series(s)) {
        edit_set_num(e, RESV_A_RESERVE_STANDING, 1);
        edit_set_str(e, RESV_A_HF_STARTS, series_starts_text(&s->series, s->rq->arena));
    }
    edit_set_str(e, RESV_A_EUSER, s->account.user);
    edit_set_str(e, RESV_A_EGROUP, s->account.group);
    return authorize_owner(s);
}

static int check_duplicates(struct submission *s)
{
    if (s->duplicate)
        return diag_code(&s->out->why, PBSE_DUPLIST);
    return resv_queue_check(s->m, s->e, s->rq->arena, &s->out->why);
}

static int check_on_end(struct submission *s)
{
    return resv_on_end_check(s->m, s->rq, s->e, owner(s), s->account.user,
                             &s->out->why);
}

static int (*const steps[])(struct submission *s) = {
    check_admission, take_attributes,    take_job,     check_resources, derive_times,
    expand_series,   complete_resources, check_values, find_account,    check_lists,
    describe,        check_duplicates,   check_on_end,
};

static char letter_of(const struct submission *s)
{
    if (is_maintenance(s))
        return 'M';
    return is_series(s) ? 'S' : 'R';
}

static void record_all(struct submission *s)
{
    uint64_t number = number_next(s->m, s->rq);
    struct record *rec;

    number_take(s->m, s->rq, number, s->out);
    s->id = resv_id_make(letter_of(s), number, s->rq->cfg->server_name, s->rq->arena);
    s->queue = arena_strndup(s->rq->arena, s->id, strcspn(s->id, "."));
    edit_set_str(s->e, RESV_A_QUEUE, s->queue);
    resv_queue_create(s->m, s->rq, s->e, s->queue, s->out); /* and told first */
    rec = decide(s->out, s->rq, FACT_RESV_SUBMITTED, OBJ_RESV, s->id);
    edit_commit(s->e, s->rq->arena, rec);
    if (s->job)
        resv_job_records(s->rq, s->job, s->id, s->queue, s->out);
}

static void answer(struct submission *s)
{
    int64_t wait_s = edit_num(s->e, RESV_A_INTERACTIVE, 0);

    if (s->job) {
        reply_text(s->out, "%s CONFIRMED", s->id);
        return;
    }
    if (!edit_value(s->e, RESV_A_INTERACTIVE)->set) {
        reply_text(s->out, "%s UNCONFIRMED", s->id);
        return;
    }
    /* With "-I -N" a rule ends the reservation, and that answers. */
    act_wait(s->out,
             &(struct wait_for){
                 .kind = OBJ_RESV,
                 .id = s->id,
                 .until_at = wait_s < 0 ? 0 : instant_after(s->rq->now_at, wait_s),
             });
}

/* Everything else is in order. */
static int await_job(struct submission *s)
{
    if (resv_await_job(s->rq, s->job, s->out))
        return 0;
    return diag_code(&s->out->why, PBSE_BADSTATE);
}

static void make(struct submission *s)
{
    record_all(s);
    answer(s);
}

static int submit(const struct model *m, const struct request *rq, struct decision *out)
{
    struct edit e;
    struct submission s = { .m = m, .rq = rq, .out = out, .e = &e };
    int err = 0;

    edit_init(&e, m, OBJ_RESV, NULL);
    for (size_t i = 0; i < ARRAY_LEN(steps) && !err; i++)
        err = steps[i](&s);
    if (!err)
        err = object_keeps_size(rq, &e, &out->why);
    if (!err && s.job && job_phase(s.job) == JOB_STARTING)
        err = await_job(&s);
    else if (!err)
        make(&s);
    edit_fini(&e);
    return err;
}

int handle_submit_resv(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    struct body_queue body = *(const struct body_queue *)rq->body;
    struct request judged = *rq;
    int err = request_verdict(m, rq, HOOK_RESVSUB, &body.attrs, &body.attrs, out);

    if (err)
        return err;
    judged.body = &body;
    return submit(m, &judged, out);
}
