/* Unit tests of lib/io/conn.c: frames in pieces, faults, holding, slow peers.
 *
 * Each case talks to connections over socket pairs; time limits are a few milliseconds
 * and only their having passed is asserted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conn.h"
#include "lib/io/net.h"

#include "../counted.h"
#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One end under test, the other one in our hand, and what was told. */
struct end {
    struct loop *loop;
    struct conn *conn;
    int peer;
    struct buf got; /* payloads of frames, each followed by '|' */
    int n_frames, n_bad, n_closed, n_opened;
    enum conn_fault fault;
    enum conn_end closed;
    int hold_after; /* hold when that many frames came */
    bool free_in_frame, echo, answer_bad;
};

static void on_opened(void *arg, struct conn *c)
{
    struct end *e = arg;

    (void)c;
    e->n_opened++;
}

static void on_frame(void *arg, struct conn *c, const struct packet *f)
{
    struct end *e = arg;

    e->n_frames++;
    buf_add(&e->got, f->data, f->len);
    buf_add_char(&e->got, '|');
    if (e->echo)
        conn_send_packet(c, PACKET_DATA, f->data, f->len);
    if (e->hold_after && e->n_frames == e->hold_after)
        conn_hold(c, true);
    if (e->free_in_frame) {
        conn_free(c);
        e->conn = NULL;
    }
}

static void on_bad(void *arg, struct conn *c, enum conn_fault fault)
{
    struct end *e = arg;

    e->n_bad++;
    e->fault = fault;
    if (e->answer_bad)
        conn_send(c, "bad", 3);
    conn_finish(c);
}

static void on_closed(void *arg, struct conn *c, enum conn_end end)
{
    struct end *e = arg;

    (void)c;
    e->n_closed++;
    e->closed = end;
}

static const struct conn_events events = { on_opened, on_frame, on_bad, on_closed };

static void end_open(struct end *e, struct loop *l, struct conn_config cfg)
{
    int sv[2];

    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sv), 0);
    e->loop = l;
    e->peer = sv[1];
    cfg.events = &events;
    cfg.arg = e;
    e->conn = conn_new(l, sv[0], &cfg);
}

static void end_close(struct end *e)
{
    conn_free(e->conn);
    if (e->peer >= 0)
        close(e->peer);
    buf_fini(&e->got);
}

static void put(struct end *e, const void *p, size_t len)
{
    CU_ASSERT_EQUAL(write(e->peer, p, len), (ssize_t)len);
}

static void put_packet(struct buf *b, const char *text)
{
    packet_put(b, PACKET_DATA, text, strlen(text));
}

/* Turn until it is true; something must always be coming. */
#define UNTIL(e, cond)                                                                 \
    do {                                                                               \
        while (!(cond))                                                                \
            loop_turn((e)->loop, true);                                                \
    } while (0)

/* Whatever is ready, and no more. */
static void settle(struct loop *l)
{
    for (int i = 0; i < 5; i++)
        loop_turn(l, false);
}

static void test_frames_cut_at_every_byte(void)
{
    struct buf bytes = { 0 };

    put_packet(&bytes, "hello");
    put_packet(&bytes, "w");
    for (size_t cut = 1; cut < bytes.len; cut++) {
        struct loop *l = loop_new();
        struct end e = { 0 };

        end_open(&e, l, (struct conn_config){ 0 });
        put(&e, bytes.data, cut);
        settle(l);
        CU_ASSERT_EQUAL(e.n_frames, cut >= 16 ? 1 : 0);
        put(&e, bytes.data + cut, bytes.len - cut);
        UNTIL(&e, e.n_frames == 2);
        CU_ASSERT_STRING_EQUAL(e.got.data, "hello|w|");
        CU_ASSERT_EQUAL(e.n_bad + e.n_closed, 0);
        end_close(&e);
        loop_free(l);
    }
    buf_fini(&bytes);
}

