/* sweep.c - see sweep.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "script.h"
#include "sim.h"

#include <stdlib.h>
#include <utlist.h>

#define AWAY_MS  500   /* what was killed is started again */
#define AGAIN_MS 1000  /* a command is given once more */
#define SLOW_MS  40000 /* nobody waits so long for an answer that others depend on */

const char *sweep_name(enum sweep_kind kind)
{
    static const char *const names[] = {
        "before", "after",         "twice",       "scheduler", "meanwhile", "says",
        "hears",  "router",        "tells",       "told",      "between",   "asks",
        "asked",  "learns",        "request",     "answer",    "late",      "double",
        "slow",   "server-double", "server-slow",
    };

    return names[kind];
}

static bool is_of_server(enum sweep_kind kind)
{
    return kind == SWEEP_MOM_TELLS || kind == SWEEP_MOM_IS_TOLD ||
           kind == SWEEP_ROUTER_OF_SERVER || kind == SWEEP_DOUBLE_OF_SERVER ||
           kind == SWEEP_SLOW_OF_SERVER;
}

static bool is_of_weather(enum sweep_kind kind)
{
    return kind == SWEEP_DOUBLE || kind == SWEEP_SLOW ||
           kind == SWEEP_DOUBLE_OF_SERVER || kind == SWEEP_SLOW_OF_SERVER;
}

static bool kills_mom(enum sweep_kind kind)
{
    return kind == SWEEP_MOM_SAYS || kind == SWEEP_MOM_HEARS ||
           kind == SWEEP_MOM_TELLS || kind == SWEEP_MOM_IS_TOLD;
}

bool sweep_is_about(const struct sweep *whole, enum sweep_kind kind)
{
    return whole->loses_hosts ? kills_mom(kind)
                              : whole->of_weather == is_of_weather(kind);
}

/* Count a place; true when the kill comes here. */
static bool is_here(struct sim *s, enum sweep_kind kind)
{
    struct sweep *sw = s->sweep;

    if (!sw || !sw->is_on || (is_of_server(kind) && !sw->of_server) ||
        (is_of_weather(kind) && !sw->of_weather))
        return false;
    sw->n[kind]++;
    if (sw->has_killed || sw->kind != kind || sw->n[kind] != sw->at)
        return false;
    sw->has_killed = true;
    return true;
}

static void start_planner(struct sim *s, void *arg)
{
    planner_start(s, arg);
}

/* Behind what it is just doing, and before anything that it says arrives. */
static void kill_planner(struct sim *s, void *arg)
{
    planner_stop(s, arg);
    sim_after(s, AWAY_MS, start_planner, arg, NULL);
}

void sweep_commit(struct sim *s)
{
    struct sweep *sw = s->sweep;

    if (sw && sw->kind == SWEEP_TWICE && sw->has_killed && !sw->has_killed_again) {
        sw->has_killed_again = true;
        s->shell.crash = CRASH_AFTER_COMMIT;
    }
    if (is_here(s, SWEEP_BEFORE_COMMIT) || is_here(s, SWEEP_TWICE))
        s->shell.crash = CRASH_BEFORE_COMMIT;
    if (is_here(s, SWEEP_AFTER_COMMIT))
        s->shell.crash = CRASH_AFTER_COMMIT;
    if (is_here(s, SWEEP_MEANWHILE))
        sim_after(s, 0, kill_planner, &s->planner, NULL);
}

static void start_server(struct sim *s, void *arg UNUSED)
{
    shell_start(s, SVR_WARM);
}

void sweep_server_died(struct sim *s)
{
    if (s->sweep && s->sweep->has_killed)
        sim_after(s, AWAY_MS, start_server, NULL, NULL);
}

static bool server_dies(struct sim *s, enum sweep_kind kind)
{
    if (!is_here(s, kind))
        return false;
    shell_crash(s);
    sweep_server_died(s);
    return true;
}

void sweep_peer_asks(struct sim *s)
{
    (void)server_dies(s, SWEEP_ASKS);
}

bool sweep_peer_asked(struct sim *s)
{
    return server_dies(s, SWEEP_ASKED);
}

bool sweep_peer_learns(struct sim *s)
{
    return server_dies(s, SWEEP_LEARNS);
}

enum sweep_loss sweep_peer_loses(struct sim *s)
{
    bool request = is_here(s, SWEEP_REQUEST), answer = is_here(s, SWEEP_ANSWER),
         late = is_here(s, SWEEP_LATE);

    return request  ? SWEEP_LOSES_REQUEST
           : answer ? SWEEP_LOSES_ANSWER
           : late   ? SWEEP_IS_LATE
                    : SWEEP_LOSES_NOTHING;
}

void sweep_scheduler(struct sim *s, struct planner *p)
{
    if (is_here(s, SWEEP_SCHEDULER))
        sim_after(s, 0, kill_planner, p, NULL);
}

