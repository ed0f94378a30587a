/* resv_modify.c - ModifyResv: what is wanted becomes a proposal, or is so at once.
 *
 * The order of the checks decides which error wins (reservations.md 13.3), so the steps
 * are a list. Times and select need a scheduler's word; with them, all of the request
 * waits for it. Names, mail and lists of users alone are changed at once, and so is an
 * end that has come already.
 *
 * Of a standing reservation ResvAct may name an occurrence that comes later. What is
 * altered then is the reservation as it will be in its turn (occurrence_as_resv()), and
 * the steps are the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/date.h"
#include "lib/base/instant.h"
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/object_size.h"
#include "server/decide/resv_conflict.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/decide/resv_shrink.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "server/model/resv_time.h"
#include "server/requests/handlers.h"
#include "server/requests/resv_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct alteration {
    const struct model *m;
    const struct request *rq;
    struct decision *out;
    const struct wire_attrs *attrs;
    const struct resv *resv;        /* the one of the model */
    const struct resv *r;           /* what is altered: of 'later', and of a series that
                                     * is not confirmed, a view */
    const struct occurrence *later; /* NULL: the current one */
    struct edit *e;
    enum resv_phase phase;
    bool force;
    bool release;       /* vnodes without jobs are given back */
    bool push;          /* who is in the way later is moved to make room */
    bool busy;          /* a job of it is on vnodes */
    uint32_t given;     /* enum resv_given */
    const char *select; /* as given */
    int64_t wait_s;     /* -I, 0: none */
};

static int check_access(struct alteration *a)
{
    const struct body_modify_resv *body = a->rq->body;
    int err = resv_access(a->m, a->rq, body->resv_id, &a->resv, a->out);

    if (err)
        return err;
    a->r = a->resv;
    /* Force may break the promises of others, and a push changes them, so both take a
     * manager. */
    if ((a->force || a->push) && !(a->rq->who->rights & WHO_MANAGER))
        return resv_unauthorized(a->rq, a->r, a->out);
    return 0;
}

/* Which occurrence it is about, when one is named. */
static int find_occurrence(struct alteration *a)
{
    const struct occurrence *oc;

    a->r = series_first_as_resv(a->r, a->rq->arena);
    if (!a->rq->occurrence)
        return 0;
    oc = occurrence_at(a->m, a->resv, a->rq->occurrence, a->rq->arena);
    if (!oc)
        return diag_code(&a->out->why, PBSE_UNKRESVID);
    if (occurrence_is_current(oc))
        return 0;
    a->later = oc;
    a->r = occurrence_as_resv(oc, a->rq->arena);
    return 0;
}