static void test_half_a_frame_delays_nobody_else(void)
{
    struct loop *l = loop_new();
    struct end slow = { 0 }, other = { .echo = true };
    struct buf bytes = { 0 };
    char back[64];

    put_packet(&bytes, "question");
    end_open(&slow, l, (struct conn_config){ .partial_ms = 20 });
    end_open(&other, l, (struct conn_config){ .partial_ms = 60000 });
    put(&slow, bytes.data, 7);
    settle(l);
    put(&other, bytes.data, bytes.len);
    UNTIL(&other, other.n_frames == 1);
    CU_ASSERT_EQUAL(slow.n_bad, 0); /* the other one was served before the limit */
    CU_ASSERT_EQUAL(read(other.peer, back, sizeof(back)), (ssize_t)bytes.len);
    UNTIL(&slow, slow.n_closed == 1);
    CU_ASSERT_EQUAL(slow.n_bad, 1);
    CU_ASSERT_EQUAL(slow.fault, CONN_PARTIAL);
    CU_ASSERT_EQUAL(slow.closed, CONN_FINISHED);
    CU_ASSERT_EQUAL(other.n_bad + other.n_closed, 0);
    end_close(&slow);
    end_close(&other);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_wrong_input_is_told_and_answered(void)
{
    static const struct {
        const char *story, *bytes;
        size_t len;
        bool cut;
        enum conn_fault fault;
    } cases[] = {
        { "another protocol", "GET / HTTP/1.0\r\n\r\n", 18, false, CONN_BAD_BYTES },
        { "the first byte", "X", 1, false, CONN_BAD_BYTES },
        { "length zero", "PKTV1\0\0\0\0\0\0", 11, false, CONN_BAD_BYTES },
        { "longer than allowed", "PKTV1\0\0\0\0\1\1", 11, false, CONN_BAD_BYTES },
        { "half a header, then the end", "PKTV1\0\0", 7, true, CONN_CUT },
        { "half a body, then the end", "PKTV1\0\0\0\0\0\2x", 12, true, CONN_CUT },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct loop *l = loop_new();
        struct end e = { .answer_bad = true };
        char back[8] = "";

        end_open(&e, l, (struct conn_config){ .max_frame_bytes = 256 });
        put(&e, cases[i].bytes, cases[i].len);
        if (cases[i].cut)
            shutdown(e.peer, SHUT_WR);
        UNTIL(&e, e.n_closed == 1);
        if (e.n_bad != 1 || e.fault != cases[i].fault)
            fprintf(stderr, "%s: got %d\n", cases[i].story, e.fault);
        CU_ASSERT_EQUAL(e.n_bad, 1);
        CU_ASSERT_EQUAL(e.fault, cases[i].fault);
        CU_ASSERT_EQUAL(e.n_frames, 0);
        CU_ASSERT_EQUAL(read(e.peer, back, sizeof(back)), 3);
        end_close(&e);
        loop_free(l);
    }
}

static void test_frame_before_wrong_bytes_is_served(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };
    struct buf bytes = { 0 };

    put_packet(&bytes, "good");
    buf_add_str(&bytes, "rubbish");
    end_open(&e, l, (struct conn_config){ 0 });
    put(&e, bytes.data, bytes.len);
    UNTIL(&e, e.n_closed == 1);
    CU_ASSERT_STRING_EQUAL(e.got.data, "good|");
    CU_ASSERT_EQUAL(e.fault, CONN_BAD_BYTES);
    end_close(&e);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_end_of_peer_is_told_once(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };

    end_open(&e, l, (struct conn_config){ 0 });
    close(e.peer);
    e.peer = -1;
    UNTIL(&e, e.n_closed == 1);
    settle(l);
    CU_ASSERT_EQUAL(e.n_closed, 1);
    CU_ASSERT_EQUAL(e.closed, CONN_EOF);
    CU_ASSERT_EQUAL(e.n_bad, 0);
    conn_send(e.conn, "x", 1); /* ignored */
    CU_ASSERT_EQUAL(conn_unsent_bytes(e.conn), 0);
    end_close(&e);
    loop_free(l);
}

