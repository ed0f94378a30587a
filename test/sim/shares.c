/* shares.c - see shares.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include "server/model/job_state.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"

#include <string.h>
#include <utlist.h>

/* A job without walltime may last as long as it likes. */
#define FOREVER_S (5 * 365 * 86400LL)

int64_t share_amount_on(const struct bookings *holds, const struct node *n,
                        const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            sum += resources_amount(&holds->v[i].amount, resource, 0);
    return sum;
}

static bool wants_alone(const struct object *o, int attr)
{
    const struct resource_value *v = resources_find(obj_resources(o, attr), "place");

    return v && v->value.u.str && strstr(v->value.u.str, "excl") != NULL;
}

/* One made from a job may be over before it begins: while its job is being ended the
 * vnodes are its own all the same. So it is at the end of an occurrence, until the next
 * one has its turn. */
static bool is_over(enum resv_phase phase)
{
    return phase == PHASE_ENDING || phase == PHASE_BETWEEN ||
           phase == PHASE_BETWEEN_DEGRADED || phase == PHASE_BETWEEN_CONFLICT;
}

bool share_has_begun(const struct resv *r)
{
    return obj_is_set(&r->obj, RESV_A_HF_BEGUN_AT) || is_over(resv_phase(r));
}

static void add(struct shares *all, struct share one, int64_t now_at)
{
    /* An occurrence that comes later has nothing on the vnode yet. */
    bool there =
        !one.resv || (share_has_begun(one.resv) && occurrence_is_current(one.oc));

    if (all->overstayers && there && one.from_at <= now_at)
        one.until_at = MAX_OF(one.until_at, now_at + 1);
    /* What is over is in nobody's way, also when a server that was down meanwhile has
     * not come to it yet. */
    if (MAX_OF(one.from_at, now_at) < one.until_at && all->n < SHARES_MAX)
        all->v[all->n++] = one;
}

/* It is deleted before it begins, while its queued jobs are: it had nothing on the
 * vnode but its promise. */
static bool had_only_a_promise(const struct resv *r, const struct node *n,
                               int64_t now_at)
{
    if (resv_phase(r) != PHASE_ENDING || obj_is_set(&r->obj, RESV_A_HF_BEGUN_AT) ||
        obj_num(&r->obj, RESV_A_RESERVE_START, 0) <= now_at)
        return false;
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return false;
    return true;
}

static void add_resv(struct shares *all, const struct occurrence *oc, int64_t amount,
                     int64_t now_at)
{
    enum resv_phase phase = occurrence_phase(oc);
    bool runs = phase_is_running(phase) || is_over(phase);

    if (!phase_is_confirmed(phase) && !is_over(phase))
        return;
    add(all,
        (struct share){
            .id = oc->values->id,
            .o = oc->values,
            .resv = oc->resv,
            .oc = oc,
            .from_at = runs ? now_at : occurrence_start_at(oc, 0),
            .until_at = occurrence_end_at(oc, 0),
            .amount = amount,
            .alone = wants_alone(&oc->resv->obj, RESV_A_RESOURCE_LIST),
        },
        now_at);
}

void shares_of_resvs(struct shares *all, const struct node *n, int64_t now_at)
{
    for (size_t i = 0; i < n->n_occurrences; i++) {
        const struct occurrence *oc = n->occurrences[i];

        if (!had_only_a_promise(oc->resv, n, now_at))
            add_resv(all, oc, share_amount_on(&oc->bookings, n, all->resource), now_at);
    }
}

/* Its processes stand. */
static bool is_stopped(const struct job *j)
{
    int64_t substate = obj_num(&j->obj, JOB_A_SUBSTATE, 0);

    return job_state(j) == 'R' &&
           (substate == 43 || substate == 45 || obj_num(&j->obj, JOB_A_HF_STANDS, 0));
}

static int64_t job_end_at(const struct job *j, int64_t now_at)
{
    int64_t walltime_s =
        resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST), "walltime", 0);

    /* The time that it was suspended or stood does not count. While it does, it ends
     * later with each second. */
    return (is_stopped(j) ? now_at
                          : obj_num(&j->obj, JOB_A_RUNS_FROM,
                                    obj_num(&j->obj, JOB_A_STIME, now_at))) +
           (walltime_s > 0 ? walltime_s : FOREVER_S) -
           obj_num(&j->obj, JOB_A_RAN_TIME, 0);
}

/* Suspended, and not by an administrator: in this complex it keeps nothing then. */
bool share_gave_back(const struct job *j)
{
    int64_t substate = obj_num(&j->obj, JOB_A_SUBSTATE, 0);

    return job_state(j) == 'R' && (substate == 43 || substate == 45) &&
           strcmp(obj_str(&j->obj, JOB_A_HF_SUSPEND, ""), "admin-suspend") != 0;
}

