/* Fuzz target: joining the router network with the cluster's key: what a leaf is sent
 * by whoever calls itself a router, and the other way round.
 *
 * The first letter says whose end this is ('l': a leaf's), the others are what comes: a
 * length as a letter ('a': nothing) and so many bytes, or '!', the right answer of an
 * other end that has the key. Without one nobody is let in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/handshake.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static const struct tpp_addr own = { .ip = { 10, 77, 5, 1 }, .port = 15001 };

/* A key of a kind, and not what the input says by chance. */
static void mac(void *arg, const char *role, const void *data, size_t len,
                uint8_t ret[TPP_MAC_BYTES])
{
    const uint8_t *p = data;

    (void)arg;
    memset(ret, *role, TPP_MAC_BYTES);
    for (size_t i = 0; i < len; i++)
        ret[i % TPP_MAC_BYTES] = (uint8_t)(31 * ret[i % TPP_MAC_BYTES] + p[i] + 1);
}

static const struct tpp_prover prover = { mac, NULL };

static bool take(struct tpp_handshake *h, bool is_leaf, const struct tpp_packet *pkt,
                 struct buf *out)
{
    return is_leaf ? handshake_at_leaf(h, &prover, pkt, 1, &own, 1, out)
                   : handshake_at_router(h, &prover, pkt, out);
}

/* What 'said' holds, to the end that it is for. */
static bool pass(struct tpp_handshake *h, bool is_leaf, struct buf *said,
                 struct arena *arena, struct buf *out)
{
    struct tpp_packet pkt;
    bool ok = said->len > 0 && tpp_decode(said->data, said->len, arena, &pkt) &&
              take(h, is_leaf, &pkt, out);

    buf_clear(said);
    return ok;
}

struct ends {
    struct tpp_handshake h, other;
    bool is_leaf;
    unsigned n_right; /* answers of the other end that were taken */
    struct buf said, other_said;
    struct arena *arena;
};

static bool right_answer(struct ends *e)
{
    if (e->said.len > 0 &&
        !pass(&e->other, !e->is_leaf, &e->said, e->arena, &e->other_said))
        return false;
    if (!pass(&e->h, e->is_leaf, &e->other_said, e->arena, &e->said))
        return false;
    e->n_right++;
    return true;
}

static void check_end(const struct ends *e)
{
    const struct tpp_packet join = { .type = TPP_JOIN,
                                     .node_type = 1,
                                     .addrs = (struct tpp_addr[]){ own },
                                     .n_addrs = 1 };

    if (e->is_leaf)
        FUZZ_CHECK(!e->h.started || e->n_right == 1);
    else
        FUZZ_CHECK(!handshake_is_proven(&e->h, &prover, &join) || e->n_right == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const uint8_t nonce[TPP_NONCE_BYTES] = "once";
    struct ends e = { .is_leaf = len > 0 && data[0] == 'l', .arena = arena_new() };
    bool ok = true;

    handshake_hello(e.is_leaf ? &e.h : &e.other, nonce,
                    e.is_leaf ? &e.said : &e.other_said);
    for (size_t at = 1; ok && at < len;) {
        size_t n = data[at] - (size_t)'a';
        struct tpp_packet pkt = { .type = TPP_AUTH_CTX,
                                  .payload = (const char *)data + at + 1 };

        if (data[at] == '!') {
            ok = right_answer(&e);
            at++;
            continue;
        }
        pkt.payload_len = n < len - at - 1 ? n : len - at - 1;
        ok = take(&e.h, e.is_leaf, &pkt, &e.said);
        at += 1 + pkt.payload_len;
    }
    check_end(&e);
    buf_fini(&e.said);
    buf_fini(&e.other_said);
    arena_free(e.arena);
    return 0;
}
