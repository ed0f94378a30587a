/* leaf.c - router connections of a leaf; streams are streams.c's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/leaf.h"

#include "lib/base/log.h"
#include "lib/io/conf.h"
#include "lib/io/conn.h"
#include "lib/io/net.h"
#include "lib/io/net_ask.h"
#include "lib/tpp/handshake.h"
#include "lib/tpp/inflate.h"
#include "lib/tpp/sock.h"
#include "lib/tpp/streams.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The delays between attempts are those of tpp.md 2.2. */
#define RETRY_STEP_MS 2000
#define RETRY_MAX_MS  10000
#define SHAKE_WAIT_MS 30000
#define STALL_MS      60000
#define MAX_ROUTERS   16
/* What is taken in one turn: a MoM may tell of hundreds of jobs at once. */
#define TURN_PACKETS  32
#define TURN_BYTES    (8u << 10)
/* A router whose name service hangs does not keep us from the next one. */
#define ASK_THREADS   4

struct hub { /* one router of the list */
    struct leaf *leaf;
    uint8_t index;
    char host[256];
    unsigned port;
    struct conn *conn;
    bool joined;
    bool asking;      /* for its address */
    int64_t delay_ms; /* before the next attempt */
    struct tpp_handshake shake;
    struct loop_timer *timer; /* the next attempt, or the end of a handshake's time */
};

struct leaf {
    struct leaf_config cfg;
    struct tpp_addr *addrs;
    struct streams *streams;
    struct pool *askers; /* name services are asked there */
    size_t n_hubs;
    struct hub hubs[MAX_ROUTERS];
    struct hub *active;  /* where packets leave; NULL: no router */
    struct arena *arena; /* of the packet being taken */
};

