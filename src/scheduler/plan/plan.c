/* plan.c - a plan as a whole: the world as it stands, then reservations, then jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/classes.h"
#include "scheduler/plan/holders.h"
#include "scheduler/plan/job_value.h"
#include "scheduler/plan/plan_check.h"
#include "scheduler/plan/remarks.h"
#include "scheduler/plan/waiting.h"

#include "lib/wire/confirm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct plan_step *plan_add(struct planner *pl, enum plan_kind kind, const char *id)
{
    struct plan *plan = pl->plan;

    MUST(id && *id); /* a step is about a job or a reservation */
    ARENA_ROOM(pl->arena, plan, steps, 16);
    plan->steps[plan->n] = (struct plan_step){ .kind = kind, .id = id };
    return &plan->steps[plan->n++];
}

void plan_note_add(struct planner *pl, struct plan_notes *notes, uint32_t event,
                   const char *id, const char *text)
{
    ARENA_ROOM(pl->arena, notes, v, 8);
    notes->v[notes->n++] = (struct plan_note){ event, id, text };
}

bool resv_is_running(const struct planner *pl, const struct snap_resv *r)
{
    if (r->state == RESV_BEING_ALTERED)
        return r->substate == RESV_RUNNING ||
               (r->substate != RESV_CONFIRMED && r->substate != RESV_UNCONFIRMED &&
                r->old_start_at <= pl->now_at);
    return r->state == RESV_RUNNING || r->state == RESV_BEING_DELETED ||
           r->state == RESV_DELETING_JOBS;
}

/* Each kind of step has what plan_step_request() and the log need. */
static bool step_is_whole(const struct plan_step *step)
{
    switch (step->kind) {
    case PLAN_CONFIRM_RESV:
        return step->vnodes && step->partition && step->failure == FAIL_NONE;
    case PLAN_DENY_RESV:
        return !step->vnodes && step->reason && step->failure != FAIL_NONE;
    case PLAN_RUN_JOB:
        return step->vnodes && *step->vnodes;
    case PLAN_SHRINK_JOB:
    case PLAN_EXTEND_JOB:
        return step->walltime != NULL;
    case PLAN_PREEMPT_JOBS:
        return step->victims.n > 0;
    case PLAN_COMMENT_JOB:
        return step->reason && step->log && step->failure != FAIL_NONE &&
               (step->est_start_at > 0) == (step->est_vnodes != NULL);
    }
    return false;
}

struct planning {
    struct planner pl;
    struct jobs *jobs;        /* NULL: this plan has none */
    size_t n_checked;         /* steps */
    struct plan_check *check; /* in builds with checks; NULL: there is nothing to
                                 compare with */
    bool is_compared;
};

static void check_steps(struct planning *p)
{
    const struct plan *plan = p->pl.plan;

    for (; p->n_checked < plan->n; p->n_checked++)
        MUST(step_is_whole(&plan->steps[p->n_checked]));
#ifdef HF_CHECKS
    for (size_t v = 0; v < p->pl.w->n; v++)
        MUST(!p->pl.w->line[v] || timeline_is_whole(p->pl.w->line[v]));
#endif
}

/* The world as it stands, and all steps about reservations. */
static void begin(struct planner *pl, const struct snapshot *s, const struct policy *p,
                  int64_t now_at, bool resvs, struct arena *arena, struct plan *ret)
{
    *ret = (struct plan){ .arena = arena };
    *pl = (struct planner){ .s = s, .p = p, .now_at = now_at, .arena = arena };
    pl->plan = ret;
    pl->w = world_new(s, p, now_at, arena);
    pl->links = links_find(pl->w);
    waiting_note_news(pl);
    job_values_begin(pl);
    pl->next_resv_at = ARENA_NEW(arena, int64_t);
    /* Whoever asks for a reservation is told nothing of what jobs may leave unused. */
    pl->soft = !resvs || !plan_resvs_are_open(pl);
    holders_book(pl);
    if (pl->soft)
        holders_extend(pl);
    if (resvs)
        plan_resvs(pl);
}

