/* job_preempt.c - PreemptJobs: jobs leave their vnodes for another one (scheduling.md
 * 22, wire.md 8.5).
 *
 * Each job is asked to leave by the first method of preempt_order that may be tried;
 * when that fails, the next one is begun. The request waits for what becomes of them,
 * a slice at a time, and is answered when it is known of all. What was begun is fact
 * with its slice: a server that dies in between leaves jobs that are suspended, go back
 * to the queue or end as any others, and nothing else.
 *
 * A question about a reservation does not wait for that: when the cycle of the
 * scheduler that asks is to be cut, it is answered at once with what has left by then.
 * The others leave all the same, and the scheduler finds their vnodes free in a later
 * cycle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"
#include "lib/attr/sched_attrs.h"
#include "lib/base/instant.h"
#include "lib/base/log.h"
#include "server/decide/sched_link.h"
#include "server/requests/handlers.h"
#include "server/requests/job_rerun.h"
#include "server/requests/preempt_method.h"

#include <string.h>

/* Longer than the server waits for the answer of a MoM before it gives the MoM up. */
#define SUSPEND_LIMIT_S 75
/* In the units of request_slice_cost(). */
#define METHOD_COST     60

#define ORDER_DEFAULT   "SCR"
#define FAILED          "000"

struct victim {
    const char *id;
    struct preempt_methods methods;
    size_t next;      /* of them */
    char under_way;   /* what was begun last; 0: nothing */
    bool known;       /* it has methods */
    int64_t limit_at; /* of its end; 0: it has not been waited for */
};

struct preemption {
    const char *order; /* the scheduler's preempt_order */
    size_t n;
    struct victim *v;
    size_t n_open;
    struct victim **open; /* of which it is not known what becomes of them */
    size_t at;            /* the next of the open ones in this pass */
    size_t n_kept;        /* of the open ones before that, those that stay open */
    bool began;           /* this pass has begun something */
    size_t n_done;
    struct wire_deleted_job *done; /* in the order of their ends */
    bool failed;
    bool hurries; /* nothing is begun or waited for any more: those that are not gone
                     have failed */
};

/* A name that is given twice is one job. */
struct seen {
    const char *id;
    UT_hash_handle hh;
};

static void open_each_once(struct preemption *p, const struct wire_strings *ids,
                           struct arena *arena)
{
    struct seen *seen = NULL, *s;

    for (size_t i = 0; i < ids->n; i++) {
        HASH_FIND_STR(seen, ids->v[i], s);
        if (s)
            continue;
        s = ARENA_NEW(arena, struct seen);
        s->id = arena_strdup(arena, ids->v[i]);
        HASH_ADD_KEYPTR(hh, seen, s->id, strlen(s->id), s);
        p->v[p->n].id = s->id;
        p->open[p->n_open++] = &p->v[p->n++];
    }
    HASH_CLEAR(hh, seen);
}

/* The object of a scheduler may be deleted while it is there. */
static const char *order_of(const struct model *m, const struct sched_link *l)
{
    const struct object *sched = model_find(m, OBJ_SCHED, l->name);

    return sched ? obj_str(sched, SCHED_A_PREEMPT_ORDER, ORDER_DEFAULT) : ORDER_DEFAULT;
}

static struct preemption *preemption_new(const struct model *m,
                                         const struct request *rq)
{
    const struct wire_strings *ids = &((const struct body_list *)rq->body)->ids;
    const struct sched_link *l = sched_link_of_conn(rq->view->links, rq->who->conn);
    struct arena *arena = rq->progress->arena;
    struct preemption *p = ARENA_NEW(arena, struct preemption);

    MUST(l && ids->n <= REQUEST_MAX_IDS); /* handle_preempt_jobs() */
    p->order = arena_strdup(arena, order_of(m, l));
    p->v = ARENA_ARRAY(arena, struct victim, ids->n + 1);
    p->open = ARENA_ARRAY(arena, struct victim *, ids->n + 1);
    p->done = ARENA_ARRAY(arena, struct wire_deleted_job, ids->n + 1);
    open_each_once(p, ids, arena);
    return p;
}

static void is_done(struct preemption *p, const struct victim *v, const char *letter)
{
    MUST(p->n_done < p->n);
    p->done[p->n_done++] = (struct wire_deleted_job){ .id = v->id, .order = letter };
    p->failed |= strcmp(letter, FAILED) == 0;
}

static void log_failed(const struct victim *v, char method, int code,
                       struct decision *out)
{
    decide_log(out, LOG_EV_DEBUG, LOG_IN_JOB, v->id,
               "preemption method %s failed for job (%d)", preempt_method_name(method),
               code);
}

/* How long is waited for what that method has begun. */
static int64_t limit_of(const struct model *m, char method)
{
    return method == 'S' ? SUSPEND_LIMIT_S : rerun_timeout_s(m);
}

