/* history.c - see history.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/history.h"

#include "lib/base/instant.h"
#include "server/model/job_order.h"
#include "server/model/model_priv.h"
#include "server/model/waiters.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define KEPT_FOR_S 1209600

struct history_of_queue {
    char *name;
    size_t n;
    UT_hash_handle hh;
};

bool history_is_guest(const struct job *j)
{
    return obj_num(&j->obj, JOB_A_HF_FORGET, 0) && obj_num(&j->obj, JOB_A_HF_CAME, 0);
}

/* Guests have an order of their own, since they are kept for another time. */
static struct ranks *order_of(struct history *h, const struct job *j)
{
    return history_is_guest(j) ? &h->guests : &h->kept;
}

/* 0 for one that is to be forgotten: it comes before all others. */
static int64_t began_at(const struct job *j)
{
    if (obj_num(&j->obj, JOB_A_HF_FORGET, 0) && !history_is_guest(j))
        return 0;
    return obj_num(&j->obj, JOB_A_HISTORY_TIMESTAMP, 0);
}

static struct history_of_queue *find_queue(const struct model *m, const char *name)
{
    struct history_of_queue *q;

    HASH_FIND_STR(m->history.by_queue, name, q);
    return q;
}

/* The queue shows how many jobs it has had; it may be gone, and may come again. */
static void count(struct model *m, const struct job *j, int sign)
{
    const char *name = obj_str(&j->obj, JOB_A_QUEUE, "");
    struct object *o = find_object(m, OBJ_QUEUE, name);
    struct history_of_queue *q = find_queue(m, name);

    if (o)
        looks_new(m, o);
    if (!q) {
        q = xcalloc(1, sizeof(*q));
        q->name = xstrdup(name);
        HASH_ADD_KEYPTR(hh, m->history.by_queue, q->name, strlen(q->name), q);
    }
    MUST(sign > 0 || q->n > 0);
    q->n += (size_t)sign;
    if (q->n > 0)
        return;
    HASH_DEL(m->history.by_queue, q);
    free(q->name);
    free(q);
}

static void leave_the_living(struct model *m, struct job *j)
{
    job_order_leave(m, j);
    DL_DELETE2(m->live, j, list_prev, list_next);
    j->past = true;
    /* Who keeps what was shown is told that the job is gone. */
    if (m->loading)
        changes_drop(m->changes, &j->obj);
    else
        changes_remove(m->changes, &j->obj, m->seq);
}

/* A job that is over is in no queue, so its place there is free for this order. */
static void list_it(struct model *m, struct job *j)
{
    MUST(!j->queue);
    ranks_add(order_of(&m->history, j), &j->in_queue,
              (struct rank_place){ began_at(j), j->obj.created_seq });
}

static void unlist_it(struct model *m, struct job *j)
{
    ranks_remove(order_of(&m->history, j), &j->in_queue);
}

struct job *history_next(const struct ranks *order, const struct job *j)
{
    struct ranked *r = ranks_behind(order, j ? j->in_queue.place : RANK_PLACE_FIRST);

    return r ? STRUCT_OF(r, struct job, in_queue) : NULL;
}

void history_add(struct model *m, struct job *j)
{
    if (!j->past)
        leave_the_living(m, j);
    job_order_enter(m, j);
    if (!job_is_awaited(j))
        list_it(m, j);
    m->history.n++;
    count(m, j, 1);
}

void history_remove(struct model *m, struct job *j)
{
    MUST(j->past && m->history.n > 0);
    if (!job_is_awaited(j))
        unlist_it(m, j);
    m->history.n--;
    count(m, j, -1);
}

void history_is_awaited(struct model *m, struct job *j, bool awaited)
{
    /* Those of other servers keep it as well. */
    if (!j->past || obj_is_set(&j->obj, JOB_A_HF_WAITERS))
        return;
    if (awaited)
        unlist_it(m, j);
    else
        list_it(m, j);
}

size_t history_of_queue(const struct model *m, const char *name)
{
    const struct history_of_queue *q = find_queue(m, name);

    return q ? q->n : 0;
}

bool history_is_kept(const struct model *m)
{
    return obj_num(m->server, SERVER_A_JOB_HISTORY_ENABLE, 0) != 0;
}

int64_t history_ends_at(const struct model *m, const struct job *j)
{
    if (history_is_guest(j))
        return instant_after(began_at(j), HISTORY_OF_GUESTS_S);
    if (!history_is_kept(m) || obj_num(&j->obj, JOB_A_HF_FORGET, 0))
        return INT64_MIN;
    return instant_after(began_at(j),
                         obj_num(m->server, SERVER_A_JOB_HISTORY_DURATION, KEPT_FOR_S));
}

int64_t history_deadline(const struct model *m)
{
    const struct job *first = history_next(&m->history.kept, NULL);
    const struct job *guest = history_next(&m->history.guests, NULL);
    int64_t first_at = first ? history_ends_at(m, first) : INT64_MAX;

    return guest ? MIN_OF(first_at, history_ends_at(m, guest)) : first_at;
}