#ifdef HF_CHECKS
/* What the jobs would be told by a plan that remembers nothing, in the same world. */
static struct plan_check *plan_plainly(const struct planner *like,
                                       const struct sched_look *look)
{
    struct plan plan = { .arena = like->arena };
    struct planner pl = *like;
    struct world w = *like->w;
    struct jobs *jobs;

    if (look->job_id || w.book->passing || !waiting_serves(&pl))
        return NULL;
    w.scratch = arena_new();
    pl.w = &w;
    pl.plan = &plan;
    pl.plain = true;
    jobs = jobs_new(&pl, look, NULL);
    while (jobs_go_on(jobs, SIZE_MAX))
        continue;
    jobs_fini(jobs);
    world_fini(&w);
    return plan_check_new(like->arena, &plan);
}
#else
static struct plan_check *plan_plainly(const struct planner *like UNUSED,
                                       const struct sched_look *look UNUSED)
{
    return NULL;
}
#endif

struct planning *planning_new(const struct snapshot *s, const struct policy *p,
                              int64_t now_at, const struct sched_look *look,
                              struct arena *arena, struct plan *ret)
{
    struct planning *ing = ARENA_NEW(arena, struct planning);
    struct planner *pl = &ing->pl;

    begin(pl, s, p, now_at, !look->job_id, arena, ret);
    /* The server changes more than we know when it takes an answer about a
     * reservation. Jobs are planned from a snapshot of what it has made of it. */
    if (!ret->again) {
        ing->check = plan_plainly(pl, look);
        ing->jobs = jobs_new(pl, look, ing->check);
    } else {
        ret->again = jobs_wait(pl);
    }
    check_steps(ing);
    return ing;
}

bool planning_go_on(struct planning *p, size_t effort)
{
    bool more = p->jobs && jobs_go_on(p->jobs, effort);

    MUST(!more || !p->pl.plan->again); /* jobs belong to the next plan then */
    check_steps(p);
    if (p->check && !more && !p->is_compared) {
        plan_check_end(p->check, p->pl.plan);
        p->is_compared = true;
    }
    return more;
}

const char *planning_last_waiting(const struct planning *p)
{
    return p->jobs ? jobs_last_waiting(p->jobs) : NULL;
}

void planning_strays(const struct planning *p, stray_fn each, void *arg)
{
    strays_each(&p->pl, each, arg);
}

void planning_occurrences(const struct planning *p, occurrence_fn each, void *arg)
{
    occurrences_each(&p->pl, each, arg);
}

void planning_values(const struct planning *p, value_fn each, void *arg)
{
    job_values_each(&p->pl, each, arg);
}

const char *planning_formula_fault(const struct planning *p)
{
    return job_values_fault(&p->pl);
}

bool planning_orders_twice(const struct planning *p)
{
    return p->pl.formula && p->pl.p->n_job_keys > 0;
}

bool planning_has_partition(const struct planning *p)
{
    return p->pl.s->partition != NULL;
}

bool planning_has_vnodes(const struct planning *p)
{
    return p->pl.s->n_vnodes > 0; /* those of other partitions are left out */
}

size_t planning_classes(struct planning *p)
{
    return classes_count(&p->pl);
}

void planning_free(struct planning *p)
{
    if (p->jobs)
        jobs_fini(p->jobs);
    plan_check_fini(p->check);
    world_fini(p->pl.w);
}

void sched_plan(const struct snapshot *s, const struct policy *p, int64_t now_at,
                const char *job_id, struct arena *arena, struct plan *ret)
{
    const struct sched_look look = { .job_id = job_id };
    struct planning *ing = planning_new(s, p, now_at, &look, arena, ret);

    while (planning_go_on(ing, SIZE_MAX))
        continue;
    planning_free(ing);
}

/* An instant is "@" and its number: the commands that show the text know the time zone
 * of who reads it. */
