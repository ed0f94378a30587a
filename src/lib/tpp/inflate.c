/* inflate.c - see inflate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/inflate.h"

#include <zlib.h>

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
    if (pkt->totlen == 0 || pkt->totlen > TPP_MAX_PAYLOAD_BYTES)
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
    out = arena_alloc(arena, len);
    return inflate_exactly(pkt->info, pkt->info_len, out, len) &&
           tpp_decode_members(out, len, pkt->n_members, arena, &pkt->members);
}