static void test_held_frames_wait_in_order(void)
{
    struct loop *l = loop_new();
    struct end e = { .hold_after = 1 };
    struct buf bytes = { 0 };

    for (const char *const *t = (const char *const[]){ "1", "2", "3", NULL }; *t; t++)
        put_packet(&bytes, *t);
    end_open(&e, l, (struct conn_config){ .partial_ms = 1 });
    put(&e, bytes.data, bytes.len);
    UNTIL(&e, e.n_frames == 1);
    settle(l);
    CU_ASSERT_EQUAL(e.n_frames, 1);
    e.hold_after = 2;
    conn_hold(e.conn, false);
    UNTIL(&e, e.n_frames == 2);
    conn_hold(e.conn, false);
    UNTIL(&e, e.n_frames == 3);
    CU_ASSERT_STRING_EQUAL(e.got.data, "1|2|3|");
    conn_hold(e.conn, true);
    close(e.peer);
    e.peer = -1;
    UNTIL(&e, e.n_closed == 1); /* a client that leaves while it waits is noticed */
    CU_ASSERT_EQUAL(e.closed, CONN_EOF);
    end_close(&e);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_held_connection_reads_a_bounded_amount(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };
    char *flood = xcalloc(1, 1 << 20);
    ssize_t n;
    size_t taken = 0;

    end_open(&e, l, (struct conn_config){ .max_frame_bytes = 1000 });
    conn_hold(e.conn, true);
    fcntl(e.peer, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 100; i++) {
        n = write(e.peer, flood, 1 << 20);
        taken += n > 0 ? (size_t)n : 0;
        settle(l);
    }
    CU_ASSERT_TRUE(taken < (4u << 20));
    free(flood);
    end_close(&e);
    loop_free(l);
}

/* What is kept for a frame grows with the bytes that came, twice them and one read at
 * most, not with the length at its front. */
static void test_a_promised_length_takes_no_memory(void)
{
    static const char head[] = "PKTV1\0\0\3\xff\xff\xff"; /* 64 MiB */
    struct loop *l = loop_new();
    struct end e = { 0 };
    char *some = xcalloc(1, 32 << 10);

    end_open(&e, l, (struct conn_config){ 0 });
    counted_begin();
    put(&e, head, sizeof(head) - 1);
    settle(l);
    CU_ASSERT_TRUE(counted.sum < 70u << 10);
    for (size_t came = 32 << 10; came <= 2u << 20; came += 32 << 10) {
        counted_begin();
        put(&e, some, 32 << 10);
        settle(l);
        CU_ASSERT_TRUE(counted.largest <= 2 * (came + (65u << 10)));
    }
    CU_ASSERT_EQUAL(e.n_bad + e.n_closed + e.n_frames, 0);
    free(some);
    end_close(&e);
    loop_free(l);
}

/* Bytes that were moved to the front of buffers. */
static size_t n_moved;

void __real_buf_eat(struct buf *b, size_t len);
void __wrap_buf_eat(struct buf *b, size_t len);

void __wrap_buf_eat(struct buf *b, size_t len)
{
    n_moved += b->len - len;
    __real_buf_eat(b, len);
}

/* Each frame handed over alone, as requests are that wait for one another: the others
 * are not moved each time. */
