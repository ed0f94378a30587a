/* shell.c - links, the clock and the log around the router's core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/shell/shell.h"

#include "lib/auth/sockowner.h"
#include "lib/io/conn.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"
#include "lib/io/pool.h"
#include "lib/tpp/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define MIB        ((size_t)1 << 20)
/* A leaf that takes nothing and one that sends half a packet have a minute. */
#define STALL_MS   60000
#define PARTIAL_MS 60000

struct comm_link {
    struct comm *comm;
    uint64_t id;
    struct conn *conn;
    bool joined;
    struct sockaddr_in peer;
    UT_hash_handle hh;
};

static void drop_link(struct comm_link *l)
{
    HASH_DEL(l->comm->links, l);
    conn_free(l->conn);
    free(l);
}

static struct comm_link *find_link(struct comm *c, uint64_t id)
{
    struct comm_link *l;

    HASH_FIND(hh, c->links, &id, sizeof(id), l);
    return l;
}

static void link_joined(struct comm_link *l)
{
    MUST(!l->joined);
    l->joined = true;
    /* From now on the connection counts among those of leaves, with their limits. */
    /* A stranger was allowed no more than a JOIN needs. */
    conn_set_max_frame(l->conn, COMM_MAX_PACKET_BYTES);
    conn_set_budget(l->conn, &l->comm->memory);
}

/* May add effects to 'out', which are carried out in turn. */
static void carry_out(struct comm *c, const struct router_effect *e,
                      struct router_out *out)
{
    /* The link may be gone: an earlier effect of the same list may have ended it. */
    struct comm_link *l = e->kind == ROUTER_LOG ? NULL : find_link(c, e->link);

    switch (e->kind) {
    case ROUTER_SEND:
        if (l)
            /* A leaf that does not take it runs into the limit of its connection
             * (STALL_MS). */
            conn_send(l->conn, e->data, e->len);
        break;
    case ROUTER_CLOSE:
        if (l)
            drop_link(l);
        break;
    case ROUTER_JOINED:
        if (l)
            link_joined(l);
        break;
    case ROUTER_PROVE:
        if (l)
            comm_prove(c, e, l->conn, &l->peer, out);
        break;
    case ROUTER_LOG:
        logfile_write(c->log, (uint32_t)e->event, LOG_IN_TPP, c->daemon, e->text);
        break;
    }
}

static void set_timer(struct comm *c)
{
    int64_t at = router_next_deadline(c->router);

    if (at == INT64_MAX)
        loop_timer_clear(c->timer);
    else
        /* Deadlines are in whole seconds; one that has come is 0 ms away, or less. */
        loop_timer_set(c->timer, (at - clock_steady()) * 1000);
}

static void carry_out_all(struct comm *c, struct router_out *out)
{
    for (size_t i = 0; i < out->n; i++) {
        /* Carrying one out may append others (ROUTER_PROVE), and the list may move
         * then. */
        const struct router_effect e = out->v[i];

        carry_out(c, &e, out);
    }
    /* All that the effects point to goes with them; conn_send() has made its copies. */
    arena_clear(c->arena);
    set_timer(c);
}

/* Tell the router which claims are true, and read on from the connection that
 * waited. */
void comm_proven(struct comm *c, uint64_t link, size_t n,
                 const struct router_claim *claims)
{
    struct comm_link *l = find_link(c, link);
    struct router_out out = { .arena = c->arena };

    /* A stranger that was ended while threads worked for it has no connection any more;
     * the core passes such an answer over. */
    if (l)
        conn_hold(l->conn, false);
    router_proven(c->router, clock_steady(), link, n, claims, &out);
    carry_out_all(c, &out);
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct comm_link *l = arg;
    struct comm *c = l->comm;
    struct router_out out = { .arena = c->arena };

    (void)conn;
    router_packet(c->router, clock_steady(), l->id, f->data, f->len, &out);
    carry_out_all(c, &out);
}

static void link_lost(struct comm_link *l, int err)
{
    struct comm *c = l->comm;
    /* drop_link() frees the link, and the core is told its number afterwards. */
    uint64_t id = l->id;
    struct router_out out = { .arena = c->arena };

    /* The connection goes first: what the core says to this link from here on finds
     * nobody. */
    drop_link(l);
    router_link_down(c->router, clock_steady(), id, err, &out);
    carry_out_all(c, &out);
}

static void on_bad(void *arg, struct conn *conn, enum conn_fault fault)
{
    struct comm_link *l = arg;

    (void)conn;
    logfile_printf(l->comm->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_TPP,
                   l->comm->daemon,
                   "tfd=%" PRIu64 ", Critical error in protocol header (%s), dropping "
                   "connection",
                   l->id, fault == CONN_BAD_BYTES ? "wrong bytes" : "packet cut short");
    link_lost(l, 0);
}

