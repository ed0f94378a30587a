/* action_daemons.c - the lines of a scenario in which something happens to vnodes,
 * MoMs, the router, schedulers, the server and its store.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "script.h"
#include "server/requests/manager.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static int64_t number(const char *text, int64_t none)
{
    return text ? atoll(text) : none;
}

/* Vnodes and MoMs. */

static bool set_vnode(struct sim *s, const struct words *w, enum wire_op op)
{
    client_manage(s, MANAGER_SET, OBJECT_NODE, vnode_named(s, w->v[1]), "state", NULL,
                  "offline", op);
    return true;
}

static bool vnode_offline(struct sim *s, const struct words *w)
{
    return set_vnode(s, w, WIRE_OP_INCR);
}

static bool vnode_back(struct sim *s, const struct words *w)
{
    return set_vnode(s, w, WIRE_OP_DECR);
}

static bool vnode_deleted(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_DELETE, OBJECT_NODE, vnode_named(s, w->v[1]), NULL, NULL,
                  NULL, WIRE_OP_SET);
    return true;
}

/* It is of the MoM that its number says, which then tells what it has. */
static bool vnode_made(struct sim *s, const struct words *w)
{
    const char *name = vnode_named(s, w->v[1]), *digits = strchr(name, '[');
    int host = digits ? atoi(digits + 1) / s->cluster.vnodes_per_host : 0;

    client_manage(s, MANAGER_CREATE, OBJECT_NODE, name, "Mom", NULL,
                  s->hosts[MIN_OF(host, s->cluster.n_hosts - 1)].name, WIRE_OP_SET);
    return true;
}

static struct mom_host *host_named(struct sim *s, const char *name)
{
    for (int i = 0; i < s->cluster.n_hosts; i++)
        if (strcmp(s->hosts[i].name, name) == 0)
            return &s->hosts[i];
    return NULL;
}

/* "mom h1 starts", "mom h1 starts with -r" */
static bool mom_begins(struct mom_host *h, const struct words *w)
{
    if (words_are(w, 2, "starts with -r"))
        host_start_mom(h, true);
    else if (words_are(w, 2, "starts"))
        host_start_mom(h, false);
    else
        return false;
    return true;
}

static bool mom_ends(struct mom_host *h, const struct words *w)
{
    if (words_are(w, 2, "stops losing jobs"))
        host_crash(h);
    else if (words_are(w, 2, "stops"))
        host_kill_mom(h);
    else if (words_are(w, 2, "dies after *"))
        h->dies_after = h->mom ? (int)number(w->v[4], 1) : 0;
    else if (words_are(w, 2, "is terminated"))
        host_end_mom(h, true);
    else if (words_are(w, 2, "is interrupted"))
        host_end_mom(h, false);
    else
        return false;
    return true;
}

static bool mom_misbehaves(struct mom_host *h, const struct words *w)
{
    if (words_are(w, 2, "is cut off"))
        host_cut_off(h, true);
    else if (words_are(w, 2, "is reachable"))
        host_cut_off(h, false);
    else if (words_are(w, 2, "loses its stream"))
        comm_leaf_break(h->sim, h->index + 1);
    else if (words_are(w, 2, "answers nothing"))
        h->silent = true;
    else if (words_are(w, 2, "answers again"))
        h->silent = false;
    else if (words_are(w, 2, "has much to do"))
        host_is_busy(h, true);
    else if (words_are(w, 2, "has little to do"))
        host_is_busy(h, false);
    else if (words_are(w, 2, "sends wide jobs on"))
        host_sends_on(h);
    else if (words_are(w, 2, "is typed at"))
        host_is_typed_at(h, true);
    else if (words_are(w, 2, "is left alone"))
        host_is_typed_at(h, false);
    else
        return false;
    return true;
}

/* What is wrong with its host. */
static bool host_misbehaves(struct mom_host *h, const struct words *w)
{
    if (words_are(w, 2, "cannot write"))
        h->disk.is_full = true;
    else if (words_are(w, 2, "can write"))
        h->disk.is_full = false;
    else if (words_are(w, 2, "knows no users"))
        h->knows_nobody = true;
    else if (words_are(w, 2, "knows its users"))
        h->knows_nobody = false;
    else if (words_are(w, 2, "is * seconds ahead"))
        host_set_clock(h, number(w->v[3], 0));
    else
        return false;
    return true;
}

