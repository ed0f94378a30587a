/* packet.c - see packet.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/packet.h"

#include <string.h>

/* The NUL behind the letters is part of the mark. */
static const char magic[6] = "PKTV1";

static uint32_t get_be32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

enum packet_status packet_peek(const char *data, size_t len, size_t max_bytes,
                               struct packet *ret)
{
    uint32_t payload;

    if (len == 0)
        return PACKET_PARTIAL;
    /* Bytes that are no packet are found out at the first wrong one, not after
     * eleven. */
    if (memcmp(data, magic, MIN_OF(len, sizeof(magic))) != 0)
        return PACKET_BAD;
    if (len < PACKET_HEADER_BYTES)
        return PACKET_PARTIAL;
    payload = get_be32(data + 7);
    /* No packet is empty, and a length above the limit is refused before memory is
     * taken. */
    if (payload == 0 || payload > max_bytes)
        return PACKET_BAD;
    if (len - PACKET_HEADER_BYTES < payload)
        return PACKET_PARTIAL;
    *ret = (struct packet){
        .type = (uint8_t)data[6],
        .data = data + PACKET_HEADER_BYTES,
        .len = payload,
        .total_bytes = PACKET_HEADER_BYTES + (size_t)payload,
    };
    MUST(ret->total_bytes <= len);
    return PACKET_READY;
}

void packet_put_head(struct buf *out, enum packet_type type, size_t len)
{
    unsigned char tail[5] = { (unsigned char)type, (unsigned char)(len >> 24),
                              (unsigned char)(len >> 16), (unsigned char)(len >> 8),
                              (unsigned char)len };

    MUST(len > 0 && len <= UINT32_MAX);
    buf_add(out, magic, sizeof(magic));
    buf_add(out, tail, sizeof(tail));
}

void packet_put(struct buf *out, enum packet_type type, const void *data, size_t len)
{
    packet_put_head(out, type, len);
    buf_add(out, data, len);
}