/* The next method that may be tried; false: none is left. */
static bool begin_next(const struct model *m, const struct request *rq,
                       const struct job *job, struct victim *v, struct decision *out)
{
    while (v->next < v->methods.n) {
        char method = v->methods.v[v->next++];
        int err = preempt_begin(method, m, rq, job, out);

        if (err) {
            log_failed(v, method, err, out);
            continue;
        }
        v->under_way = method;
        v->limit_at = instant_after(rq->now_at, limit_of(m, method));
        return true;
    }
    return false;
}

/* It has its vnodes, and nobody does anything about it: what was tried has failed. */
static bool try_next(const struct model *m, const struct request *rq,
                     struct preemption *p, struct victim *v, const struct job *job,
                     struct decision *out)
{
    if (v->under_way)
        log_failed(v, v->under_way, PBSE_MOMREJECT, out);
    v->under_way = 0;
    if (!v->known && !job->array)
        v->methods = preempt_methods_of(p->order, job, rq->now_at);
    v->known = true;
    return begin_next(m, rq, job, v, out);
}

/* Is it still open? Sets what it has cost. */
static bool look_at(const struct model *m, const struct request *rq,
                    struct preemption *p, struct victim *v, size_t *cost,
                    struct decision *out)
{
    const struct job *job = model_job(m, v->id);
    const char *letter = FAILED;

    switch (preempt_look(job, &letter)) {
    case PREEMPT_LEFT:
        break;
    case PREEMPT_LEAVING:
        /* Somebody else may have asked it to leave. */
        if (!v->limit_at)
            v->limit_at = instant_after(rq->now_at, limit_of(m, 'R'));
        if (!p->hurries && rq->now_at < v->limit_at)
            return true;
        break;
    case PREEMPT_STAYS:
        *cost += METHOD_COST;
        if (!p->hurries && try_next(m, rq, p, v, job, out))
            return true;
        break;
    }
    is_done(p, v, letter);
    return false;
}

/* A pass over those that are open, as far as a slice goes; true at its end. */
static bool pass(const struct model *m, const struct request *rq, struct preemption *p,
                 struct decision *out)
{
    size_t most = request_slice_cost(rq), cost = 0;

    for (; p->at < p->n_open && cost < most; p->at++) {
        struct victim *v = p->open[p->at];

        cost++;
        if (look_at(m, rq, p, v, &cost, out))
            p->open[p->n_kept++] = v;
    }
    p->began |= out->records.n > 0;
    if (p->at < p->n_open)
        return false;
    p->n_open = p->n_kept;
    p->at = p->n_kept = 0;
    return true;
}

static void wait_for_one(const struct preemption *p, struct decision *out)
{
    int64_t until_at = INT64_MAX;

    for (size_t i = 0; i < p->n_open; i++)
        until_at = MIN_OF(until_at, p->open[i]->limit_at);
    MUST(until_at != INT64_MAX); /* what is open is waited for until a time */
    act_add(out, ACT_ASK_AGAIN)->u.wait_for = (struct wait_for){
        .why = WAIT_TO_ASK_AGAIN,
        .kind = OBJ_JOB,
        .id = p->open[0]->id,
        .until_at = until_at,
    };
}

static void reply_all(const struct preemption *p, struct decision *out)
{
    struct wire_reply *reply = &out->reply;

    MUST(p->n_done == p->n);
    *reply = (struct wire_reply){ .code = p->failed, .choice = REPLY_PREEMPT };
    reply->deleted.n = p->n;
    reply->deleted.v = arena_copy(out->arena, p->done, (p->n + 1) * sizeof(*p->done));
    /* The reply outlives the request. */
    for (size_t i = 0; i < p->n; i++)
        reply->deleted.v[i].id = arena_strdup(out->arena, p->done[i].id);
}

/* Does a question about a reservation wait for the cycle of the scheduler that asks? */
static bool is_wanted(const struct request *rq)
{
    const struct sched_link *l = sched_link_of_conn(rq->view->links, rq->who->conn);

    return l && l->is_cut;
}

static int go_on(const struct model *m, const struct request *rq, struct preemption *p,
                 struct decision *out)
{
    bool at_end;

    p->hurries = p->hurries || is_wanted(rq);
    at_end = pass(m, rq, p, out);

    /* What this slice has begun is looked at when it is fact. */
    if (!at_end || p->began || (p->hurries && p->n_open > 0)) {
        p->began = p->began && !at_end;
        act_add(out, ACT_GO_ON);
    } else if (p->n_open > 0) {
        wait_for_one(p, out);
    } else {
        reply_all(p, out);
    }
    return 0;
}

int handle_preempt_jobs(const struct model *m, const struct request *rq,
                        struct decision *out)
{
    /* A scheduler that has gone is not answered, and nothing further is begun. */
    if (!rq->who->scheduler)
        return diag_code(&out->why, PBSE_INTERNAL);
    if (((const struct body_list *)rq->body)->ids.n > REQUEST_MAX_IDS)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (!rq->progress) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    if (!rq->progress->state)
        rq->progress->state = preemption_new(m, rq);
    return go_on(m, rq, rq->progress->state, out);
}
