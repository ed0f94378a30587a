/* stop.c - see stop.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/stop.h"

#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_end.h"
#include "server/decide/job_of_end.h"
#include "server/decide/next_number.h"
#include "server/engine/svr_priv.h"
#include "server/model/job_state.h"
#include "server/moms/moms.h"
#include "server/react/react.h"

#include <stdlib.h>

/* In the units of config_slice_cost(): a look at a job, and what is decided of one. */
#define LOOK_COST   1
#define DECIDE_COST 60

void stop_end_jobs(struct turn *t, const char *actor)
{
    struct stop *s = &t->s->stop;
    const struct object *first = model_first_live(t->s->m, OBJ_JOB);

    free(s->actor);
    s->actor = xstrdup(actor);
    s->next = first ? TO_JOB(first) : NULL;
}

static const struct job *job_behind(const struct job *job)
{
    const struct object *o = object_next_live(&job->obj);

    return o ? TO_JOB(o) : NULL;
}

void stop_decide_jobs(struct turn *t)
{
    struct stop *s = &t->s->stop;
    const struct end_of_server end = { t->s->view.stopping, s->actor, t->now_at };
    size_t most = config_slice_cost(&t->s->cfg), cost = 0;

    while (s->next && cost < most) {
        const struct job *job = s->next;
        struct decision d = turn_decision(t);

        s->next = job_behind(job);
        cost += LOOK_COST;
        if (!job_keeps_server(job))
            continue;
        cost += DECIDE_COST;
        job_of_end(job, &end, &d);
        take_up(t, &d);
    }
}

void stop_begin(struct turn *t, uint64_t conn, enum server_stop how, bool quit_moms)
{
    struct stop *s = &t->s->stop;

    s->conns = xrealloc(s->conns, (s->n + 1) * sizeof(*s->conns));
    /* Several clients may have asked, and each of them is answered when it is done. */
    s->conns[s->n++] = conn;
    s->quit_moms |= quit_moms;
    t->s->view.stopping = how;
    /* Those of which nothing is decided yet run on. */
    if (how == STOP_NOW)
        s->next = NULL;
    stop_decide_jobs(t);
}

bool stop_has_work(const struct stop *s)
{
    return s->next != NULL;
}

void stop_leave(struct stop *s, const struct object *o)
{
    /* The list leads on from it no longer when it has left. */
    if (s->next && &s->next->obj == o)
        s->next = job_behind(s->next);
    if (s->awaited && &s->awaited->obj == o)
        s->awaited = job_behind(s->awaited);
}

/* The first job from 'from' on and before 'to' that keeps the server; NULL stands for
 * the end of the list. */
static const struct job *keeps_server(const struct job *from, const struct job *to)
{
    while (from && from != to && !job_keeps_server(from))
        from = job_behind(from);
    return from == to ? NULL : from;
}

static bool is_waited_for(struct turn *t)
{
    struct stop *s = &t->s->stop;
    const struct object *first = model_first_live(t->s->m, OBJ_JOB);
    const struct job *from = s->awaited;

    if (t->s->view.stopping == STOP_NOW || !first)
        return false;
    /* Every turn asks, and jobs mostly end in the order in which they began: all of
     * them are walked only when the rest of the list has none. */
    s->awaited = keeps_server(from, NULL);
    if (!s->awaited)
        s->awaited = keeps_server(TO_JOB(first), from);
    return s->awaited != NULL;
}

static void quit_moms(struct turn *t)
{
    struct decision none;
    struct moms_turn mt = moms_turn(t, &none);

    moms_shutdown(t->s->moms, &mt);
}

void stop_keeps_number(struct turn *t)
{
    struct decision d = turn_decision(t);
    uint64_t next = t->s->view.next_number;
    struct record *rec;

    if (next == number_window_end(t->s->m))
        return;
    rec = record_add(&d.records, d.arena, FACT_SET, OBJ_SERVER, t->s->m->server->id,
                     t->s->actor, t->now_at);
    record_change_num(rec, d.arena, SERVER_A_HF_NEXT_NUMBER, (int64_t)next);
    take_up(t, &d);
}

void stop_if_done(struct turn *t)
{
    const struct wire_reply done = { .choice = REPLY_NULL };
    struct stop *s = &t->s->stop;

    if (s->n == 0 || is_waited_for(t))
        return;
    stop_keeps_number(t);
    /* MoMs are told before the exit; the effects leave in this order. */
    if (s->quit_moms)
        quit_moms(t);
    for (size_t i = 0; i < s->n; i++)
        send_reply(t, s->conns[i], &done);
    s->n = 0;
    s->next = NULL;
    t->s->view.stopping = STOP_NOW;
    /* The exit has the number of the last record, so it waits until everything is
     * durable. */
    effect_add(t->out, EFFECT_EXIT, t->s->m->seq);
}

void stop_fini(struct stop *s)
{
    free(s->conns);
    free(s->actor);
}
