/* comm.c - see comm.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm.h"
#include "lib/tpp/inflate.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define RETRY_STEP_MS 2000
#define RETRY_MAX_MS  10000
#define NOTICE_MAX_MS 10000 /* in bad weather, until an end sees that it is cut off */
#define ROUTER_ADDR   0x0a000009

static struct comm_leaf *leaf_of(struct sim *s, size_t leaf)
{
    return &s->comm.leaves[leaf];
}

static struct wire *find_wire(const struct comm *c, uint64_t id)
{
    struct wire *w;

    HASH_FIND(hh, c->wires, &id, sizeof(id), w);
    return w;
}

static void free_wire(struct comm *c, struct wire *w)
{
    HASH_DEL(c->wires, w);
    buf_fini(&w->at_leaf);
    free(w);
}

/* All that is needed of a MAC here is that it depends on everything. */
static void key_mac(void *arg, const char *role, const void *data, size_t len,
                    uint8_t ret[TPP_MAC_BYTES])
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;

    (void)arg;
    for (; *role; role++)
        hash = (hash ^ (unsigned char)*role) * 0x100000001b3u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; i < TPP_MAC_BYTES; i++)
        ret[i] = (uint8_t)(hash >> (i % 8 * 8));
}

static const struct tpp_prover prover = { .mac = key_mac };

static void make_nonce(struct sim *s, uint8_t nonce[TPP_NONCE_BYTES])
{
    for (size_t i = 0; i < TPP_NONCE_BYTES; i++)
        nonce[i] = (uint8_t)rnd_range(&s->rnd, 0, 255);
}

/* Things on their way. */

struct packet_parcel {
    uint64_t wire;
    uint64_t life; /* of the router, or of the leaf's daemon */
    size_t leaf;
    struct buf bytes; /* empty: the other end has closed the connection */
};

static void parcel_drop(void *arg)
{
    struct packet_parcel *p = arg;

    buf_fini(&p->bytes);
    free(p);
}

static void post_parcel(struct sim *s, struct wire *w, bool to_leaf, const void *data,
                        size_t len, event_fn fn)
{
    struct packet_parcel *p = xcalloc(1, sizeof(*p));
    int64_t *last_ms = to_leaf ? &w->to_leaf_ms : &w->to_router_ms;
    int64_t at_ms = s->clock.now_ms + sim_latency_ms(s);

    p->wire = w->id;
    p->leaf = w->leaf;
    p->life = to_leaf ? leaf_of(s, w->leaf)->life : s->comm.life;
    if (len > 0)
        buf_add(&p->bytes, data, len);
    *last_ms = MAX_OF(*last_ms, at_ms);
    clock_post(&s->clock, *last_ms, fn, p, parcel_drop);
}

/* In bad weather a connection of a host is cut now and then, and its ends see it later:
 * what is sent meanwhile is lost. */
static void cut(struct sim *s, struct wire *w);

static void weather(struct sim *s, struct wire *w)
{
    if (w->leaf > 0 && !w->is_cut && rnd_percent(&s->rnd, s->weather.lost_percent))
        cut(s, w);
}

/* The router. */

static void carry_out(struct sim *s, struct router_out *out);
static void packet_at_leaf(struct sim *s, void *arg);

static void set_router_timer(struct sim *s);

static struct router_out router_input(void)
{
    return (struct router_out){ .arena = arena_new() };
}

static void router_input_over(struct sim *s, struct router_out *out)
{
    carry_out(s, out);
    arena_free(out->arena);
    set_router_timer(s);
}

static void packet_at_router(struct sim *s, void *arg)
{
    const struct packet_parcel *p = arg;
    struct comm *c = &s->comm;
    const struct wire *w = find_wire(c, p->wire);
    struct router_out out;

    if (!c->router || c->life != p->life || (w && w->is_cut))
        return;
    out = router_input();
    if (p->bytes.len == 0)
        router_link_down(c->router, sim_now_at(s), p->wire, 0, &out);
    else
        router_packet(c->router, sim_now_at(s), p->wire, p->bytes.data, p->bytes.len,
                      &out);
    router_input_over(s, &out);
}

static void prove(struct sim *s, const struct router_effect *e, struct router_out *out)
{
    router_proven(s->comm.router, sim_now_at(s), e->link, e->n_claims, e->claims, out);
}

static void carry_out(struct sim *s, struct router_out *out)
{
    for (size_t i = 0; i < out->n; i++) {
        const struct router_effect e = out->v[i];
        struct wire *w = find_wire(&s->comm, e.link);

        if (e.kind == ROUTER_LOG) {
            sim_trace(s, "router: %s", e.text);
        } else if (e.kind == ROUTER_PROVE) {
            prove(s, &e, out);
        } else if (w && (e.kind == ROUTER_SEND || e.kind == ROUTER_CLOSE)) {
            weather(s, w);
            post_parcel(s, w, true, e.data, e.kind == ROUTER_SEND ? e.len : 0,
                        packet_at_leaf);
        }
    }
}

