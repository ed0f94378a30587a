/* link.c - hello, registration and the way to the server (tpp.md 5.3, 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <stdio.h>
#include <string.h>

/* How MoMs mark topology_info: a string, with these flags of the attribute
 * (tpp.md 5.2).
 */
#define TOPOLOGY_TYPE  3
#define TOPOLOGY_FLAGS 21

/* In the block of the host's state. */
#define STATE_BUSY     0x80
#define STATE_WATCHED  0x4000 /* $kbd_idle */

/* Seconds between hellos: 1, then 2 five times, 4 nine times, and so on up to 64. */
static int64_t hello_delay(unsigned n)
{
    unsigned first = 1, times = 5;

    if (n == 0)
        return 1;
    for (int64_t s = 2; s < 64; s *= 2) {
        if (n < first + times)
            return s;
        first += times;
        /* 5, 9, 17, 33, 65: the series of tpp.md 5.3. */
        times = 2 * times - 1;
    }
    return 64;
}

/* The next hello leaves when the clock shows more than now + delay. */
static void schedule_hello(struct mom *m, int64_t now_at)
{
    m->hello_at = now_at + hello_delay(m->n_hellos) + 1;
    /* Long before, the delay has reached its end; the count must not wrap around and
     * begin anew. */
    if (m->n_hellos < 1000)
        m->n_hellos++;
}

static void forget_server(struct mom *m)
{
    /* Answers that were due on the stream do not come on another one. */
    obit_expect_none(m);
    m->server = 0;
    m->registered = false;
}

void link_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    MUST(m->router_is_up || !m->server); /* streams end with the way to the router */
    if (!m->router_is_up || m->registered || now_at < m->hello_at)
        return;
    schedule_hello(m, now_at);
    if (m->server) { /* a hello that nobody answered: a new stream finds a new server */
        out_add(out, MOM_CLOSE)->stream = m->server;
        forget_server(m);
    }
    out_add(out, MOM_CONNECT);
}

void mom_router_up(struct mom *m, int64_t now_at, struct mom_out *out)
{
    out_log(out, LOG_EV_ERROR, LOG_IN_SERVER, "net_restore_handler",
            "net restore handler called");
    m->router_is_up = true;
    m->router_up_at = now_at;
    /* A network that is back means that the server may be, too: the delays begin anew
     * (tpp.md 5.3). */
    m->n_hellos = 0;
    m->hello_at = now_at;
    link_tick(m, now_at, out);
    MUST(m->registered || m->hello_at > now_at); /* the next hello is later */
    asked_router_up(m, out);
    life_reckon_wide(m);
}

void mom_router_down(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j;

    (void)now_at;
    out_log(out, LOG_EV_ERROR, LOG_IN_SERVER, "net_down_handler",
            "net down handler called");
    m->router_is_up = false;
    /* The leaf has told the end of each stream before it tells this. */
    forget_server(m);
    DL_FOREACH2 (m->wide, j, wide_next)
        releasing_router_lost(j);
    life_reckon_wide(m);
}

static void send_hello(struct mom *m, struct mom_out *out)
{
    const struct is_message hello = { .command = IS_HELLOSVR, .mom_port = m->cfg.port };

    out_send(out, m->server, &hello);
}

void mom_connected(struct mom *m, int64_t now_at, uint64_t stream, int number,
                   struct mom_out *out)
{
    (void)now_at;
    /* The timer tries again. */
    if (stream == 0)
        return;
    forget_server(m);
    m->server = stream;
    send_hello(m, out);
    out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
            "HELLO sent to server at %s:%u, stream:%d", m->cfg.server_host,
            m->cfg.server_port, number);
}

/* The server spoke first: it must hear a hello before its message is taken. */
void link_adopt(struct mom *m, uint64_t stream, struct mom_out *out)
{
    if (m->server)
        return;
    m->server = stream;
    send_hello(m, out);
}

/* The other end may have been a task, or the MoM of another host. */
static void peers_lost(struct mom *m, int64_t now_at, uint64_t stream,
                       struct mom_out *out)
{
    struct reached *r = reach_of_stream(m, stream);

