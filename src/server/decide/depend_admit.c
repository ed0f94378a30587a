/* depend_admit.c - see depend_admit.h.
 *
 * PBS takes a job that is to wait for an unknown one, and deletes it later without a
 * word to the requester (cli.md 14, "Beat this"). Here the request is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/depend_admit.h"

#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/depend_chain.h"
#include "server/decide/depend_remote.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/said_id.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"

#include <string.h>

static int refuse(const struct depend_wish *w, int code, const char *about,
                  const char *reason, struct decision *out)
{
    decide_log(out, LOG_EV_DEBUG, LOG_IN_JOB, w->job, "%s: %s %s", pbse_text(code),
               about, reason);
    return diag_code(&out->why, code);
}

/* Which job of a set starts is decided where it starts; two servers would have to agree
 * on it before each start (doc/design/075-dependencies-between-servers.md). */
static int refuse_set(const struct depend_wish *w, const struct depend_entry *e,
                      struct decision *out)
{
    refuse(w, PBSE_BADDEPEND, e->job, "of a runone set is at another server", out);
    return diag_set(&out->why, PBSE_BADDEPEND,
                    "%s: all jobs of a runone set have to be at one server, and job "
                    "%s@%s is at another one",
                    pbse_text(PBSE_BADDEPEND), e->job, e->server);
}

static bool is_ours(const struct depend_wish *w, const struct depend_entry *e)
{
    return !e->server || names_this_server(w->rq->cfg, e->server);
}

static bool is_before(enum depend_type t)
{
    return t >= DEPEND_BEFORE && t <= DEPEND_BEFOREANY;
}

/* What the other one waits for, and will because of the plan. */
static size_t n_entries(const struct depend_plan *plan, const struct job *other,
                        struct arena *arena)
{
    const char *text = obj_str(&other->obj, JOB_A_DEPEND, NULL);
    struct depend_list list = { 0 };
    size_t n = text && depend_parse(text, arena, &list) ? list.n : 0;

    for (size_t i = 0; i < plan->n_others; i++)
        n += plan->others[i].job == other;
    return n;
}

static void add_other(struct depend_plan *plan, const struct depend_wish *w,
                      const struct job *other, enum depend_type type)
{
    plan->others[plan->n_others++] = (struct depend_other){
        .job = other, .entry = { .type = depend_other_side(type), .job = w->job }
    };
}

/* The other one is to wait for this job: it must be there, its owner's or an
 * administrator's, and not have begun. */
static int plan_before(const struct depend_wish *w, const struct depend_entry *e,
                       const struct job *other, struct depend_plan *plan,
                       struct decision *out)
{
    if (other->past || job_is_beyond_depend(other))
        return refuse(w, PBSE_BADDEPEND, e->job, "has begun", out);
    if (!(w->rq->who->rights & WHO_STAFF) &&
        !str_same(obj_str(&other->obj, JOB_A_JOB_OWNER, ""), w->owner))
        return refuse(w, PBSE_BADDEPEND, e->job, "is somebody else's", out);
    if (n_entries(plan, other, w->rq->arena) >= DEPEND_MAX_ENTRIES)
        return refuse(w, PBSE_BADDEPEND, e->job, "waits for too many jobs", out);
    add_other(plan, w, other, e->type);
    return 0;
}

static bool has_entry(const struct depend_list *list, enum depend_type type,
                      const char *job)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].type == type && str_same(list->v[i].job, job))
            return true;
    return false;
}

/* One of a set of which one shall run: this job knows all of them, and they know it. */
static int join_set(const struct depend_wish *w, const struct job *other,
                    struct depend_plan *plan, struct decision *out)
{
    const struct depend_entry e = { .type = DEPEND_RUNONE, .job = other->obj.id };

    if (str_same(other->obj.id, w->job) || has_entry(&plan->own, DEPEND_RUNONE, e.job))
        return 0;
    if (!(w->rq->who->rights & WHO_STAFF) &&
        !str_same(obj_str(&other->obj, JOB_A_JOB_OWNER, ""), w->owner))
        return refuse(w, PBSE_BADDEPEND, e.job, "is somebody else's", out);
    if (plan->own.n == DEPEND_MAX_ENTRIES || plan->n_others == DEPEND_MAX_ENTRIES)
        return refuse(w, PBSE_BADDEPEND, e.job, "is in too large a set", out);
    depend_add(&plan->own, w->rq->arena, &e);
    add_other(plan, w, other, DEPEND_RUNONE);
    return 0;
}