static bool mom_line(struct sim *s, const struct words *w)
{
    struct mom_host *h = host_named(s, w->v[1]);

    return h && (mom_begins(h, w) || mom_ends(h, w) || mom_misbehaves(h, w) ||
                 host_misbehaves(h, w));
}

static void all_read_rules(struct sim *s)
{
    for (int i = 0; i < s->cluster.n_hosts; i++)
        host_reads_rules(&s->hosts[i]);
}

/* From now on each of them has scripts for images, and so has one that starts. */
static bool moms_make_images(struct sim *s, const struct words *w UNUSED)
{
    s->images = true;
    all_read_rules(s);
    return true;
}

static bool moms_end_by_script(struct sim *s, const struct words *w UNUSED)
{
    s->ends_by_script = true;
    all_read_rules(s);
    return true;
}

static bool moms_run_epilogues(struct sim *s, const struct words *w UNUSED)
{
    s->epilogues = true;
    return true;
}

static bool epilogue_sends_back(struct sim *s, const struct words *w UNUSED)
{
    s->sends_back = true;
    return s->epilogues;
}

static bool router_lost(struct sim *s, const struct words *w UNUSED)
{
    comm_router(s, false);
    return true;
}

static bool router_back(struct sim *s, const struct words *w UNUSED)
{
    comm_router(s, true);
    return true;
}

/* Daemons. */

/* "vn[2]": every vnode that it decides on becomes that one. */
static void errs_always(struct planner *p, const char *vnode)
{
    p->wrong_percent = 100;
    p->wrong_vnode = (int)number(vnode + strlen("vn["), 0);
}

/* It says when it registers that its cycles may be cut. */
static void comes_as_ours(struct sim *s, struct planner *p)
{
    p->may_cut = true;
    planner_stop(s, p);
    planner_start(s, p);
}

/* It reads that when it starts. */
static void pulls(struct sim *s, struct planner *p, const char *remote,
                  const char *local)
{
    planner_stop(s, p);
    puller_set(p, remote, local);
    planner_start(s, p);
}

/* A line of its sched_config. */
static void is_configured(struct planner *p, const char *line)
{
    struct diag why;
    enum policy_line read = policy_line(p->policy, line, &why);

    MUST(read == POLICY_FINE);
}

/* From word 'i' on it is said what the scheduler does. */
static bool planner_line(struct sim *s, struct planner *p, const struct words *w,
                         size_t i)
{
    if (words_are(w, i, "stops"))
        planner_stop(s, p);
    else if (words_are(w, i, "starts"))
        planner_start(s, p);
    else if (words_are(w, i, "thinks *"))
        p->think_ms = 1000 * number(w->v[i + 1], 0);
    else if (words_are(w, i, "repeats its last answer"))
        p->old_answer_wanted = true;
    else if (words_are(w, i, "says all twice"))
        p->answer_twice_percent = 100;
    else if (words_are(w, i, "errs no more"))
        p->wrong_percent = 0;
    else if (words_are(w, i, "errs"))
        p->wrong_percent = 50;
    else if (words_are(w, i, "puts all on *"))
        errs_always(p, w->v[i + 3]);
    else if (words_are(w, i, "may be cut"))
        comes_as_ours(s, p);
    else if (words_are(w, i, "keeps what it knows"))
        p->keeps = true;
    else if (words_are(w, i, "pulls * into *"))
        pulls(s, p, w->v[i + 1], w->v[i + 3]);
    else if (words_are(w, i, "answers many at once"))
        p->answers_many = true;
    else if (words_are(w, i, "takes answers twice"))
        p->reads_twice_percent = 10;
    else if (words_are(w, i, "keeps the order"))
        is_configured(p, "strict_ordering: true ALL");
    else if (words_are(w, i, "preempts"))
        is_configured(p, "preemptive_sched: true ALL");
    else if (words_are(w, i, "wanders"))
        p->answer_twice_percent = p->old_answer_percent = 20;
    else
        return false;
    return true;
}