    spawned_drop_asker(m, stream);
    joins_drop_stream(m, stream);
    sister_lost(m, now_at, stream, out);
    if (!r)
        return;
    r->stream = 0;
    superior_lost(m, now_at, r, out);
}

void mom_stream_closed(struct mom *m, int64_t now_at, uint64_t stream,
                       struct mom_out *out)
{
    bool was_registered = m->registered;

    /* This holds for any stream, also for a connection of the service port: a job of
     * which the rest will not come is not kept. */
    receive_drop_stream(m, stream);
    peers_lost(m, now_at, stream, out);
    if (stream != m->server)
        return;
    out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom", "Server closed connection.");
    forget_server(m);
    if (was_registered) { /* at once, then by the timer */
        m->n_hellos = 0;
        m->hello_at = now_at;
        link_tick(m, now_at, out);
    }
}

void mom_set_servers(struct mom *m, size_t n_ips, const uint32_t *ips, bool is_local)
{
    /* One more than there are, since an empty list needs an address, too. */
    m->server_ips = xrealloc(m->server_ips, (n_ips + 1) * sizeof(*ips));
    if (n_ips > 0)
        memcpy(m->server_ips, ips, n_ips * sizeof(*ips));
    m->cfg.server_ips = m->server_ips;
    m->cfg.n_server_ips = n_ips;
    m->cfg.server_is_local = is_local;
}

void mom_server_known(struct mom *m, int64_t now_at, struct mom_out *out)
{
    if (m->registered)
        return; /* it has found us */
    m->hello_at = now_at;
    link_tick(m, now_at, out);
}

bool link_is_server_ip(const struct mom *m, uint32_t ip)
{
    /* Any of 127.0.0.0/8 leads to this host, whichever of them the server is bound
     * to. */
    if (ip >> 24 == 127 && m->cfg.server_is_local)
        return true;
    for (size_t i = 0; i < m->cfg.n_server_ips; i++)
        if (m->cfg.server_ips[i] == ip)
            return true;
    return false;
}

bool link_is_authorized(const struct mom *m, const struct tpp_addr *peer)
{
    return peer->port == m->cfg.server_port && link_is_server_ip(m, tpp_addr_ip(peer));
}

static void ip_text(uint32_t ip, char text[16])
{
    uint8_t b[4] = { (uint8_t)(ip >> 24), (uint8_t)(ip >> 16), (uint8_t)(ip >> 8),
                     (uint8_t)ip };

    snprintf(text, 16, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
}

static bool has_range(const struct mom *m, const struct is_range *r)
{
    for (size_t i = 0; i < m->n_ranges; i++)
        if (r->low_ip >= m->ranges[i].low_ip &&
            /* No sum wraps around here: what was wider than an address was left out
             * (link_add_ranges()). */
            r->low_ip + r->extra <= m->ranges[i].low_ip + m->ranges[i].extra)
            return true;
    return false;
}

/* Hosts of the cluster, whose MoMs may speak of jobs: only ever added. */
void link_add_ranges(struct mom *m, const struct is_message *msg, struct mom_out *out)
{
    for (size_t i = 0; i < msg->n_ranges; i++) {
        const struct is_range *r = &msg->ranges[i];
        char text[16];

        /* The wire carries numbers that are wider than addresses, and the log line
         * prints an address. */
        if (r->low_ip > UINT32_MAX || r->extra > UINT32_MAX - r->low_ip ||
            has_range(m, r))
            continue;
        m->ranges = xrealloc(m->ranges, (m->n_ranges + 1) * sizeof(*m->ranges));
        m->ranges[m->n_ranges++] = *r;
        ip_text((uint32_t)r->low_ip, text);
        out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
                "Adding IP address %s as authorized", text);
    }
}

bool link_is_cluster(const struct mom *m, uint32_t ip)
{
    for (size_t i = 0; i < m->n_ranges; i++)
        if (ip >= m->ranges[i].low_ip && ip - m->ranges[i].low_ip <= m->ranges[i].extra)
            return true;
    return link_is_server_ip(m, ip);
}

