/* Unit tests of the router's core: who may join, where packets go, what ends a link.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router/table.h"

#include "../unit.h"

#include <stdio.h>
#include <string.h>

/* A stand-in for the keyed hash: any difference of role or data shows. */
static void toy_mac(void *arg, const char *role, const void *data, size_t len,
                    uint8_t ret[TPP_MAC_BYTES])
{
    const uint8_t *b = data;

    memset(ret, *(uint8_t *)arg, TPP_MAC_BYTES);
    for (size_t i = 0; role[i]; i++)
        ret[i % TPP_MAC_BYTES] += (uint8_t)role[i];
    for (size_t i = 0; i < len; i++)
        ret[i % TPP_MAC_BYTES] = (uint8_t)(ret[i % TPP_MAC_BYTES] * 31 + b[i]);
}

static uint8_t right_key = 1, wrong_key = 2;

struct bench {
    struct router *r;
    struct router_out out;
    uint32_t trusted;
    int64_t now_at;
};

static struct tpp_addr leaf_addr(uint16_t port)
{
    return tpp_addr_ipv4(0x0a000001, port);
}

static void bench_init_on(struct bench *b, const char *methods, bool loopback)
{
    struct router_config cfg = { .name = "10.0.0.9:17001",
                                 .methods = methods,
                                 .prover = { .mac = toy_mac, .arg = &right_key },
                                 .max_links = 8,
                                 .max_waiting = 8,
                                 .max_waiting_of_host = 8,
                                 .loopback = loopback };

    memset(b, 0, sizeof(*b));
    b->trusted = 0x0a000001;
    b->now_at = 1000;
    cfg.trusted_ips = &b->trusted;
    cfg.n_trusted = 1;
    b->r = router_new(&cfg);
    b->out.arena = arena_new();
}

static void bench_init(struct bench *b, const char *methods)
{
    bench_init_on(b, methods, false);
}

static void bench_fini(struct bench *b)
{
    router_free(b->r);
    arena_free(b->out.arena);
}

static void forget(struct bench *b)
{
    b->out.n = 0;
}

static void up_from(struct bench *b, uint64_t link, uint32_t ip, uint16_t port)
{
    const uint8_t nonce[TPP_NONCE_BYTES] = { 9, (uint8_t)link };
    const struct router_peer peer = { tpp_addr_ipv4(ip, port), port < 1024 };

    router_link_up(b->r, b->now_at, link, &peer, nonce, &b->out);
}

static void up(struct bench *b, uint64_t link, uint16_t port)
{
    up_from(b, link, 0x0a000001, port);
}

static void give_bytes(struct bench *b, uint64_t link, const struct buf *bytes)
{
    router_packet(b->r, b->now_at, link,
                  arena_copy(b->out.arena, bytes->data, bytes->len), bytes->len,
                  &b->out);
}

static void give(struct bench *b, uint64_t link, const struct tpp_packet *pkt)
{
    struct buf bytes = { 0 };

    tpp_encode(&bytes, pkt);
    give_bytes(b, link, &bytes);
    buf_fini(&bytes);
}

static struct tpp_packet join_of(struct tpp_addr *addr, uint8_t node_type)
{
    return (struct tpp_packet){
        .type = TPP_JOIN, .hop = 1, .node_type = node_type, .n_addrs = 1, .addrs = addr
    };
}

static bool is_closed(const struct bench *b, uint64_t link)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == ROUTER_CLOSE && b->out.v[i].link == link)
            return true;
    return false;
}

/* The n-th packet sent to a link, decoded; false when there is none. */
static bool sent(struct bench *b, uint64_t link, size_t n, struct tpp_packet *ret)
{
    for (size_t i = 0; i < b->out.n; i++) {
        const struct router_effect *e = &b->out.v[i];

        if (e->kind == ROUTER_SEND && e->link == link && n-- == 0)
            return tpp_decode(e->data, e->len, b->out.arena, ret);
    }
    return false;
}

static bool logged(const struct bench *b, const char *part)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == ROUTER_LOG && strstr(b->out.v[i].text, part))
            return true;
    return false;
}