static void router_ticks(struct sim *s, void *arg)
{
    struct comm *c = &s->comm;
    struct router_out out;

    if (!c->router || *(uint64_t *)arg != c->life || c->timer_at > sim_now_at(s))
        return;
    c->timer_at = INT64_MAX;
    out = router_input();
    router_tick(c->router, sim_now_at(s), &out);
    router_input_over(s, &out);
}

static void set_router_timer(struct sim *s)
{
    struct comm *c = &s->comm;
    int64_t at = router_next_deadline(c->router);
    uint64_t *life;

    if (at >= c->timer_at)
        return;
    c->timer_at = at;
    life = xmalloc(sizeof(*life));
    *life = c->life;
    clock_post(&s->clock, at * 1000, router_ticks, life, free);
}

/* A leaf's connection. */

static void connect_later(struct sim *s, struct comm_leaf *l, int64_t delay_ms);

static void enter(struct comm_leaf *l)
{
    l->n_inside++;
}

static void leave(struct comm_leaf *l)
{
    if (--l->n_inside > 0)
        return;
    streams_free(l->ended);
    l->ended = NULL;
}

/* Its end of the connection is over, whoever ended it. */
static void leaf_lost(struct sim *s, struct comm_leaf *l)
{
    bool was_up = l->is_up;

    l->wire = 0;
    l->is_up = false;
    l->delay_ms = MIN_OF(l->delay_ms + RETRY_STEP_MS, (int64_t)RETRY_MAX_MS);
    connect_later(s, l, l->delay_ms);
    if (!was_up)
        return;
    enter(l);
    streams_net_down(l->streams, sim_now_at(s));
    if (l->streams)
        l->ops->router(s, l->index, false);
    leave(l);
}

static void close_at_leaf(struct sim *s, struct comm_leaf *l)
{
    struct wire *w = find_wire(&s->comm, l->wire);

    if (w)
        post_parcel(s, w, false, NULL, 0, packet_at_router);
}

static void send_packet(struct sim *s, struct comm_leaf *l,
                        const struct tpp_packet *pkt)
{
    struct wire *w = find_wire(&s->comm, l->wire);
    struct buf b = { 0 };

    if (!w)
        return;
    weather(s, w);
    tpp_encode(&b, pkt);
    post_parcel(s, w, false, b.data, b.len, packet_at_router);
    buf_fini(&b);
}

/* There is no answer to a JOIN: who sent one is connected. */
static void join(struct sim *s, struct comm_leaf *l)
{
    const struct tpp_packet pkt = { .type = TPP_JOIN,
                                    .hop = 1,
                                    .node_type =
                                        l->index ? TPP_LEAF : TPP_LEAF_NOTIFIED,
                                    .n_addrs = 1,
                                    .addrs = &l->addr };

    send_packet(s, l, &pkt);
    l->is_up = true;
    l->up_ms = l->sim->clock.now_ms;
    l->delay_ms = 0;
    l->ops->router(s, l->index, true);
}

static bool take_challenge(struct sim *s, struct comm_leaf *l,
                           const struct tpp_packet *pkt)
{
    struct wire *w = find_wire(&s->comm, l->wire);
    struct buf b = { 0 };
    bool ok =
        w && !l->is_up &&
        handshake_at_leaf(&l->shake, &prover, pkt,
                          l->index ? TPP_LEAF : TPP_LEAF_NOTIFIED, &l->addr, 1, &b);

    if (ok) {
        post_parcel(s, w, false, b.data, b.len, packet_at_router);
        join(s, l);
    }
    buf_fini(&b);
    return ok;
}

static bool take_packet(struct sim *s, struct comm_leaf *l,
                        const struct tpp_packet *pkt, struct arena *arena)
{
    if (pkt->type == TPP_AUTH_CTX)
        return take_challenge(s, l, pkt);
    if (pkt->type == TPP_CTL_MSG && pkt->code == TPP_CTL_AUTHERR)
        return false;
    if (pkt->type == TPP_CTL_MSG && pkt->code == TPP_CTL_UPDATE)
        return true;
    return l->is_up && streams_packet(l->streams, sim_now_at(s), pkt, arena);
}

static void bad_packet(struct sim *s, struct comm_leaf *l)
{
    check_failed(s, CHECK_WIRE, "leaf %zu has got a bad packet", l->index);
    close_at_leaf(s, l);
    leaf_lost(s, l);
}