static void add_instant(struct buf *out, const char *before, int64_t at)
{
    if (at > 0)
        buf_printf(out, "%s@%" PRId64, before, at);
}

/* The reason of a denial, for a server that numbers its questions: such a server
 * shows it to the user. NULL for other servers, which do not expect a text there. */
static const char *reason_of(const struct plan_step *step, struct arena *arena)
{
    const struct plan_short *why = &step->why;
    struct buf out = { 0 };
    const char *text;

    if (!step->has_seq || !step->reason)
        return NULL;
    buf_add_str(&out, step->reason);
    if (why->holder && why->vnode) {
        buf_printf(&out, ": %s is held by %s", why->vnode, why->holder);
        add_instant(&out, " until ", why->until_at);
    }
    if (*step->shortage)
        buf_printf(&out, "; %s", step->shortage);
    add_instant(&out, "; it would fit from ", why->earliest_at);
    buf_add_str(&out, step->advice);
    text = arena_strdup(arena, out.data);
    buf_fini(&out);
    return text;
}

static bool offer_request(const struct plan_step *step, struct arena *arena,
                          struct wire_request *ret)
{
    struct body_offer_resv *body = ARENA_NEW(arena, struct body_offer_resv);

    MUST(step->has_seq); /* only such a server allows it */
    body->seq = (uint64_t)step->seq;
    body->partition = step->partition;
    body->n = step->n_places;
    body->offers = ARENA_ARRAY(arena, struct wire_offer, step->n_places);
    for (size_t i = 0; i < step->n_places; i++)
        body->offers[i] = (struct wire_offer){
            .id = step->places[i].id,
            .start_at = (uint64_t)step->places[i].start_at,
            .end_at = (uint64_t)step->places[i].end_at,
            .vnodes = step->places[i].vnodes,
        };
    *ret = (struct wire_request){ .number = BATCH_OFFER_RESV, .body = body };
    return true;
}

static bool confirm_request(const struct plan_step *step, struct arena *arena,
                            struct wire_request *ret)
{
    struct body_run *body = arena_zero(arena, sizeof(*body));
    bool yes = step->kind == PLAN_CONFIRM_RESV;
    const struct wire_confirm answer = {
        .yes = yes,
        .has_seq = step->has_seq,
        .seq = step->seq,
        .away = step->away,
        .partition = yes ? step->partition : NULL,
        .reason = yes ? NULL : reason_of(step, arena),
    };

    MUST(yes == (step->vnodes != NULL)); /* a yes names vnodes, a no none */
    body->object_id = step->id;
    /* Servers of every make read the word "null" as no vnodes. */
    body->vnodes = yes ? step->vnodes : "null";
    body->argument = step->start_at > 0 ? (uint64_t)step->start_at : 0;
    *ret = (struct wire_request){
        .number = BATCH_CONFIRM_RESV,
        .body = body,
        .extend = wire_confirm_text(&answer, arena),
    };
    return true;
}

static bool resume_request(const struct plan_step *step, struct arena *arena,
                           struct wire_request *ret)
{
    struct body_signal *body = arena_zero(arena, sizeof(*body));

    body->job_id = step->id;
    body->signal = "resume";
    *ret = (struct wire_request){ .number = BATCH_SIGNAL_JOB, .body = body };
    return true;
}

static bool run_request(const struct plan_step *step, struct arena *arena,
                        struct wire_request *ret)
{
    static const int32_t requests[] = {
        [PLAN_WAIT_NONE] = BATCH_ASYRUN_JOB,
        [PLAN_WAIT_HOOKS] = BATCH_ASYRUN_JOB_ACK,
        [PLAN_WAIT_STARTS] = BATCH_RUN_JOB,
    };
    struct body_run *body = arena_zero(arena, sizeof(*body));

    if (step->resumes)
        return resume_request(step, arena, ret);
    body->object_id = step->id;
    body->vnodes = step->vnodes;
    *ret = (struct wire_request){ .number = requests[step->waits], .body = body };
    return true;
}