/* The whole handshake and JOIN; 'key' is the leaf's. */
static void join_with_key(struct bench *b, uint64_t link, uint16_t port, uint8_t type,
                          uint8_t *key)
{
    const struct tpp_prover prover = { .mac = toy_mac, .arg = key };
    const uint8_t nonce[TPP_NONCE_BYTES] = { 7 };
    struct tpp_addr addr = leaf_addr(port);
    struct tpp_packet join = join_of(&addr, type), challenge;
    struct tpp_handshake h;
    struct buf bytes = { 0 };

    up(b, link, port);
    handshake_hello(&h, nonce, &bytes);
    give_bytes(b, link, &bytes);
    buf_clear(&bytes);
    CU_ASSERT_FATAL(sent(b, link, 0, &challenge));
    if (key == &right_key) {
        CU_ASSERT(handshake_at_leaf(&h, &prover, &challenge, type, &addr, 1, &bytes));
        give_bytes(b, link, &bytes);
    } else {
        CU_ASSERT_FALSE(
            handshake_at_leaf(&h, &prover, &challenge, type, &addr, 1, &bytes));
    }
    give(b, link, &join);
    buf_fini(&bytes);
}

static void join(struct bench *b, uint64_t link, uint16_t port, uint8_t type)
{
    join_with_key(b, link, port, type, &right_key);
    forget(b);
}

static void test_key_holder_joins(void)
{
    struct bench b;

    bench_init(&b, "clusterkey");
    join_with_key(&b, 1, 15003, TPP_LEAF, &right_key);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    CU_ASSERT(logged(&b, "tfd=1, Leaf registered address 10.0.0.1:15003"));
    forget(&b);
    join_with_key(&b, 2, 15004, TPP_LEAF, &wrong_key);
    CU_ASSERT(is_closed(&b, 2));
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    bench_fini(&b);
}

static void test_proof_covers_addresses(void)
{
    const struct tpp_prover prover = { .mac = toy_mac, .arg = &right_key };
    const uint8_t nonce[TPP_NONCE_BYTES] = { 7 };
    struct tpp_addr mine = leaf_addr(15003), other = leaf_addr(15001);
    struct tpp_packet lie = join_of(&other, TPP_LEAF), challenge;
    struct tpp_handshake h;
    struct buf bytes = { 0 };
    struct bench b;

    bench_init(&b, "clusterkey");
    up(&b, 1, 40000);
    handshake_hello(&h, nonce, &bytes);
    give_bytes(&b, 1, &bytes);
    buf_clear(&bytes);
    CU_ASSERT_FATAL(sent(&b, 1, 0, &challenge));
    CU_ASSERT(handshake_at_leaf(&h, &prover, &challenge, TPP_LEAF, &mine, 1, &bytes));
    give_bytes(&b, 1, &bytes);
    give(&b, 1, &lie);
    CU_ASSERT(is_closed(&b, 1));
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 0);
    buf_fini(&bytes);
    bench_fini(&b);
}

static void test_reserved_port_rules(void)
{
    static const struct {
        const char *methods;
        uint16_t port;
        uint32_t joins_ip, trusted;
        bool ok;
        const char *text;
    } cases[] = {
        { "resvport", 1000, 0x0a000001, 0x0a000001, true, NULL },
        { "clusterkey", 1000, 0x0a000001, 0x0a000001, false,
          "tfd=1, Authentication method resvport not allowed in connection "
          "10.0.0.1:1000" },
        { "resvport", 1024, 0x0a000001, 0x0a000001, false,
          "Connection from non-reserved port, rejected" },
        { "resvport", 1000, 0x0a000002, 0x0a000001, false,
          "Connection from non-reserved port, rejected" },
        { "resvport", 1000, 0x0a000001, 0x0a000003, false,
          "Connection from non-reserved port, rejected" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tpp_addr addr = tpp_addr_ipv4(cases[i].joins_ip, 15003);
        struct tpp_packet pkt = join_of(&addr, TPP_LEAF), err;
        struct bench b;

        bench_init(&b, cases[i].methods);
        b.trusted = cases[i].trusted;
        up(&b, 1, cases[i].port);
        give(&b, 1, &pkt);
        CU_ASSERT_EQUAL(router_n_leaves(b.r), cases[i].ok);
        if (!cases[i].ok) {
            CU_ASSERT_FATAL(sent(&b, 1, 0, &err));
            CU_ASSERT_EQUAL(err.code, TPP_CTL_AUTHERR);
            CU_ASSERT_EQUAL(err.src_sd, TPP_NO_SD);
            CU_ASSERT_STRING_EQUAL(err.text, cases[i].text);
            CU_ASSERT_FALSE(is_closed(&b, 1));
        }
        bench_fini(&b);
    }
}

/* Whose are the addresses? */

#define PEER_IP  0x0a000001 /* 10.0.0.1, where connections come from */
#define OTHER_IP 0x0a010001 /* 10.1.0.1 */
#define THIRD_IP 0x0a020001 /* 10.2.0.1 */
#define LOOP_IP  0x7f000001

static const struct router_effect *question(const struct bench *b)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == ROUTER_PROVE)
            return &b->out.v[i];
    return NULL;
}