static void on_closed(void *arg, struct conn *conn, enum conn_end end)
{
    (void)end;
    link_lost(arg, conn_errno(conn));
}

static const struct conn_events link_events = { .frame = on_frame,
                                                .bad = on_bad,
                                                .closed = on_closed };

/* The connection that takes most memory, of those that have not joined or of all. */
static struct comm_link *who_holds_most(const struct comm *c, bool stranger)
{
    struct comm_link *most = NULL, *l, *tmp;

    /* This looks at all links, which is done only when a budget is exceeded. */
    HASH_ITER (hh, c->links, l, tmp) {
        if (stranger && l->joined)
            continue;
        if (!most || conn_held_bytes(l->conn) > conn_held_bytes(most->conn))
            most = l;
    }
    return most;
}

/* Drop the connection that takes most memory; false when there is none. */
static bool drop_who_holds_most(struct comm *c, bool stranger)
{
    struct comm_link *l = who_holds_most(c, stranger);

    if (!l)
        return false;
    MUST(!stranger || !l->joined);
    logfile_printf(c->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_TPP, c->daemon,
                   "tfd=%" PRIu64 ", connections that %s hold %zu MiB in memory: this "
                   "one, which holds %zu KiB, is dropped",
                   l->id, stranger ? "have not joined" : "there are",
                   (stranger ? c->strangers.bytes : c->memory.bytes) >> 20,
                   conn_held_bytes(l->conn) >> 10);
    link_lost(l, 0);
    return true;
}

/* At the end of a turn, drop connections until no more memory is taken than the
 * settings allow. */
static void keep_budgets(void *arg)
{
    struct comm *c = arg;
    size_t most = conf_limit(c->conf->limit_memory_mib, MIB);
    size_t most_strangers = conf_limit(c->conf->limit_stranger_memory_mib, MIB);

    MUST(c->strangers.bytes <= c->memory.bytes); /* they are a part of it */
    while (c->strangers.bytes > most_strangers && drop_who_holds_most(c, true))
        continue;
    while (c->memory.bytes > most && drop_who_holds_most(c, false))
        continue;
}

/* A new connection: it is a stranger, with small limits, until it has joined. */
static void on_accept(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct comm *c = arg;
    struct comm_link *l = xcalloc(1, sizeof(*l));
    struct conn_config cfg = { .events = &link_events,
                               .arg = l,
                               .parse = tpp_frame,
                               .max_frame_bytes = COMM_MAX_STRANGER_BYTES,
                               .max_output_bytes = COMM_MAX_OUTPUT_BYTES,
                               .partial_ms = PARTIAL_MS,
                               .stall_ms = STALL_MS,
                               .budget = &c->strangers };
    const struct router_peer far_end = { .addr = tpp_addr_of(peer),
                                         .privileged = auth_is_privileged(
                                             fd, peer, net_is_own(peer->sin_addr)) };
    struct router_out out = { .arena = c->arena };
    uint8_t nonce[TPP_NONCE_BYTES];

    tpp_tune_socket(fd);
    l->comm = c;
    l->peer = *peer;
    l->id = ++c->last_link;
    l->conn = conn_new(c->loop, fd, &cfg);
    HASH_ADD(hh, c->links, id, sizeof(l->id), l);
    /* Each connection has a nonce of its own: a proof that somebody has heard is of no
     * use on another one. */
    auth_nonce(nonce);
    router_link_up(c->router, clock_steady(), l->id, &far_end, nonce, &out);
    carry_out_all(c, &out);
}

static void on_timer(void *arg)
{
    struct comm *c = arg;
    struct router_out out = { .arena = c->arena };

    router_tick(c->router, clock_steady(), &out);
    carry_out_all(c, &out);
}

static void key_mac(void *arg, const char *role, const void *data, size_t len,
                    uint8_t ret[TPP_MAC_BYTES])
{
    const struct comm *c = arg;

    clusterkey_mac(&c->key, role, data, len, ret);
}

static int own_name(struct comm *c, struct diag *why)
{
    const char *name = c->conf->comm_name ? c->conf->comm_name : c->conf->leaf_name;
    char host[256], *first;
    struct in_addr ip;
    bool ok;

    if (!name) {
        net_host_name(host, sizeof(host));
        name = host;
    }
    /* PBS_LEAF_NAME may list several names; the router is known by the first. */
    first = xstrndup(name, strcspn(name, ","));
    ok = net_split(first, TPP_ROUTER_PORT, c->host, sizeof(c->host), &c->port);
    free(first);
    if (!ok)
        return diag_set(why, PBSE_SYSTEM, "PBS_COMM_NAME is wrong: %s", name);
    if (net_resolve(c->host, &ip, why) != 0)
        return PBSE_SYSTEM;
    /* A router with a loopback name serves one host: nobody else gets to it. */
    if (ntohl(ip.s_addr) >> 24 == 127)
        inet_ntop(AF_INET, &ip, c->address, sizeof(c->address));
    return 0;
}

