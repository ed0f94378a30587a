/* Unit tests of the stream table: two tables face to face, without a network.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/inflate.h"
#include "lib/tpp/streams.h"
#include "lib/wire/packet.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct side {
    struct streams *s;
    struct tpp_addr addr;
    struct buf wire; /* packets on their way out, in order */
    struct buf got;  /* messages, a ';' after each */
    uint64_t last_stream;
    size_t n_closed;
    uint64_t closed;
};

static void on_send(void *arg, const struct tpp_packet *pkt)
{
    tpp_encode(&((struct side *)arg)->wire, pkt);
}

static void on_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                       const char *data, size_t len)
{
    struct side *me = arg;

    (void)peer;
    buf_add(&me->got, data, len);
    buf_add_char(&me->got, ';');
    me->last_stream = stream;
}

static void on_closed(void *arg, uint64_t stream)
{
    struct side *me = arg;

    me->n_closed++;
    me->closed = stream;
}

static void side_init(struct side *me, uint16_t port)
{
    const struct streams_events ev = {
        .send = on_send, .message = on_message, .closed = on_closed, .arg = me
    };

    memset(me, 0, sizeof(*me));
    me->addr = tpp_addr_ipv4(0x0a000001, port);
    me->s = streams_new(&me->addr, &ev);
}

static void side_fini(struct side *me)
{
    streams_free(me->s);
    buf_fini(&me->wire);
    buf_fini(&me->got);
}

static bool give(struct side *to, int64_t now_at, const char *data, size_t len)
{
    struct arena *a = arena_new();
    struct tpp_packet pkt;
    bool ok = tpp_decode(data, len, a, &pkt) && streams_packet(to->s, now_at, &pkt, a);

    arena_free(a);
    return ok;
}

/* Carry everything one side sent to the other. */
static bool carry(struct side *from, struct side *to, int64_t now_at)
{
    bool ok = true;
    size_t len;

    while (tpp_peek(from->wire.data, from->wire.len, 1 << 20, &len) == TPP_READY) {
        char *copy = xmalloc(len);

        memcpy(copy, from->wire.data, len);
        buf_eat(&from->wire, len);
        ok = give(to, now_at, copy, len) && ok;
        free(copy);
    }
    return ok;
}

static struct tpp_packet last_sent(struct side *me, struct arena *a)
{
    struct tpp_packet pkt = { 0 };
    size_t len;

    while (me->wire.len &&
           tpp_peek(me->wire.data, me->wire.len, 1 << 20, &len) == TPP_READY) {
        char *copy = arena_copy(a, me->wire.data, len);

        buf_eat(&me->wire, len);
        CU_ASSERT(tpp_decode(copy, len, a, &pkt));
    }
    return pkt;
}

static void test_both_ways_on_one_stream(void)
{
    struct side a, b;
    uint64_t s;

    side_init(&a, 1);
    side_init(&b, 2);
    s = streams_open(a.s, 100, &b.addr);
    CU_ASSERT(streams_send(a.s, s, "one", 3));
    CU_ASSERT(streams_send(a.s, s, "two", 3)); /* before the peer's number is known */
    CU_ASSERT(carry(&a, &b, 100));
    CU_ASSERT_STRING_EQUAL(b.got.data, "one;two;");
    CU_ASSERT_EQUAL(streams_n_open(b.s), 1);
    CU_ASSERT(streams_send(b.s, b.last_stream, "back", 4));
    CU_ASSERT(carry(&b, &a, 100));
    CU_ASSERT_STRING_EQUAL(a.got.data, "back;");
    CU_ASSERT_EQUAL(a.last_stream, s);

    streams_close(a.s, 101, s);
    CU_ASSERT_FALSE(streams_send(a.s, s, "late", 4));
    CU_ASSERT(carry(&a, &b, 101));
    CU_ASSERT_EQUAL(b.n_closed, 1);
    CU_ASSERT_EQUAL(b.closed, b.last_stream);
    CU_ASSERT_EQUAL(a.n_closed, 0);
    side_fini(&a);
    side_fini(&b);
}

