/* check_promise.c - no vnode is promised beyond its resources in any interval, and jobs
 * of a reservation use no more than it holds of what it names. Each resource that
 * vnodes count is summed by itself.
 *
 * A reservation counts from its start (from now when it runs) to its end, a job outside
 * of reservations from now to the end of its walltime. Who overstays (a job that does
 * not die) promises nothing to anybody, so nothing counts behind its own end.
 *
 * A reservation that was forced to be altered, or was made out of a job, may meet
 * others: then it has to list them, and they it. So it is with a job that has stood,
 * and ends later than it was planned for. That is no excuse for who is confirmed while
 * the job stands or afterwards, nor for other jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "shares.h"
#include "sim.h"

#include <string.h>

/* What is looked at: a vnode, after a turn of the server. */
struct look {
    struct sim *s;
    const struct node *n;
    const struct effects *turn;
};

/* Exemptions. */

static bool has_id(const char *const *ids, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static void check_listed(struct sim *s, const struct occurrence *oc,
                         const struct share *other)
{
    struct arena *arena = arena_new();
    struct oversub list = resv_oversub(shell_model(s), oc, sim_now_at(s), arena);
    /* Occurrences of a series are listed by their own names. */
    const char *name = other->oc ? occurrence_name(other->oc, arena) : other->id;

    if (phase_is_confirmed(occurrence_phase(oc)) &&
        !has_id(list.jobs, list.n_jobs, name) &&
        !has_id(list.resvs, list.n_resvs, name))
        check_failed(s, CHECK_LISTED, "%s meets %s and does not list it",
                     occurrence_name(oc, arena), name);
    arena_free(arena);
}

static bool was_forced(const struct look *l, const struct share *x)
{
    const struct occurrence *oc = x->inside ? &x->inside->current : NULL;

    if (x->resv)
        oc = x->oc;
    return oc && alter_may_overlap(l->s, oc, l->n->obj.id);
}

static bool is_late(const struct look *l, const struct share *x)
{
    return !x->resv && run_goes_on_late(l->s, TO_JOB(x->o));
}

/* It has been confirmed in this turn, so what is known of others by now counts. */
static bool is_new(const struct look *l, const struct share *x)
{
    for (size_t i = 0; x->resv && i < l->turn->n; i++) {
        const struct effect *e = &l->turn->v[i];

        if (e->kind == EFFECT_RECORD && e->u.record->fact == FACT_RESV_CONFIRMED &&
            strcmp(e->u.record->id, x->resv->obj.id) == 0)
            return true;
    }
    return false;
}

/* Somebody else is there who was promised it when the job's end was known already. */
static bool is_inexcusable(const struct look *l, const struct shares *all, int64_t at)
{
    for (size_t i = 0; i < all->n; i++)
        if (share_is_at(&all->v[i], at) && all->v[i].amount > 0 &&
            is_new(l, &all->v[i]) && !was_forced(l, &all->v[i]))
            return true;
    return false;
}

/* What those have who may not overlap. */
static int64_t regular_amount(const struct look *l, const struct shares *all,
                              int64_t at)
{
    bool excused = !is_inexcusable(l, all, at);
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++)
        if (share_is_at(&all->v[i], at) && !was_forced(l, &all->v[i]) &&
            !(excused && is_late(l, &all->v[i])))
            sum += all->v[i].amount;
    return sum;
}

/* What jobs have, whoever is late. */
static int64_t jobs_amount(const struct look *l, const struct shares *all, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++)
        if (share_is_at(&all->v[i], at) && !all->v[i].resv &&
            !was_forced(l, &all->v[i]))
            sum += all->v[i].amount;
    return sum;
}

/* All reservations among them list all others. */
static void check_all_listed(struct sim *s, const struct shares *all, int64_t at)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->n; k++) {
            const struct share *a = &all->v[i], *b = &all->v[k];

            if (i != k && a->resv && share_is_at(a, at) && share_is_at(b, at) &&
                a->amount && b->amount)
                check_listed(s, a->oc, b);
        }
}

