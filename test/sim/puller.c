/* puller.c - see puller.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "puller.h"

#include "lib/attr/ids.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* LINK_PEER_MS of the daemon. */
#define WAIT_MS     40000
#define LATE_MS     (WAIT_MS + 5000)
#define BREAK_MS    1000
#define SERVER_PORT 15001

/* What ends a request, unless another one is under way by then. */
struct end {
    struct planner *p;
    uint64_t request;
};

static const struct conn_ops puller_ops;

static void forget_moved(struct puller *u)
{
    free(u->moved);
    u->moved = NULL;
}

void puller_set(struct planner *p, const char *remote, const char *local)
{
    MUST(!p->kept && !p->puller.request); /* it has just been stopped */
    free(p->puller.remote);
    free(p->puller.local);
    p->puller.remote = xstrdup(remote);
    p->puller.local = xstrdup(local);
}

void puller_fini(struct puller *u)
{
    free(u->remote);
    free(u->local);
    forget_moved(u);
    *u = (struct puller){ 0 };
}

void puller_begin(struct planner *p)
{
    p->puller.asked = false;
    p->puller.jobs = (struct wire_objects){ 0 };
    forget_moved(&p->puller);
}

void puller_hang_up(struct sim *s, struct planner *p)
{
    if (p->puller.conn)
        net_disconnect(s->other, p->puller.conn);
    p->puller.conn = p->puller.request = 0;
}

/* The request is over; the connection goes on where it was answered. */
static void over(struct sim *s, struct planner *p, bool answered, bool yes)
{
    bool moves = p->puller.moves;

    if (!answered)
        puller_hang_up(s, p);
    p->puller.request = 0;
    if (moves)
        planner_moved(s, p, yes);
    else
        planner_pulled(s, p);
}

static void breaks(struct sim *s, void *arg)
{
    const struct end *end = arg;

    if (end->p->puller.request == end->request) {
        sim_trace(s, "scheduler %s: hears nothing of %s", end->p->name, s->other->name);
        over(s, end->p, false, false);
    }
}

static void ends_after(struct sim *s, struct planner *p, int64_t delay_ms)
{
    struct end *end = xmalloc(sizeof(*end));

    *end = (struct end){ p, p->puller.request };
    sim_after(s, delay_ms, breaks, end, free);
}

static enum sweep_loss loss(struct sim *s)
{
    enum sweep_loss swept = sweep_peer_loses(s);

    if (swept != SWEEP_LOSES_NOTHING ||
        !rnd_percent(&s->rnd, s->weather.unheard_percent))
        return swept;
    return rnd_percent(&s->rnd, 50) ? SWEEP_LOSES_REQUEST : SWEEP_LOSES_ANSWER;
}

static bool connect(struct sim *s, struct planner *p)
{
    struct puller *u = &p->puller;

    if (s->peers.are_cut_off)
        puller_hang_up(s, p);
    else if (!u->conn)
        u->conn = net_connect(s->other, "root", true, &puller_ops, p);
    return u->conn != 0;
}

/* A request is on its way from here on; what was sent is heard or not. */
static void say(struct sim *s, struct planner *p, const struct wire_request *rq)
{
    struct puller *u = &p->puller;
    enum sweep_loss lost = loss(s);

    u->request = ++u->n_requests;
    u->moves = rq->number == BATCH_MOVE_JOB;
    if (lost == SWEEP_IS_LATE)
        net_conn(&s->other->net, u->conn)->to_server_ms = s->clock.now_ms + LATE_MS;
    if (lost != SWEEP_LOSES_REQUEST)
        net_request(s->other, u->conn, rq);
    /* The connection is there until the request has arrived. */
    ends_after(s, p,
               lost == SWEEP_LOSES_REQUEST || lost == SWEEP_LOSES_ANSWER
                   ? rnd_range(&s->rnd, 1, BREAK_MS)
                   : WAIT_MS);
    sweep_scheduler(s, p);
}