static void test_many_small_frames_move_little(void)
{
    const int n = 5000;
    struct loop *l = loop_new();
    struct end e = { .hold_after = 1 };
    struct buf bytes = { 0 };

    for (int i = 0; i < n; i++)
        put_packet(&bytes, "x");
    end_open(&e, l, (struct conn_config){ 0 });
    n_moved = 0;
    put(&e, bytes.data, bytes.len);
    while (e.n_frames < n && e.n_closed == 0) {
        int before = e.n_frames;

        UNTIL(&e, e.n_frames > before);
        e.hold_after = e.n_frames + 1;
        conn_hold(e.conn, false);
    }
    CU_ASSERT_EQUAL(e.n_frames, n);
    CU_ASSERT_TRUE(n_moved <= 2 * bytes.len);
    end_close(&e);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_message_over_several_frames_has_one_limit(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };
    struct buf bytes = { 0 };

    put_packet(&bytes, "part");
    end_open(&e, l, (struct conn_config){ .partial_ms = 20 });
    put(&e, bytes.data, bytes.len);
    UNTIL(&e, e.n_frames == 1);
    conn_expect_more(e.conn, true);
    UNTIL(&e, e.n_bad == 1);
    CU_ASSERT_EQUAL(e.fault, CONN_PARTIAL);
    end_close(&e);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_freeing_inside_a_callback_is_fine(void)
{
    struct loop *l = loop_new();
    struct end e = { .free_in_frame = true, .echo = true };
    struct buf bytes = { 0 };

    put_packet(&bytes, "1");
    put_packet(&bytes, "2");
    end_open(&e, l, (struct conn_config){ 0 });
    put(&e, bytes.data, bytes.len);
    UNTIL(&e, e.n_frames == 1);
    settle(l);
    CU_ASSERT_EQUAL(e.n_frames, 1);
    CU_ASSERT_EQUAL(e.n_closed, 0);
    end_close(&e);
    buf_fini(&bytes);
    loop_free(l);
}

static void test_slow_reader_is_dropped(void)
{
    struct loop *l = loop_new();
    struct end stalled = { 0 }, greedy = { 0 };
    char *big = xcalloc(1, 4 << 20);

    end_open(&stalled, l, (struct conn_config){ .stall_ms = 20 });
    conn_send(stalled.conn, big, 4 << 20);
    CU_ASSERT_TRUE(conn_unsent_bytes(stalled.conn) > 0);
    UNTIL(&stalled, stalled.n_closed == 1);
    CU_ASSERT_EQUAL(stalled.closed, CONN_STALLED);
    end_close(&stalled);

    end_open(&greedy, l, (struct conn_config){ .max_output_bytes = 1 << 20 });
    conn_send(greedy.conn, big, 4 << 20);
    CU_ASSERT_EQUAL(greedy.n_closed, 0); /* never told from inside conn_send() */
    UNTIL(&greedy, greedy.n_closed == 1);
    CU_ASSERT_EQUAL(greedy.closed, CONN_OVERFLOW);
    end_close(&greedy);
    free(big);
    loop_free(l);
}

static void test_finish_writes_everything_first(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };
    size_t size = 3 << 20, got = 0;
    char *big = xcalloc(1, size), room[65536];

    end_open(&e, l, (struct conn_config){ 0 });
    conn_send(e.conn, big, size);
    conn_finish(e.conn);
    conn_send(e.conn, "late", 4);
    while (got < size) {
        ssize_t n = recv(e.peer, room, sizeof(room), MSG_DONTWAIT);

        got += n > 0 ? (size_t)n : 0;
        loop_turn(l, false);
    }
    UNTIL(&e, e.n_closed == 1);
    CU_ASSERT_EQUAL(e.closed, CONN_FINISHED);
    conn_free(e.conn);
    e.conn = NULL;
    CU_ASSERT_EQUAL(got, size);
    CU_ASSERT_EQUAL(recv(e.peer, room, sizeof(room), 0), 0);
    end_close(&e);
    free(big);
    loop_free(l);
}

static void test_idle_peer_is_dropped(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };

    end_open(&e, l, (struct conn_config){ .idle_ms = 5 });
    UNTIL(&e, e.n_closed == 1);
    CU_ASSERT_EQUAL(e.closed, CONN_IDLE);
    end_close(&e);
    loop_free(l);
}

