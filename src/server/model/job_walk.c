/* job_walk.c - see job_walk.h.
 *
 * A job that stands behind the walk's place was met unless it is in 'missed'; one that
 * stands ahead was not met unless it is in 'met'.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_walk.h"

#include <stdlib.h>

struct job_aside {
    const struct job *job;
    UT_hash_handle hh;
};

struct job_walk job_walk_begin(const struct model *m, bool past)
{
    return (struct job_walk){ .m = m, .past = past, .at = RANK_PLACE_FIRST };
}

static void put_aside(struct job_aside **set, const struct job *job)
{
    struct job_aside *a = xcalloc(1, sizeof(*a));

    a->job = job;
    HASH_ADD_PTR(*set, job, a);
}

/* False: it was not there. */
static bool take_back(struct job_aside **set, const struct job *job)
{
    struct job_aside *a;

    HASH_FIND_PTR(*set, &job, a);
    if (!a)
        return false;
    HASH_DEL(*set, a);
    free(a);
    return true;
}

static void forget_all(struct job_aside **set)
{
    while (*set)
        take_back(set, (*set)->job);
}

void job_walk_end(struct job_walk *w)
{
    forget_all(&w->met);
    forget_all(&w->missed);
}

void job_walk_in_queue(struct job_walk *w, const struct queue *q, const char *name)
{
    MUST(q->obj.created_seq > 0); /* 0 stands for no queue */
    MUST(!w->past);
    w->queue = q->obj.created_seq;
    w->queue_name = name;
}

static const struct job *behind(const struct job_walk *w)
{
    const struct queue *q;

    if (!w->queue)
        return job_order_behind(w->m, w->at, w->past);
    q = model_queue(w->m, w->queue_name);
    /* Another queue may have the name by now. */
    return q && q->obj.created_seq == w->queue ? queue_job_behind(q, w->at) : NULL;
}

/* Behind the end everything was met, and nothing is set aside any more. */
static void come_to_end(struct job_walk *w)
{
    w->at = RANK_PLACE_LAST;
    job_walk_end(w);
}

const struct job *job_walk_next(struct job_walk *w, bool *ret_met)
{
    const struct job *job = w->missed ? w->missed->job : NULL;

    *ret_met = false;
    if (job) {
        take_back(&w->missed, job);
        return job;
    }
    job = w->lost ? NULL : behind(w);
    if (job) {
        w->at = job_order_place(job);
        *ret_met = take_back(&w->met, job);
    } else {
        come_to_end(w);
    }
    return job;
}

size_t job_walk_aside(const struct job_walk *w)
{
    return HASH_COUNT(w->met) + HASH_COUNT(w->missed);
}

static void get_lost(struct job_walk *w)
{
    w->lost = true;
    come_to_end(w);
}

void job_walk_moved(struct job_walk *w, const struct job *job, struct rank_place was)
{
    bool was_ahead = rank_is_before(w->at, was);
    bool is_ahead = rank_is_before(w->at, job_order_place(job));

    if (was_ahead == is_ahead)
        return;
    /* It comes back to the side on which it needs no word. */
    if (take_back(is_ahead ? &w->missed : &w->met, job))
        return;
    if (job_walk_aside(w) < JOB_WALK_MAX_ASIDE)
        put_aside(is_ahead ? &w->met : &w->missed, job);
    else
        get_lost(w);
}

void job_walk_leave(struct job_walk *w, const struct job *job, bool retires)
{
    /* A walk over history as well meets the job in its place. */
    if (retires && w->past)
        return;
    take_back(&w->met, job);
    take_back(&w->missed, job);
}