/* Answer what was asked: these two are proven, 0 is nothing. */
static void answer(struct bench *b, uint32_t one, uint32_t two)
{
    const struct router_effect *e = question(b);
    struct router_claim v[4];

    CU_ASSERT_FATAL(e && e->n_claims <= ARRAY_LEN(v));
    for (size_t i = 0; i < e->n_claims; i++) {
        v[i] = e->claims[i];
        CU_ASSERT_FALSE(v[i].proven);
        v[i].proven = v[i].ip == one || v[i].ip == two;
    }
    router_proven(b->r, b->now_at, e->link, e->n_claims, v, &b->out);
}

static bool addr_is_in(uint32_t ip, const uint32_t two[2])
{
    return ip == two[0] || ip == two[1];
}

static bool is_refused(struct bench *b, const char *address)
{
    struct tpp_packet err;

    return sent(b, 1, 0, &err) && err.code == TPP_CTL_AUTHERR &&
           strstr(err.text, address) && strstr(err.text, "is not known to be of the");
}

static void test_addresses_are_of_the_connections_host(void)
{
    static const struct {
        uint32_t joins[3]; /* 0: no more */
        size_t n_asked;
        uint32_t proven[2];
        const char *refused; /* NULL: it joins */
        uint32_t left_out[2];
        bool loopback; /* the router serves one host */
    } cases[] = {
        { { PEER_IP }, 0, { 0 }, NULL, { 0 }, false },
        { { PEER_IP, OTHER_IP }, 1, { OTHER_IP }, NULL, { 0 }, false },
        { { PEER_IP, OTHER_IP }, 1, { 0 }, NULL, { OTHER_IP }, false },
        { { PEER_IP, OTHER_IP, THIRD_IP }, 2, { THIRD_IP }, NULL, { OTHER_IP }, false },
        { { OTHER_IP, PEER_IP }, 1, { OTHER_IP }, NULL, { 0 }, false },
        { { OTHER_IP, PEER_IP }, 1, { 0 }, "10.1.0.1:15003", { 0 }, false },
        { { OTHER_IP, PEER_IP, THIRD_IP },
          2,
          { THIRD_IP },
          "10.1.0.1:15003",
          { 0 },
          false },
        /* nobody is asked about these */
        { { PEER_IP, LOOP_IP }, 0, { 0 }, NULL, { LOOP_IP }, false },
        { { LOOP_IP, PEER_IP }, 0, { 0 }, "127.0.0.1:15003", { 0 }, false },
        { { PEER_IP, 0xe0000001 }, 0, { 0 }, NULL, { 0xe0000001 }, false },
        { { PEER_IP, 0xffffffff }, 0, { 0 }, NULL, { 0xffffffff }, false },
        { { 0x00000001, PEER_IP }, 0, { 0 }, "0.0.0.1:15003", { 0 }, false },
        /* a router on loopback */
        { { LOOP_IP, PEER_IP }, 1, { LOOP_IP }, NULL, { 0 }, true },
        { { LOOP_IP, PEER_IP }, 1, { 0 }, "127.0.0.1:15003", { 0 }, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tpp_addr addrs[3];
        struct tpp_packet pkt = join_of(addrs, TPP_LEAF);
        const struct router_effect *e;
        struct bench b;

        for (pkt.n_addrs = 0; pkt.n_addrs < 3 && cases[i].joins[pkt.n_addrs];
             pkt.n_addrs++)
            addrs[pkt.n_addrs] = tpp_addr_ipv4(cases[i].joins[pkt.n_addrs], 15003);
        bench_init_on(&b, "resvport", cases[i].loopback);
        up(&b, 1, 700);
        give(&b, 1, &pkt);
        e = question(&b);
        CU_ASSERT_EQUAL(e ? e->n_claims : 0, cases[i].n_asked);
        if (e) {
            CU_ASSERT_EQUAL(router_n_leaves(b.r), 0); /* not before the answer */
            answer(&b, cases[i].proven[0], cases[i].proven[1]);
        }
        CU_ASSERT_EQUAL(router_n_leaves(b.r), cases[i].refused ? 0 : 1);
        if (cases[i].refused)
            CU_ASSERT(is_refused(&b, cases[i].refused));
        for (size_t k = 0; k < pkt.n_addrs; k++) {
            char text[TPP_ADDR_TEXT_BYTES], line[160];
            bool out = addr_is_in(cases[i].joins[k], cases[i].left_out);

            tpp_addr_text(&addrs[k], text);
            snprintf(line, sizeof(line), "Leaf registered address %s", text);
            CU_ASSERT_EQUAL(logged(&b, line), !cases[i].refused && !out);
            snprintf(line, sizeof(line), "Address %s is not known to be of", text);
            CU_ASSERT_EQUAL(!cases[i].refused && logged(&b, line), out);
        }
        bench_fini(&b);
    }
}

/* Bytes behind an IPv4 address make it another address of the table. */
static void test_an_address_has_one_form(void)
{
    struct tpp_addr addrs[2] = { leaf_addr(15003), leaf_addr(15003) };
    struct tpp_packet pkt = join_of(addrs, TPP_LEAF);
    struct bench b;

    pkt.n_addrs = 2;
    addrs[1].ip[15] = 1;
    bench_init(&b, "resvport");
    up(&b, 1, 700);
    give(&b, 1, &pkt);
    CU_ASSERT_PTR_NULL(question(&b));
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    CU_ASSERT(logged(&b, "Address 10.0.0.1:15003 is not known to be of"));
    bench_fini(&b);
}

static void ask_about_other(struct bench *b)
{
    struct tpp_addr addrs[2] = { leaf_addr(15003), tpp_addr_ipv4(OTHER_IP, 15003) };
    struct tpp_packet pkt = join_of(addrs, TPP_LEAF);

    pkt.n_addrs = 2;
    bench_init(b, "resvport");
    up(b, 1, 700);
    give(b, 1, &pkt);
    CU_ASSERT_PTR_NOT_NULL(question(b));
}

static void test_a_join_waits_for_its_proofs(void)
{
    struct tpp_packet data = { .type = TPP_DATA,
                               .src_addr = leaf_addr(15003),
                               .dest_addr = leaf_addr(15001),
                               .payload = "x",
                               .payload_len = 1 };
    struct bench b;

    /* nothing is taken from it meanwhile */
    ask_about_other(&b);
    give(&b, 1, &data);
    CU_ASSERT(is_closed(&b, 1));
    bench_fini(&b);

    /* it goes, or its time is over: the answer comes too late and does no harm */
    ask_about_other(&b);
    router_link_down(b.r, b.now_at, 1, 0, &b.out);
    answer(&b, OTHER_IP, 0);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 0);
    bench_fini(&b);

    ask_about_other(&b);
    b.now_at += ROUTER_JOIN_WAIT_S;
    router_tick(b.r, b.now_at, &b.out);
    CU_ASSERT(is_closed(&b, 1));
    answer(&b, OTHER_IP, 0);
    CU_ASSERT_EQUAL(router_n_links(b.r), 0);
    bench_fini(&b);

    /* answered twice */
    ask_about_other(&b);
    answer(&b, OTHER_IP, 0);
    answer(&b, 0, 0);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    bench_fini(&b);
}