/* It waits for an answer, for as long as that takes. */
static void test_a_peer_that_is_not_heard_is_not_idle(void)
{
    struct loop *l = loop_new();
    struct end waits = { 0 }, idle = { 0 };

    end_open(&waits, l, (struct conn_config){ .idle_ms = 5 });
    conn_hold(waits.conn, true);
    end_open(&idle, l, (struct conn_config){ .idle_ms = 30 });
    UNTIL(&idle, idle.n_closed == 1);
    CU_ASSERT_EQUAL(waits.n_closed, 0);
    conn_hold(waits.conn, false);
    UNTIL(&waits, waits.n_closed == 1);
    CU_ASSERT_EQUAL(waits.closed, CONN_IDLE);
    end_close(&waits);
    end_close(&idle);
    loop_free(l);
}

static void test_outgoing_connections(void)
{
    struct loop *l = loop_new();
    struct sockaddr_in to = { .sin_family = AF_INET };
    socklen_t len = sizeof(to);
    struct end up = { .peer = -1 }, down = { .peer = -1 };
    struct conn_config cfg = { .events = &events, .connecting = true };
    int fd, server = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CU_ASSERT_EQUAL_FATAL(bind(server, (struct sockaddr *)&to, sizeof(to)), 0);
    getsockname(server, (struct sockaddr *)&to, &len);
    CU_ASSERT_EQUAL_FATAL(listen(server, 1), 0);
    up.loop = down.loop = l;
    CU_ASSERT_EQUAL_FATAL(net_connect(&to, &fd), 0);
    cfg.arg = &up;
    up.conn = conn_new(l, fd, &cfg);
    conn_send(up.conn, "early", 5); /* leaves when the connection is up */
    UNTIL(&up, up.n_opened == 1);
    up.peer = accept(server, NULL, NULL);
    char text[8] = "";
    CU_ASSERT_EQUAL(read(up.peer, text, sizeof(text)), 5);
    close(server);
    CU_ASSERT_EQUAL_FATAL(net_connect(&to, &fd), 0);
    cfg.arg = &down;
    down.conn = conn_new(l, fd, &cfg);
    UNTIL(&down, down.n_closed == 1);
    CU_ASSERT_EQUAL(down.closed, CONN_REFUSED);
    CU_ASSERT_EQUAL(conn_errno(down.conn), ECONNREFUSED);
    CU_ASSERT_EQUAL(down.n_opened, 0);
    end_close(&up);
    end_close(&down);
    loop_free(l);
}

/* A framing of one length byte, in place of PKTV1. */
static enum packet_status parse_byte(const char *data, size_t len, size_t max,
                                     struct packet *ret)
{
    size_t want = (unsigned char)data[0];

    if (want == 0 || want > max)
        return PACKET_BAD;
    if (len < want + 1)
        return PACKET_PARTIAL;
    *ret = (struct packet){ .data = data + 1, .len = want, .total_bytes = want + 1 };
    return PACKET_READY;
}

static void test_another_framing_is_a_callback(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };

    end_open(&e, l, (struct conn_config){ .parse = parse_byte });
    put(&e, "\2ab\1c\3d", 7);
    UNTIL(&e, e.n_frames == 2);
    put(&e, "ef", 2);
    UNTIL(&e, e.n_frames == 3);
    CU_ASSERT_STRING_EQUAL(e.got.data, "ab|c|def|");
    end_close(&e);
    loop_free(l);
}

/* What one read has brought has as many turns as it takes, and others have theirs. */
static void test_a_turn_has_so_many_frames(void)
{
    for (int peer_ends = 0; peer_ends < 2; peer_ends++) {
        struct loop *l = loop_new();
        struct end many = { 0 }, one = { 0 };

        end_open(&many, l,
                 (struct conn_config){ .turn_frames = 3, .parse = parse_byte });
        end_open(&one, l, (struct conn_config){ .parse = parse_byte });
        put(&many, "\1a\1b\1c\1d\1e\1f\1g\2h", 16);
        if (peer_ends) {
            close(many.peer);
            many.peer = -1;
        }
        loop_turn(l, true);
        CU_ASSERT_EQUAL(many.n_frames, 3);
        put(&one, "\1x", 2);
        loop_turn(l, true);
        CU_ASSERT_EQUAL(many.n_frames, 6);
        CU_ASSERT_EQUAL(one.n_frames, 1);
        loop_turn(l, true);
        CU_ASSERT_EQUAL(many.n_frames, 7);
        if (peer_ends) {
            UNTIL(&many, many.n_bad > 0);
            CU_ASSERT_EQUAL(many.fault, CONN_CUT);
            UNTIL(&many, many.n_closed > 0);
        } else {
            put(&many, "i", 1);
            UNTIL(&many, many.n_frames == 8);
        }
        CU_ASSERT_EQUAL(strncmp(many.got.data, "a|b|c|d|e|f|g|", 14), 0);
        end_close(&many);
        end_close(&one);
        loop_free(l);
    }
}

