/* svr_sched.c - the engine's part of the links to schedulers: their registration and
 * its end, cycles, and deferred runs (wire.md 12). Where a link stands is the table's
 * in decide/sched_link.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/svr_priv.h"

#include "lib/base/instant.h"
#include "server/react/react.h"

#include <stdlib.h>

struct waiting_reply *waits_for_run(const struct svr *s, const char *job_id)
{
    struct waiting_reply *w = waiting_first(&s->waiting, OBJ_JOB, job_id);

    /* A job may have others who wait for it, for example for its start. */
    while (w && w->wait_for.why != WAIT_FOR_RUN)
        w = w->next;
    return w;
}

bool answer_deferred(struct turn *t, const char *job_id, int code, const char *text)
{
    struct waiting_reply *w = waits_for_run(t->s, job_id);
    struct wire_reply reply = { .choice = REPLY_NULL };

    if (!w)
        return false;
    /* The scheduler's own words go to whoever asked for the run. */
    if (code)
        reply = refusal(t->out->arena, code, text);
    send_reply(t, w->conn, &reply);
    waiting_remove(&t->s->waiting, w);
    return true;
}

static void fail_deferred(struct turn *t, const char *job_id)
{
    if (!answer_deferred(t, job_id, PBSE_INTERNAL, NULL))
        return;
    effect_log(t->out, t->s->m->seq, LOG_EV_JOB, LOG_IN_JOB, job_id,
               "deferred qrun request to scheduler failed");
}

/* The scheduler has ended without a word about the run that it was asked for. */
static void fail_running(struct turn *t, const struct sched_link *l)
{
    if (l->running_job)
        fail_deferred(t, l->running_job);
}

static void forget_unwanted_runs(struct svr *s)
{
    struct sched_link *l, *next_link;

    HASH_ITER (hh, s->links.by_name, l, next_link)
        for (struct sched_job *j = l->jobs, *next; j; j = next) {
            /* The entry may go in this very step. */
            next = j->next;
            if (!waits_for_run(s, j->id))
                sched_link_forget_job(l, j->id);
        }
}

/* The links are no part of the store, so that the answer does not wait for it. Were the
 * wait given up, the scheduler would be refused and its connection be registered. */
static void confirm_registration(struct turn *t, uint64_t conn)
{
    size_t first = t->out->n;

    send_reply(t, conn, &(struct wire_reply){ .choice = REPLY_NULL });
    for (size_t i = first; i < t->out->n; i++)
        t->out->v[i].seq = 0;
}

enum svr_outcome sched_register(struct turn *t, const struct request *rq,
                                const char *sched)
{
    struct sched_link *l = sched_link_make(&t->s->links, sched);

    sched_link_register(l, rq->who->conn, rq->who->host, rq->wire->extend);
    confirm_registration(t, rq->who->conn);
    /* The scheduler's second connection is still to come. */
    if (!sched_link_is_up(l))
        return SVR_SCHEDULER;
    effect_log(t->out, t->s->m->seq, LOG_EV_SYSTEM, LOG_IN_SCHED, sched,
               "scheduler connected");
    touch_all(t->s); /* open questions have somebody to ask */
    return SVR_COMMANDS;
}

static void was_lost(struct turn *t, struct sched_link *l)
{
    dry_runs_lost(t, l->name);
    fail_running(t, l);
    free(l->running_job);
    l->running_job = NULL;
    /* Runs that were not sent yet are refused, too: nobody knows when the scheduler is
     * back. */
    while (l->jobs) {
        fail_deferred(t, l->jobs->id);
        sched_link_forget_job(l, l->jobs->id);
    }
    effect_log(t->out, t->s->m->seq, LOG_EV_SYSTEM, LOG_IN_SCHED, l->name,
               "scheduler disconnected");
}