static void test_who_was_refused_may_try_again(void)
{
    struct tpp_addr addrs[2] = { tpp_addr_ipv4(OTHER_IP, 15003), leaf_addr(15003) };
    struct tpp_packet lie = join_of(addrs, TPP_LEAF),
                      truth = join_of(&addrs[1], TPP_LEAF);
    struct bench b;

    bench_init(&b, "resvport");
    up(&b, 1, 700);
    lie.n_addrs = 2;
    give(&b, 1, &lie);
    answer(&b, 0, 0);
    CU_ASSERT(is_refused(&b, "10.1.0.1:15003"));
    CU_ASSERT_FALSE(is_closed(&b, 1));
    give(&b, 1, &truth);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    bench_fini(&b);
}

/* An impostor neither takes the place of a leaf that is there nor its connection. */
static void test_nobody_ousts_a_leaf_of_another_host(void)
{
    struct tpp_addr addrs[2] = { tpp_addr_ipv4(OTHER_IP, 15003), leaf_addr(15004) };
    struct tpp_packet pkt = join_of(addrs, TPP_LEAF);
    const struct router_peer elsewhere = { tpp_addr_ipv4(OTHER_IP, 700), true };
    const uint8_t nonce[TPP_NONCE_BYTES] = { 3 };
    struct bench b;

    bench_init(&b, "resvport");
    b.trusted = OTHER_IP;
    router_link_up(b.r, b.now_at, 1, &elsewhere, nonce, &b.out);
    give(&b, 1, &pkt);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    forget(&b);
    b.trusted = PEER_IP;
    up(&b, 2, 701);
    pkt.n_addrs = 2;
    give(&b, 2, &pkt);
    answer(&b, 0, 0);
    CU_ASSERT(logged(&b, "Address 10.1.0.1:15003 is not known to be of"));
    CU_ASSERT_FALSE(is_closed(&b, 1));
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    bench_fini(&b);
}

