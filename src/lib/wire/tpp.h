/* tpp.h - packets between a leaf and a router, and between routers, as structs (tpp.md
 * 2).
 *
 * One packet is a 4-byte total length, a type byte, a fixed header of the type's size
 * and what follows it. Decoding refuses whatever does not fit its own lengths; nothing
 * is copied but addresses and members, so payloads point into the bytes given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_TPP_H
#define LIB_WIRE_TPP_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

#define TPP_ADDR_BYTES          20
#define TPP_MIN_BYTES           5 /* length and type: what tpp_peek() needs */
#define TPP_MAX_ADDRS           128
#define TPP_METHOD_BYTES        101 /* with the terminating NUL */
#define TPP_NO_SD               UINT32_MAX
#define TPP_COMPRESS_OVER_BYTES 8192 /* longer payloads may travel compressed */

enum tpp_type {
    TPP_JOIN = 1,
    TPP_LEAVE = 2,
    TPP_DATA = 3,
    TPP_CTL_MSG = 4,
    TPP_CLOSE_STRM = 5,
    TPP_MCAST_DATA = 6,
    TPP_AUTH_CTX = 7,
    TPP_ENCRYPTED_DATA = 8, /* refused by tpp_decode() */
};

enum tpp_node_type {
    TPP_LEAF = 1,
    TPP_LEAF_NOTIFIED = 2, /* a leaf that wants UPDATE: the server */
    TPP_ROUTER = 3,
};

enum tpp_ctl {
    TPP_CTL_NOROUTE = 1,
    TPP_CTL_UPDATE = 2,
    TPP_CTL_AUTHERR = 3,
};

enum tpp_family {
    TPP_IPV4 = 0,
    TPP_IPV6 = 1,
    TPP_UNSPEC = 2
};

/* No padding and no unused bytes that may differ: compare with tpp_addr_same(). */
struct tpp_addr {
    uint8_t ip[16]; /* IPv4 in the first four, network order, the rest 0 */
    uint16_t port;  /* host order */
    uint8_t family; /* enum tpp_family */
};

struct tpp_member { /* of a MCAST_DATA packet */
    uint32_t src_sd;
    uint32_t src_magic;
    uint32_t dest_sd;
    struct tpp_addr dest_addr;
};

/* A packet of any type; the fields that the type does not have are zero. */
struct tpp_packet {
    enum tpp_type type;
    uint8_t hop;       /* JOIN, LEAVE, MCAST_DATA */
    uint8_t node_type; /* JOIN: enum tpp_node_type, unknown values are kept */
    uint8_t index;     /* JOIN */
    uint8_t ecode;     /* LEAVE */
    uint8_t code;      /* CTL_MSG: enum tpp_ctl */
    uint8_t error_num; /* CTL_MSG */
    size_t n_addrs;    /* JOIN, LEAVE */
    struct tpp_addr *addrs;
    uint32_t src_magic;        /* DATA, CLOSE_STRM */
    uint32_t src_sd;           /* DATA, CLOSE_STRM, CTL_MSG */
    uint32_t dest_sd;          /* DATA, CLOSE_STRM */
    uint32_t totlen;           /* DATA, MCAST_DATA: payload bytes when not compressed */
    struct tpp_addr src_addr;  /* DATA, CLOSE_STRM, CTL_MSG, MCAST_DATA */
    struct tpp_addr dest_addr; /* DATA, CLOSE_STRM, CTL_MSG */
    /* MCAST_DATA: the member list. A compressed one is handed over as 'info' with
     * n_members still the number promised and 'members' NULL: inflate it to
     * 32 * n_members bytes and call tpp_decode_members(). */
    size_t n_members;
    struct tpp_member *members;
    const char *info;
    size_t info_len;
    const char *text;                   /* CTL_MSG; never NULL, "" when none travels */
    uint32_t for_encrypt;               /* AUTH_CTX */
    char auth_method[TPP_METHOD_BYTES]; /* AUTH_CTX */
    char encrypt_method[TPP_METHOD_BYTES]; /* AUTH_CTX, "" none */
    const char
        *payload; /* DATA, MCAST_DATA: as it travels; AUTH_CTX: handshake bytes */
    size_t payload_len;
};

enum tpp_status {
    TPP_READY,
    TPP_PARTIAL,
    TPP_BAD
};

/* Is one whole packet at the front of 'data'? *ret_total is its length then. TPP_BAD: a
 * type outside 1..8, a length below the type's fixed header or above 'max_bytes'. The
 * length is judged as soon as it and the type are present. */
enum tpp_status tpp_peek(const char *data, size_t len, size_t max_bytes,
                         size_t *ret_total) MUST_CHECK;

/* One whole packet (as tpp_peek() delimited it) into a struct. False: its inner lengths
 * do not fit; *ret is left alone then. Addresses, members and text are taken from
 * 'arena', payload and info point into 'data'. */
bool tpp_decode(const char *data, size_t len, struct arena *arena,
                struct tpp_packet *ret) MUST_CHECK;

/* Append the packet. A MCAST_DATA with info_len > 0 carries 'info' as a compressed
 * list, else the members are written. 'totlen' 0 of DATA and MCAST_DATA means the
 * payload is plain: its own length is written. */
void tpp_encode(struct buf *out, const struct tpp_packet *pkt);

/* The plain member list: 'n' entries of 32 bytes. */
#define TPP_MEMBER_BYTES 32
bool tpp_decode_members(const char *data, size_t len, size_t n, struct arena *arena,
                        struct tpp_member **ret) MUST_CHECK;
void tpp_encode_members(struct buf *out, const struct tpp_member *members, size_t n);

/* ip in host order. */
struct tpp_addr tpp_addr_ipv4(uint32_t ip, uint16_t port);
uint32_t tpp_addr_ip(const struct tpp_addr *a);
bool tpp_addr_same(const struct tpp_addr *a, const struct tpp_addr *b);

/* "10.77.5.2:12003" */
#define TPP_ADDR_TEXT_BYTES 64
const char *tpp_addr_text(const struct tpp_addr *a, char text[TPP_ADDR_TEXT_BYTES]);

#endif
