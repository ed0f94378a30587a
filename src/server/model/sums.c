/* sums.c - resources that are assigned because of links (reservations.md 18).
 *
 * A vnode's sum is over the running reservations on it and the jobs outside of them;
 * the server's likewise, over what their Resource_List says; a queue's is over its
 * running jobs. Every sum changes by a count of one object only, and an object is taken
 * off before it changes. What is held of a resource that a vnode borrows from another
 * is summed there (indirect.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/model/link_priv.h"

#include <strings.h>
#include <utlist.h>

static struct node *home_of(struct node *n, const char *resource)
{
    for (size_t i = 0; i < n->n_borrowed; i++)
        if (strcasecmp(n->borrowed[i].resource, resource) == 0)
            return n->borrowed[i].home;
    return n;
}

/* Count a booking at its vnode. What the vnode borrows is counted at the home of the
 * resource. */
void booking_count(const struct model *m, const struct booking *h, int sign)
{
    MUST(sign == 1 || sign == -1);
    looks_new(m, &h->node->obj);
    /* Most vnodes borrow nothing, and their amounts are added at once. */
    if (h->node->n_borrowed == 0) {
        resource_sums_count(&h->node->assigned, &h->amount, sign);
        return;
    }
    for (size_t i = 0; i < h->amount.n; i++) {
        const struct resources one = { 1, &h->amount.v[i] };
        struct node *home = home_of(h->node, h->amount.v[i].def->name);

        resource_sums_count(&home->assigned, &one, sign);
        looks_new(m, &home->obj);
    }
}

void bookings_count(const struct model *m, const struct bookings *list, int sign)
{
    for (size_t i = 0; i < list->n; i++)
        booking_count(m, &list->v[i], sign);
}

/* The members that servers and queues count (attributes.md 6.3). */
void list_count(struct model *m, struct resource_sums *total, const struct object *o,
                int attr, int sign)
{
    const struct resources *list = obj_resources(o, attr);
    struct resources some = { 0 };

    if (list->n == 0)
        return;
    arena_clear(m->scratch);
    /* Only some members are counted; the values are borrowed and not copied. */
    some.v = ARENA_ARRAY(m->scratch, struct resource_value, list->n);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].def->flags & RESOURCE_QUEUE)
            some.v[some.n++] = list->v[i];
    resource_sums_count(total, &some, sign);
}

static void job_count_outside(struct model *m, struct job *j)
{
    /* A job inside of a running reservation uses what the reservation counts
     * already. */
    if (!job_is_at_mom(j) || (j->resv && j->resv->current.counted))
        return;
    bookings_count(m, &j->bookings, 1);
    list_count(m, &m->assigned, &j->obj, job_counted_list(j), 1);
    DL_APPEND2(m->outside, j, outside_prev, outside_next);
    j->counted_in_vnodes = true;
}

void job_uncount_outside(struct model *m, struct job *j)
{
    /* What was counted is noted at the job: its state may be another one by now. */
    if (!j->counted_in_vnodes)
        return;
    bookings_count(m, &j->bookings, -1);
    list_count(m, &m->assigned, &j->obj, job_counted_list(j), -1);
    DL_DELETE2(m->outside, j, outside_prev, outside_next);
    j->counted_in_vnodes = false;
}

/* A job belongs to the reservation of its queue. */
void job_set_resv(struct model *m, struct job *j, struct resv *r)
{
    /* Counted off with the old reservation and on again with the new one. */
    job_uncount_outside(m, j);
    j->resv = r;
    job_count_outside(m, j);
}

static bool any_at_mom(const struct queue *q)
{
    return q->n_state[job_state_index('R')] + q->n_state[job_state_index('E')] > 0;
}

void queue_jobs_follow(struct model *m, struct queue *q)
{
    bool counted = q->resv && q->resv->current.counted;
    bool same = q->jobs_resv == q->resv;

    if (same && q->jobs_inside == counted)
        return;
    q->jobs_resv = q->resv;
    q->jobs_inside = counted;
    /* Jobs that wait count nowhere, inside of a reservation or outside. */
    if (same && !any_at_mom(q))
        return;
    QUEUE_EACH_JOB (q, j)
        job_set_resv(m, j, q->resv);
}