bool plan_step_is_awaited(const struct plan_step *step)
{
    switch (step->kind) {
    case PLAN_CONFIRM_RESV:
    case PLAN_DENY_RESV:
    case PLAN_PREEMPT_JOBS:
        return true;
    case PLAN_RUN_JOB:
        return step->resumes || step->waits != PLAN_WAIT_NONE;
    case PLAN_SHRINK_JOB:
    case PLAN_EXTEND_JOB:
    case PLAN_COMMENT_JOB:
        break;
    }
    return false;
}

static bool preempt_request(const struct plan_step *step, struct arena *arena,
                            struct wire_request *ret)
{
    struct body_list *body = ARENA_NEW(arena, struct body_list);

    body->ids = step->victims;
    *ret = (struct wire_request){ .number = BATCH_PREEMPT_JOBS, .body = body };
    return true;
}

/* What of the job is not yet as it is to be, in one request (scheduling.md 30). */
static void changed_attrs(const struct plan_step *step, struct arena *arena,
                          struct wire_attrs *ret)
{
    static const char est[] = "estimated";

    if (!step->unchanged)
        wire_attrs_add(ret, arena, "comment", NULL, step->reason, WIRE_OP_SET);
    if (step->est_start_at > 0 && !step->est_known) {
        wire_attrs_add(ret, arena, est, "start_time",
                       arena_printf(arena, "%" PRId64, step->est_start_at),
                       WIRE_OP_SET);
        wire_attrs_add(ret, arena, est, "exec_vnode", step->est_vnodes, WIRE_OP_SET);
    }
    if (step->accrue_type)
        wire_attrs_add(ret, arena, "accrue_type", NULL, step->accrue_type, WIRE_OP_SET);
    if (step->topjob)
        wire_attrs_add(ret, arena, "topjob", NULL, step->topjob, WIRE_OP_SET);
}

/* Of a job; nobody waits for the answer. */
static bool alter_request(const struct plan_step *step, struct arena *arena,
                          const struct wire_attrs *attrs, struct wire_request *ret)
{
    struct body_manage *body = arena_zero(arena, sizeof(*body));

    if (attrs->n == 0)
        return false;
    body->command = 2; /* set */
    body->object_type = OBJECT_JOB;
    body->object_name = step->id;
    body->attrs = *attrs;
    *ret = (struct wire_request){ .number = BATCH_MODIFY_JOB_ASYNC, .body = body };
    return true;
}

static bool comment_request(const struct plan_step *step, struct arena *arena,
                            struct wire_request *ret)
{
    struct wire_attrs attrs = { 0 };

    changed_attrs(step, arena, &attrs);
    return alter_request(step, arena, &attrs, ret);
}

bool plan_refused_request(const struct plan_step *step, const struct policy *p,
                          const char *words, struct arena *arena,
                          struct wire_request *ret)
{
    size_t len = strcspn(step->id, "[");
    struct wire_attrs attrs = { 0 };

    MUST(step->kind == PLAN_RUN_JOB);
    if (!p->update_comments || (step->id[len] == '[' && step->id[len + 1] != ']'))
        return false;
    wire_attrs_add(
        &attrs, arena, "comment", NULL,
        arena_printf(arena, "Not Running: PBS Error: %.*s", FAILURE_MAX_BYTES, words),
        WIRE_OP_SET);
    return alter_request(step, arena, &attrs, ret);
}

static bool shrink_request(const struct plan_step *step, struct arena *arena,
                           struct wire_request *ret)
{
    struct wire_attrs attrs = { 0 };

    wire_attrs_add(&attrs, arena, "Resource_List", "walltime", step->walltime,
                   WIRE_OP_SET);
    return alter_request(step, arena, &attrs, ret);
}

static bool extend_request(const struct plan_step *step, struct arena *arena,
                           struct wire_request *ret)
{
    struct wire_attrs attrs = { 0 };