static int plan_runone(const struct depend_wish *w, const struct depend_entry *e,
                       const struct job *other, struct depend_plan *plan,
                       struct decision *out)
{
    struct depend_list set = { 0 };
    const char *text = obj_str(&other->obj, JOB_A_DEPEND, NULL);
    int err;

    if (other->past)
        return depend_judge(w->m, e) == DEPEND_FAILED
                   ? refuse(w, PBSE_HISTDEPEND, e->job, "has run", out)
                   : 0;
    err = join_set(w, other, plan, out);
    if (err || !text || !depend_parse(text, w->rq->arena, &set))
        return err;
    for (size_t i = 0; !err && i < set.n; i++) {
        const struct job *member =
            set.v[i].type == DEPEND_RUNONE ? model_job(w->m, set.v[i].job) : NULL;

        if (member && !member->past)
            err = join_set(w, member, plan, out);
    }
    return err;
}

static int plan_after(const struct depend_wish *w, const struct depend_entry *e,
                      struct depend_plan *plan, struct decision *out)
{
    enum depend_state state = depend_judge(w->m, e);

    if (state == DEPEND_FAILED)
        return refuse(w, PBSE_HISTDEPEND, e->job, "has not ended so", out);
    if (state == DEPEND_OPEN && !has_entry(&plan->own, e->type, e->job))
        depend_add(&plan->own, w->rq->arena, e);
    return 0;
}

/* A job of another server is to wait for this one: its server has it wait, and is told
 * how this one ends. */
static int plan_before_elsewhere(const struct depend_wish *w,
                                 const struct depend_entry *e, struct depend_plan *plan,
                                 struct decision *out)
{
    const struct waiter there = { .type = depend_other_side(e->type),
                                  .job = e->job,
                                  .server = e->server };

    if (waiters_find(&plan->elsewhere, there.type, there.job) < plan->elsewhere.n)
        return 0;
    if (plan->elsewhere.n == WAITERS_MAX)
        return refuse(w, PBSE_BADDEPEND, e->job, "is one of too many", out);
    waiters_add(&plan->elsewhere, w->rq->arena, &there);
    return 0;
}

/* The server of that job has it wait, and tells when it need not any more. What it does
 * not know is refused at once. */
static int plan_remote(const struct depend_wish *w, const struct depend_entry *e,
                       struct depend_plan *plan, struct decision *out)
{
    struct waiter name;

    if (!waiter_parse(arena_printf(w->rq->arena, "%s@%s", e->job, e->server),
                      w->rq->arena, &name))
        return refuse(w, PBSE_BADDEPEND, e->job, "is at no server", out);
    if (is_before(e->type))
        return plan_before_elsewhere(w, e, plan, out);
    if (e->type == DEPEND_RUNONE)
        return refuse_set(w, e, out);
    if (e->type < DEPEND_AFTER || e->type > DEPEND_AFTERANY)
        return refuse(w, PBSE_BADDEPEND, e->job, "is at another server", out);
    if (!has_entry(&plan->own, e->type, e->job))
        depend_add(&plan->own, w->rq->arena, e);
    return 0;
}

static int plan_entry(const struct depend_wish *w, const struct depend_entry *asked,
                      struct depend_plan *plan, struct decision *out)
{
    const struct job *other = asked->job ? model_job(w->m, asked->job) : NULL;
    struct depend_entry own = *asked;
    const struct depend_entry *e = &own;

    if (e->job && !is_ours(w, e))
        return plan_remote(w, e, plan, out);
    own.server = NULL; /* whatever name of this server was used */
    if (e->type == DEPEND_ON) {
        depend_add(&plan->own, w->rq->arena, e);
        return 0;
    }
    if (!other)
        return refuse(w, PBSE_BADDEPEND, e->job, "is not here", out);
    if (str_same(other->obj.id, w->job))
        return refuse(w, PBSE_BADDEPEND, e->job, "is the job itself", out);
    /* It may be the other server's already. */
    if (job_is_leaving(other))
        return refuse(w, PBSE_BADDEPEND, e->job, "goes to another server", out);
    if (is_before(e->type))
        return plan_before(w, e, other, plan, out);
    if (e->type == DEPEND_RUNONE)
        return plan_runone(w, e, other, plan, out);
    return plan_after(w, e, plan, out);
}

/* True when that job is to wait because of the wish: it is the job itself, or gets an
 * entry "after". */