/* One that was suspended and ends without having gone on has nothing of the vnode. */
static bool ends_with_nothing(const struct job *j, const struct node *n)
{
    if (job_state(j) != 'E' || !obj_is_set(&j->obj, JOB_A_HF_SUSPEND))
        return false;
    for (size_t i = 0; i < j->bookings.n; i++)
        if (j->bookings.v[i].node == n && j->bookings.v[i].amount.n > 0)
            return false;
    return true;
}

/* One that qrun put into a reservation that has not begun is outside until then; nobody
 * promised it anything. */
static bool is_outside(const struct shares *all, const struct job *j)
{
    return !j->resv || (all->overstayers && !share_has_begun(j->resv));
}

static int64_t outside_until(const struct job *j, int64_t now_at)
{
    int64_t end_at = job_end_at(j, now_at);

    return j->resv ? MIN_OF(end_at, obj_num(&j->resv->obj, RESV_A_RESERVE_START, 0))
                   : end_at;
}

/* Does a job inside a reservation use what that does not name on the vnode? It is the
 * vnode's own, and a job's share like that of one outside. */
bool share_is_beside(const struct job *j, const struct node *n, const char *resource)
{
    for (size_t i = 0; i < j->resv->current.bookings.n; i++)
        if (j->resv->current.bookings.v[i].node == n)
            return !resources_find(&j->resv->current.bookings.v[i].amount, resource);
    return true; /* maintenance has taken the vnode: check_inside() */
}

static void add_beside(struct shares *all, const struct node *n, const struct job *j,
                       int64_t now_at)
{
    const struct share one = {
        .id = j->obj.id,
        .o = &j->obj,
        .inside = j->resv,
        .from_at = now_at,
        .until_at = MIN_OF(job_end_at(j, now_at),
                           obj_num(&j->resv->obj, RESV_A_RESERVE_END, 0)),
        .amount = share_amount_on(&j->bookings, n, all->resource),
    };

    if (one.amount > 0)
        add(all, one, now_at);
}

void shares_of_jobs(struct shares *all, const struct node *n, const struct resv *own,
                    int64_t now_at)
{
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct job *j = n->jobs[i];
        const struct share one = {
            .id = j->obj.id,
            .o = &j->obj,
            .from_at = now_at,
            .until_at = outside_until(j, now_at),
            .amount = share_amount_on(&j->bookings, n, all->resource),
            .alone = wants_alone(&j->obj, JOB_A_RESOURCE_LIST),
        };

        if (share_gave_back(j) || ends_with_nothing(j, n))
            continue;
        if (own && j->resv == own)
            continue;
        if (is_outside(all, j))
            add(all, one, now_at);
        else if (share_has_begun(j->resv) && share_is_beside(j, n, all->resource))
            add_beside(all, n, j, now_at);
    }
}

/* What the server has for all together. */

static void add_occurrence_of_server(struct shares *all, const struct occurrence *oc,
                                     int64_t now_at)
{
    int64_t amount = resources_amount(occurrence_resources(oc), all->resource, 0);

    if (oc->bookings.n > 0 && amount > 0)
        add_resv(all, oc, amount, now_at);
}

void shares_of_server(struct shares *all, const struct model *m, const struct resv *own,
                      int64_t now_at)
{
    const struct occurrence *oc;

    MODEL_EACH (m, OBJ_RESV, o) {
        add_occurrence_of_server(all, &TO_RESV(o)->current, now_at);
        DL_FOREACH (TO_RESV(o)->later, oc)
            add_occurrence_of_server(all, oc, now_at);
    }
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job *j = TO_JOB(o);
        const struct share one = {
            .id = o->id,
            .o = o,
            .from_at = now_at,
            .until_at = outside_until(j, now_at),
            .amount = resources_amount(obj_resources(o, JOB_A_RESOURCE_LIST),
                                       all->resource, 0),
        };

        if (job_is_at_mom(j) && one.amount > 0 && !share_gave_back(j) &&
            j->resv != own && is_outside(all, j))
            add(all, one, now_at);
    }
}

int64_t vnode_has_of(const struct node *n, const char *resource)
{
    return resources_amount(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                            resource, 0);
}

/* The next resource that vnodes count, behind *i; NULL behind the last. */
const char *next_counted(const struct model *m, size_t *i)
{
    while (*i < resource_count(m->defs)) {
        const struct resource_def *def = resource_at(m->defs, (*i)++);

        if (def->flags & (RESOURCE_NODE | RESOURCE_FIRST))
            return def->name;
    }
    return NULL;
}

bool share_is_at(const struct share *x, int64_t at)
{
    return x->from_at <= at && at < x->until_at;
}
