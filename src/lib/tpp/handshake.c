/* handshake.c - see handshake.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/handshake.h"

#include <stdlib.h>
#include <string.h>

/* Append a packet of the handshake: the letter of the step, then two parts. */
static void put_step(struct buf *out, char step, const void *a, size_t a_len,
                     const void *b, size_t b_len)
{
    struct tpp_packet pkt = { .type = TPP_AUTH_CTX,
                              .auth_method = TPP_METHOD_CLUSTERKEY };
    struct buf body = { 0 };

    buf_add_char(&body, step);
    buf_add(&body, a, a_len);
    buf_add(&body, b, b_len);
    pkt.payload = body.data;
    pkt.payload_len = body.len;
    tpp_encode(out, &pkt);
    buf_fini(&body);
}

/* Compare in a time that does not tell how many bytes were right. */
static bool mac_same(const uint8_t *a, const uint8_t *b)
{
    uint8_t diff = 0;

    for (size_t i = 0; i < TPP_MAC_BYTES; i++)
        diff |= a[i] ^ b[i];
    return diff == 0;
}

/* What a router proves: that it has the key and has seen the leaf's number. */
static void router_mac(const struct tpp_handshake *h, const struct tpp_prover *prover,
                       uint8_t ret[TPP_MAC_BYTES])
{
    uint8_t nonces[2 * TPP_NONCE_BYTES];

    memcpy(nonces, h->leaf_nonce, TPP_NONCE_BYTES);
    memcpy(nonces + TPP_NONCE_BYTES, h->router_nonce, TPP_NONCE_BYTES);
    prover->mac(prover->arg, "router", nonces, sizeof(nonces), ret);
}

/* What a leaf proves: that it has the key, and that these are the addresses it
 * registers. So nobody between the two can have others registered in its name. */
static void leaf_mac(const struct tpp_handshake *h, const struct tpp_prover *prover,
                     uint8_t node_type, const struct tpp_addr *addrs, size_t n_addrs,
                     uint8_t ret[TPP_MAC_BYTES])
{
    struct buf b = { 0 };

    buf_add(&b, h->leaf_nonce, TPP_NONCE_BYTES);
    buf_add(&b, h->router_nonce, TPP_NONCE_BYTES);
    buf_add_char(&b, (char)node_type);
    for (size_t i = 0; i < n_addrs; i++) {
        buf_add(&b, addrs[i].ip, sizeof(addrs[i].ip));
        buf_add_char(&b, (char)(addrs[i].port >> 8));
        buf_add_char(&b, (char)addrs[i].port);
        buf_add_char(&b, (char)addrs[i].family);
    }
    prover->mac(prover->arg, "leaf", b.data, b.len, ret);
    buf_fini(&b);
}

void handshake_hello(struct tpp_handshake *h, const uint8_t nonce[TPP_NONCE_BYTES],
                     struct buf *out)
{
    *h = (struct tpp_handshake){ 0 };
    memcpy(h->leaf_nonce, nonce, TPP_NONCE_BYTES);
    put_step(out, 'H', nonce, TPP_NONCE_BYTES, NULL, 0);
}

bool handshake_at_router(struct tpp_handshake *h, const struct tpp_prover *prover,
                         const struct tpp_packet *pkt, struct buf *out)
{
    uint8_t mac[TPP_MAC_BYTES];

    /* A router without a key can prove nothing, whatever the leaf sends. */
    if (!prover->mac || pkt->payload_len < 1)
        return false;
    /* Each step is taken once and in order; anything else ends the handshake. */
    if (pkt->payload[0] == 'H' && pkt->payload_len == 1 + TPP_NONCE_BYTES &&
        !h->started) {
        memcpy(h->leaf_nonce, pkt->payload + 1, TPP_NONCE_BYTES);
        h->started = true;
        router_mac(h, prover, mac);
        put_step(out, 'C', h->router_nonce, TPP_NONCE_BYTES, mac, sizeof(mac));
        return true;
    }
    if (pkt->payload[0] == 'P' && pkt->payload_len == 1 + TPP_MAC_BYTES && h->started &&
        !h->proven) {
        /* The proof is about a JOIN that has not come yet: it is kept, and compared
         * when the addresses are known. */
        memcpy(h->proof, pkt->payload + 1, TPP_MAC_BYTES);
        h->proven = true;
        return true;
    }
    return false;
}

bool handshake_at_leaf(struct tpp_handshake *h, const struct tpp_prover *prover,
                       const struct tpp_packet *pkt, uint8_t node_type,
                       const struct tpp_addr *addrs, size_t n_addrs, struct buf *out)
{
    uint8_t mac[TPP_MAC_BYTES];

    /* A second challenge would make the leaf sign a number of somebody else's
     * choice. */
    if (h->started || pkt->payload_len != 1 + TPP_NONCE_BYTES + TPP_MAC_BYTES ||
        pkt->payload[0] != 'C')
        return false;
    memcpy(h->router_nonce, pkt->payload + 1, TPP_NONCE_BYTES);
    router_mac(h, prover, mac);
    if (!mac_same(mac, (const uint8_t *)pkt->payload + 1 + TPP_NONCE_BYTES))
        return false;
    h->started = true;
    leaf_mac(h, prover, node_type, addrs, n_addrs, mac);
    put_step(out, 'P', mac, sizeof(mac), NULL, 0);
    return true;
}

bool handshake_is_proven(const struct tpp_handshake *h, const struct tpp_prover *prover,
                         const struct tpp_packet *join)
{
    uint8_t mac[TPP_MAC_BYTES];

    if (!h->proven)
        return false;
    MUST(h->started); /* each step is taken in order */
    leaf_mac(h, prover, join->node_type, join->addrs, join->n_addrs, mac);
    return mac_same(mac, h->proof);
}