/* All whole packets; a callback may end the connection, and the daemon. */
static void take_bytes(struct sim *s, struct comm_leaf *l, uint64_t wire)
{
    struct wire *w;
    struct arena *arena = arena_new();
    struct tpp_packet pkt;
    size_t len;

    while (l->streams && l->wire == wire && (w = find_wire(&s->comm, wire)) &&
           tpp_peek(w->at_leaf.data, w->at_leaf.len, TPP_MAX_PAYLOAD_BYTES, &len) ==
               TPP_READY) {
        char *bytes = arena_copy(arena, w->at_leaf.data, len);

        buf_eat(&w->at_leaf, len);
        if (!tpp_decode(bytes, len, arena, &pkt) || !take_packet(s, l, &pkt, arena))
            bad_packet(s, l);
    }
    arena_free(arena);
}

static void packet_at_leaf(struct sim *s, void *arg)
{
    const struct packet_parcel *p = arg;
    struct comm_leaf *l = leaf_of(s, p->leaf);
    struct wire *w = find_wire(&s->comm, p->wire);

    if (!l->streams || l->life != p->life || l->wire != p->wire || (w && w->is_cut))
        return;
    enter(l);
    if (!w || p->bytes.len == 0) {
        leaf_lost(s, l);
    } else {
        buf_add(&w->at_leaf, p->bytes.data, p->bytes.len);
        take_bytes(s, l, p->wire);
    }
    leave(l);
}

static void connect_now(struct sim *s, void *arg)
{
    const struct packet_parcel *p = arg;
    struct comm_leaf *l = leaf_of(s, p->leaf);
    struct comm *c = &s->comm;
    const struct router_peer peer = { .addr = l->addr };
    uint8_t nonce[TPP_NONCE_BYTES];
    struct router_out out;
    struct buf hello = { 0 };
    struct wire *w;

    if (!l->streams || l->life != p->life || l->wire)
        return;
    if (!c->router || l->is_away) {
        l->delay_ms = MIN_OF(l->delay_ms + RETRY_STEP_MS, (int64_t)RETRY_MAX_MS);
        connect_later(s, l, l->delay_ms);
        return;
    }
    w = xcalloc(1, sizeof(*w));
    w->id = ++c->last_wire;
    w->leaf = l->index;
    HASH_ADD(hh, c->wires, id, sizeof(w->id), w);
    l->wire = w->id;
    make_nonce(s, nonce);
    out = router_input();
    router_link_up(c->router, sim_now_at(s), w->id, &peer, nonce, &out);
    router_input_over(s, &out);
    make_nonce(s, nonce);
    l->shake = (struct tpp_handshake){ 0 };
    handshake_hello(&l->shake, nonce, &hello);
    post_parcel(s, w, false, hello.data, hello.len, packet_at_router);
    buf_fini(&hello);
}

static void connect_later(struct sim *s, struct comm_leaf *l, int64_t delay_ms)
{
    struct packet_parcel *p = xcalloc(1, sizeof(*p));

    p->leaf = l->index;
    p->life = l->life;
    sim_after(s, delay_ms, connect_now, p, parcel_drop);
}

/* What breaks. */

static void leaf_notices(struct sim *s, void *arg)
{
    const struct packet_parcel *p = arg;
    struct comm_leaf *l = leaf_of(s, p->leaf);

    if (l->streams && l->life == p->life && l->wire == p->wire)
        leaf_lost(s, l);
}

static void router_notices(struct sim *s, void *arg)
{
    const struct packet_parcel *p = arg;
    struct comm *c = &s->comm;
    struct router_out out;

    if (!c->router || c->life != p->life)
        return;
    out = router_input();
    router_link_down(c->router, sim_now_at(s), p->wire, 0, &out);
    router_input_over(s, &out);
}

static void notice(struct sim *s, const struct wire *w, uint64_t life, event_fn fn)
{
    struct packet_parcel *p = xcalloc(1, sizeof(*p));
    int64_t delay_ms = s->weather.jitter_ms ? rnd_range(&s->rnd, 0, NOTICE_MAX_MS) : 0;

    p->wire = w->id;
    p->leaf = w->leaf;
    p->life = life;
    sim_after(s, delay_ms, fn, p, parcel_drop);
}

static void cut(struct sim *s, struct wire *w)
{
    w->is_cut = true;
    leaf_of(s, w->leaf)->up_ms = s->clock.now_ms; /* it may not know it yet */
    notice(s, w, leaf_of(s, w->leaf)->life, leaf_notices);
    notice(s, w, s->comm.life, router_notices);
}