static struct tpp_packet data_of(uint16_t from, uint16_t to)
{
    return (struct tpp_packet){ .type = TPP_DATA,
                                .src_magic = 5,
                                .src_sd = 3,
                                .dest_sd = TPP_NO_SD,
                                .src_addr = leaf_addr(from),
                                .dest_addr = leaf_addr(to),
                                .payload = "hello",
                                .payload_len = 5 };
}

static void test_data_reaches_its_leaf(void)
{
    struct tpp_packet pkt = data_of(15003, 15001), got;
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15003, TPP_LEAF);
    join(&b, 2, 15001, TPP_LEAF_NOTIFIED);
    give(&b, 1, &pkt);
    CU_ASSERT_FATAL(sent(&b, 2, 0, &got));
    CU_ASSERT_EQUAL(got.type, TPP_DATA);
    CU_ASSERT_EQUAL(got.src_sd, 3);
    CU_ASSERT_NSTRING_EQUAL(got.payload, "hello", 5);
    CU_ASSERT_EQUAL(b.out.n, 1);
    bench_fini(&b);
}

static void test_unknown_destination_is_told(void)
{
    struct tpp_packet pkt = data_of(15003, 999), got;
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15003, TPP_LEAF);
    give(&b, 1, &pkt);
    CU_ASSERT_FATAL(sent(&b, 1, 0, &got));
    CU_ASSERT_EQUAL(got.code, TPP_CTL_NOROUTE);
    CU_ASSERT_EQUAL(got.src_sd, 3);
    CU_ASSERT(tpp_addr_same(&got.src_addr, &pkt.dest_addr));
    CU_ASSERT(tpp_addr_same(&got.dest_addr, &pkt.src_addr));
    CU_ASSERT_STRING_EQUAL(got.text, "tfd=1, pbs_comm:10.0.0.9:17001: Dest not found");

    forget(&b);
    pkt.payload_len = 0; /* an empty one is an old acknowledgement */
    give(&b, 1, &pkt);
    CU_ASSERT_FALSE(sent(&b, 1, 0, &got));
    bench_fini(&b);
}

static void test_wrong_packets_end_their_sender_only(void)
{
    struct tpp_addr addr = leaf_addr(15003);
    struct tpp_packet forged = data_of(15001, 15001);
    struct tpp_packet update = { .type = TPP_CTL_MSG,
                                 .code = TPP_CTL_UPDATE,
                                 .text = "" };
    struct tpp_packet leave = {
        .type = TPP_LEAVE, .hop = 1, .n_addrs = 1, .addrs = &addr
    };
    struct tpp_packet twice = join_of(&addr, TPP_LEAF);
    struct tpp_packet auth = { .type = TPP_AUTH_CTX, .auth_method = "clusterkey" };
    const struct tpp_packet *cases[] = { &forged, &update, &leave, &twice, &auth };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tpp_packet good = data_of(15001, 15001);
        struct bench b;

        bench_init(&b, "clusterkey");
        join(&b, 1, 15003, TPP_LEAF);
        join(&b, 2, 15001, TPP_LEAF_NOTIFIED);
        give(&b, 1, cases[i]);
        CU_ASSERT(is_closed(&b, 1));
        CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
        forget(&b);
        give(&b, 2, &good);
        CU_ASSERT_EQUAL(b.out.n, 1);
        bench_fini(&b);
    }
}