static void check_pair(const struct look *l, const struct share *a,
                       const struct share *b, int64_t at)
{
    bool excused = (is_late(l, a) && b->resv && !is_new(l, b)) ||
                   (is_late(l, b) && a->resv && !is_new(l, a));

    if (!was_forced(l, a) && !was_forced(l, b) && !excused)
        check_failed(l->s, CHECK_PROMISE,
                     "%s at second %" PRId64
                     ": %s and %s, and one of them wants it alone",
                     l->n->obj.id, at - SIM_EPOCH_S, a->id, b->id);
    if (a->resv)
        check_listed(l->s, a->oc, b);
    if (b->resv)
        check_listed(l->s, b->oc, a);
}

/* A reservation and a job in it are on the vnode together. */
static bool are_one(const struct share *a, const struct share *b)
{
    return (a->resv && (b->inside == a->resv)) || (b->resv && a->inside == b->resv) ||
           (a->inside && a->inside == b->inside);
}

/* Sums change for the worse only where a share begins. */
static void check_instant(const struct look *l, const struct shares *all,
                          const struct share *first)
{
    int64_t has = vnode_has_of(l->n, all->resource);
    int64_t at = first->from_at;
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct share *x = &all->v[i];

        if (!share_is_at(x, at))
            continue;
        sum += x->amount;
        if (x != first && (x->alone || first->alone) && !are_one(x, first))
            check_pair(l, x, first, at);
    }
    if (sum <= has)
        return;
    if (regular_amount(l, all, at) > has || regular_amount(l, all, at) == sum ||
        jobs_amount(l, all, at) > has)
        check_failed(l->s, CHECK_PROMISE,
                     "%s has %" PRId64 " of %s and is promised %" PRId64
                     " at second %" PRId64 ", the last to %s",
                     l->n->obj.id, has, all->resource, sum, at - SIM_EPOCH_S,
                     first->id);
    check_all_listed(l->s, all, at);
}

/* Inside of reservations. */

/* Jobs of a reservation on the vnode against its share there. */
static void check_inside(struct sim *s, const struct node *n, const struct resv *r,
                         const char *resource)
{
    int64_t has = share_amount_on(&r->current.bookings, n, resource);
    int64_t used = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            used += share_amount_on(&n->jobs[i]->bookings, n, resource);
    if (used > has)
        check_failed(s, CHECK_INSIDE,
                     "%s holds %" PRId64 " of %s of %s and its jobs use %" PRId64,
                     r->obj.id, has, resource, n->obj.id, used);
}

/* Jobs go on on a vnode that maintenance has taken, and nowhere else beside. */
static void check_taken(struct sim *s, const struct node *n, const struct resv *r)
{
    const struct entry *e = ledger_find(&s->ledger, r->obj.id);

    for (size_t i = 0; i < r->current.bookings.n; i++)
        if (r->current.bookings.v[i].node == n)
            return;
    if (!e || !e->was_taken_from)
        check_failed(s, CHECK_INSIDE, "%s has a job on %s and holds nothing there",
                     r->obj.id, n->obj.id);
}

static void check_node(const struct look *l, const char *resource)
{
    struct shares all = { .resource = resource };
    const struct node *n = l->n;
    struct sim *s = l->s;

    shares_of_resvs(&all, n, sim_now_at(s));
    shares_of_jobs(&all, n, NULL, sim_now_at(s));
    for (size_t i = 0; i < all.n; i++)
        check_instant(l, &all, &all.v[i]);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv && share_has_begun(n->jobs[i]->resv))
            check_taken(s, n, n->jobs[i]->resv);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv && !share_is_beside(n->jobs[i], n, resource))
            check_inside(s, n, n->jobs[i]->resv, resource);
}

void check_promise(struct sim *s, const struct model *m, const struct effects *turn)
{
    MODEL_EACH (m, OBJ_NODE, o) {
        const struct node *n = TO_NODE(o);
        const struct look l = { s, n, turn };
        const char *resource;
        size_t i = 0;

        if (n->n_occurrences == 0 && n->n_jobs == 0)
            continue;
        while ((resource = next_counted(m, &i)))
            check_node(&l, resource);
    }
}