static void note(struct leaf *l, int event, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void note(struct leaf *l, int event, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (l->cfg.events.log)
        l->cfg.events.log(l->cfg.events.arg, event, text);
}

#define NOTE_EVENT                                                                     \
    (LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG3 | LOG_EV_DEBUG4 | LOG_EV_FORCE)

/* The router that takes over: the first of the list that is connected. */
static struct hub *first_joined(struct leaf *l)
{
    for (size_t i = 0; i < l->n_hubs; i++)
        if (l->hubs[i].joined)
            return &l->hubs[i];
    return NULL;
}

static void hub_retry(struct hub *h)
{
    h->delay_ms = MIN_OF(h->delay_ms + RETRY_STEP_MS, (int64_t)RETRY_MAX_MS);
    loop_timer_set(h->timer, h->delay_ms);
}

/* The connection is over, whoever ended it. When packets left through it, all streams
 * are over too: their packets may be lost, and the next router does not know them. */
static void hub_lost(struct hub *h)
{
    struct leaf *l = h->leaf;
    /* Everything of the connection goes before anybody is told: callbacks may send,
     * open streams and find this router gone. */
    bool was_joined = h->joined;

    MUST(h->conn);
    conn_free(h->conn);
    h->conn = NULL;
    h->joined = false;
    hub_retry(h);
    if (!was_joined)
        return;
    note(l, NOTE_EVENT, "Connection to pbs_comm %s:%u down", h->host, h->port);
    if (l->active != h)
        return;
    l->active = NULL;
    /* The order is that of tpp.md 3: the end of each stream, "down", and "up" if
     * another router takes over. */
    streams_net_down(l->streams, clock_steady());
    l->cfg.events.down(l->cfg.events.arg);
    l->active = first_joined(l);
    if (l->active)
        l->cfg.events.up(l->cfg.events.arg);
}

static void hub_send(struct hub *h, const struct tpp_packet *pkt)
{
    struct buf b = { 0 };

    MUST(h->conn);
    tpp_encode(&b, pkt);
    conn_send(h->conn, b.data, b.len);
    buf_fini(&b);
}

/* Register with the router. A router does not answer a JOIN, so the leaf counts as
 * connected from here on. */
static void hub_join(struct hub *h)
{
    struct leaf *l = h->leaf;
    char text[TPP_ADDR_TEXT_BYTES];
    struct tpp_packet join = { .type = TPP_JOIN,
                               .hop = 1,
                               .node_type = (uint8_t)l->cfg.node_type,
                               .index = h->index,
                               .n_addrs = l->cfg.n_addrs,
                               .addrs = l->addrs };

    MUST(h->conn && !h->joined);
    for (size_t i = 0; i < l->cfg.n_addrs; i++)
        note(l, NOTE_EVENT, "Registering address %s to pbs_comm %s:%u",
             tpp_addr_text(&l->addrs[i], text), h->host, h->port);
    hub_send(h, &join);
    loop_timer_clear(h->timer);
    h->joined = true;
    h->delay_ms = 0;
    note(l, NOTE_EVENT, "Connected to pbs_comm %s:%u", h->host, h->port);
    /* A router that comes back while another one serves is kept in reserve: streams go
     * through the one that they began with (tpp.md 3). */
    if (!l->active) {
        l->active = h;
        l->cfg.events.up(l->cfg.events.arg);
    }
}

static void key_mac(void *arg, const char *role, const void *data, size_t len,
                    uint8_t ret[TPP_MAC_BYTES])
{
    const struct leaf *l = arg;

    clusterkey_mac(&l->cfg.key, role, data, len, ret);
}

static void hub_opened(void *arg, struct conn *c)
{
    struct hub *h = arg;
    uint8_t nonce[TPP_NONCE_BYTES];
    struct buf b = { 0 };

    tpp_tune_socket(conn_fd(c));
    if (strcmp(h->leaf->cfg.auth_method, TPP_METHOD_CLUSTERKEY) != 0) {
        hub_join(h);
        return;
    }
    /* The router must answer to this very number, so an old answer proves nothing. */
    auth_nonce(nonce);
    handshake_hello(&h->shake, nonce, &b);
    conn_send(c, b.data, b.len);
    buf_fini(&b);
    /* Something may listen there that never answers; the next attempt must come all the
     * same. */
    loop_timer_set(h->timer, SHAKE_WAIT_MS);
}

/* The router has answered the first step: see that it has the key, and prove that we
 * have it. */
static bool take_challenge(struct hub *h, const struct tpp_packet *pkt)
{
    struct leaf *l = h->leaf;
    struct tpp_prover prover = { .mac = key_mac, .arg = l };
    struct buf b = { 0 };
    bool ok = !h->joined && strcmp(l->cfg.auth_method, TPP_METHOD_CLUSTERKEY) == 0 &&
              handshake_at_leaf(&h->shake, &prover, pkt, (uint8_t)l->cfg.node_type,
                                l->addrs, l->cfg.n_addrs, &b);

    if (ok) {
        conn_send(h->conn, b.data, b.len);
        hub_join(h);
    } else {
        note(l, LOG_EV_ERROR | LOG_EV_FORCE,
             "pbs_comm %s:%u does not have the key of this cluster", h->host, h->port);
    }
    buf_fini(&b);
    return ok;
}

static bool take_packet(struct hub *h, const struct tpp_packet *pkt)
{
    struct leaf *l = h->leaf;

    if (pkt->type == TPP_AUTH_CTX)
        return take_challenge(h, pkt);
    if (pkt->type == TPP_CTL_MSG && pkt->code == TPP_CTL_AUTHERR) {
        note(l, LOG_EV_ERROR | LOG_EV_FORCE,
             "tfd %d, Received authentication error from router %s:%u, err=%u, "
             "msg=\"%s\"",
             conn_fd(h->conn), h->host, h->port, pkt->error_num, pkt->text);
        return false;
    }
    /* A router that has not shown the key yet may not say or deliver anything. */
    if (!h->joined)
        return false;
    if (pkt->type == TPP_CTL_MSG && pkt->code == TPP_CTL_UPDATE) {
        if (l->cfg.events.update)
            l->cfg.events.update(l->cfg.events.arg);
        return true;
    }
    return streams_packet(l->streams, clock_steady(), pkt, l->arena);
}

static void hub_frame(void *arg, struct conn *c, const struct packet *f)
{
    struct hub *h = arg;
    struct leaf *l = h->leaf;
    struct tpp_packet pkt;
    bool ok;

    arena_clear(l->arena);
    ok = tpp_decode(f->data, f->len, l->arena, &pkt) && take_packet(h, &pkt);
    /* Taking the packet may have ended the connection already. */
    if (!ok && h->conn == c) {
        note(l, LOG_EV_ERROR,
             "tfd=%d, bad packet from pbs_comm %s:%u, dropping connection", conn_fd(c),
             h->host, h->port);
        hub_lost(h);
    }
}

static void hub_bad(void *arg, struct conn *c, enum conn_fault fault)
{
    struct hub *h = arg;

    note(h->leaf, LOG_EV_ERROR, "tfd=%d, wrong bytes (%d) from pbs_comm %s:%u",
         conn_fd(c), fault, h->host, h->port);
    hub_lost(h);
}

static void hub_closed(void *arg, struct conn *c, enum conn_end end)
{
    (void)c;
    (void)end;
    hub_lost(arg);
}

static const struct conn_events hub_events = {
    .opened = hub_opened, .frame = hub_frame, .bad = hub_bad, .closed = hub_closed
};

static int start_connection(struct hub *h, const struct in_addr *ip, int *fd)
{
    const struct sockaddr_in sa = { .sin_family = AF_INET,
                                    .sin_addr = *ip,
                                    .sin_port = htons((uint16_t)h->port) };

    if (strcmp(h->leaf->cfg.auth_method, TPP_METHOD_RESVPORT) == 0)
        return tpp_connect_reserved(&sa, fd);
    return net_connect(&sa, fd);
}

static void hub_found(void *arg, const struct in_addr *ip)
{
    struct hub *h = arg;
    struct conn_config cfg = { .events = &hub_events,
                               .arg = h,
                               .parse = tpp_frame,
                               .max_frame_bytes = TPP_MAX_PAYLOAD_BYTES,
                               .turn_frames = TURN_PACKETS,
                               .turn_bytes = TURN_BYTES,
                               .stall_ms = STALL_MS,
                               .connecting = true };
    int fd;

    MUST(h->asking && !h->conn && !h->joined);
    /* A later attempt asks anew. */
    h->asking = false;
    if (!ip || start_connection(h, ip, &fd) != 0) {
        hub_retry(h);
        return;
    }
    h->conn = conn_new(h->leaf->cfg.loop, fd, &cfg);
}

/* The address is asked for with every attempt: a router may have moved. */
static void hub_connect(struct hub *h)
{
    MUST(!h->asking && !h->conn && !h->joined);
    note(h->leaf, LOG_EV_DEBUG, "Connecting to pbs_comm %s:%u", h->host, h->port);
    h->asking = net_ask(h->leaf->askers, h->host, hub_found, h);
    if (!h->asking)
        hub_retry(h);
}

/* The time of the next attempt has come, or the router did not answer the handshake in
 * time. */
static void hub_timer(void *arg)
{
    struct hub *h = arg;

    /* There is one timer for both, since nobody waits for an attempt while there is a
     * connection. */
    if (h->conn)
        hub_lost(h);
    else
        hub_connect(h);
}

/* Packets of the streams. Without a router they are lost, as packets on a network are.
 */
static void table_send(void *arg, const struct tpp_packet *pkt)
{
    struct leaf *l = arg;

    if (l->active)
        hub_send(l->active, pkt);
}

static void table_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                          const char *data, size_t len)
{
    struct leaf *l = arg;

    l->cfg.events.message(l->cfg.events.arg, stream, peer, data, len);
}