static void test_strangers_may_only_join(void)
{
    struct tpp_packet pkt = data_of(15003, 15001);
    const char junk[] = { 0, 0, 0, 12, 1, 1, 1, 0, 9, 0, 0, 0 };
    struct buf cut = { 0 };
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 2, 15001, TPP_LEAF);
    up(&b, 1, 40000);
    give(&b, 1, &pkt);
    CU_ASSERT(is_closed(&b, 1));
    CU_ASSERT_FALSE(sent(&b, 2, 0, &pkt));
    forget(&b);
    up(&b, 3, 40001);
    buf_add(&cut, junk, sizeof(junk)); /* promises nine addresses */
    give_bytes(&b, 3, &cut);
    CU_ASSERT(is_closed(&b, 3));
    buf_fini(&cut);
    bench_fini(&b);
}

static void test_lost_leaf_is_told_to_all(void)
{
    struct tpp_packet got;
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15003, TPP_LEAF);
    join(&b, 2, 15001, TPP_LEAF_NOTIFIED);
    join(&b, 3, 15005, TPP_LEAF);
    router_link_down(b.r, b.now_at, 1, 104, &b.out);
    for (uint64_t link = 2; link <= 3; link++) {
        struct tpp_addr gone = leaf_addr(15003);

        CU_ASSERT_FATAL(sent(&b, link, 0, &got));
        CU_ASSERT_EQUAL(got.type, TPP_LEAVE);
        CU_ASSERT_EQUAL(got.hop, 2);
        CU_ASSERT_EQUAL(got.ecode, 104);
        CU_ASSERT_EQUAL(got.n_addrs, 1);
        CU_ASSERT(tpp_addr_same(&got.addrs[0], &gone));
    }
    CU_ASSERT(logged(&b, "tfd=1, Connection from leaf 10.0.0.1:15003 down"));
    bench_fini(&b);
}

static void test_newcomer_replaces_stale_leaf(void)
{
    struct tpp_packet got;
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15003, TPP_LEAF);
    join(&b, 2, 15001, TPP_LEAF_NOTIFIED);
    join_with_key(&b, 3, 15003, TPP_LEAF, &right_key);
    CU_ASSERT(is_closed(&b, 1));
    CU_ASSERT_FALSE(is_closed(&b, 3));
    CU_ASSERT_FATAL(sent(&b, 2, 0, &got));
    CU_ASSERT_EQUAL(got.type, TPP_LEAVE);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 2);
    forget(&b);
    struct tpp_packet pkt = data_of(15001, 15003);
    give(&b, 2, &pkt);
    CU_ASSERT(sent(&b, 3, 0, &got));
    bench_fini(&b);
}

static void test_update_follows_joins(void)
{
    struct tpp_packet got;
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15001, TPP_LEAF_NOTIFIED);
    CU_ASSERT_EQUAL(router_next_deadline(b.r), INT64_MAX);
    join(&b, 2, 15003, TPP_LEAF);
    CU_ASSERT_EQUAL(router_next_deadline(b.r), b.now_at + ROUTER_UPDATE_DELAY_S);
    b.now_at += ROUTER_UPDATE_DELAY_S;
    router_tick(b.r, b.now_at, &b.out);
    CU_ASSERT_FATAL(sent(&b, 1, 0, &got));
    CU_ASSERT_EQUAL(got.code, TPP_CTL_UPDATE);
    CU_ASSERT_EQUAL(b.out.v[0].len, 52);
    CU_ASSERT_FALSE(sent(&b, 2, 0, &got));
    CU_ASSERT_EQUAL(router_next_deadline(b.r), INT64_MAX);
    bench_fini(&b);
}

