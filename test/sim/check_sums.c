/* check_sums.c - see check_sums.h.
 *
 * Each new decision is judged beside what the model has and what the same plan has
 * decided before: a job outside of reservations that starts, a reservation that is
 * confirmed. What others force or run by hand, and what was promised before somebody
 * has lowered the number, counts, and is judged by nobody. What chunks ask for is added
 * up from the vnodes that each has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_sums.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/model/occurrence.h"
#include "sim.h"

#include <string.h>

#define FOREVER_S (5 * 365 * 86400LL)

struct part {
    const char *id;
    int64_t from_at, until_at, amount;
};

struct parts {
    struct arena *arena;
    const char *resource;
    int64_t now_at;
    size_t n, cap;
    struct part *v;
};

static void add(struct parts *all, struct part one)
{
    one.from_at = MAX_OF(one.from_at, all->now_at);
    if (one.from_at >= one.until_at || one.amount <= 0)
        return;
    ARENA_ROOM(all->arena, all, v, 32);
    all->v[all->n++] = one;
}

static int64_t amount_of(const struct bookings *holds, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < holds->n; i++)
        sum += resources_amount(&holds->v[i].amount, resource, 0);
    return sum;
}

static void add_occurrence(struct parts *all, const struct occurrence *oc)
{
    if (phase_is_confirmed(occurrence_phase(oc)))
        add(all, (struct part){ .id = oc->values->id,
                                .from_at = occurrence_start_at(oc, 0),
                                .until_at = occurrence_end_at(oc, 0),
                                .amount = amount_of(&oc->bookings, all->resource) });
}

static void add_resvs(struct parts *all, const struct model *m)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        size_t n;
        const struct occurrence **v = occurrence_places(TO_RESV(o), all->arena, &n);

        for (size_t i = 0; i < n; i++)
            if (v[i])
                add_occurrence(all, v[i]);
    }
}

static int64_t walltime_of(const struct job *j)
{
    int64_t s =
        resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST), "walltime", 0);

    return s > 0 ? s : FOREVER_S;
}

static bool leaves(const struct plan *plan, const char *job_id)
{
    for (size_t i = 0; i < plan->n; i++)
        for (size_t k = 0; k < plan->steps[i].victims.n; k++)
            if (strcmp(plan->steps[i].victims.v[k], job_id) == 0)
                return true;
    return false;
}

/* Jobs of reservations have their parts of those. */
static void add_jobs(struct parts *all, const struct model *m, const struct plan *plan)
{
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job *j = TO_JOB(o);
        int64_t from_at =
            obj_num(o, JOB_A_RUNS_FROM, obj_num(o, JOB_A_STIME, all->now_at));

        if (j->resv || job_is_stopped(j) || job_state(j) != 'R' || leaves(plan, o->id))
            continue;
        add(all, (struct part){ .id = o->id,
                                .from_at = all->now_at,
                                .until_at = from_at + walltime_of(j) -
                                            obj_num(o, JOB_A_RAN_TIME, 0),
                                .amount = amount_of(&j->bookings, all->resource) });
    }
}

static int64_t amount_in(const struct model *m, const char *text,
                         const struct parts *all)
{
    struct exec_vnode ev = { 0 };

    return text && exec_vnode_parse(text, m->defs, all->arena, &ev, NULL) == 0
               ? exec_vnode_amount(&ev, NULL, all->resource)
               : 0;
}

/* How long a job runs that this plan starts, which may have shortened it. */
static int64_t length_of(const struct plan *plan, const struct job *j)
{
    int64_t s;

    for (size_t i = 0; i < plan->n; i++)
        if (plan->steps[i].kind == PLAN_SHRINK_JOB &&
            strcmp(plan->steps[i].id, j->obj.id) == 0 &&
            duration_parse(plan->steps[i].walltime, &s) == 0)
            return s;
    return walltime_of(j);
}

/* What the step gives to whom, false: it is none that is judged. */
static bool part_of(const struct model *m, const struct plan *plan,
                    const struct plan_step *step, const struct parts *all,
                    struct part *ret)
{
    const struct resv *r = model_resv(m, step->id);
    const struct job *j = model_job(m, step->id);

    *ret = (struct part){ .id = step->id, .amount = amount_in(m, step->vnodes, all) };
    if (step->kind == PLAN_RUN_JOB && j && !j->resv && !step->resumes) {
        ret->from_at = all->now_at;
        ret->until_at = all->now_at + length_of(plan, j);
        return true;
    }
    if (step->kind != PLAN_CONFIRM_RESV || !r || step->degraded || step->altered)
        return false;
    /* Of one that takes any start the length is what counts. */
    ret->from_at = step->start_at;
    ret->until_at = step->start_at + obj_num(&r->obj, RESV_A_RESERVE_END, 0) -
                    obj_num(&r->obj, RESV_A_RESERVE_START, 0);
    return true;
}

static int64_t sum_at(const struct parts *all, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].from_at <= at && at < all->v[i].until_at)
            sum += all->v[i].amount;
    return sum;
}

/* 'one' is the last of all parts. */
static void judge(struct sim *s, const struct parts *all, const struct part *one,
                  int64_t has)
{
    for (size_t i = 0; i < all->n; i++) {
        int64_t at = MAX_OF(all->v[i].from_at, one->from_at);

        if (at < one->until_at && sum_at(all, at) > has)
            check_failed(s, CHECK_SUMS,
                         "%s is given %" PRId64 " of %s of the server's %" PRId64
                         ", of which %" PRId64 " are promised at second %" PRId64,
                         one->id, one->amount, all->resource, has, sum_at(all, at),
                         at - SIM_EPOCH_S);
    }
}

static void check_resource(struct sim *s, const struct model *m,
                           const struct plan *plan, struct parts *all, int64_t has)
{
    add_resvs(all, m);
    add_jobs(all, m, plan);
    for (size_t i = 0; i < plan->n; i++) {
        struct part one;
        size_t n = all->n;

        if (!part_of(m, plan, &plan->steps[i], all, &one))
            continue;
        add(all, one);
        if (all->n > n)
            judge(s, all, &all->v[n], has);
    }
}

/* Does the plan move what others have? Then the model is not what it leaves. */
static bool moves_others(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->steps[i].kind == PLAN_CONFIRM_RESV &&
            (plan->steps[i].altered || plan->steps[i].n_places > 0))
            return true;
    return false;
}

void check_sums_plan(struct sim *s, const struct planner *p)
{
    const struct model *m = shell_model(s);
    const struct resources *has;

    /* Two schedulers do not see what the other one gives away. */
    if (!m || m->seq != p->seen_seq || p->job_id || s->has_second ||
        moves_others(&p->plan))
        return;
    has = obj_resources(m->server, SERVER_A_RESOURCES_AVAILABLE);
    for (size_t i = 0; has && i < has->n; i++) {
        struct parts all = { .arena = arena_new(),
                             .resource = has->v[i].def->name,
                             .now_at = sim_now_at(s) };

        check_resource(s, m, &p->plan, &all,
                       resources_amount(has, all.resource, INT64_MAX));
        arena_free(all.arena);
    }
}
