/* stop.c - see stop.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/stop.h"

#include "lib/attr/server_attrs.h"
#include "server/decide/job_end.h"
#include "server/decide/next_number.h"
#include "server/engine/svr_priv.h"
#include "server/model/job_state.h"
#include "server/moms/moms.h"
#include "server/react/react.h"

#include <stdlib.h>

void stop_begin(struct turn *t, uint64_t conn, enum server_stop how, bool quit_moms)
{
    struct stop *s = &t->s->stop;

    s->conns = xrealloc(s->conns, (s->n + 1) * sizeof(*s->conns));
    /* Several clients may have asked, and each of them is answered when it is done. */
    s->conns[s->n++] = conn;
    s->quit_moms |= quit_moms;
    t->s->view.stopping = how;
}

static bool is_waited_for(const struct turn *t)
{
    if (t->s->view.stopping == STOP_NOW)
        return false;
    /* The jobs are walked only while the server ends, so the walk may be long. */
    MODEL_EACH_LIVE(t->s->m, OBJ_JOB, o)
    {
        if (job_keeps_server(TO_JOB(o)))
            return true;
    }
    return false;
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
    t->s->view.stopping = STOP_NOW;
    /* The exit has the number of the last record, so it waits until everything is
     * durable. */
    effect_add(t->out, EFFECT_EXIT, t->s->m->seq);
}

void stop_fini(struct stop *s)
{
    free(s->conns);
}