static void test_silent_link_is_ended(void)
{
    struct bench b;

    bench_init(&b, "clusterkey");
    up(&b, 1, 40000);
    CU_ASSERT_EQUAL(router_next_deadline(b.r), b.now_at + ROUTER_JOIN_WAIT_S);
    router_tick(b.r, b.now_at + ROUTER_JOIN_WAIT_S - 1, &b.out);
    CU_ASSERT_FALSE(is_closed(&b, 1));
    router_tick(b.r, b.now_at + ROUTER_JOIN_WAIT_S, &b.out);
    CU_ASSERT(is_closed(&b, 1));
    CU_ASSERT_EQUAL(router_n_links(b.r), 0);
    bench_fini(&b);
}

/* Those of the address that has most of them go first, and no leaf goes for them. */
static void test_a_crowd_costs_itself(void)
{
    struct bench b;

    bench_init(&b, "clusterkey");
    join_with_key(&b, 1, 15001, TPP_LEAF, &right_key);
    up_from(&b, 2, 0x0a000002, 2002); /* older than the crowd, and alone */
    for (uint64_t link = 3; link <= 8; link++)
        up_from(&b, link, 0x0a000003, (uint16_t)(2000 + link));
    forget(&b);
    for (uint64_t link = 9; link <= 20; link++) {
        up_from(&b, link, 0x0a000003, (uint16_t)(2000 + link));
        CU_ASSERT_TRUE(is_closed(&b, link - 6));
    }
    CU_ASSERT_FALSE(is_closed(&b, 1) || is_closed(&b, 2));
    up_from(&b, 21, 0x0a000004, 2021); /* and neither does it keep others out */
    CU_ASSERT_TRUE(is_closed(&b, 15));
    CU_ASSERT_FALSE(is_closed(&b, 2) || is_closed(&b, 21));
    CU_ASSERT_EQUAL(router_n_links(b.r), 8);
    bench_fini(&b);
}

static void test_an_address_has_a_limit(void)
{
    struct bench b;

    bench_init(&b, "clusterkey");
    b.r->cfg.max_waiting_of_host = 2;
    up_from(&b, 1, 0x0a000002, 2001);
    up_from(&b, 2, 0x0a000003, 2002);
    up_from(&b, 3, 0x0a000003, 2003);
    forget(&b);
    up_from(&b, 4, 0x0a000003, 2004);
    CU_ASSERT_TRUE(is_closed(&b, 2));
    CU_ASSERT_FALSE(is_closed(&b, 1) || is_closed(&b, 3) || is_closed(&b, 4));
    CU_ASSERT_EQUAL(router_n_links(b.r), 3);
    bench_fini(&b);
}

static void test_links_are_limited(void)
{
    struct bench b;

    bench_init(&b, "clusterkey");
    join_with_key(&b, 1, 15001, TPP_LEAF, &right_key);
    for (uint64_t link = 2; link <= 8; link++)
        up(&b, link, (uint16_t)(2000 + link));
    forget(&b);
    up(&b, 9, 2009);
    CU_ASSERT_TRUE(is_closed(&b, 2)); /* the oldest that has not joined */
    CU_ASSERT_FALSE(is_closed(&b, 9) || is_closed(&b, 1));
    CU_ASSERT_TRUE(logged(&b, "8 connections, 7 of them have not joined"));
    forget(&b);
    up(&b, 10, 2010);
    CU_ASSERT_TRUE(is_closed(&b, 3));
    CU_ASSERT_FALSE(logged(&b, "dropped")); /* once a minute */
    CU_ASSERT_EQUAL(router_n_links(b.r), 8);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 1);
    bench_fini(&b);

    bench_init(&b, "clusterkey");
    for (uint64_t link = 1; link <= 8; link++)
        join_with_key(&b, link, (uint16_t)(15000 + link), TPP_LEAF, &right_key);
    CU_ASSERT_EQUAL(router_n_leaves(b.r), 8);
    forget(&b);
    up(&b, 9, 2009);
    CU_ASSERT_TRUE(is_closed(&b, 9)); /* all others are somebody */
    CU_ASSERT_TRUE(logged(&b, "refusing"));
    bench_fini(&b);
}