/* Bytes count as well: the frame with which there are enough is the last one. */
static void test_a_turn_has_so_many_bytes(void)
{
    struct loop *l = loop_new();
    struct end e = { 0 };

    end_open(&e, l, (struct conn_config){ .turn_bytes = 5, .parse = parse_byte });
    put(&e, "\3aaa\1b\1c\1d\1e\1f\5ggggg\1h", 22);
    for (int i = 0; i < 4; i++) {
        static const int n_after[] = { 2, 5, 7, 8 };

        loop_turn(l, true);
        CU_ASSERT_EQUAL(e.n_frames, n_after[i]);
    }
    end_close(&e);
    loop_free(l);
}

/* A connection that rests may be held, released, and end. */
static void test_who_rests_may_be_held(void)
{
    struct loop *l = loop_new();
    struct end e = { .hold_after = 4 };

    end_open(
        &e, l,
        (struct conn_config){ .turn_frames = 2, .parse = parse_byte, .partial_ms = 1 });
    put(&e, "\1a\1b\1c\1d\1e\1f", 12);
    loop_turn(l, true);
    CU_ASSERT_EQUAL(e.n_frames, 2);
    conn_hold(e.conn, true);
    settle(l);
    CU_ASSERT_EQUAL(e.n_frames, 2);
    conn_hold(e.conn, false);
    UNTIL(&e, e.n_frames == 4); /* it is held again */
    settle(l);
    CU_ASSERT_EQUAL(e.n_frames, 4);
    conn_hold(e.conn, false);
    UNTIL(&e, e.n_frames == 6);
    settle(l);
    CU_ASSERT_EQUAL(e.n_bad, 0);
    end_close(&e);
    loop_free(l);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "frames cut at every byte arrive whole", test_frames_cut_at_every_byte },
        { "half a frame delays nobody else", test_half_a_frame_delays_nobody_else },
        { "wrong input is told and answered", test_wrong_input_is_told_and_answered },
        { "a frame before wrong bytes is served",
          test_frame_before_wrong_bytes_is_served },
        { "the end of the peer is told once", test_end_of_peer_is_told_once },
        { "held frames wait in order", test_held_frames_wait_in_order },
        { "a held connection reads a bounded amount",
          test_held_connection_reads_a_bounded_amount },
        { "a promised length takes no memory", test_a_promised_length_takes_no_memory },
        { "many small frames move little", test_many_small_frames_move_little },
        { "a message over several frames has one limit",
          test_message_over_several_frames_has_one_limit },
        { "freeing inside a callback is fine", test_freeing_inside_a_callback_is_fine },
        { "a slow reader is dropped", test_slow_reader_is_dropped },
        { "finishing writes everything first", test_finish_writes_everything_first },
        { "an idle peer is dropped", test_idle_peer_is_dropped },
        { "a peer that is not heard is not idle",
          test_a_peer_that_is_not_heard_is_not_idle },
        { "outgoing connections open or are refused", test_outgoing_connections },
        { "another framing is a callback", test_another_framing_is_a_callback },
        { "a turn has so many frames", test_a_turn_has_so_many_frames },
        { "a turn has so many bytes", test_a_turn_has_so_many_bytes },
        { "who rests may be held", test_who_rests_may_be_held },
    };

    return unit_main("conn", cases, ARRAY_LEN(cases));
}