static void test_dead_slot_is_answered_and_rests(void)
{
    struct arena *arena = arena_new();
    struct side a, b;
    struct tpp_packet pkt;
    uint64_t s, late, again;

    side_init(&a, 1);
    side_init(&b, 2);
    s = streams_open(a.s, 100, &b.addr);
    CU_ASSERT(streams_send(a.s, s, "x", 1));
    CU_ASSERT(carry(&a, &b, 100));
    late = b.last_stream;
    streams_close(a.s, 100, s);
    buf_clear(&a.wire); /* its CLOSE_STRM is lost */
    CU_ASSERT(streams_send(b.s, late, "late", 4));
    CU_ASSERT(carry(&b, &a, 101));
    pkt = last_sent(&a, arena);
    CU_ASSERT_EQUAL(pkt.code, TPP_CTL_NOROUTE);
    CU_ASSERT_STRING_EQUAL(pkt.text, "Data to sd=0 which is deleted");

    again = streams_open(a.s, 100 + STREAM_REST_S - 1, &b.addr);
    CU_ASSERT_EQUAL(streams_sd(a.s, again), 1);
    again = streams_open(a.s, 100 + STREAM_REST_S, &b.addr);
    CU_ASSERT_EQUAL(streams_sd(a.s, again), 0);
    CU_ASSERT_NOT_EQUAL(again, s);
    CU_ASSERT_EQUAL(streams_sd(a.s, s), -1);
    side_fini(&a);
    side_fini(&b);
    arena_free(arena);
}

static void test_noroute_and_leave_end_streams(void)
{
    struct side a;
    struct tpp_addr b = tpp_addr_ipv4(0x0a000001, 2), c = tpp_addr_ipv4(0x0a000001, 3);
    struct tpp_packet noroute, leave;
    struct arena *arena = arena_new();
    uint64_t to_b, to_c;

    side_init(&a, 1);
    to_b = streams_open(a.s, 100, &b);
    to_c = streams_open(a.s, 100, &c);
    noroute = (struct tpp_packet){ .type = TPP_CTL_MSG,
                                   .code = TPP_CTL_NOROUTE,
                                   .src_sd = 1,
                                   .src_addr = b, /* not the peer of stream 1 */
                                   .dest_addr = a.addr,
                                   .text = "" };
    CU_ASSERT(streams_packet(a.s, 100, &noroute, arena));
    CU_ASSERT_EQUAL(a.n_closed, 0);
    noroute.src_addr = c;
    CU_ASSERT(streams_packet(a.s, 100, &noroute, arena));
    CU_ASSERT_EQUAL(a.closed, to_c);
    leave = (struct tpp_packet){ .type = TPP_LEAVE, .n_addrs = 1, .addrs = &b };
    CU_ASSERT(streams_packet(a.s, 100, &leave, arena));
    CU_ASSERT_EQUAL(a.closed, to_b);
    CU_ASSERT_EQUAL(streams_n_open(a.s), 0);
    side_fini(&a);
    arena_free(arena);
}

static struct tpp_packet from_peer(const struct side *me, const char *bytes, size_t len)
{
    return (struct tpp_packet){ .type = TPP_DATA,
                                .src_magic = 1,
                                .src_sd = 9,
                                .dest_sd = TPP_NO_SD,
                                .totlen = (uint32_t)len,
                                .src_addr = tpp_addr_ipv4(0x0a000001, 2),
                                .dest_addr = me->addr,
                                .payload = bytes,
                                .payload_len = len };
}

static void test_bad_frame_ends_its_stream(void)
{
    static const char *const bad[] = { "PKTV1", "QKTV1\0\0\0\0\0\1x",
                                       "PKTV1\0\0\0\0\0\0", "PKTV1\0\0\0\0\0\2x" };
    static const size_t len[] = { 5, 12, 11, 12 };

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct arena *arena = arena_new();
        struct side a;
        struct tpp_packet pkt;

        side_init(&a, 1);
        pkt = from_peer(&a, bad[i], len[i]);
        CU_ASSERT(streams_packet(a.s, 100, &pkt, arena));
        CU_ASSERT_EQUAL(a.n_closed, 1);
        CU_ASSERT_EQUAL(last_sent(&a, arena).type, TPP_CLOSE_STRM);
        side_fini(&a);
        arena_free(arena);
    }
}

static void test_impostor_is_refused(void)
{
    struct arena *arena = arena_new();
    struct side a, b;
    struct tpp_packet pkt;
    uint64_t s;

    side_init(&a, 1);
    side_init(&b, 2);
    s = streams_open(a.s, 100, &b.addr);
    CU_ASSERT(streams_send(a.s, s, "x", 1));
    buf_clear(&a.wire);
    pkt = from_peer(&a, "PKTV1\0\0\0\0\0\1x", 12);
    pkt.dest_sd = 0;
    pkt.src_addr = tpp_addr_ipv4(0x0a000001, 66);
    CU_ASSERT(streams_packet(a.s, 100, &pkt, arena));
    CU_ASSERT_EQUAL(a.got.len, 0);
    CU_ASSERT_STRING_EQUAL(last_sent(&a, arena).text,
                           "Data to sd=0 mismatch dest info in stream");
    pkt.dest_sd = 5000; /* no such slot */
    CU_ASSERT(streams_packet(a.s, 100, &pkt, arena));
    CU_ASSERT_STRING_EQUAL(last_sent(&a, arena).text, "");
    side_fini(&a);
    side_fini(&b);
    arena_free(arena);
}

