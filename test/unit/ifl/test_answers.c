/* Answers of a server that means ill: each is an error of the call, none is a crash,
 * and none holds the caller for ever.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "../counted.h"
#include "../unit.h"
#include "lib/wire/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PART "+2+2+0+0+6+1+0" /* an empty part of a status, more to follow */

static int open_pair(int *peer, int timeout_s)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || ifl_handle_add(pair[0], timeout_s))
        abort();
    *peer = pair[1];
    return pair[0];
}

static void close_pair(int c, int peer)
{
    ifl_handle_close(ifl_handle_lock(c));
    close(peer);
}

static void put_frame(struct buf *out, const char *payload)
{
    packet_put(out, PACKET_DATA, payload, strlen(payload));
}

/* What a call makes of bytes that are followed by the end of the connection. */
static void expect_bad(const char *bytes, size_t len, const char *text)
{
    int peer, c = open_pair(&peer, 60);

    CU_ASSERT_EQUAL(write(peer, bytes, len), (ssize_t)len);
    shutdown(peer, SHUT_WR);
    CU_ASSERT_PTR_NULL(pbs_statserver(c, NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_PROTOCOL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pbs_geterrmsg(c));
    if (strcmp(pbs_geterrmsg(c), text) != 0)
        printf("\n%.40s: %s", len > 11 ? bytes + 11 : "", pbs_geterrmsg(c));
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), text);
    close_pair(c, peer);
}

static void test_what_is_no_reply_has_its_text(void)
{
    static const struct {
        const char *payload, *text;
    } cases[] = {
        { "", "End of File" },
        { "+2", "Premature end of message" },
        { "+2+2+0+0+6+0", "Premature end of message" },
        { "+2+3+0+0+1+0", "Supporting protocol failure" },
        { "+3+2+0+0+1+0", "Supporting protocol failure" },
        { "+2+2+0+0+1x", "Non-digit found where a digit was expected" },
        { "+2+2+0+0-1+0", "Negative sign on an unsigned datum" },
        { "+2+2+0+002+10+0", "Input count or value has leading zero" },
        { "+2+2+0+02+12+0", "Supporting protocol failure" }, /* no such choice */
        { "+2+2+0+0220+18446744073709551615+0",
          "Input value too large to convert to this type" },
        { "+2+2+0+0+6+0210+4294967295", "Premature end of message" },
        { "+2+2+0+0+6+0+1+0210+4294967295x", "Premature end of message" },
        { "+2+2+0+0+6+0+1+0+1x210+4294967295", "Premature end of message" },
        { "+2+2+0+0+5+0210+4294967295", "Premature end of message" },
        { "+2+2+0+0+7+0210+4294967295abc", "Premature end of message" },
        { PART, "End of File" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf frame = { 0 };

        if (*cases[i].payload)
            put_frame(&frame, cases[i].payload);
        else
            buf_add_str(&frame, "");
        expect_bad(frame.data, frame.len, cases[i].text);
        buf_fini(&frame);
    }
    expect_bad("HTTP/1.0 400 Bad Request\r\n", 26, "Supporting protocol failure");
    expect_bad("PKTV1\0\0\0\0\0\0+2", 13, "Supporting protocol failure");
    expect_bad("PKTV1\0\0\xff\xff\xff\xff+2", 13, "Supporting protocol failure");
    expect_bad("PKTV1\0\0\x3f\xff\xff\xff+2", 13, "Premature end of message");
    expect_bad("PKTV", 4, "Premature end of message");
}

/* Promises of gigabytes cost a read's room, and no more. */
static void test_a_promise_takes_no_memory(void)
{
    static const char *const payloads[] = {
        "+2+2+0+0+6+0210+4294967295",        "+2+2+0+0+5+0210+4294967295",
        "+2+2+0+0+9+0210+4294967295",        "+2+2+0+02+11+0210+4294967295",
        "+2+2+0+0+7+0210+4294967295",        "+2+2+0+0+6+0+1+0210+4294967295",
        "+2+2+0+0+6+0+1+0+1x210+4294967295",
    };

    counted_begin();
    expect_bad("PKTV1\0\0\x3f\xff\xff\xff+2", 13, "Premature end of message");
    CU_ASSERT_TRUE(counted.sum < 80u << 10);
    for (size_t i = 0; i < ARRAY_LEN(payloads); i++) {
        struct buf frame = { 0 };

        counted_begin();
        put_frame(&frame, payloads[i]);
        expect_bad(frame.data, frame.len, "Premature end of message");
        CU_ASSERT_TRUE(counted.sum < 80u << 10);
        buf_fini(&frame);
    }
}

struct flood {
    int peer;
    const char *bytes;
    size_t len;
};

/* Until nobody listens any more. */
static void *pour(void *arg)
{
    const struct flood *f = arg;

    while (send(f->peer, f->bytes, f->len, MSG_NOSIGNAL) == (ssize_t)f->len)
        ;
    return NULL;
}

static void expect_end_of_flood(const char *bytes, size_t len)
{
    struct flood f = { .bytes = bytes, .len = len };
    int c = open_pair(&f.peer, 1);
    pthread_t thread;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, pour, &f), 0);
    CU_ASSERT_PTR_NULL(pbs_statserver(c, NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_PROTOCOL);
    ifl_handle_close(ifl_handle_lock(c));
    pthread_join(thread, NULL);
    close(f.peer);
}

static void test_parts_without_end_end(void)
{
    struct buf frame = { 0 };

    put_frame(&frame, PART);
    expect_end_of_flood(frame.data, frame.len);
    buf_fini(&frame);
}

/* A message that never becomes whole, in packets of one byte. */
static void test_a_message_without_end_ends(void)
{
    expect_end_of_flood("PKTV1\0\0\0\0\0\1"
                        "9",
                        12);
}

/* A server that goes on sending must not keep a program that wants to leave. */
static void test_a_disconnect_ends_in_a_flood(void)
{
    struct flood f = { .bytes = PART, .len = sizeof(PART) - 1 };
    int c = open_pair(&f.peer, 60);
    pthread_t thread;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, pour, &f), 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    pthread_join(thread, NULL);
    close(f.peer);
}

static void test_silence_ends(void)
{
    int peer, c = open_pair(&peer, 1);

    CU_ASSERT_PTR_NULL(pbs_statserver(c, NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_PROTOCOL);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "Premature end of message");
    close_pair(c, peer);
}

/* It would take the late answer for the next one's. */
static void test_after_that_the_connection_is_of_no_use(void)
{
    struct buf frame = { 0 };
    int peer, c = open_pair(&peer, 1);

    CU_ASSERT_EQUAL(pbs_rerunjob(c, "1.x", NULL), PBSE_PROTOCOL);
    put_frame(&frame, "+2+2+0+0+1+0");
    CU_ASSERT_EQUAL(write(peer, frame.data, frame.len), (ssize_t)frame.len);
    CU_ASSERT_EQUAL(pbs_rerunjob(c, "2.x", NULL), PBSE_PROTOCOL);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "End of File");
    buf_fini(&frame);
    close_pair(c, peer);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "what is no reply has its text", test_what_is_no_reply_has_its_text },
        { "a promise takes no memory", test_a_promise_takes_no_memory },
        { "parts without end end", test_parts_without_end_end },
        { "a message without end ends", test_a_message_without_end_ends },
        { "a disconnect ends in a flood", test_a_disconnect_ends_in_a_flood },
        { "silence ends", test_silence_ends },
        { "after that the connection is of no use",
          test_after_that_the_connection_is_of_no_use },
    };

    return unit_main("libpbs and bad answers", tests, ARRAY_LEN(tests));
}
