/* inflate.c - see inflate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/inflate.h"

#include <zlib.h>

/* Most bytes that one byte of a zlib stream can stand for: two bits stand for 258 bytes
 * at best. */
#define MOST_TIMES 1032

/* True when so many compressed bytes can hold so much. This is asked before memory is
 * taken: a few bytes can promise much and hold little. */
static bool may_hold(size_t len, size_t out_len)
{
    return out_len / MOST_TIMES <= len;
}

static bool inflate_exactly(const char *data, size_t len, char *out, size_t out_len)
{
    uLongf got = out_len;

    return uncompress((Bytef *)out, &got, (const Bytef *)data, len) == Z_OK &&
           got == out_len;
}

bool tpp_plain_payload(const struct tpp_packet *pkt, struct arena *arena,
                       const char **ret, size_t *ret_len)
{
    char *out;

    if (pkt->payload_len == pkt->totlen) {
        *ret = pkt->payload;
        *ret_len = pkt->payload_len;
        return true;
    }
    if (pkt->totlen == 0 || pkt->totlen > TPP_MAX_PAYLOAD_BYTES ||
        !may_hold(pkt->payload_len, pkt->totlen))
        return false;
    out = arena_alloc(arena, pkt->totlen);
    if (!inflate_exactly(pkt->payload, pkt->payload_len, out, pkt->totlen))
        return false;
    *ret = out;
    *ret_len = pkt->totlen;
    return true;
}

bool tpp_plain_members(struct tpp_packet *pkt, struct arena *arena)
{
    size_t len = pkt->n_members * TPP_MEMBER_BYTES;
    char *out;

    if (pkt->n_members > TPP_MAX_MEMBERS)
        return false;
    if (pkt->n_members == 0 || pkt->members)
        return true;
    if (!may_hold(pkt->info_len, len))
        return false;
    out = arena_alloc(arena, len);
    return inflate_exactly(pkt->info, pkt->info_len, out, len) &&
           tpp_decode_members(out, len, pkt->n_members, arena, &pkt->members);
}