static void test_what_no_router_may_send(void)
{
    struct arena *arena = arena_new();
    struct side a;
    struct tpp_packet join = { .type = TPP_JOIN }, mcast = { .type = TPP_MCAST_DATA };
    struct tpp_packet ack, packed;

    side_init(&a, 1);
    ack = from_peer(&a, "", 0);
    packed = from_peer(&a, "no zlib stream", 14);
    packed.totlen = 500;
    CU_ASSERT_FALSE(streams_packet(a.s, 100, &join, arena));
    CU_ASSERT_FALSE(streams_packet(a.s, 100, &mcast, arena));
    CU_ASSERT_FALSE(streams_packet(a.s, 100, &ack, arena));
    CU_ASSERT_FALSE(streams_packet(a.s, 100, &packed, arena));
    ack.dest_sd = 0;
    CU_ASSERT(streams_packet(a.s, 100, &ack, arena));
    side_fini(&a);
    arena_free(arena);
}

static void test_compressed_payload_is_read(void)
{
    struct arena *arena = arena_new();
    struct buf frame = { 0 };
    char text[20000];
    uLongf len = sizeof(text);
    char *zipped = xmalloc(sizeof(text));
    struct tpp_packet pkt;
    struct side a;

    memset(text, 'a', sizeof(text));
    packet_put(&frame, PACKET_DATA, text, sizeof(text));
    CU_ASSERT_EQUAL(
        compress((Bytef *)zipped, &len, (const Bytef *)frame.data, frame.len), Z_OK);
    side_init(&a, 1);
    pkt = from_peer(&a, zipped, len);
    pkt.totlen = (uint32_t)frame.len;
    CU_ASSERT(streams_packet(a.s, 100, &pkt, arena));
    CU_ASSERT_EQUAL(a.got.len, sizeof(text) + 1);
    side_fini(&a);
    free(zipped);
    buf_fini(&frame);
    arena_free(arena);
}

/* Zeros pack best of all: what they promise is believed; more is not, and nothing is
 * taken for it. */
static void test_what_a_payload_promises_is_judged(void)
{
    const size_t plain_len = 8u << 20;
    struct arena *arena = arena_new();
    char *plain = xcalloc(1, plain_len), *zipped = xmalloc(plain_len);
    uLongf len = plain_len;
    struct tpp_packet pkt = { .type = TPP_DATA, .payload = zipped };
    struct tpp_packet mcast = { .type = TPP_MCAST_DATA, .info = zipped };
    const char *got;
    size_t got_len = 0;

    CU_ASSERT_EQUAL(compress2((Bytef *)zipped, &len, (Bytef *)plain, plain_len, 9),
                    Z_OK);
    pkt.payload_len = mcast.info_len = len;
    pkt.totlen = TPP_MAX_PAYLOAD_BYTES;
    CU_ASSERT_FALSE(tpp_plain_payload(&pkt, arena, &got, &got_len));
    mcast.info_len = 10;
    mcast.n_members = TPP_MAX_MEMBERS;
    CU_ASSERT_FALSE(tpp_plain_members(&mcast, arena));
    CU_ASSERT_EQUAL(arena_used_bytes(arena), 0);
    pkt.totlen = (uint32_t)plain_len;
    CU_ASSERT_TRUE(tpp_plain_payload(&pkt, arena, &got, &got_len));
    CU_ASSERT_EQUAL(got_len, plain_len);
    free(plain);
    free(zipped);
    arena_free(arena);
}

static const struct unit_case cases[] = {
    { "messages go both ways on one stream", test_both_ways_on_one_stream },
    { "a dead slot answers and rests", test_dead_slot_is_answered_and_rests },
    { "NOROUTE and LEAVE end their streams", test_noroute_and_leave_end_streams },
    { "a bad frame ends its stream only", test_bad_frame_ends_its_stream },
    { "an impostor is refused", test_impostor_is_refused },
    { "packets of no router are refused", test_what_no_router_may_send },
    { "a compressed payload is read", test_compressed_payload_is_read },
    { "what a payload promises is judged", test_what_a_payload_promises_is_judged },
};

int main(void)
{
    return unit_main("tpp/streams", cases, ARRAY_LEN(cases));
}