static void test_multicast_is_expanded(void)
{
    struct tpp_member to[] = {
        { .src_sd = 20, .src_magic = 77, .dest_sd = 4, .dest_addr = leaf_addr(15003) },
        { .src_sd = 21, .src_magic = 78, .dest_sd = 5, .dest_addr = leaf_addr(15005) },
        { .src_sd = 22, .src_magic = 79, .dest_sd = 6, .dest_addr = leaf_addr(999) },
    };
    struct tpp_packet pkt = { .type = TPP_MCAST_DATA,
                              .src_addr = leaf_addr(15001),
                              .n_members = 3,
                              .members = to,
                              .payload = "hello",
                              .payload_len = 5 };
    struct tpp_packet got;
    struct buf whole = { 0 };
    struct bench b;

    bench_init(&b, "clusterkey");
    join(&b, 1, 15003, TPP_LEAF);
    join(&b, 2, 15005, TPP_LEAF);
    join(&b, 3, 15001, TPP_LEAF_NOTIFIED);
    give(&b, 3, &pkt);
    for (size_t i = 0; i < b.out.n; i++) /* header and payload are two sends */
        if (b.out.v[i].kind == ROUTER_SEND && b.out.v[i].link == 1)
            buf_add(&whole, b.out.v[i].data, b.out.v[i].len);
    CU_ASSERT_FATAL(tpp_decode(whole.data, whole.len, b.out.arena, &got));
    CU_ASSERT_EQUAL(got.type, TPP_DATA);
    CU_ASSERT_EQUAL(got.src_sd, 20);
    CU_ASSERT_EQUAL(got.src_magic, 77);
    CU_ASSERT_EQUAL(got.dest_sd, 4);
    CU_ASSERT_EQUAL(got.totlen, 5);
    CU_ASSERT_EQUAL(got.payload_len, 5);
    CU_ASSERT_FATAL(sent(&b, 3, 0, &got));
    CU_ASSERT_EQUAL(got.code, TPP_CTL_NOROUTE);
    CU_ASSERT_EQUAL(got.src_sd, 22);
    buf_fini(&whole);
    bench_fini(&b);
}

static void test_joined_is_told(void)
{
    struct bench b;
    size_t n = 0;

    bench_init(&b, "clusterkey");
    join_with_key(&b, 1, 15001, TPP_LEAF, &wrong_key);
    join_with_key(&b, 2, 15002, TPP_LEAF, &right_key);
    for (size_t i = 0; i < b.out.n; i++)
        if (b.out.v[i].kind == ROUTER_JOINED) {
            CU_ASSERT_EQUAL(b.out.v[i].link, 2);
            n++;
        }
    CU_ASSERT_EQUAL(n, 1);
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "a leaf with the key joins, one without does not", test_key_holder_joins },
    { "the proof covers the addresses", test_proof_covers_addresses },
    { "a reserved port speaks for its own, trusted host", test_reserved_port_rules },
    { "addresses are of the connection's host",
      test_addresses_are_of_the_connections_host },
    { "an address has one form", test_an_address_has_one_form },
    { "a JOIN waits for its proofs", test_a_join_waits_for_its_proofs },
    { "who was refused may try again", test_who_was_refused_may_try_again },
    { "nobody ousts a leaf of another host", test_nobody_ousts_a_leaf_of_another_host },
    { "data reaches the leaf it is for", test_data_reaches_its_leaf },
    { "an unknown destination is told to the sender",
      test_unknown_destination_is_told },
    { "a wrong packet ends its sender only", test_wrong_packets_end_their_sender_only },
    { "a stranger may only join", test_strangers_may_only_join },
    { "a lost leaf is told to all others", test_lost_leaf_is_told_to_all },
    { "a newcomer replaces a stale leaf", test_newcomer_replaces_stale_leaf },
    { "UPDATE follows the last JOIN", test_update_follows_joins },
    { "a link that does not join is ended", test_silent_link_is_ended },
    { "links are limited", test_links_are_limited },
    { "a crowd of strangers costs itself", test_a_crowd_costs_itself },
    { "an address has a limit of strangers", test_an_address_has_a_limit },
    { "who has joined is told to the shell", test_joined_is_told },
    { "a multicast reaches its members", test_multicast_is_expanded },
};

int main(void)
{
    return unit_main("comm/router", cases, ARRAY_LEN(cases));
}