void sched_conn_gone(struct turn *t, uint64_t conn)
{
    struct sched_link *l = sched_link_of_conn(&t->s->links, conn);
    bool was_up = l && sched_link_is_up(l);
    uint64_t other;

    /* The connection may be that of a client who waited for a run. */
    forget_unwanted_runs(t->s);
    if (!l)
        return;
    other = sched_link_gone(l, conn);
    MUST((other != 0) == was_up);
    /* A scheduler with one connection is of no use, so the other one is closed. */
    if (was_up) {
        was_lost(t, l);
        close_conn(t, other);
    }
}

void svr_sched_done(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct sched_link *l = sched_link_of_conn(&s->links, conn);

    /* The end of a cycle comes on the connection for commands; elsewhere it means
     * nothing. */
    if (l && l->conn[1] == conn) {
        /* The cycle that was to run a job is over, and no answer has come. */
        fail_running(&t, l);
        dry_runs_unanswered(&t, l->name);
        sched_link_done(l);
    }
    settle(&t);
}

/* The link is made if it is missing, so that the command waits for a scheduler that
 * comes later. */
static void wake_all(const struct reaction *r, const char *partition, int32_t command,
                     void (*wake)(struct sched_link *l, int32_t command))
{
    const struct object *one = partition ? sched_of_partition(r->m, partition) : NULL;

    /* A partition without a scheduler wakes nobody. */
    if (partition && !one)
        return;
    MODEL_EACH (r->m, OBJ_SCHED, o) {
        if ((!one || o == one) && obj_num(o, SCHED_A_SCHEDULING, 0))
            wake(sched_link_make(&r->svr->links, o->id), command);
    }
}

void effect_wake_schedulers(const struct reaction *r, const char *partition,
                            int32_t command)
{
    wake_all(r, partition, command, sched_link_wake);
}

void effect_ask_schedulers(const struct reaction *r, const char *partition,
                           int32_t command)
{
    wake_all(r, partition, command, sched_link_ask);
}

void effect_tell_scheduler(const struct reaction *r, const char *sched, int32_t command)
{
    sched_link_wake(sched_link_make(&r->svr->links, sched), command);
}

/* Its object is gone, and nothing it says counts any more. Who waits for a run by it is
 * told. */
void effect_drop_scheduler(const struct reaction *r, const char *sched)
{
    struct turn t = { .s = r->svr, .now_at = r->now_at, .out = r->out };
    struct sched_link *l = sched_link_find(&r->svr->links, sched);
    bool was_up = l && sched_link_is_up(l);
    uint64_t conn, other;

    if (!l || l->state == SCHED_AWAY)
        return;
    conn = l->conn[0];
    other = sched_link_gone(l, conn);
    MUST((other != 0) == was_up);
    if (was_up)
        was_lost(&t, l);
    close_conn(&t, conn);
    close_conn(&t, other);
}

/* When the next timed cycle of a scheduler begins. */
static int64_t cycle_deadline(const struct svr *s, const struct sched_link *l)
{
    const struct object *o = model_find(s->m, OBJ_SCHED, l->name);
    int64_t period_s = o ? obj_num(o, SCHED_A_SCHEDULER_ITERATION, 600) : 0;

    /* A cycle that is under way, or about to begin, needs no timer. */
    if (l->state != SCHED_IDLE || !o || period_s <= 0 ||
        !obj_num(o, SCHED_A_SCHEDULING, 0) || l->pending == SCHED_TIMER)
        return INT64_MAX;
    return instant_after(l->cycle_at, period_s);
}

int64_t cycles_deadline(const struct svr *s)
{
    struct sched_link *l, *next;
    int64_t at = INT64_MAX;

    HASH_ITER (hh, s->links.by_name, l, next)
        at = MIN_OF(at, cycle_deadline(s, l));
    return at;
}

void wake_due_cycles(struct turn *t)
{
    struct sched_link *l, *next;

    HASH_ITER (hh, t->s->links.by_name, l, next)
        if (cycle_deadline(t->s, l) <= t->now_at && l->pending == 0)
            sched_link_wake(l, SCHED_TIMER);
}