static bool sched_line(struct sim *s, const struct words *w)
{
    return planner_line(s, &s->planner, w, 1);
}

#define SECOND_PARTITION "p2"

static void set_second(struct sim *s, const char *name, const char *value)
{
    client_manage(s, MANAGER_SET, OBJECT_SCHED, s->second.name, name, NULL, value,
                  WIRE_OP_SET);
}

static bool second_comes(struct sim *s, const struct words *w UNUSED)
{
    client_manage(s, MANAGER_CREATE, OBJECT_SCHED, s->second.name, NULL, NULL, NULL,
                  WIRE_OP_SET);
    set_second(s, "partition", SECOND_PARTITION);
    set_second(s, "scheduling", "True");
    s->has_second = true;
    planner_start(s, &s->second);
    return true;
}

static bool second_serves(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_SET, OBJECT_NODE, vnode_named(s, w->v[3]), "partition",
                  NULL, SECOND_PARTITION, WIRE_OP_SET);
    return true;
}

/* Detached from its reservations, not from the server: it is asked nothing. */
static bool second_rests(struct sim *s, const struct words *w)
{
    set_second(s, "scheduling", words_are(w, 2, "rests no more") ? "True" : "False");
    return true;
}

static bool second_line(struct sim *s, const struct words *w)
{
    return planner_line(s, &s->second, w, 2);
}

static bool server_line(struct sim *s, const struct words *w)
{
    if (words_are(w, 1, "crashes before its next commit"))
        s->shell.crash = CRASH_BEFORE_COMMIT;
    else if (words_are(w, 1, "crashes after its next commit"))
        s->shell.crash = CRASH_AFTER_COMMIT;
    else if (words_are(w, 1, "crashes"))
        shell_crash(s);
    else if (words_are(w, 1, "starts hot"))
        shell_start(s, SVR_HOT);
    else if (words_are(w, 1, "starts"))
        shell_start(s, SVR_WARM);
    else
        return false;
    return true;
}

static bool store_line(struct sim *s, const struct words *w)
{
    bool fails = words_are(w, 1, "fails"), refuses = words_are(w, 1, "refuses");

    if (words_are(w, 1, "contradicts record *")) {
        shell_store_contradicts(s, (uint64_t)number(w->v[3], 1));
        return true;
    }
    if (!fails && !refuses && !words_are(w, 1, "works"))
        return false;
    shell_store_fails(s, fails || refuses, refuses);
    return true;
}

/* "servers are cut off": from each other */
static bool servers_line(struct sim *s, const struct words *w)
{
    bool cut = words_are(w, 1, "are cut off");

    if (!cut && !words_are(w, 1, "reach each other"))
        return false;
    peers_cut_off(s, cut);
    return true;
}

/* "K1 loses its waiters": of the other server */
static bool loses_waiters(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[0]);

    if (id)
        peers_lose_waiters(s, id);
    return s->other != NULL;
}

static const struct action actions[] = {
    { "servers *", servers_line },
    { "* loses its waiters", loses_waiters },
    { "vnode * goes offline", vnode_offline },
    { "vnode * comes back", vnode_back },
    { "vnode * is deleted", vnode_deleted },
    { "vnode * is made", vnode_made },
    { "mom *", mom_line },
    { "moms make images", moms_make_images },
    { "moms end jobs by a script", moms_end_by_script },
    { "moms run epilogues", moms_run_epilogues },
    { "next epilogue sends its job back", epilogue_sends_back },
    { "router is lost", router_lost },
    { "router comes back", router_back },
    { "scheduler *", sched_line },
    { "second scheduler comes", second_comes },
    { "second scheduler serves *", second_serves },
    { "second scheduler rests", second_rests },
    { "second scheduler rests no more", second_rests },
    { "second scheduler *", second_line },
    { "server *", server_line },
    { "store *", store_line },
};

const struct action *action_of_daemons(const struct words *w)
{
    return action_find(actions, ARRAY_LEN(actions), w);
}
