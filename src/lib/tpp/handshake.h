/* handshake.h - the clusterkey method of joining a router (pure).
 *
 * Three AUTH_CTX packets of method "clusterkey", then JOIN:
 *
 *     leaf   -> router   'H' leaf nonce
 *     router -> leaf     'C' router nonce, MAC(router, both nonces)
 *     leaf   -> router   'P' MAC(leaf, both nonces, node type, addresses of the JOIN)
 *
 * Both ends prove that they hold the key, nothing can be replayed, and the addresses a
 * leaf joins with cannot be changed on the way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_TPP_HANDSHAKE_H
#define LIB_TPP_HANDSHAKE_H

#include "lib/wire/tpp.h"

#define TPP_METHOD_CLUSTERKEY "clusterkey"
#define TPP_METHOD_RESVPORT   "resvport"
#define TPP_NONCE_BYTES       32
#define TPP_MAC_BYTES         32

/* The secret, as a function: HMAC-SHA256 with the cluster's key over 'data', 'role'
 * being part of what is hashed. Cores and tests pass their own. NULL mac: no key. */
struct tpp_prover {
    void (*mac)(void *arg, const char *role, const void *data, size_t len,
                uint8_t ret[TPP_MAC_BYTES]);
    void *arg;
};

struct tpp_handshake {
    bool started; /* nonces are known to both */
    bool proven;  /* router: the leaf's proof is here, not yet compared */
    uint8_t leaf_nonce[TPP_NONCE_BYTES];
    uint8_t router_nonce[TPP_NONCE_BYTES];
    uint8_t proof[TPP_MAC_BYTES];
};

/* Leaf: the first packet. 'nonce' is fresh and random. */
void handshake_hello(struct tpp_handshake *h, const uint8_t nonce[TPP_NONCE_BYTES],
                     struct buf *out);

/* Router: take a leaf's packet (the decoded AUTH_CTX). Appends the answer to a hello,
 * or keeps a proof. h->router_nonce must be fresh and random. False: malformed or out
 * of order. */
bool handshake_at_router(struct tpp_handshake *h, const struct tpp_prover *prover,
                         const struct tpp_packet *pkt, struct buf *out) MUST_CHECK;

/* Leaf: check the router's challenge and append the proof. False: not a router of this
 * cluster. */
bool handshake_at_leaf(struct tpp_handshake *h, const struct tpp_prover *prover,
                       const struct tpp_packet *pkt, uint8_t node_type,
                       const struct tpp_addr *addrs, size_t n_addrs,
                       struct buf *out) MUST_CHECK;

/* Router: is the proof kept the one for this JOIN? Constant time in the proof. */
bool handshake_is_proven(const struct tpp_handshake *h, const struct tpp_prover *prover,
                         const struct tpp_packet *join) MUST_CHECK;

#endif
