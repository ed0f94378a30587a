/* job_order.c - see job_order.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_order.h"

static const struct job *to_job(const struct ranked *r)
{
    return r ? STRUCT_OF(r, struct job, in_order) : NULL;
}

struct job *queue_job_behind(const struct queue *q, struct rank_place place)
{
    struct ranked *r = ranks_behind(&q->jobs, place);

    return r ? STRUCT_OF(r, struct job, in_queue) : NULL;
}

const struct job *job_order_behind(const struct model *m, struct rank_place place,
                                   bool past)
{
    const struct ranked *live = ranks_behind(&m->live_order, place);
    const struct ranked *over = past ? ranks_behind(&m->past_order, place) : NULL;

    if (!live || (over && rank_is_before(over->place, live->place)))
        return to_job(over);
    return to_job(live);
}

static struct ranks *order_of(struct model *m, const struct job *j)
{
    return j->past ? &m->past_order : &m->live_order;
}

void job_order_leave(struct model *m, struct job *j)
{
    if (ranked_is_there(&j->in_order))
        ranks_remove(order_of(m, j), &j->in_order);
}

void job_order_enter(struct model *m, struct job *j)
{
    struct rank_place place = {
        .rank = obj_num(&j->obj, JOB_A_QUEUE_RANK, 0),
        .seq = j->obj.created_seq,
    };

    MUST(!j->queue); /* there it has the same place */
    /* Most changes move no job. */
    if (ranked_is_there(&j->in_order) && rank_is_same(j->in_order.place, place))
        return;
    job_order_leave(m, j);
    ranks_add(order_of(m, j), &j->in_order, place);
}

static bool same_ids(const struct job *x, const struct job *y)
{
    return !x == !y && (!x || str_same(x->obj.id, y->obj.id));
}

static bool same_order(const struct ranks *a, const struct ranks *b)
{
    size_t n = ranks_check(a);
    struct rank_place pa = RANK_PLACE_FIRST, pb = RANK_PLACE_FIRST;

    if (ranks_check(b) != n)
        return false;
    for (; n > 0; n--) {
        const struct ranked *x = ranks_behind(a, pa), *y = ranks_behind(b, pb);

        if (!same_ids(to_job(x), to_job(y)))
            return false;
        pa = x->place;
        pb = y->place;
    }
    return true;
}

bool job_order_same(const struct model *a, const struct model *b)
{
    return same_order(&a->live_order, &b->live_order) &&
           same_order(&a->past_order, &b->past_order);
}

bool job_order_same_queue(const struct queue *a, const struct queue *b)
{
    size_t n = ranks_check(&a->jobs);
    const struct job *x, *y;

    if (n != a->n_jobs || ranks_check(&b->jobs) != n)
        return false;
    x = queue_job_behind(a, RANK_PLACE_FIRST);
    y = queue_job_behind(b, RANK_PLACE_FIRST);
    while (x && same_ids(x, y) && rank_is_same(x->in_queue.place, x->in_order.place)) {
        x = queue_job_behind(a, x->in_queue.place);
        y = queue_job_behind(b, y->in_queue.place);
    }
    return !x && !y;
}
