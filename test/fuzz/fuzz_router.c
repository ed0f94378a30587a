/* Fuzz target: a router's core. Link 1 sends the input's packets before it has joined,
 * link 2 afterwards; link 3 is a leaf that listens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router.h"

#include "fuzz.h"

const char fuzz_frames[] = "tpp.txt";

static const uint32_t trusted = 0x0a000001;

static void join(struct router *r, uint64_t link, uint16_t port, uint8_t type,
                 struct router_out *out)
{
    const uint8_t nonce[TPP_NONCE_BYTES] = { 9, (uint8_t)link };
    struct tpp_addr addr = tpp_addr_ipv4(trusted, port);
    const struct router_peer peer = { addr, true };
    struct tpp_packet auth = {
        .type = TPP_JOIN, .hop = 1, .node_type = type, .n_addrs = 1, .addrs = &addr
    };
    struct buf b = { 0 };

    router_link_up(r, 1000, link, &peer, nonce, out);
    tpp_encode(&b, &auth);
    router_packet(r, 1000, link, arena_copy(out->arena, b.data, b.len), b.len, out);
    buf_fini(&b);
}

/* Answer all questions: every second address is of its host. */
static void prove(struct router *r, struct router_out *out)
{
    for (size_t i = 0; i < out->n; i++) {
        const struct router_effect e = out->v[i];
        struct router_claim *v;

        if (e.kind != ROUTER_PROVE)
            continue;
        v = ARENA_ARRAY(out->arena, struct router_claim, e.n_claims);
        for (size_t k = 0; k < e.n_claims; k++)
            v[k] = (struct router_claim){ e.claims[k].ip, e.claims[k].ip & 1 };
        router_proven(r, 1000, e.link, e.n_claims, v, out);
    }
}

static void feed(struct router *r, uint64_t link, const uint8_t *data, size_t len,
                 struct router_out *out)
{
    const char *own = arena_copy(out->arena, data, len);
    size_t total = 0;

    for (size_t at = 0; tpp_peek(own + at, len - at, len, &total) == TPP_READY;
         at += total) {
        router_packet(r, 1001, link, own + at, total, out);
        prove(r, out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct router_config cfg = { .name = "10.0.0.9:17001",
                                       .methods = "resvport",
                                       .n_trusted = 1,
                                       .trusted_ips = &trusted,
                                       .max_links = 8,
                                       .max_waiting = 6,
                                       .max_waiting_of_host = 4 };
    const uint8_t nonce[TPP_NONCE_BYTES] = { 7 };
    const struct router_peer stranger = { tpp_addr_ipv4(0x0a000009, 40000), false };
    struct router_out out = { .arena = arena_new() };
    struct router *r = router_new(&cfg);

    router_link_up(r, 1000, 1, &stranger, nonce, &out);
    feed(r, 1, data, len, &out);
    join(r, 2, 701, TPP_LEAF, &out);
    join(r, 3, 702, TPP_LEAF_NOTIFIED, &out);
    feed(r, 2, data, len, &out);
    router_tick(r, 1100, &out);
    for (size_t i = 0; i < out.n; i++)
        if (out.v[i].kind == ROUTER_SEND)
            FUZZ_CHECK(tpp_peek(out.v[i].data, out.v[i].len, out.v[i].len, &len) ==
                       TPP_READY);
    router_link_down(r, 1101, 2, 0, &out);
    router_free(r);
    arena_free(out.arena);
    return 0;
}