static void start_mom(struct sim *s UNUSED, void *arg)
{
    host_start_mom(arg, false);
}

/* Its MoM is dead already. */
static void lose_host(struct sim *s, void *arg)
{
    struct mom_host *h = arg;

    sim_trace(s, "host %s: is lost", h->name);
    host_crash(h);
}

static void start_router(struct sim *s, void *arg UNUSED)
{
    comm_router(s, true);
}

/* The message that it has just got is lost with it. */
static void kill_router(struct sim *s, void *arg UNUSED)
{
    comm_router(s, false);
    sim_after(s, AWAY_MS, start_router, NULL, NULL);
}

static bool says(struct sim *s, struct mom_host *h, enum sweep_kind mom,
                 enum sweep_kind router)
{
    if (is_here(s, router))
        sim_after(s, 0, kill_router, NULL, NULL);
    if (!is_here(s, mom))
        return false;
    if (s->sweep->loses_hosts)
        sim_after(s, 0, lose_host, h, NULL);
    else
        sim_after(s, AWAY_MS, start_mom, h, NULL);
    return true;
}

static bool hears(struct sim *s, struct mom_host *h, enum sweep_kind kind)
{
    if (!is_here(s, kind))
        return false;
    host_kill_mom(h);
    if (s->sweep->loses_hosts)
        lose_host(s, h);
    else
        sim_after(s, AWAY_MS, start_mom, h, NULL);
    return true;
}

bool sweep_mom_says(struct sim *s, struct mom_host *h)
{
    return says(s, h, SWEEP_MOM_SAYS, SWEEP_ROUTER);
}

bool sweep_mom_hears(struct sim *s, struct mom_host *h)
{
    return hears(s, h, SWEEP_MOM_HEARS);
}

bool sweep_doubles(struct sim *s, size_t leaf, bool of_server)
{
    if (is_here(s, of_server ? SWEEP_SLOW_OF_SERVER : SWEEP_SLOW))
        comm_leaf_stalls(s, leaf, SLOW_MS);
    return is_here(s, of_server ? SWEEP_DOUBLE_OF_SERVER : SWEEP_DOUBLE);
}

bool sweep_mom_tells(struct sim *s, struct mom_host *h)
{
    return says(s, h, SWEEP_MOM_TELLS, SWEEP_ROUTER_OF_SERVER);
}

bool sweep_mom_is_told(struct sim *s, struct mom_host *h)
{
    return hears(s, h, SWEEP_MOM_IS_TOLD);
}

static void again(struct sim *s, void *line)
{
    sim_trace(s, "sweep: the next line is carried out again");
    sim_after(s, AGAIN_MS, s->sweep->do_line, line, NULL);
}

bool sweep_delays(struct sim *s, void *line)
{
    if (!s->sweep || s->shell.up)
        return false;
    again(s, line);
    return true;
}

static struct client *find_client(const struct sim *s, uint64_t conn)
{
    struct client *c;

    DL_FOREACH (s->clients.list, c)
        if (c->conn == conn)
            return c;
    return NULL;
}

void sweep_note_turn(struct sim *s, uint64_t conn, const struct effects *turn)
{
    struct client *c = s->sweep && conn ? find_client(s, conn) : NULL;

    /* What is done to many vnodes is done whole when its first turn is durable. */
    if (c && c->kind == CLIENT_MANAGE && c->seq)
        return;
    for (size_t i = 0; c && i < turn->n; i++)
        if (turn->v[i].kind == EFFECT_RECORD)
            c->seq = turn->v[i].u.record->seq;
}

/* Who maintains vnodes confirms that by a second request. What is left of the first one
 * is deleted before the line comes again, as pbs_rsub does when it is refused. */
static void clear_left_over(struct sim *s, void *arg)
{
    const struct client *c = arg;
    const char *id = s->shell.up ? label_id(s, c->label) : NULL;

    if (s->shell.up && !id) {
        s->sweep->do_line(s, c->line);
        return;
    }
    if (id)
        client_delete(s, c->user, c->label, id, true, false);
    sim_after(s, AGAIN_MS, clear_left_over, arg, NULL);
}

/* What was durable when the server died is so still. Of several requests the last one
 * counts: a job before its Commit is no job. */
static bool is_done(const struct sim *s, const struct client *c)
{
    return c->seq > 0 && c->seq <= store_last_seq(s->shell.store) &&
           (c->kind != CLIENT_SUBMIT || c->step == 2) && (!c->vnodes || c->step == 1);
}

void sweep_client_refused(struct sim *s, struct client *c)
{
    if (s->sweep && s->sweep->is_on && s->other && c->line)
        again(s, c->line);
}

void sweep_client_cut_off(struct sim *s, struct client *c)
{
    if (!s->sweep || !s->sweep->is_on || !c->line || is_done(s, c))
        return;
    if (c->vnodes)
        sim_after(s, AGAIN_MS, clear_left_over, c, NULL);
    else
        again(s, c->line);
}
