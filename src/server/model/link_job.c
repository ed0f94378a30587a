/* link_job.c - a job, its queue, its reservation, and the vnodes that it runs on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/job_order.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/model/job_tally.h"
#include "server/model/link_priv.h"
#include "server/model/resv_claims.h"
#include "server/model/route_wait.h"
#include "server/model/waiters.h"

#include <utlist.h>

static void node_add_job(struct node *n, struct job *j)
{
    n->jobs = array_insert(n->jobs, &n->n_jobs, j, place_of_job(n->jobs, n->n_jobs, j));
    n->n_by_admin += job_suspend_manner(j) == SUSPEND_BY_ADMIN;
}

static void node_remove_job(struct node *n, struct job *j)
{
    n->jobs = array_remove(n->jobs, &n->n_jobs, j);
    n->n_by_admin -= job_suspend_manner(j) == SUSPEND_BY_ADMIN;
}

/* One more job in its state, or one less (sign -1). A subjob is a part of its array,
 * which is one job; it counts while it runs. */
static void count_state(size_t *n_state, size_t *n_subjobs, const struct job *j,
                        int sign)
{
    bool is_subjob = obj_is_set(&j->obj, JOB_A_ARRAY_ID);

    if (is_subjob && !job_is_at_mom(j))
        return;
    n_state[job_state_index(job_state(j))] += (size_t)sign;
    *n_subjobs += is_subjob ? (size_t)sign : 0;
}

static bool is_on_its_way(const struct job *j)
{
    return job_is_leaving(j) && !obj_num(&j->obj, JOB_A_HF_MOVE_DOUBT, 0);
}

static void queue_add_job(struct model *m, struct queue *q, struct job *j)
{
    MUST(!j->queue);
    j->queue = q;
    ranks_add(&q->jobs, &j->in_queue, j->in_order.place);
    route_wait_add(q, j);
    q->n_away += is_on_its_way(j);
    q->n_jobs++;
    count_state(q->n_state, &q->n_subjobs, j, 1);
    /* Only jobs that have vnodes count as assigned. */
    if (job_is_at_mom(j))
        list_count(m, &q->assigned, &j->obj, job_counted_list(j), 1);
    tallies_add(&q->tallies, j);
}

static void queue_remove_job(struct model *m, struct queue *q, struct job *j)
{
    MUST(j->queue == q);
    /* Everything is taken off with the values that it was counted with; they have not
     * changed yet. */
    if (job_is_at_mom(j))
        list_count(m, &q->assigned, &j->obj, job_counted_list(j), -1);
    tallies_remove(&q->tallies, j);
    count_state(q->n_state, &q->n_subjobs, j, -1);
    route_wait_remove(q, j);
    q->n_away -= is_on_its_way(j);
    q->n_jobs--;
    ranks_remove(&q->jobs, &j->in_queue);
    j->queue = NULL;
}

void job_takes_bytes(struct model *m, struct job *j, size_t before, size_t after)
{
    if (before == after)
        return;
    /* The tally is left with the old number and entered with the new one. */
    if (j->linked)
        tallies_remove_bytes(&m->tallies, j);
    if (j->linked && j->queue)
        tallies_remove_bytes(&j->queue->tallies, j);
    j->bytes = j->bytes - before + after;
    if (j->linked)
        tallies_add_bytes(&m->tallies, j);
    if (j->linked && j->queue)
        tallies_add_bytes(&j->queue->tallies, j);
}

/* A job that is over has no links: it is in the list of history, and nobody else knows
 * of it. */
static void link_live_job(struct model *m, struct job *j)
{
    struct object *o = find_object(m, OBJ_QUEUE, obj_str(&j->obj, JOB_A_QUEUE, ""));

    MUST(!j->past); /* nobody comes back from there */
    job_order_enter(m, j);
    m->n_jobs++;
    j->weight = job_weight(j);
    tallies_add(&m->tallies, j);
    /* Vnodes and task numbers are a job's while it is at its MoM. */
    if (job_is_at_mom(j)) {
        bookings_make(m, job_booked_text(j), &j->bookings);
        tasks_take(m, j);
    }
    for (size_t i = 0; i < j->bookings.n; i++)
        node_add_job(j->bookings.v[i].node, j);
    if (o)
        queue_add_job(m, STRUCT_OF(o, struct queue, obj), j);
    else
        /* A job may name a queue that is loaded after it. */
        m->n_orphans++;
    /* The sums depend on the reservation, so it comes after vnodes and queue. */
    job_set_resv(m, j, j->queue ? j->queue->resv : NULL);
    link_hot(m, j);
    link_depend(m, j);
    j->tallied = true;
}

void link_job(struct model *m, struct job *j)
{
    MUST(!j->linked && !j->queue);
    j->linked = true;
    count_state(m->n_state, &m->n_subjobs, j, 1);
    waiters_link(m, j);
    link_array(m, j);
    if (job_is_history(j))
        history_add(m, j);
    else
        link_live_job(m, j);
}

static void unlink_live_job(struct model *m, struct job *j)
{
    MUST(j->queue || m->n_orphans > 0);
    m->n_jobs--;
    j->tallied = false;
    tallies_remove(&m->tallies, j);
    /* The order is the reverse of link_job(): sums first, and then what they are made
     * of. */
    job_uncount_outside(m, j);
    j->resv = NULL;
    if (j->queue)
        queue_remove_job(m, j->queue, j);
    else
        m->n_orphans--;
    for (size_t i = 0; i < j->bookings.n; i++)
        node_remove_job(j->bookings.v[i].node, j);
    bookings_drop(&j->bookings);
    /* The task numbers follow from exec_host, which is still the old one. */
    if (job_is_at_mom(j))
        tasks_drop(m, j);
    unlink_hot(m, j);
    unlink_depend(m, j);
}

void unlink_job(struct model *m, struct job *j)
{
    /* While a store is loaded objects are not linked yet. */
    if (!j->linked)
        return;
    j->linked = false;
    count_state(m->n_state, &m->n_subjobs, j, -1);
    waiters_unlink(m, j);
    unlink_array(m, j);
    if (j->past)
        history_remove(m, j);
    else
        unlink_live_job(m, j);
}

/* A new queue takes in the jobs that name it. */
void adopt_jobs(struct model *m, struct queue *q)
{
    struct job *j;

    /* The walk over all jobs is made only when some job looks for its queue. */
    if (m->n_orphans == 0)
        return;
    DL_FOREACH2 (m->live, j, list_next) {
        if (!j->linked || j->queue ||
            !str_same(obj_str(&j->obj, JOB_A_QUEUE, ""), q->obj.id))
            continue;
        unlink_job(m, j);
        link_job(m, j);
    }
}

/* A queue that goes leaves its jobs without one. */
void orphan_jobs(struct model *m, struct queue *q)
{
    struct job *j;

    while ((j = queue_job_behind(q, RANK_PLACE_FIRST)) != NULL) {
        queue_remove_job(m, q, j);
        job_set_resv(m, j, NULL);
        m->n_orphans++;
    }
    q->jobs_resv = NULL;
    q->jobs_inside = false;
}