static int check_state(struct alteration *a)
{
    a->phase = resv_phase(a->r);
    a->busy = phase_is_running(a->phase) && resv_has_busy_job(a->r);
    /* One alteration is open at a time: a second one could not be answered without
     * knowing how the first ends. */
    if (proposal_is_open(a->r) ||
        !(a->phase == PHASE_UNCONFIRMED || phase_is_confirmed(a->phase)))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

/* Refuse an entry with its name, and with its resource when it has one (table 13.4). */
static int refuse(const struct alteration *a, int code, const struct wire_attr *w)
{
    if (!w->resource || !*w->resource)
        return diag_about(&a->out->why, code, w->name);
    return diag_about(&a->out->why, code,
                      arena_printf(a->rq->arena, "%s.%s", w->name, w->resource));
}

/* A number that cannot be read is refused with the others, later. */
static bool read_number(const char *text, int64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

static int take_start(struct alteration *a, const struct wire_attr *w)
{
    int64_t start_at;

    /* A job that runs already cannot have begun earlier or begin later. */
    if (a->busy)
        return diag_code(&a->out->why, PBSE_RESV_NOT_EMPTY);
    /* A start that cannot be read is refused below with the code of a bad value. */
    if (read_number(w->value, &start_at) && start_at <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    a->given |= GIVEN_START;
    return 0;
}

static int take_resource(struct alteration *a, const struct wire_attr *w)
{
    if (!w->resource || strcasecmp(w->resource, "select") != 0)
        return refuse(a, PBSE_BADATVAL, w);
    /* Force moves a window; which vnodes serve another select would have to be
     * planned. */
    if (a->force)
        return diag_code(&a->out->why, PBSE_NOSUP);
    if (a->phase == PHASE_RUNNING_CONFLICT) /* nobody knows which chunks are left */
        return diag_code(&a->out->why, PBSE_BADSTATE);
    a->select = w->value;
    return 0;
}

static int take_wait(struct alteration *a, const struct wire_attr *w)
{
    if (!read_number(w->value, &a->wait_s) || a->wait_s <= 0)
        return refuse(a, PBSE_BADATVAL, w);
    return 0;
}

/* Only what may be missing is emptied. */
static bool may_be_empty(int attr)
{
    return attr == RESV_A_AUTHORIZED_GROUPS || attr == RESV_A_MAIL_USERS ||
           attr == RESV_A_MAIL_POINTS || attr == RESV_A_ON_END ||
           attr == RESV_A_ON_END_QUEUE || attr == RESV_A_AUTO_EXTEND ||
           attr == RESV_A_AUTO_EXTEND_MAX || attr == RESV_A_AUTO_EXTEND_RELEASE;
}

static int take_entry(struct alteration *a, const struct wire_attr *w)
{
    int attr = attr_find(&resv_table, w->name);

    if (attr < 0)
        return refuse(a, PBSE_NOATTR, w);
    /* An alteration has to be stored as a proposal, and only some attributes have a
     * place there. */
    if (!(resv_rows[attr].flags & ATTR_ALTERABLE) || !proposal_knows(attr))
        return refuse(a, PBSE_ATTRRO, w);
    /* Names and lists are the reservation's, not those of one occurrence. */
    if (a->later && !proposal_shows(attr) && attr != RESV_A_INTERACTIVE)
        return refuse(a, PBSE_ATTRRO, w);
    if (*w->value == '\0' && !may_be_empty(attr))
        return refuse(a, PBSE_BADATVAL, w);
    switch (attr) {
    case RESV_A_RESERVE_START:
        return take_start(a, w);
    case RESV_A_RESERVE_END:
        a->given |= GIVEN_END;
        return 0;
    case RESV_A_RESERVE_DURATION:
        a->given |= GIVEN_DURATION;
        return 0;
    case RESV_A_RESOURCE_LIST:
        return take_resource(a, w);
    case RESV_A_INTERACTIVE:
        return take_wait(a, w);
    default:
        return 0;
    }
}

static int take_entries(struct alteration *a)
{
    int err = 0;

    for (size_t i = 0; i < a->attrs->n && !err; i++)
        err = take_entry(a, &a->attrs->v[i]);
    return err;
}

static int check_combination(struct alteration *a)
{
    /* There is nothing to force or to make room for in a change of names or lists. */
    if ((a->force || a->push) && !a->given)
        return diag_code(&a->out->why, PBSE_NOSUP);
    /* Maintenance takes vnodes and asks nobody to make room; nor is anybody moved for a
     * series of which nothing is promised yet. */
    if (a->push && (resv_is_maintenance(a->r) || series_is_new(a->resv)))
        return diag_code(&a->out->why, PBSE_NOSUP);
    /* Vnodes are given back with more time, and not beside a select that says which
     * chunks are. */
    if (a->release && (!a->given || a->select || a->force ||
                       !phase_is_running(a->phase) || resv_is_maintenance(a->r)))
        return diag_code(&a->out->why, PBSE_NOSUP);
    /* With a job inside the start stays, and end and duration together would move
     * it. */
    if (a->busy && (a->given & GIVEN_END) && (a->given & GIVEN_DURATION))
        return diag_code(&a->out->why, PBSE_RESV_NOT_EMPTY);
    /* Who wants one that takes the first start that comes at other times deletes it and
     * submits again. */
    if ((a->given || a->select) && !proposal_may_alter_times(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

/* The rows' own checks, once for each attribute; the refusal names it. */
static int check_rows(struct alteration *a)
{
    bool seen[RESV_A_COUNT] = { false };

    for (size_t i = 0; i < a->attrs->n; i++) {
        const struct wire_attr *w = &a->attrs->v[i];
        int attr = attr_find(&resv_table, w->name);
        const struct attr_value *v = edit_value(a->e, attr);
        /* What the edit has after all entries counts, so each attribute is checked
         * once. */
        bool looks = v->set && resv_rows[attr].check && !seen[attr];
        int err = looks ? resv_rows[attr].check(v, NULL) : 0;

        if (err)
            return refuse(a, err, w);
        seen[attr] = true;
    }
    return 0;
}

static int decode(struct alteration *a)
{
    int err = edit_list_entries(a->e, a->attrs, a->rq->who->rights, &a->out->why);

    if (!err)
        err = check_rows(a);
    return err ? err : resv_queue_check(a->m, a->e, a->rq->arena, &a->out->why);
}

static int derive_select(struct alteration *a)
{
    return a->select
               ? resv_shrink_to(a->e, a->m, a->r, a->select, a->rq->arena, &a->out->why)
               : 0;
}

static int refuse_order(const struct alteration *a)
{
    decide_log(a->out, LOG_EV_RESV, LOG_IN_RESV, a->r->obj.id, "%s",
               pbse_text(PBSE_STDG_RESV_OCCR_CONFLICT));
    return diag_code(&a->out->why, PBSE_STDG_RESV_OCCR_CONFLICT);
}

/* The current occurrence of a series ends before the next one starts, which a push may
 * move. */
static int keep_off_later(const struct alteration *a, int64_t at)
{
    return !a->push && proposal_meets_later(a->r, at) ? refuse_order(a) : 0;
}

/* One that comes later keeps its place among the others. */
static int keep_place(const struct alteration *a, const struct resv_times *t)
{
    bool meets = a->later &&
                 (a->push ? proposal_meets_before(a->later, t->start_at)
                          : proposal_meets_neighbour(a->later, t->start_at, t->end_at));

    return meets ? refuse_order(a) : 0;
}

static int derive_times(struct alteration *a)
{
    struct resv_times t = {
        .given = a->given,
        .start_at = edit_num(a->e, RESV_A_RESERVE_START, 0),
        .end_at = edit_num(a->e, RESV_A_RESERVE_END, 0),
        .duration_s = edit_num(a->e, RESV_A_RESERVE_DURATION, 0),
    };
    int err;

    if (!a->given)
        return 0;
    if ((err = keep_off_later(a, t.start_at)) ||
        (err = resv_times_alter(&t, a->rq->now_at, &a->out->why)))
        return err;
    /* Only what runs can end; a window that is over before it began is no window. */
    if (!phase_is_running(a->phase) && t.end_at <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    if ((err = keep_off_later(a, t.end_at)) || (err = keep_place(a, &t)))
        return err;
    /* Two of the three were given or kept, and the third follows from them. */
    edit_set_num(a->e, RESV_A_RESERVE_START, t.start_at);
    edit_set_num(a->e, RESV_A_RESERVE_END, t.end_at);
    edit_set_num(a->e, RESV_A_RESERVE_DURATION, t.duration_s);
    return edit_set(a->e, RESV_A_RESOURCE_LIST, "walltime",
                    arena_printf(a->rq->arena, "%" PRId64, t.duration_s), WIRE_OP_SET,
                    &a->out->why);
}

/* Where each chunk has a job, or none has, all stay. */
static int release_idle(struct alteration *a)
{
    if (!a->release)
        return 0;
    a->select = resv_busy_select(a->m, a->r, a->rq->arena);
    return derive_select(a);
}

static int check_release(struct alteration *a)
{
    bool longer = edit_num(a->e, RESV_A_RESERVE_END, 0) >
                  obj_num(&a->r->obj, RESV_A_RESERVE_END, 0);

    return a->release && !longer ? diag_code(&a->out->why, PBSE_NOSUP) : 0;
}

static int check_end(struct alteration *a)
{
    const struct object *o = &a->r->obj;

    return resv_on_end_check(a->m, a->rq, a->e, obj_str(o, RESV_A_RESERVE_OWNER, ""),
                             obj_str(o, RESV_A_EUSER, ""), &a->out->why);
}

/* Nobody has to agree to maintenance; where less of it is wanted a scheduler chooses
 * what is left. */
static bool is_own_word(const struct alteration *a)
{
    return resv_is_maintenance(a->r) && !a->select;
}

/* Maintenance waits for the word of whoever makes it before a scheduler is asked. */
static int check_askable(struct alteration *a)
{
    if (a->select && !proposal_may_open(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

static int (*const steps[])(struct alteration *a) = {
    check_state,   take_entries, check_combination, decode,        check_end,
    derive_select, release_idle, derive_times,      check_release, check_askable,
};

static const char *date(const struct alteration *a, int attr)
{
    const struct svr_config *cfg = a->rq->cfg;
    int64_t at = edit_num(a->e, attr, 0);
    char text[DATE_TEXT_BYTES];

    date_text(date_of(at, cfg->utc_offset_s ? cfg->utc_offset_s(cfg->arg, at) : 0),
              text);
    return arena_strdup(a->rq->arena, text);
}

static void log_attempt(const struct alteration *a)
{
    bool start = edit_num(a->e, RESV_A_RESERVE_START, 0) !=
                     obj_num(&a->r->obj, RESV_A_RESERVE_START, 0) ||
                 a->given & GIVEN_START;
    bool end = edit_num(a->e, RESV_A_RESERVE_END, 0) !=
                   obj_num(&a->r->obj, RESV_A_RESERVE_END, 0) ||
               a->given & GIVEN_END;

    /* PBS writes this line before anything comes of it (reservations.md 13.3). */
    a->out->logs_lead = true;
    decide_log(a->out, LOG_EV_RESV, LOG_IN_RESV, a->r->obj.id,
               "Attempting to modify reservation%s%s%s%s%s%s", start ? " start=" : "",
               start ? date(a, RESV_A_RESERVE_START) : "", end ? " end=" : "",
               end ? date(a, RESV_A_RESERVE_END) : "", a->select ? " select=" : "",
               a->select ? a->select : "");
}

/* A client that waits is answered with the state, and any other with the fact that it
 * asked. */
static void say_changed(const struct alteration *a)
{
    if (a->wait_s)
        reply_text(a->out, "%s %s", a->r->obj.id,
                   phase_is_confirmed(a->phase) ? "CONFIRMED" : "UNCONFIRMED");
    else
        reply_text(a->out, "%s ALTER REQUESTED", a->r->obj.id);
}

static void change_at_once(const struct alteration *a)
{
    MUST(!a->given && !a->select); /* for both somebody has to be asked */
    if (a->later) {                /* there was nothing to change */
        say_changed(a);
        return;
    }

    struct record *rec = decide(a->out, a->rq, FACT_SET, OBJ_RESV, a->r->obj.id);

    edit_commit(a->e, a->rq->arena, rec);
    record_change_num(rec, a->rq->arena, RESV_A_MTIME, a->rq->now_at);
    /* The queue of the reservation has the same lists of users. */
    resv_queue_follow(a->m, a->r, a->e, a->rq->now_at, a->out);
    say_changed(a);
}

/* Nobody needs to be asked for permission to end. */
static bool ends_now(const struct alteration *a)
{
    return phase_is_running(a->phase) && !a->select &&
           edit_num(a->e, RESV_A_RESERVE_END, 0) <= a->rq->now_at;
}

/* Maintenance takes its vnodes from whoever has them in its new window. */
static void take_over(const struct alteration *a)
{
    const struct window w = { edit_num(a->e, RESV_A_RESERVE_START, 0),
                              edit_num(a->e, RESV_A_RESERVE_END, 0) };
    struct exec_vnode vnodes;

    if (exec_vnode_parse(obj_str(&a->r->obj, RESV_A_RESV_NODES, ""), a->m->defs,
                         a->rq->arena, &vnodes, NULL))
        return;
    resv_conflict_record(a->m, a->r, &vnodes, w, a->rq->actor, a->rq->now_at, a->out);
}

static void grant_at_once(const struct alteration *a)
{
    const struct proposal_grant g = {
        .e = a->e,
        .later = a->later,
        .actor = a->rq->actor,
        .reason = REASON_LOCAL,
        .now_at = a->rq->now_at,
    };

    MUST(!proposal_is_open(a->r)); /* check_state() refused that */
    proposal_grant(a->m, a->resv, &g, a->out);
    if (resv_is_maintenance(a->r) && phase_is_confirmed(a->phase))
        take_over(a);
    reply_text(a->out, "%s %s", a->r->obj.id,
               a->force || a->wait_s ? "CONFIRMED" : "ALTER REQUESTED");
}

static void propose(const struct alteration *a, const char *asks)
{
    const struct proposal_part part = {
        .resv = a->resv, .later = a->later, .e = a->e, .asks = asks
    };

    proposal_open(a->m,
                  &(struct proposal){ .parts = &part,
                                      .n = 1,
                                      .force = a->force,
                                      .allows = a->push ? ALLOWS_PUSH : ALLOWS_NONE,
                                      .actor = a->rq->actor,
                                      .now_at = a->rq->now_at },
                  a->out);
    reply_text(a->out, "%s ALTER REQUESTED", a->r->obj.id);
    /* The client waits for the scheduler's word, at most as long as it said. */
    if (a->wait_s)
        act_wait(a->out, &(struct wait_for){
                             .why = WAIT_FOR_ALTERATION,
                             .kind = a->later ? OBJ_OCCURRENCE : OBJ_RESV,
                             .id = a->r->obj.id,
                             .until_at = instant_after(a->rq->now_at, a->wait_s),
                         });
}

static int make(const struct alteration *a)
{
    MUST(a->out->records.n == 0); /* a proposal has the number of the first record */

    /* Whom the question goes to is settled by the vnodes' partition; without a
     * scheduler force grants at once. */
    const char *asks = question_asks(a->m, a->rq->view, a->r, a->rq->arena);
    bool is_new = series_is_new(a->resv);
    bool stranger =
        (a->later || is_new) && asks && !question_asks_ours(a->rq->view, asks);

    /* A scheduler of another make would take it for a question about the current one,
     * or about nothing but the first one. */
    if (stranger && (a->given || a->select) && !a->force)
        return diag_set(&a->out->why, PBSE_NOSUP,
                        "%s: the scheduler knows nothing of %s", pbse_text(PBSE_NOSUP),
                        is_new ? "alterations before the confirmation"
                               : "later occurrences");
    log_attempt(a);
    if (!a->given && !a->select)
        change_at_once(a);
    else if (ends_now(a) || is_own_word(a) || (a->force && (!asks || stranger)))
        grant_at_once(a);
    else
        propose(a, asks);
    return 0;
}

int handle_resv_modify(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_modify_resv *body = rq->body;
    struct edit e = { 0 };
    struct alteration a = { .m = m, .rq = rq, .out = out, .e = &e };
    int err;

    a.attrs = &body->attrs;
    a.force = rq->wire->extend && strcmp(rq->wire->extend, "force") == 0;
    a.push = rq->terms & RESV_ACT_PUSH;
    a.release = rq->terms & RESV_ACT_RELEASE;
    err = check_access(&a);
    if (!err)
        err = find_occurrence(&a);
    if (err)
        return err;
    edit_init(&e, m, OBJ_RESV, &a.r->obj);
    /* The steps work on the edit, so whichever refuses has changed nothing. */
    for (size_t i = 0; i < ARRAY_LEN(steps) && !err; i++)
        err = steps[i](&a);
    if (!err)
        err = object_keeps_size(rq, &e, &out->why);
    if (!err)
        err = make(&a);
    edit_fini(&e);
    return err;
}