static void table_closed(void *arg, uint64_t stream)
{
    struct leaf *l = arg;

    l->cfg.events.closed(l->cfg.events.arg, stream);
}

/* Add one router of the list. A router that is this leaf itself is a mistake in the
 * settings. */
static int add_router(struct leaf *l, const char *name, struct diag *why)
{
    struct hub *h = &l->hubs[l->n_hubs];
    struct tpp_addr addr;
    struct in_addr ip;

    if (l->n_hubs == MAX_ROUTERS ||
        !net_split(name, TPP_ROUTER_PORT, h->host, sizeof(h->host), &h->port))
        return diag_set(why, PBSE_SYSTEM, "Router name %s is wrong", name);
    /* This happens once, before the daemon has its loop running. A name that nobody can
     * resolve now is no mistake: its service may come later. */
    if (net_resolve(h->host, &ip, NULL) == 0) {
        addr = tpp_addr_ipv4(ntohl(ip.s_addr), (uint16_t)h->port);
        for (size_t i = 0; i < l->cfg.n_addrs; i++)
            if (tpp_addr_same(&addr, &l->addrs[i]))
                return diag_set(why, PBSE_SYSTEM,
                                "Router name NULL or points to same node endpoint %s",
                                name);
    }
    h->leaf = l;
    h->index = (uint8_t)l->n_hubs;
    h->timer = loop_timer_new(l->cfg.loop, hub_timer, h);
    l->n_hubs++;
    return 0;
}

