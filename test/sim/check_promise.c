/* check_promise.c - no vnode is promised beyond its resources in any interval, and jobs
 * of a reservation use no more than it holds.
 *
 * A reservation counts from its start (from now when it runs) to its end, a job outside
 * of reservations from now to the end of its walltime. Who overstays (a job that does
 * not die) promises nothing to anybody, so nothing counts behind its own end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <string.h>

/* A job without walltime may last as long as it likes. */
#define FOREVER_S (5 * 365 * 86400LL)

struct share {
    const char *id;
    int64_t from_at;
    int64_t until_at;
    int64_t ncpus;
    bool alone; /* place=excl */
};

#define SHARES_MAX 256

struct shares {
    size_t n;
    struct share v[SHARES_MAX];
};

static int64_t ncpus_on(const struct holds *holds, const struct node *n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            sum += resources_amount(&holds->v[i].amount, "ncpus", 0);
    return sum;
}

static bool wants_alone(const struct object *o, int attr)
{
    const struct resource_value *v = resources_find(obj_resources(o, attr), "place");

    return v && v->value.u.str && strstr(v->value.u.str, "excl") != NULL;
}

static void add(struct shares *all, struct share one)
{
    if (one.from_at < one.until_at && all->n < SHARES_MAX)
        all->v[all->n++] = one;
}

static void add_resvs(struct shares *all, const struct node *n, int64_t now_at)
{
    for (size_t i = 0; i < n->n_resvs; i++) {
        const struct resv *r = n->resvs[i];
        const struct object *o = &r->obj;
        enum resv_phase phase = resv_phase(r);
        bool runs = phase_is_running(phase) || phase == PHASE_ENDING;

        if (!phase_is_confirmed(phase) && phase != PHASE_ENDING)
            continue;
        add(all, (struct share){
                     .id = o->id,
                     .from_at = runs ? now_at : obj_num(o, RESV_A_RESERVE_START, 0),
                     .until_at = obj_num(o, RESV_A_RESERVE_END, 0),
                     .ncpus = ncpus_on(&r->holds, n),
                     .alone = wants_alone(o, RESV_A_RESOURCE_LIST),
                 });
    }
}

static int64_t job_end_at(const struct job *j, int64_t now_at)
{
    int64_t walltime_s =
        resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST), "walltime", 0);

    return obj_num(&j->obj, JOB_A_STIME, now_at) +
           (walltime_s > 0 ? walltime_s : FOREVER_S);
}

static void add_jobs(struct shares *all, const struct node *n, int64_t now_at)
{
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct job *j = n->jobs[i];

        if (!j->resv)
            add(all, (struct share){
                         .id = j->obj.id,
                         .from_at = now_at,
                         .until_at = job_end_at(j, now_at),
                         .ncpus = ncpus_on(&j->holds, n),
                         .alone = wants_alone(&j->obj, JOB_A_RESOURCE_LIST),
                     });
    }
}

/* Sums change for the worse only where a share begins. */
static void check_instant(struct sim *s, const struct node *n, const struct shares *all,
                          const struct share *first)
{
    int64_t has = resources_amount(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                                   "ncpus", 0);
    int64_t at = first->from_at;
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct share *x = &all->v[i];

        if (at < x->from_at || at >= x->until_at)
            continue;
        sum += x->ncpus;
        if (x != first && (x->alone || first->alone))
            check_failed(s, CHECK_PROMISE,
                         "%s at second %" PRId64
                         ": %s and %s, and one of them wants it alone",
                         n->obj.id, at - SIM_EPOCH_S, first->id, x->id);
    }
    if (sum > has)
        check_failed(s, CHECK_PROMISE,
                     "%s has %" PRId64 " cpus and is promised %" PRId64
                     " at second %" PRId64 ", the last to %s",
                     n->obj.id, has, sum, at - SIM_EPOCH_S, first->id);
}

/* Jobs of a reservation on the vnode against its share there. */
static void check_inside(struct sim *s, const struct node *n, const struct resv *r)
{
    int64_t has = ncpus_on(&r->holds, n);
    int64_t used = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            used += ncpus_on(&n->jobs[i]->holds, n);
    if (used > has)
        check_failed(s, CHECK_INSIDE,
                     "%s holds %" PRId64 " cpus of %s and its jobs use %" PRId64,
                     r->obj.id, has, n->obj.id, used);
}

void check_promise(struct sim *s, const struct model *m)
{
    int64_t now_at = sim_now_at(s);

    MODEL_EACH(m, OBJ_NODE, o)
    {
        const struct node *n = TO_NODE(o);
        struct shares all = { 0 };

        add_resvs(&all, n, now_at);
        add_jobs(&all, n, now_at);
        for (size_t i = 0; i < all.n; i++)
            check_instant(s, n, &all, &all.v[i]);
        for (size_t i = 0; i < n->n_jobs; i++)
            if (n->jobs[i]->resv)
                check_inside(s, n, n->jobs[i]->resv);
    }
}