static struct is_vnode copy_vnode(struct arena *arena, const struct is_vnode *v,
                                  size_t more)
{
    struct is_vnode c = { .name = arena_strdup(arena, v->name), .n = v->n };

    c.attrs = ARENA_ARRAY(arena, struct is_vnode_attr, v->n + more);
    for (size_t i = 0; i < v->n; i++) {
        c.attrs[i] = v->attrs[i];
        c.attrs[i].name = arena_strdup(arena, v->attrs[i].name);
        c.attrs[i].value = arena_strdup(arena, v->attrs[i].value);
    }
    return c;
}

static void add_attr(struct is_vnode *v, const char *name, const char *value, int type,
                     int flags)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->attrs[i].name, name) == 0)
            return; /* a definition file said otherwise */
    v->attrs[v->n++] = (struct is_vnode_attr){
        .name = name, .value = value, .type = type, .flags = flags
    };
}

/* What every MoM says of its host, unless a file says it. */
static void complete_natural(const struct mom *m, struct is_vnode *v,
                             struct arena *arena)
{
    add_attr(v, "topology_info", arena_strdup(arena, m->cfg.topology), TOPOLOGY_TYPE,
             TOPOLOGY_FLAGS);
    add_attr(v, "resources_available.mem",
             arena_printf(arena, "%" PRIu64 "kb", m->cfg.mem_kb), 0, 0);
    add_attr(v, "resources_available.ncpus", arena_printf(arena, "%u", m->cfg.ncpus), 0,
             0);
}

/* True when one of 'v' was not reported before. Files are read in the same order, so
 * that the search nearly always finds a name where the one before it was. */
static bool has_new_name(const struct mom *m, const struct is_vnode *v, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        size_t left = m->n_vnodes;

        while (left > 0 && strcmp(m->vnodes[at % m->n_vnodes].name, v[i].name) != 0) {
            at++;
            left--;
        }
        if (left == 0)
            return true;
        at++;
    }
    return false;
}

/* The server makes vnodes that it does not know only of a list that is newer than the
 * last one: a list without a new name must not bring back what was deleted there. */
static int64_t next_modtime(const struct mom *m, int64_t modtime,
                            const struct is_vnode *v, size_t n)
{
    return MAX_OF(modtime, m->modtime + (has_new_name(m, v, n) ? 1 : 0));
}

void mom_set_vnodes(struct mom *m, int64_t now_at, int64_t modtime, size_t n,
                    const struct is_vnode *vnodes, struct mom_out *out)
{
    struct arena *arena = arena_new();
    struct is_vnode *v = ARENA_ARRAY(arena, struct is_vnode, n + 1);
    size_t n_v = n;
    bool has_natural = false;

    (void)now_at;
    for (size_t i = 0; i < n; i++) {
        bool natural = strcmp(vnodes[i].name, m->cfg.node_name) == 0;

        v[i] = copy_vnode(arena, &vnodes[i], 3);
        if (natural)
            complete_natural(m, &v[i], arena);
        has_natural = has_natural || natural;
    }
    if (!has_natural) {
        const struct is_vnode bare = { .name = m->cfg.node_name };

        v[n_v] = copy_vnode(arena, &bare, 3);
        complete_natural(m, &v[n_v++], arena);
    }
    /* The names of the list before are still needed for this, so it is freed
     * afterwards. */
    m->modtime = next_modtime(m, modtime, v, n_v);
    arena_free(m->vnode_arena);
    m->vnode_arena = arena;
    m->vnodes = v;
    m->n_vnodes = n_v;
    MUST(n_v > 0); /* the natural vnode at least */
    if (m->registered)
        link_send_update(m, out);
}

static struct is_state state_block(const struct mom *m, bool with_vnodes,
                                   struct arena *arena)
{
    struct is_state st = { .state = (m->is_busy || m->keyboard_is_busy || m->cannot_note
                                         ? STATE_BUSY
                                         : 0) |
                                    (m->cfg.has_kbd_idle ? STATE_WATCHED : 0),
                           .pcpus = m->cfg.ncpus,
                           .acpus = m->cfg.ncpus,
                           .mem_kb = m->cfg.mem_kb,
                           .arch = "linux",
                           .has_vnodes = with_vnodes,
                           .modtime = m->modtime,
                           .version = arena_strdup(arena, m->cfg.version) };

