/* packet.h - the PKTV1 frame around every DIS message and handshake token (wire.md 3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_PACKET_H
#define LIB_WIRE_PACKET_H

#include "lib/base/buf.h"

#define PACKET_HEADER_BYTES 11

enum packet_type {
    PACKET_DATA = 0, /* any type byte is accepted when reading a DIS message */
    PACKET_TOKEN = 1,
    PACKET_ERROR = 2,
    PACKET_OK = 3,
};

enum packet_status {
    PACKET_READY,
    PACKET_PARTIAL,
    PACKET_BAD
};

struct packet {
    uint8_t type;
    const char *data; /* points into the bytes given */
    size_t len;
    size_t total_bytes; /* header and payload: what to eat afterwards */
};

/* Look for one whole packet at the front of 'data'. PACKET_BAD: wrong magic (noticed at
 * the first wrong byte), length 0, or longer than 'max_bytes'. */
enum packet_status packet_peek(const char *data, size_t len, size_t max_bytes,
                               struct packet *ret) MUST_CHECK;

/* Append the header of a frame around 'len' bytes that follow. */
void packet_put_head(struct buf *out, enum packet_type type, size_t len);

/* Append a frame around 'data'. */
void packet_put(struct buf *out, enum packet_type type, const void *data, size_t len);

#endif