static bool will_wait(const struct depend_wish *w, const struct depend_plan *plan,
                      const struct job *job)
{
    for (size_t i = 0; i < plan->n_others; i++)
        if (plan->others[i].job == job && plan->others[i].entry.type != DEPEND_RUNONE)
            return true;
    return str_same(job->obj.id, w->job);
}

/* Can there be a circle at all? It comes back to the job itself, for which then
 * somebody waits already, or to one that is to wait because of the wish. A job that is
 * new and makes nobody wait closes none, however long the chain before it is: this is
 * most of them, and a search for each would make long chains dear. */
static bool may_be_circle(const struct depend_wish *w, const struct depend_plan *plan)
{
    const struct job *self = model_job(w->m, w->job);

    for (size_t i = 0; i < plan->n_others; i++)
        if (plan->others[i].entry.type != DEPEND_RUNONE)
            return true;
    return plan->elsewhere.n > 0 || (self && job_is_awaited(self));
}

/* Whoever is to wait must not be waited for, through however many jobs. */
static int check_circle(const struct depend_wish *w, const struct depend_plan *plan,
                        struct decision *out)
{
    struct depend_chain c = depend_chain(w->m, w->rq, w->registers, 0);
    const struct job *job;
    bool found = false;

    for (size_t i = 0; i < plan->own.n; i++)
        depend_chain_entry(&c, &plan->own.v[i]);
    while (!found && (job = depend_chain_next(&c)))
        found = will_wait(w, plan, job);
    for (size_t i = 0; !found && i < plan->elsewhere.n; i++)
        found = depend_chain_has(&c, plan->elsewhere.v[i].job);
    depend_chain_fini(&c);
    if (found)
        return refuse(w, PBSE_BADDEPEND, w->job, "would wait for itself", out);
    return c.is_cut ? NEEDED : 0;
}

/* What the server of that job has said to the registration. */
static int word_of(const struct depend_wish *w, const struct depend_entry *e,
                   const struct finding *f, struct decision *out)
{
    if (f->failed)
        return diag_set(&out->why, PBSE_SYSTEM, "%s",
                        f->words ? f->words : pbse_text(PBSE_SYSTEM));
    /* That server lets its job go when it does not find this decision in time
     * (rules/verify_rule.c). */
    if (f->found && is_before(e->type) && f->learned_at &&
        w->rq->now_at - f->learned_at > DEPEND_DECIDE_WITHIN_S)
        return diag_set(&out->why, PBSE_SYSTEM,
                        "%s: servers of other jobs took too long, try again later",
                        pbse_text(PBSE_SYSTEM));
    if (f->found)
        return 0;
    return refuse(w, f->code == PBSE_HISTDEPEND ? PBSE_HISTDEPEND : PBSE_BADDEPEND,
                  e->job, f->words ? f->words : pbse_text(f->code), out);
}

/* All servers of those jobs are asked at the same time. */
static int register_some(const struct depend_wish *w, const struct depend_list *asked,
                         bool before, struct decision *out)
{
    bool all = true;
    int err = 0;

    for (size_t i = 0; !err && i < asked->n; i++) {
        const struct depend_entry *e = &asked->v[i];
        const struct finding *f;

        if (!e->job || is_ours(w, e) || is_before(e->type) != before)
            continue;
        f = depend_register(w->rq, w->job, w->owner, e);
        if (f)
            err = word_of(w, e, f, out);
        else
            all = false;
    }
    return err || all ? err : NEEDED;
}

/* All that is wrong here is known before another server is asked to note anything, and
 * jobs that are to wait are told last. */
static int register_all(const struct depend_wish *w, const struct depend_list *asked,
                        struct decision *out)
{
    int err = register_some(w, asked, false, out);

    return err ? err : register_some(w, asked, true, out);
}

/* Whoever asks may write the id of a job here in several forms. */
static void complete_ids(const struct depend_wish *w, struct depend_list *asked)
{
    for (size_t i = 0; i < asked->n; i++)
        if (asked->v[i].job && is_ours(w, &asked->v[i]))
            asked->v[i].job = said_job_id(w->m, w->rq, asked->v[i].job);
}

int depend_admit(const struct depend_wish *wish, struct depend_plan *ret,
                 struct decision *out)
{
    struct arena *arena = wish->rq->arena;
    struct depend_list asked;
    struct depend_plan plan = { 0 };
    int err = 0;

