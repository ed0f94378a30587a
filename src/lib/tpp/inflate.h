/* inflate.h - payloads and member lists that came as a zlib stream (tpp.md 2.12).
 *
 * Ours are always sent plain, which every receiver accepts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_TPP_INFLATE_H
#define LIB_TPP_INFLATE_H

#include "lib/wire/tpp.h"

/* Limits of what a few bytes may grow to; less when a zlib stream of their length
 * cannot hold that much (1,032 times its bytes). */
#define TPP_MAX_PAYLOAD_BYTES (64u << 20)
#define TPP_MAX_MEMBERS       65536

/* The plain payload of a DATA or MCAST_DATA packet: the bytes of the packet itself, or
 * inflated in 'arena'. False: not a zlib stream of exactly 'totlen' bytes, or too long.
 */
bool tpp_plain_payload(const struct tpp_packet *pkt, struct arena *arena,
                       const char **ret, size_t *ret_len) MUST_CHECK;

/* Make sure that a MCAST_DATA packet's members are there. False: too many, or a list
 * that does not inflate to exactly its members. */
bool tpp_plain_members(struct tpp_packet *pkt, struct arena *arena) MUST_CHECK;

#endif
