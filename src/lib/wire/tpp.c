/* tpp.c - see tpp.h.
 *
 * Each type is read and written by one function over the same offsets (tpp.md 2.5 to
 * 2.10). The length of the packet was judged by tpp_peek(); here the lengths inside it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/tpp.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* Bytes before the variable part. */
/* tpp_peek() refuses whatever is shorter, so readers take these bytes for granted. */
static const size_t fixed_bytes[] = {
    [TPP_JOIN] = 12,      [TPP_LEAVE] = 8,          [TPP_DATA] = 64,
    [TPP_CTL_MSG] = 52,   [TPP_CLOSE_STRM] = 64,    [TPP_MCAST_DATA] = 44,
    [TPP_AUTH_CTX] = 216, [TPP_ENCRYPTED_DATA] = 8,
};

/* The length counts itself and travels in 31 bits. */
#define MOST_BYTES 0x7fffffff

static uint32_t get_u32(const char *p)
{
    /* A plain char may be signed, and its sign would fill the higher bytes. */
    const unsigned char *b = (const unsigned char *)p;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void put_u32(char *p, uint32_t v)
{
    p[0] = (char)(v >> 24);
    p[1] = (char)(v >> 16);
    p[2] = (char)(v >> 8);
    p[3] = (char)v;
}

/* An address takes 20 bytes: 16 for the IP address, the port, the family and one
 * unused. */
static struct tpp_addr get_addr(const char *p)
{
    struct tpp_addr a = { .port = (uint16_t)((uint8_t)p[16] << 8 | (uint8_t)p[17]),
                          .family = (uint8_t)p[18] };

    memcpy(a.ip, p, sizeof(a.ip));
    return a;
}

static void put_addr(char *p, const struct tpp_addr *a)
{
    memcpy(p, a->ip, sizeof(a->ip));
    p[16] = (char)(a->port >> 8);
    p[17] = (char)a->port;
    p[18] = (char)a->family;
    /* Routers compare all 20 bytes (tpp.md 2.4): the unused one must be 0. */
    p[19] = 0;
}

/* The type is checked as soon as it is there: bytes of another protocol must not be
 * taken for a length and waited for. */
enum tpp_status tpp_peek(const char *data, size_t len, size_t max_bytes,
                         size_t *ret_total)
{
    uint32_t total;
    uint8_t type;

    if (len < TPP_MIN_BYTES)
        return TPP_PARTIAL;
    total = get_u32(data);
    type = (uint8_t)data[4];
    /* A connection with such a type is closed (tpp.md 4), and so is one whose length is
     * shorter than the header or above the limit of the caller. */
    if (type < TPP_JOIN || type > TPP_ENCRYPTED_DATA)
        return TPP_BAD;
    if (total < fixed_bytes[type] || total > MOST_BYTES || total > max_bytes)
        return TPP_BAD;
    if (len < total)
        return TPP_PARTIAL;
    *ret_total = total;
    return TPP_READY;
}

/* A JOIN may be longer than its addresses, never shorter. */
static bool get_addrs(const char *at, size_t left, size_t n, struct arena *arena,
                      struct tpp_packet *ret)
{
    if (n > TPP_MAX_ADDRS || left < n * TPP_ADDR_BYTES)
        return false;
    /* The number is bounded, so one packet takes little memory, whatever its length. */
    ret->n_addrs = n;
    ret->addrs = ARENA_ARRAY(arena, struct tpp_addr, n);
    for (size_t i = 0; i < n; i++)
        ret->addrs[i] = get_addr(at + i * TPP_ADDR_BYTES);
    return true;
}

static bool get_join(const char *data, size_t len, struct arena *arena,
                     struct tpp_packet *ret)
{
    ret->hop = (uint8_t)data[5];
    ret->node_type = (uint8_t)data[6];
    ret->index = (uint8_t)data[7];
    return get_addrs(data + 12, len - 12, (uint8_t)data[8], arena, ret);
}

static bool get_leave(const char *data, size_t len, struct arena *arena,
                      struct tpp_packet *ret)
{
    ret->hop = (uint8_t)data[5];
    ret->ecode = (uint8_t)data[6];
    return get_addrs(data + 8, len - 8, (uint8_t)data[7], arena, ret);
}

static bool get_data(const char *data, size_t len, struct tpp_packet *ret)
{
    ret->src_magic = get_u32(data + 8);
    ret->src_sd = get_u32(data + 12);
    ret->dest_sd = get_u32(data + 16);
    /* CLOSE_STRM has the field, and nothing that means anything in it (tpp.md 2.7). */
    if (ret->type == TPP_DATA)
        ret->totlen = get_u32(data + 20);
    ret->src_addr = get_addr(data + 24);
    ret->dest_addr = get_addr(data + 44);
    ret->payload = data + 64;
    ret->payload_len = len - 64;
    /* A CLOSE_STRM is its header alone. */
    return ret->type == TPP_DATA || ret->payload_len == 0;
}

static bool get_ctl(const char *data, size_t len, struct arena *arena,
                    struct tpp_packet *ret)
{
    ret->code = (uint8_t)data[5];
    ret->error_num = (uint8_t)data[6];
    ret->src_sd = get_u32(data + 8);
    ret->src_addr = get_addr(data + 12);
    ret->dest_addr = get_addr(data + 32);
    /* The text may be absent, or without its NUL at the end; the copy always has one.
     */
    ret->text = arena_strndup(arena, data + 52, len - 52);
    return true;
}

bool tpp_decode_members(const char *data, size_t len, size_t n, struct arena *arena,
                        struct tpp_member **ret)
{
    struct tpp_member *v;

    /* The number was promised by the packet, and the list may have been inflated since:
     * only the bytes that are here decide. */
    if (len % TPP_MEMBER_BYTES != 0 || len / TPP_MEMBER_BYTES != n)
        return false;
    v = ARENA_ARRAY(arena, struct tpp_member, n);
    for (size_t i = 0; i < n; i++, data += TPP_MEMBER_BYTES) {
        v[i].src_sd = get_u32(data);
        v[i].src_magic = get_u32(data + 4);
        v[i].dest_sd = get_u32(data + 8);
        v[i].dest_addr = get_addr(data + 12);
    }
    *ret = v;
    return true;
}

static bool get_mcast(const char *data, size_t len, struct arena *arena,
                      struct tpp_packet *ret)
{
    size_t plain = get_u32(data + 12), compressed = get_u32(data + 16);
    size_t carried = compressed ? compressed : plain;

    ret->hop = (uint8_t)data[5];
    ret->n_members = get_u32(data + 8);
    ret->totlen = get_u32(data + 20);
    ret->src_addr = get_addr(data + 24);
    /* The two lengths and the number of members say the same thing; they must agree. */
    /* The product has 64 bits: 32 times a number of 32 bits does not overflow. */
    if (plain != ret->n_members * (size_t)TPP_MEMBER_BYTES || carried > len - 44)
        return false;
    ret->payload = data + 44 + carried;
    ret->payload_len = len - 44 - carried;
    if (!compressed)
        return tpp_decode_members(data + 44, plain, ret->n_members, arena,
                                  &ret->members);
    /* Inflating needs a limit of the caller, so the list is handed over as it came. */
    ret->info = data + 44;
    ret->info_len = compressed;
    return true;
}

/* The names of the methods are texts in fields of fixed size and must end within
 * them. */
static bool get_auth(const char *data, size_t len, struct tpp_packet *ret)
{
    const char *method = data + 12, *encrypt = method + TPP_METHOD_BYTES;

    if (!memchr(method, '\0', TPP_METHOD_BYTES) ||
        !memchr(encrypt, '\0', TPP_METHOD_BYTES))
        return false;
    memcpy(&ret->for_encrypt, data + 8, 4); /* host order on the wire */
    memcpy(ret->auth_method, method, TPP_METHOD_BYTES);
    memcpy(ret->encrypt_method, encrypt, TPP_METHOD_BYTES);
    ret->payload = data + 216;
    ret->payload_len = len - 216;
    return true;
}

static bool get_by_type(const char *data, size_t len, struct arena *arena,
                        struct tpp_packet *ret)
{
    switch (ret->type) {
    case TPP_JOIN:
        return get_join(data, len, arena, ret);
    case TPP_LEAVE:
        return get_leave(data, len, arena, ret);
    case TPP_DATA:
    case TPP_CLOSE_STRM:
        return get_data(data, len, ret);
    case TPP_CTL_MSG:
        return get_ctl(data, len, arena, ret);
    case TPP_MCAST_DATA:
        return get_mcast(data, len, arena, ret);
    case TPP_AUTH_CTX:
        return get_auth(data, len, ret);
    /* There is no key here for such a packet: the connection is closed (tpp.md 2.11).
     */
    case TPP_ENCRYPTED_DATA:
        break;
    }
    return false;
}

bool tpp_decode(const char *data, size_t len, struct arena *arena,
                struct tpp_packet *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct tpp_packet got = { .text = "" };
    size_t total;

    /* The length is judged again, since a caller may have cut the bytes elsewhere: no
     * reader below goes beyond 'len'. */
    if (tpp_peek(data, len, len, &total) != TPP_READY || total != len)
        return false;
    got.type = (enum tpp_type)(uint8_t)data[4];
    if (!get_by_type(data, len, arena, &got)) {
        arena_rewind(arena, &mark);
        return false;
    }
    *ret = got;
    return true;
}

static void put_addrs(struct buf *out, const struct tpp_packet *pkt)
{
    char bytes[TPP_ADDR_BYTES];

    MUST(pkt->n_addrs <= TPP_MAX_ADDRS);
    for (size_t i = 0; i < pkt->n_addrs; i++) {
        put_addr(bytes, &pkt->addrs[i]);
        buf_add(out, bytes, sizeof(bytes));
    }
}

void tpp_encode_members(struct buf *out, const struct tpp_member *members, size_t n)
{
    char bytes[TPP_MEMBER_BYTES];

    for (size_t i = 0; i < n; i++) {
        put_u32(bytes, members[i].src_sd);
        put_u32(bytes + 4, members[i].src_magic);
        put_u32(bytes + 8, members[i].dest_sd);
        put_addr(bytes + 12, &members[i].dest_addr);
        buf_add(out, bytes, sizeof(bytes));
    }
}

/* The length before compression. We send nothing compressed, so it is the payload's
 * unless the caller passes on what somebody else has compressed. */
static uint32_t plain_len(const struct tpp_packet *pkt)
{
    return pkt->totlen ? pkt->totlen : (uint32_t)pkt->payload_len;
}

static void head_join(char *h, const struct tpp_packet *pkt)
{
    h[5] = (char)pkt->hop;
    h[6] = (char)pkt->node_type;
    h[7] = (char)pkt->index;
    h[8] = (char)pkt->n_addrs;
}

static void head_leave(char *h, const struct tpp_packet *pkt)
{
    h[5] = (char)pkt->hop;
    h[6] = (char)pkt->ecode;
    /* put_addrs() makes sure that the number fits the byte. */
    h[7] = (char)pkt->n_addrs;
}

static void head_data(char *h, const struct tpp_packet *pkt)
{
    put_u32(h + 8, pkt->src_magic);
    put_u32(h + 12, pkt->src_sd);
    put_u32(h + 16, pkt->dest_sd);
    /* A receiver takes a payload of another length for a compressed one (tpp.md 2.7),
     * so the number must be exact. */
    put_u32(h + 20, pkt->type == TPP_DATA ? plain_len(pkt) : 0);
    put_addr(h + 24, &pkt->src_addr);
    put_addr(h + 44, &pkt->dest_addr);
}

static void head_ctl(char *h, const struct tpp_packet *pkt)
{
    MUST(pkt->payload_len == 0); /* the text is all that a control message carries */
    h[5] = (char)pkt->code;
    h[6] = (char)pkt->error_num;
    put_u32(h + 8, pkt->src_sd);
    put_addr(h + 12, &pkt->src_addr);
    put_addr(h + 32, &pkt->dest_addr);
}

static void head_mcast(char *h, const struct tpp_packet *pkt)
{
    h[5] = (char)pkt->hop;
    put_u32(h + 8, (uint32_t)pkt->n_members);
    put_u32(h + 12, (uint32_t)(pkt->n_members * TPP_MEMBER_BYTES));
    put_u32(h + 16, (uint32_t)pkt->info_len);
    put_u32(h + 20, plain_len(pkt));
    put_addr(h + 24, &pkt->src_addr);
}

static void head_auth(char *h, const struct tpp_packet *pkt)
{
    /* This one number travels in the byte order of the host (tpp.md 2.10). At least the
     * last byte of each name stays 0. */
    memcpy(h + 8, &pkt->for_encrypt, 4);
    memcpy(h + 12, pkt->auth_method, strnlen(pkt->auth_method, TPP_METHOD_BYTES - 1));
    memcpy(h + 12 + TPP_METHOD_BYTES, pkt->encrypt_method,
           strnlen(pkt->encrypt_method, TPP_METHOD_BYTES - 1));
}

static void put_head(struct buf *out, const struct tpp_packet *pkt)
{
    /* As large as the largest header. What no field fills travels as 0. */
    char h[216] = { 0 };

    h[4] = (char)pkt->type;
    switch (pkt->type) {
    case TPP_JOIN:
        head_join(h, pkt);
        break;
    case TPP_LEAVE:
        head_leave(h, pkt);
        break;
    case TPP_DATA:
    case TPP_CLOSE_STRM:
        head_data(h, pkt);
        break;
    case TPP_CTL_MSG:
        head_ctl(h, pkt);
        break;
    case TPP_MCAST_DATA:
        head_mcast(h, pkt);
        break;
    case TPP_AUTH_CTX:
        head_auth(h, pkt);
        break;
    /* tpp_decode() gives no such packet, so there is none to pass on. */
    case TPP_ENCRYPTED_DATA:
        MUST(!"not written");
    }
    buf_add(out, h, fixed_bytes[pkt->type]);
}

static void put_tail(struct buf *out, const struct tpp_packet *pkt)
{
    switch (pkt->type) {
    case TPP_JOIN:
    case TPP_LEAVE:
        put_addrs(out, pkt);
        break;
    case TPP_CTL_MSG:
        /* A control message without words has no NUL either: an UPDATE is exactly 52
         * bytes (tpp.md 2.9). */
        if (pkt->text && *pkt->text)
            buf_add(out, pkt->text, strlen(pkt->text) + 1);
        break;
    case TPP_MCAST_DATA:
        if (pkt->info_len > 0)
            buf_add(out, pkt->info, pkt->info_len);
        else
            tpp_encode_members(out, pkt->members, pkt->n_members);
        buf_add(out, pkt->payload, pkt->payload_len);
        break;
    case TPP_DATA:
    case TPP_AUTH_CTX:
        buf_add(out, pkt->payload, pkt->payload_len);
        break;
    case TPP_CLOSE_STRM:
    case TPP_ENCRYPTED_DATA:
        break;
    }
}

void tpp_encode(struct buf *out, const struct tpp_packet *pkt)
{
    size_t start = out->len;

    put_head(out, pkt);
    put_tail(out, pkt);
    MUST(out->len - start >= fixed_bytes[pkt->type]);
    MUST(out->len - start <= MOST_BYTES);
    /* The length is known at the end only. Its place is found by an offset, since the
     * bytes of 'out' may have moved. */
    put_u32(out->data + start, (uint32_t)(out->len - start));
}

struct tpp_addr tpp_addr_ipv4(uint32_t ip, uint16_t port)
{
    struct tpp_addr a = { .port = port, .family = TPP_IPV4 };
    uint32_t net = htonl(ip);

    memcpy(a.ip, &net, sizeof(net));
    return a;
}

uint32_t tpp_addr_ip(const struct tpp_addr *a)
{
    uint32_t net;

    memcpy(&net, a->ip, sizeof(net));
    return ntohl(net);
}

bool tpp_addr_same(const struct tpp_addr *a, const struct tpp_addr *b)
{
    /* Port and family are compared as numbers, so that a bit of padding after them
     * could never make two equal addresses differ. */
    return memcmp(a->ip, b->ip, sizeof(a->ip)) == 0 && a->port == b->port &&
           a->family == b->family;
}

const char *tpp_addr_text(const struct tpp_addr *a, char text[TPP_ADDR_TEXT_BYTES])
{
    /* Only IPv4 travels (tpp.md 2.2). Of another family the first four bytes are shown.
     */
    snprintf(text, TPP_ADDR_TEXT_BYTES, "%u.%u.%u.%u:%u", a->ip[0], a->ip[1], a->ip[2],
             a->ip[3], a->port);
    return text;
}