    wire_attrs_add(&attrs, arena, "estimated", "soft_walltime", step->walltime,
                   WIRE_OP_SET);
    return alter_request(step, arena, &attrs, ret);
}

bool plan_step_request(const struct plan_step *step, struct arena *arena,
                       struct wire_request *ret)
{
    switch (step->kind) {
    case PLAN_CONFIRM_RESV:
    case PLAN_DENY_RESV:
        return step->n_places > 0 ? offer_request(step, arena, ret)
                                  : confirm_request(step, arena, ret);
    case PLAN_RUN_JOB:
        return run_request(step, arena, ret);
    case PLAN_SHRINK_JOB:
        return shrink_request(step, arena, ret);
    case PLAN_EXTEND_JOB:
        return extend_request(step, arena, ret);
    case PLAN_COMMENT_JOB:
        return comment_request(step, arena, ret);
    case PLAN_PREEMPT_JOBS:
        return preempt_request(step, arena, ret);
    }
    return false;
}

/* With the number of a dry run; texts of the snapshot are copied. */
static void dry_offer(const struct wire_request *said, uint64_t number,
                      struct arena *arena, struct wire_request *ret)
{
    struct body_offer_resv *body = arena_copy(arena, said->body, sizeof(*body));

    body->seq = number;
    body->partition = arena_strdup(arena, body->partition);
    body->offers = arena_copy(arena, body->offers, body->n * sizeof(*body->offers));
    for (size_t i = 0; i < body->n; i++) {
        body->offers[i].id = arena_strdup(arena, body->offers[i].id);
        body->offers[i].vnodes = arena_strdup(arena, body->offers[i].vnodes);
    }
    *ret = (struct wire_request){ .number = BATCH_DRY_OFFER, .body = body };
}

/* In the form of ConfirmResv; texts of the snapshot are copied. */
static void dry_answer(const struct wire_request *said, const char *number,
                       struct arena *arena, struct wire_request *ret)
{
    struct body_run *body = arena_copy(arena, said->body, sizeof(*body));

    MUST(said->number == BATCH_CONFIRM_RESV);
    body->object_id = arena_strdup(arena, number);
    body->vnodes = arena_strdup(arena, body->vnodes);
    *ret = (struct wire_request){ .number = BATCH_DRY_RUN,
                                  .body = body,
                                  .extend = arena_strdup(arena, said->extend) };
}

static void answer_of(const struct plan *plan, const struct wire_object *o,
                      struct arena *arena, struct wire_request *ret)
{
    static const struct plan_step none = { .kind = PLAN_DENY_RESV,
                                           .id = "",
                                           .has_seq = true,
                                           .reason = "the scheduler has no answer",
                                           .advice = "",
                                           .shortage = "" };
    const char *number = wire_attrs_value(&o->attrs, ATTR_DRY_RUN, NULL);
    const struct plan_step *step = &none;
    struct wire_request said;
    bool any;

    for (size_t i = 0; i < plan->n; i++)
        if (strcmp(plan->steps[i].id, o->name) == 0)
            step = &plan->steps[i];
    any = plan_step_request(step, arena, &said);
    MUST(any);
    if (said.number == BATCH_OFFER_RESV)
        dry_offer(&said, number ? strtoull(number, NULL, 10) : 0, arena, ret);
    else
        dry_answer(&said, number ? number : "", arena, ret);
}

void sched_try(struct snapshot *s, const struct policy *p, int64_t now_at,
               const struct wire_object *o, struct arena *arena,
               struct wire_request *ret)
{
    struct snap_trial trial;
    struct plan plan = { 0 };
    struct planner pl;

    if (!snap_trial_begin(&trial, s, o)) {
        answer_of(&plan, o, arena, ret);
        return;
    }
    begin(&pl, s, p, now_at, true, arena, &plan);
    answer_of(&plan, o, arena, ret);
    world_fini(pl.w);
    snap_trial_end(&trial);
}