static int add_routers(struct leaf *l, const char *routers, struct diag *why)
{
    char *list = xstrdup(routers), *save = NULL;
    int err = 0;

    for (char *name = strtok_r(list, ", ", &save); name && !err;
         name = strtok_r(NULL, ", ", &save))
        err = add_router(l, name, why);
    if (!err && l->n_hubs == 0)
        err = diag_set(why, PBSE_SYSTEM, "Router name %s is wrong", routers);
    free(list);
    return err;
}

static void log_start(struct leaf *l)
{
    char text[TPP_ADDR_TEXT_BYTES];
    struct buf b = { 0 };

    for (size_t i = 0; i < l->cfg.n_addrs; i++)
        buf_printf(&b, "%s%s", i ? "," : "", tpp_addr_text(&l->addrs[i], text));
    note(l, NOTE_EVENT, "TPP authentication method = %s", l->cfg.auth_method);
    note(l, NOTE_EVENT, "TPP leaf node names = %s", b.data);
    if (l->cfg.encrypt_method && *l->cfg.encrypt_method)
        note(l, LOG_EV_SECURITY | LOG_EV_FORCE,
             "PBS_ENCRYPT_METHOD = %s: only clients' connections are encrypted, not "
             "those between daemons; keep these in a network of their own",
             l->cfg.encrypt_method);
    buf_fini(&b);
}

const char *leaf_method(const char *wanted, const char *supported)
{
    static const char *const methods[] = { TPP_METHOD_CLUSTERKEY, TPP_METHOD_RESVPORT };

    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (strcmp(wanted, methods[i]) == 0)
            return methods[i];
    return conf_list_has(supported, TPP_METHOD_CLUSTERKEY) ? TPP_METHOD_CLUSTERKEY
                                                           : TPP_METHOD_RESVPORT;
}

int leaf_new(const struct leaf_config *cfg, struct leaf **ret, struct diag *why)
{
    struct leaf *l = xcalloc(1, sizeof(*l));
    const struct streams_events ev = {
        .send = table_send, .message = table_message, .closed = table_closed, .arg = l
    };
    int err;

    MUST(cfg->n_addrs > 0 && cfg->n_addrs <= TPP_MAX_ADDRS);
    l->cfg = *cfg;
    l->cfg.auth_method = xstrdup(cfg->auth_method);
    l->addrs = xcalloc(cfg->n_addrs, sizeof(*l->addrs));
    memcpy(l->addrs, cfg->addrs, cfg->n_addrs * sizeof(*l->addrs));
    l->arena = arena_new();
    l->streams = streams_new(&l->addrs[0], &ev);
    l->askers = pool_new(cfg->loop, ASK_THREADS, MAX_ROUTERS);
    err = add_routers(l, cfg->routers, why);
    if (err) {
        leaf_free(l);
        return err;
    }
    log_start(l);
    for (size_t i = 0; i < l->n_hubs; i++)
        loop_timer_set(l->hubs[i].timer, 0);
    *ret = l;
    return 0;
}

void leaf_free(struct leaf *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n_hubs; i++) {
        conn_free(l->hubs[i].conn);
        loop_timer_free(l->hubs[i].timer);
    }
    pool_free(l->askers);
    streams_free(l->streams);
    arena_free(l->arena);
    clusterkey_clear(&l->cfg.key);
    free((char *)(uintptr_t)l->cfg.auth_method);
    free(l->addrs);
    free(l);
}

bool leaf_is_up(const struct leaf *l)
{
    MUST(!l->active || l->active->joined);
    return l->active != NULL;
}

uint64_t leaf_open_addr(struct leaf *l, const struct tpp_addr *peer)
{
    return l->active ? streams_open(l->streams, clock_steady(), peer) : 0;
}

bool leaf_send(struct leaf *l, uint64_t stream, const void *data, size_t len)
{
    return streams_send(l->streams, stream, data, len);
}

void leaf_close(struct leaf *l, uint64_t stream)
{
    streams_close(l->streams, clock_steady(), stream);
}

int leaf_stream_number(const struct leaf *l, uint64_t stream)
{
    return streams_sd(l->streams, stream);
}