    if (!with_vnodes)
        return st;
    st.n_vnodes = m->n_vnodes;
    st.vnodes = ARENA_ARRAY(arena, struct is_vnode, m->n_vnodes);
    for (size_t i = 0; i < m->n_vnodes; i++)
        st.vnodes[i] = copy_vnode(arena, &m->vnodes[i], 0);
    return st;
}

void link_send_update(struct mom *m, struct mom_out *out)
{
    const struct is_message msg = { .command = IS_UPDATE2,
                                    .state = state_block(m, true, out->arena) };

    MUST(m->registered);
    out_send(out, m->server, &msg);
}

/* Sisters say 41 of what runs with them (tpp.md 6.6); of what ends on several hosts the
 * server has not heard yet. */
static int32_t told_substate(const struct mom_job *j)
{
    if (j->is_sister)
        return JOB_PRERUN;
    return j->phase == JOB_KILLING || j->phase == JOB_EPILOGUE ? JOB_RUNNING : j->phase;
}

static void list_jobs(const struct mom *m, struct is_message *msg, struct arena *arena)
{
    struct mom_job *j, *tmp;

    msg->running = ARENA_ARRAY(arena, struct is_running,
                               HASH_COUNT(m->jobs) + HASH_COUNT(m->resting));
    HASH_ITER (hh, m->jobs, j, tmp) {
        const char *on = wire_attrs_value(&j->attrs, "exec_vnode", NULL);

        /* A job that is not stored was not answered either: so far it is the server's
         * alone. */
        if (j->phase < JOB_PRERUN || j->is_dropped)
            continue;
        MUST(msg->n_running < HASH_COUNT(m->jobs)); /* one for each job at most */
        msg->running[msg->n_running++] =
            (struct is_running){ .job_id = arena_strdup(arena, j->id),
                                 .substate = told_substate(j),
                                 .run_version = j->run_version,
                                 .node_id = j->is_sister ? (int32_t)j->hosts.own : 0,
                                 .exec_vnode = arena_strdup(arena, on ? on : "") };
    }
    /* A server that does not count on the image has it discarded. */
    HASH_ITER (hh, m->resting, j, tmp)
        msg->running[msg->n_running++] =
            (struct is_running){ .job_id = arena_strdup(arena, j->id),
                                 .substate = JOB_RESTING,
                                 .run_version = j->run_version,
                                 .node_id = j->is_sister ? (int32_t)j->hosts.own : 0,
                                 .exec_vnode = "" };
}

/* The list of jobs tells of them, too. */
static void answer_commits(struct mom *m, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER (hh, m->jobs, j, tmp)
        if (j->phase >= JOB_PRERUN)
            receive_answer_now(j, out);
}

static void send_register(struct mom *m, bool with_vnodes, struct mom_out *out)
{
    struct is_message msg = { .command = IS_REGISTERMOM,
                              .state = state_block(m, with_vnodes, out->arena) };
    /* No hooks, no resourcedef. */
    const struct is_message sums = { .command = IS_HOOK_CHECKSUMS,
                                     .raw = { .data = "+0+0", .len = 4 } };

    answer_commits(m, out);
    list_jobs(m, &msg, out->arena);
    out_send(out, m->server, &msg);
    out_send(out, m->server, &sums);
}

void link_hello_reply(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                      const struct is_message *msg, struct mom_out *out)
{
    /* A server may have answered on a stream of its own, while our hello waits for its
     * answer on another. */
    if (m->server != stream)
        forget_server(m);
    m->server = stream;
    m->registered = true;
    m->n_hellos = 0;
    out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
            "ReplyHello %sfrom server at %s",
            msg->need_inventory ? "" : "(no inventory required) ", peer);
    link_add_ranges(m, msg, out);
    /* The list of jobs comes first, since the server judges by it which jobs are still
     * its own; usage and obituaries then are about jobs that it knows to be here
     * (tpp.md 5.4). */
    send_register(m, msg->need_inventory != 0, out);
    life_tell_running(m, now_at, out);
    standing_tell_all(m, out);
    life_send_obits(m, now_at, out);
    left_hosts_tell_again(m, out);
}