bool puller_asks(struct sim *s, struct planner *p)
{
    struct puller *u = &p->puller;
    struct body_select body = { 0 };
    const struct wire_request rq = { .number = BATCH_SELECT_STATUS,
                                     .user = "root",
                                     .body = &body };

    if (!u->remote || u->asked || p->job_id || p->trial)
        return false;
    u->asked = true;
    if (!connect(s, p))
        return false;
    wire_attrs_add(&body.criteria, p->arena, "destination", NULL, u->remote,
                   WIRE_OP_EQ);
    wire_attrs_add(&body.criteria, p->arena, "job_state", NULL, "Q", WIRE_OP_EQ);
    snapshot_wants(OBJECT_JOB, false, p->arena, &body.wanted);
    say(s, p, &rq);
    return true;
}

static void take_job(struct planner *p, const struct wire_object *job)
{
    struct wire_object *own;

    if (strchr(job->name, '['))
        return;
    own = wire_objects_add(&p->puller.jobs, p->arena, OBJECT_JOB,
                           arena_strdup(p->arena, job->name));
    for (size_t i = 0; i < job->attrs.n; i++) {
        const struct wire_attr *a = &job->attrs.v[i];
        const char *value = strcmp(a->name, "queue") == 0 ? p->puller.local : a->value;

        wire_attrs_add(&own->attrs, p->arena, arena_strdup(p->arena, a->name),
                       arena_strdup(p->arena, a->resource),
                       arena_strdup(p->arena, value), a->op);
    }
}

static bool is_pulled(const struct planner *p, const char *id)
{
    for (size_t i = 0; i < p->puller.jobs.n; i++)
        if (strcmp(p->puller.jobs.v[i].name, id) == 0)
            return true;
    return false;
}

static enum pull move(struct sim *s, struct planner *p, const char *id)
{
    const struct body_move body = { .job_id = id,
                                    .destination = arena_printf(p->arena, "%s@%s:%d",
                                                                p->puller.local,
                                                                s->name, SERVER_PORT) };
    const struct wire_request rq = { .number = BATCH_MOVE_JOB,
                                     .user = "root",
                                     .body = &body };

    forget_moved(&p->puller);
    p->puller.moved = xstrdup(id);
    /* The connection of the pass, or none: as the daemon does. */
    if (!p->puller.conn)
        return PULL_SKIP;
    sim_trace(s, "scheduler %s: pulls %s", p->name, id);
    say(s, p, &rq);
    return PULL_WAIT;
}

enum pull puller_step(struct sim *s, struct planner *p, const struct plan_step *step)
{
    bool starts = step->kind == PLAN_RUN_JOB || step->kind == PLAN_SHRINK_JOB;

    if (!is_pulled(p, step->id) || step->kind == PLAN_PREEMPT_JOBS ||
        (step->kind == PLAN_RUN_JOB && p->puller.moved &&
         strcmp(p->puller.moved, step->id) == 0))
        return PULL_NOT;
    return starts ? move(s, p, step->id) : PULL_SKIP;
}

static void on_reply(struct sim *other, void *owner, uint64_t conn,
                     const struct wire_reply *reply)
{
    struct planner *p = owner;
    struct sim *s = other->other;

    if (p->puller.conn != conn || !p->puller.request)
        return;
    sweep_scheduler(s, p);
    if (!p->puller.moves && reply->code == 0) {
        for (size_t i = 0; i < reply->objects.n; i++)
            take_job(p, &reply->objects.v[i]);
        if (reply->more)
            return;
        snapshot_add(p->snapshot, &p->puller.jobs);
    }
    if (reply->code)
        sim_trace(s, "scheduler %s: %s says no: %d", p->name, other->name, reply->code);
    over(s, p, true, reply->code == 0);
}

static void on_closed(struct sim *other, void *owner, uint64_t conn)
{
    struct planner *p = owner;

    if (p->puller.conn != conn)
        return;
    p->puller.conn = 0;
    if (p->puller.request)
        over(other->other, p, false, false);
}

static const struct conn_ops puller_ops = { on_reply, NULL, on_closed };