    if (!depend_parse(wish->text, arena, &asked))
        return diag_about(&out->why, PBSE_BADATVAL, job_rows[JOB_A_DEPEND].name);
    complete_ids(wish, &asked);
    plan.others =
        ARENA_ARRAY(arena, struct depend_other, 2 * (size_t)DEPEND_MAX_ENTRIES);
    for (size_t i = 0; !err && i < asked.n; i++)
        err = plan_entry(wish, &asked.v[i], &plan, out);
    if (!err && may_be_circle(wish, &plan))
        err = check_circle(wish, &plan, out);
    if (!err && wish->registers)
        err = register_all(wish, &asked, out);
    if (err)
        return err;
    plan.state = depend_judge_all(wish->m, &plan.own, arena, NULL, NULL);
    *ret = plan;
    return 0;
}

/* A job that waits for a number of others waits for this one by name from now on. */
static void count_down(struct depend_list *list, size_t at)
{
    if (--list->v[at].count > 0)
        return;
    memmove(&list->v[at], &list->v[at + 1], (list->n - at - 1) * sizeof(*list->v));
    list->n--;
}

bool depend_add_entry(struct depend_list *list, const struct depend_entry *e,
                      struct arena *arena)
{
    if (has_entry(list, e->type, e->job))
        return true;
    for (size_t i = 0; e->type != DEPEND_RUNONE && i < list->n; i++)
        if (list->v[i].type == DEPEND_ON) {
            count_down(list, i);
            break;
        }
    if (list->n >= DEPEND_MAX_ENTRIES)
        return false;
    depend_add(list, arena, e);
    return true;
}

const char *depend_waiters_text(const struct job *job, const struct depend_plan *plan,
                                struct arena *arena)
{
    struct waiters all = { 0 };

    if (job)
        all = waiters_of(job, arena);
    for (size_t i = 0; i < plan->elsewhere.n; i++) {
        const struct waiter *w = &plan->elsewhere.v[i];

        if (waiters_find(&all, w->type, w->job) == all.n && all.n < WAITERS_MAX)
            waiters_add(&all, arena, w);
    }
    return waiters_text(&all, arena);
}

const char *depend_verify_text(const struct depend_wish *wish,
                               const struct depend_plan *plan)
{
    struct waiters list = { 0 };

    for (size_t i = 0; i < plan->own.n; i++) {
        const struct depend_entry *e = &plan->own.v[i];
        const struct waiter w = { .type = e->type,
                                  .job = e->job,
                                  .server = e->server,
                                  .at = wish->rq->now_at + DEPEND_VERIFY_AFTER_S,
                                  .own = true };

        if (e->job && depend_is_remote(wish->m, e))
            waiters_add(&list, wish->rq->arena, &w);
    }
    return waiters_text(&list, wish->rq->arena);
}

/* One record for each job, whatever it gets. */
static void tell(const struct depend_wish *w, const struct depend_plan *plan,
                 const struct job *job, struct decision *out)
{
    const char *text = obj_str(&job->obj, JOB_A_DEPEND, NULL);
    struct depend_list list = { 0 };
    struct record *rec;

    if (text && !depend_parse(text, out->arena, &list))
        list.n = 0;
    for (size_t i = 0; i < plan->n_others; i++)
        if (plan->others[i].job == job)
            (void)!depend_add_entry(&list, &plan->others[i].entry, out->arena);
    rec = decide(out, w->rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    record_change(rec, out->arena, JOB_A_DEPEND, NULL,
                  depend_text(&list, w->rq->cfg->server_name, out->arena));
}

static bool is_told(const struct depend_plan *plan, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (plan->others[i].job == plan->others[before].job)
            return true;
    return false;
}

void depend_tell_others(const struct depend_wish *wish, const struct depend_plan *plan,
                        struct decision *out)
{
    for (size_t i = 0; i < plan->n_others; i++)
        if (!is_told(plan, i))
            tell(wish, plan, plan->others[i].job, out);
}

void depend_hold_changes(const struct job *job, const char *holds, struct record *rec,
                         int64_t now_at, struct arena *arena)
{
    bool there = strchr(holds, 's') != NULL;

    record_change(rec, arena, JOB_A_HF_DEPEND_HOLD, NULL, there ? "-" : "s");
    if (!there)
        record_change(rec, arena, JOB_A_HOLD_TYPES, NULL,
                      *holds == 'n' ? "s" : arena_printf(arena, "s%s", holds));
    record_job_event(rec, arena, job, JOB_EV_DEPEND, now_at);
}