void comm_leaf_break(struct sim *s, size_t leaf)
{
    struct wire *w = find_wire(&s->comm, leaf_of(s, leaf)->wire);

    if (w && !w->is_cut)
        cut(s, w);
}

void comm_leaf_stalls(struct sim *s, size_t leaf, int64_t ms)
{
    struct wire *w = find_wire(&s->comm, leaf_of(s, leaf)->wire);

    if (w)
        w->to_router_ms = MAX_OF(w->to_router_ms, s->clock.now_ms + ms);
}

void comm_leaf_away(struct sim *s, size_t leaf, bool is_away)
{
    struct comm_leaf *l = leaf_of(s, leaf);

    l->is_away = is_away;
    if (is_away) {
        comm_leaf_break(s, leaf);
    } else if (l->streams && !l->wire) { /* the link of the host tells */
        l->delay_ms = 0;
        connect_later(s, l, 0);
    }
}

void comm_router(struct sim *s, bool runs)
{
    struct comm *c = &s->comm;
    const struct router_config cfg = { .name = "10.0.0.9:17001",
                                       .methods = TPP_METHOD_CLUSTERKEY,
                                       .prover = prover,
                                       .max_links = 100,
                                       .max_waiting = 50,
                                       .max_waiting_of_host = 20 };

    if (runs == (c->router != NULL))
        return;
    sim_trace(s, "router: %s", runs ? "starts" : "is lost");
    c->life++;
    c->timer_at = INT64_MAX;
    if (runs) {
        c->router = router_new(&cfg);
        return;
    }
    router_free(c->router);
    c->router = NULL;
    while (c->wires)
        free_wire(c, c->wires);
    for (size_t i = 0; i < COMM_LEAVES_MAX; i++)
        if (c->leaves[i].streams && c->leaves[i].wire)
            leaf_lost(s, &c->leaves[i]);
}

/* Leaves. */

static void table_send(void *arg, const struct tpp_packet *pkt)
{
    struct comm_leaf *l = arg;

    if (l->is_up)
        send_packet(l->sim, l, pkt);
}

/* A daemon that has died hears nothing more. */
static void table_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                          const char *data, size_t len)
{
    struct comm_leaf *l = arg;

    if (l->streams)
        l->ops->message(l->sim, l->index, stream, peer, data, len);
}

static void table_closed(void *arg, uint64_t stream)
{
    struct comm_leaf *l = arg;

    if (l->streams)
        l->ops->closed(l->sim, l->index, stream);
}

void comm_leaf_start(struct sim *s, size_t leaf, const struct tpp_addr *addr,
                     const struct leaf_ops *ops)
{
    struct comm_leaf *l = leaf_of(s, leaf);
    const struct streams_events ev = {
        .send = table_send, .message = table_message, .closed = table_closed, .arg = l
    };

    MUST(!l->streams && !l->ended);
    l->sim = s;
    l->index = leaf;
    l->addr = *addr;
    l->ops = ops;
    l->streams = streams_new(addr, &ev);
    l->life++;
    l->wire = 0;
    l->is_up = false;
    l->delay_ms = 0;
    connect_later(s, l, 0);
}

void comm_leaf_stop(struct sim *s, size_t leaf)
{
    struct comm_leaf *l = leaf_of(s, leaf);

    if (!l->streams)
        return;
    close_at_leaf(s, l);
    l->wire = 0;
    l->is_up = false;
    if (l->n_inside)
        l->ended = l->streams;
    else
        streams_free(l->streams);
    l->streams = NULL;
}

bool comm_is_up(const struct sim *s, size_t leaf)
{
    return s->comm.leaves[leaf].is_up;
}

uint64_t comm_open(struct sim *s, size_t leaf, const struct tpp_addr *peer)
{
    struct comm_leaf *l = leaf_of(s, leaf);

    return l->is_up ? streams_open(l->streams, sim_now_at(s), peer) : 0;
}

void comm_send(struct sim *s, size_t leaf, uint64_t stream, const void *data,
               size_t len)
{
    struct comm_leaf *l = leaf_of(s, leaf);

    if (l->streams)
        (void)streams_send(l->streams, stream, data, len);
}

void comm_close(struct sim *s, size_t leaf, uint64_t stream)
{
    struct comm_leaf *l = leaf_of(s, leaf);

    if (l->streams)
        streams_close(l->streams, sim_now_at(s), stream);
}

void comm_init(struct sim *s)
{
    s->comm.timer_at = INT64_MAX;
    comm_router(s, true);
}

void comm_fini(struct comm *c)
{
    router_free(c->router);
    while (c->wires)
        free_wire(c, c->wires);
    for (size_t i = 0; i < COMM_LEAVES_MAX; i++)
        streams_free(c->leaves[i].streams);
}
