/* Unit tests of lib/wire: questions to a MoM about its host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/rm.h"

#include "../unit.h"

#include <string.h>

static void test_messages_have_the_known_bytes(void)
{
    const char *names[] = { "ncpus", "size[fs=/]" };
    const char *answers[] = { "ncpus=2", "x=? 15201" };
    const struct rm_request ask = { .command = RM_REQUEST, .texts = { 2, names } };
    const struct rm_request end = { .command = RM_CLOSE };
    const struct rm_reply yes = { .is_ok = true, .texts = { 2, answers } };
    const struct rm_reply no = { .is_ok = false };
    struct buf b = { 0 };

    rm_request_encode(&b, &ask);
    CU_ASSERT_STRING_EQUAL(b.data, "+1+1+2+5ncpus2+10size[fs=/]");
    buf_clear(&b);
    rm_request_encode(&b, &end);
    CU_ASSERT_STRING_EQUAL(b.data, "+1+1+1");
    buf_clear(&b);
    rm_reply_encode(&b, &yes);
    CU_ASSERT_STRING_EQUAL(b.data, "3+100+7ncpus=2+9x=? 15201");
    buf_clear(&b);
    rm_reply_encode(&b, &no);
    CU_ASSERT_STRING_EQUAL(b.data, "3+999");
    buf_fini(&b);
}

static void test_strange_messages_are_refused(void)
{
    static const struct {
        const char *bytes;
        enum dis_error expect;
    } rows[] = {
        { "", DIS_EOD },
        { "+1", DIS_EOD },
        { "+1+1", DIS_EOD },
        { "+2+1+2", DIS_PROTOCOL },
        { "+1+2+2", DIS_PROTOCOL },
        { "+1+1+2+5ncp", DIS_EOD },
        { "+1+1+2+5ncpus+", DIS_EOD },
        { "+1+1+2-5ncpus", DIS_BAD_SIGN },
        { "+1+1+22+99x", DIS_EOD },
        { "x", DIS_NON_DIGIT },
    };
    struct arena *a = arena_new();
    size_t before = arena_used_bytes(a);
    struct rm_request rq;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum dis_error e =
            rm_request_decode(rows[i].bytes, strlen(rows[i].bytes), a, &rq);

        if (e != rows[i].expect)
            fprintf(stderr, "%s: %d\n", rows[i].bytes, e);
        CU_ASSERT_EQUAL(e, rows[i].expect);
        CU_ASSERT_EQUAL(arena_used_bytes(a), before); /* nothing is kept */
    }
    arena_free(a);
}

/* Commands that nobody knows are read, so that they can be answered. */
static void test_what_is_known_is_read(void)
{
    static const char unknown[] = "+1+12+17";
    static const char reply[] = "3+9992+18unknown command 17";
    struct arena *a = arena_new();
    struct rm_request rq = { 0 };
    struct rm_reply got = { .is_ok = true };

    CU_ASSERT_EQUAL(rm_request_decode(unknown, strlen(unknown), a, &rq), DIS_OK);
    CU_ASSERT_EQUAL(rq.command, 17);
    CU_ASSERT_EQUAL(rq.texts.n, 0);
    for (size_t cut = 6; cut < strlen(reply); cut++)
        CU_ASSERT_EQUAL(rm_reply_decode(reply, cut, a, &got), DIS_EOD);
    CU_ASSERT_EQUAL(rm_reply_decode(reply, strlen(reply), a, &got), DIS_OK);
    CU_ASSERT_FALSE(got.is_ok);
    CU_ASSERT_EQUAL(got.texts.n, 1);
    CU_ASSERT_EQUAL(rm_reply_decode("3+101", 5, a, &got), DIS_PROTOCOL);
    arena_free(a);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "messages have the known bytes", test_messages_have_the_known_bytes },
        { "strange messages are refused", test_strange_messages_are_refused },
        { "what is known is read", test_what_is_known_is_read },
    };

    return unit_main("lib/wire: rm", cases, ARRAY_LEN(cases));
}