int comm_prepare(struct comm *c, struct diag *why)
{
    int err = own_name(c, why);

    if (!err && conf_list_has(c->conf->supported_auth_methods, CLUSTERKEY_METHOD)) {
        err = clusterkey_load(conf_cluster_key(c->conf), true, &c->key, why);
        c->has_key = !err;
    }
    if (!err)
        comm_find_trusted(c);
    return err;
}

/* How many connections we can have: as many descriptors as the system gives us, without
 * those for files and the log. */
static size_t most_links(void)
{
    const rlim_t wanted = COMM_MAX_LINKS + COMM_SPARE_FDS;
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
        return COMM_SPARE_FDS;
    lim.rlim_cur = MAX_OF(lim.rlim_cur, MIN_OF(wanted, lim.rlim_max));
    /* When this fails the limit is what it was, which the next lines see. */
    setrlimit(RLIMIT_NOFILE, &lim);
    if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur <= 2 * COMM_SPARE_FDS)
        return COMM_SPARE_FDS;
    return MIN_OF((size_t)lim.rlim_cur - COMM_SPARE_FDS, (size_t)COMM_MAX_LINKS);
}

static struct router *make_router(struct comm *c, const char *name)
{
    const size_t max_links = most_links();
    const size_t most_waiting = conf_limit(c->conf->limit_strangers, 1);
    const size_t most_of_host = conf_limit(c->conf->limit_host_strangers, 1);
    const struct router_config cfg = {
        .name = name,
        .methods = c->conf->supported_auth_methods,
        .prover = { .mac = c->has_key ? key_mac : NULL, .arg = c },
        .n_trusted = c->n_trusted,
        .trusted_ips = c->trusted_ips,
        .max_links = max_links,
        /* Strangers never get more than half of all places, whatever the settings say,
         * so that leaves get in. */
        .max_waiting = MIN_OF(max_links / 2, most_waiting),
        .max_waiting_of_host = most_of_host,
        .loopback = c->address[0] != '\0'
    };

    return router_new(&cfg);
}

int comm_open(struct comm *c, struct diag *why)
{
    struct sockaddr_in sa = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)c->port) };
    char text[NET_TEXT_BYTES];
    int err;

    MUST(!c->loop && c->host[0]); /* comm_prepare() has found the name */
    c->loop = loop_new();
    if (!c->loop)
        return diag_set(why, PBSE_SYSTEM, "no event loop: %s", strerror(errno));
    c->arena = arena_new();
    c->strangers.part_of = &c->memory;
    c->timer = loop_timer_new(c->loop, on_timer, c);
    loop_at_turn_end(c->loop, keep_budgets, c);
    err = net_resolve(c->host, &sa.sin_addr, why);
    if (err)
        return err;
    c->router = make_router(c, net_text(&sa, text));
    return listen_tcp(c->loop, c->address[0] ? c->address : NULL, c->port, on_accept, c,
                      &c->listener, why);
}

static void on_stop(void *arg, int signo)
{
    struct comm *c = arg;

    logfile_printf(c->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon,
                   "stop_me, Caught signal %d", signo);
    loop_stop(c->loop);
}

static void on_hup(void *arg, int signo)
{
    struct comm *c = arg;

    logfile_printf(c->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon,
                   "hup_me, Caught signal %d", signo);
    comm_reload(c);
}

static void on_ignored(void *arg, int signo)
{
    (void)arg;
    (void)signo;
}

void comm_run(struct comm *c)
{
    static const struct {
        int signo;
        loop_signal_fn fn;
    } rows[] = {
        { SIGTERM, on_stop }, { SIGINT, on_stop },     { SIGQUIT, on_stop },
        { SIGHUP, on_hup },   { SIGUSR1, on_ignored }, { SIGUSR2, on_ignored }
    };
    struct loop_signal *sig[ARRAY_LEN(rows)];

    MUST(c->router); /* comm_open() has made it */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        sig[i] = loop_signal_new(c->loop, rows[i].signo, rows[i].fn, c);
    daemon_hears();
    loop_run(c->loop);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        loop_signal_free(sig[i]);
}

void comm_close(struct comm *c)
{
    struct comm_link *l, *tmp;

    HASH_ITER (hh, c->links, l, tmp)
        drop_link(l);
    MUST(!c->links);
    listener_free(c->listener);
    if (c->pool)
        pool_free(c->pool);
    if (c->reloader)
        pool_free(c->reloader);
    loop_timer_free(c->timer);
    router_free(c->router);
    arena_free(c->arena);
    loop_free(c->loop);
    clusterkey_clear(&c->key);
    free(c->trusted_ips);
}
