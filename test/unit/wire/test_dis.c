/* Unit tests of lib/wire: DIS values and PKTV1 frames.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/dis.h"
#include "lib/wire/packet.h"

#include "../unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_bytes(const struct buf *b, const char *text)
{
    CU_ASSERT_EQUAL(b->len, strlen(text));
    CU_ASSERT_STRING_EQUAL(b->data, text);
}

static struct dis_in input(const char *text, struct arena *a)
{
    return (struct dis_in){ .at = text, .end = text + strlen(text), .arena = a };
}

static void test_integers_have_the_known_bytes(void)
{
    static const struct {
        bool is_signed;
        int64_t value;
        const char *bytes;
    } cases[] = {
        { false, 0, "+0" },
        { false, 9, "+9" },
        { false, 10, "2+10" },
        { false, 15001, "5+15001" },
        { false, 1234567890, "210+1234567890" },
        { false, 4294967295, "210+4294967295" },
        { false, -1, "220+18446744073709551615" }, /* UINT64_MAX */
        { true, -1, "-1" },
        { true, -15001, "5-15001" },
        { true, INT64_MIN, "219-9223372036854775808" },
        { true, INT64_MAX, "219+9223372036854775807" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = { 0 };
        struct dis_in in;
        uint64_t u;
        int64_t s;

        if (cases[i].is_signed)
            dis_put_int(&b, cases[i].value);
        else
            dis_put_uint(&b, (uint64_t)cases[i].value);
        expect_bytes(&b, cases[i].bytes);
        in = input(cases[i].bytes, NULL);
        if (cases[i].is_signed) {
            CU_ASSERT_EQUAL(dis_get_long(&in, &s), DIS_OK);
            CU_ASSERT_EQUAL(s, cases[i].value);
        } else {
            CU_ASSERT_EQUAL(dis_get_ulong(&in, &u), DIS_OK);
            CU_ASSERT_EQUAL(u, (uint64_t)cases[i].value);
        }
        CU_ASSERT_PTR_EQUAL(in.at, in.end);
        buf_fini(&b);
    }
}

static void test_bad_integers_are_named(void)
{
    static const struct {
        const char *bytes;
        enum dis_error as_uint, as_int;
    } cases[] = {
        { "", DIS_EOD, DIS_EOD },
        { "+", DIS_EOD, DIS_EOD },
        { "2+1", DIS_EOD, DIS_EOD },
        { "21", DIS_EOD, DIS_EOD },
        { "-5", DIS_BAD_SIGN, DIS_OK },
        { "x", DIS_NON_DIGIT, DIS_NON_DIGIT },
        { "+x", DIS_NON_DIGIT, DIS_NON_DIGIT },
        { "2+1x", DIS_NON_DIGIT, DIS_NON_DIGIT },
        { "2x+1", DIS_NON_DIGIT, DIS_NON_DIGIT },
        { "02+10", DIS_LEADING_ZERO, DIS_LEADING_ZERO },
        { "2+01", DIS_LEADING_ZERO, DIS_LEADING_ZERO },
        { "210+4294967296", DIS_OVERFLOW, DIS_OVERFLOW },
        { "210+4294967295", DIS_OK, DIS_OVERFLOW },
        { "210+2147483648", DIS_OK, DIS_OVERFLOW },
        { "210-2147483648", DIS_BAD_SIGN, DIS_OK },
        { "210-2147483649", DIS_BAD_SIGN, DIS_OVERFLOW },
        { "220+99999999999999999999", DIS_OVERFLOW, DIS_OVERFLOW },
        { "9999999999+1", DIS_OVERFLOW, DIS_OVERFLOW },
        { "1111111111111111111111111111111111111111", DIS_PROTOCOL, DIS_PROTOCOL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dis_in in = input(cases[i].bytes, NULL);
        uint32_t u = 77;
        int32_t s = 77;

        CU_ASSERT_EQUAL(dis_get_uint(&in, &u), cases[i].as_uint);
        if (cases[i].as_uint) {
            CU_ASSERT_EQUAL(u, 77);
            CU_ASSERT_PTR_EQUAL(in.at, cases[i].bytes);
        }
        in = input(cases[i].bytes, NULL);
        CU_ASSERT_EQUAL(dis_get_int(&in, &s), cases[i].as_int);
        if (cases[i].as_int)
            CU_ASSERT_EQUAL(s, 77);
    }
}

static void test_strings_keep_their_limits(void)
{
    static const struct {
        const char *story;
        const char *bytes;
        size_t len, max;
        enum dis_error as_string, as_bytes;
        const char *text;
    } cases[] = {
        { "empty", "+0", 2, 0, DIS_OK, DIS_OK, "" },
        { "one", "+1a", 3, 1, DIS_OK, DIS_OK, "a" },
        { "ten", "2+100123456789", 14, 10, DIS_OK, DIS_OK, "0123456789" },
        { "one too many", "2+100123456789", 14, 9, DIS_OVERFLOW, DIS_OVERFLOW, NULL },
        { "cut", "2+10012345678", 13, 0, DIS_EOD, DIS_EOD, NULL },
        { "NUL", "+3a\0b", 5, 0, DIS_NULL_STRING, DIS_OK, "a" },
        { "negative", "-1a", 3, 0, DIS_BAD_SIGN, DIS_BAD_SIGN, NULL },
        { "4 GiB promised", "210+4294967295x", 15, 0, DIS_EOD, DIS_EOD, NULL },
    };
    struct arena *a = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dis_in in = { cases[i].bytes, cases[i].bytes + cases[i].len, a };
        const char *s = "unset";
        size_t len = 0;

        CU_ASSERT_EQUAL(dis_get_string(&in, cases[i].max, &s), cases[i].as_string);
        CU_ASSERT_STRING_EQUAL(s, cases[i].as_string ? "unset" : cases[i].text);
        in.at = cases[i].bytes;
        CU_ASSERT_EQUAL(dis_get_bytes(&in, cases[i].max, &s, &len), cases[i].as_bytes);
        if (!cases[i].as_bytes) {
            CU_ASSERT_STRING_EQUAL(s, cases[i].text);
            CU_ASSERT_PTR_EQUAL(in.at, in.end);
        }
    }
    CU_ASSERT_TRUE(arena_used_bytes(a) < 1024);
    arena_free(a);

    struct buf b = { 0 };
    dis_put_string(&b, NULL);
    dis_put_string(&b, "0123456789");
    expect_bytes(&b, "+02+100123456789");
    buf_fini(&b);
}

static void test_floats_have_the_known_bytes(void)
{
    static const struct {
        double value;
        int digits;
        const char *bytes;
    } cases[] = {
        { 0.0, 15, "+0+0" },
        { 1.0, 6, "+1+0" },
        { 3.14159265, 6, "6+314159-5" },
        { -0.5, 6, "-5-1" },
        { 1e10, 6, "+12+10" },
        { 3.141592653589793, 15, "215+3141592653589792-14" },
        { 123456.0, 15, "6+123456+0" },
        { -2.5e-7, 15, "2-25-8" },
        { 999999.5, 6, "+1+6" },
        { 123456789012344.5, 15, "215+123456789012345+0" }, /* half goes up */
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = { 0 };
        struct dis_in in = input(cases[i].bytes, NULL);
        double got;

        CU_ASSERT_EQUAL(dis_put_double(&b, cases[i].value, cases[i].digits), DIS_OK);
        expect_bytes(&b, cases[i].bytes);
        CU_ASSERT_EQUAL(dis_get_double(&in, &got), DIS_OK);
        CU_ASSERT_TRUE(fabs(got - cases[i].value) <= fabs(cases[i].value) * 1e-5);
        CU_ASSERT_PTR_EQUAL(in.at, in.end);
        buf_fini(&b);
    }
}

static void test_bad_floats_are_named(void)
{
    static const struct {
        const char *bytes;
        enum dis_error expect;
    } cases[] = {
        { "", DIS_EOD },
        { "+1", DIS_EOD },
        { "2+1", DIS_EOD },
        { "+1x", DIS_NON_DIGIT },
        { "2+01+0", DIS_LEADING_ZERO },
        { "+13+999", DIS_OVERFLOW },
        { "599999+1", DIS_OVERFLOW },
        { "225+1234567890123456789012345+0", DIS_OK }, /* more digits than are kept */
    };
    struct buf b = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dis_in in = input(cases[i].bytes, NULL);
        double got = 7;

        CU_ASSERT_EQUAL(dis_get_double(&in, &got), cases[i].expect);
        if (cases[i].expect)
            CU_ASSERT_EQUAL(got, 7);
    }
    CU_ASSERT_EQUAL(dis_put_double(&b, HUGE_VAL, 15), DIS_HUGE);
    CU_ASSERT_EQUAL(dis_put_double(&b, (double)NAN, 15), DIS_HUGE);
    CU_ASSERT_EQUAL(b.len, 0);
    buf_fini(&b);
}

static void test_every_code_has_its_text(void)
{
    CU_ASSERT_STRING_EQUAL(dis_error_text(DIS_OK), "No error");
    CU_ASSERT_STRING_EQUAL(dis_error_text(DIS_EOD), "Premature end of message");
    CU_ASSERT_STRING_EQUAL(dis_error_text(DIS_EOF), "End of File");
    CU_ASSERT_STRING_EQUAL(dis_error_text((enum dis_error)99), "");
}

static void test_a_packet_is_found_whole_or_not_at_all(void)
{
    struct buf b = { 0 };
    struct packet p;

    packet_put(&b, PACKET_DATA, "+2+2+0+0+1+0", 12);
    packet_put(&b, PACKET_OK, "", 1);
    CU_ASSERT_EQUAL_FATAL(b.len, 23 + 12);
    for (size_t cut = 0; cut < 23; cut++)
        CU_ASSERT_EQUAL(packet_peek(b.data, cut, 100, &p), PACKET_PARTIAL);
    CU_ASSERT_EQUAL_FATAL(packet_peek(b.data, b.len, 100, &p), PACKET_READY);
    CU_ASSERT_EQUAL(p.len, 12);
    CU_ASSERT_EQUAL(p.total_bytes, 23);
    CU_ASSERT_EQUAL(memcmp(p.data, "+2+2+0+0+1+0", 12), 0);
    CU_ASSERT_EQUAL_FATAL(packet_peek(b.data + 23, 12, 100, &p), PACKET_READY);
    CU_ASSERT_EQUAL(p.type, PACKET_OK);
    CU_ASSERT_EQUAL(p.len, 1);
    buf_fini(&b);
}

static void test_a_bad_packet_is_seen_at_its_first_wrong_byte(void)
{
    static const struct {
        const char *story;
        const char *bytes;
        size_t len;
        enum packet_status expect;
    } cases[] = {
        { "HTTP", "G", 1, PACKET_BAD },
        { "wrong magic", "PKTV2", 5, PACKET_BAD },
        { "no NUL", "PKTV1x", 6, PACKET_BAD },
        { "half a header", "PKTV1\0\0\0\0", 9, PACKET_PARTIAL },
        { "length 0", "PKTV1\0\0\0\0\0\0", 11, PACKET_BAD },
        { "too long", "PKTV1\0\0\0\0\0\x65", 11, PACKET_BAD },
        { "long enough", "PKTV1\0\x07\0\0\0\x64", 11, PACKET_PARTIAL },
        { "4 GiB", "PKTV1\0\0\xff\xff\xff\xff", 11, PACKET_BAD },
    };
    struct packet p;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_EQUAL(packet_peek(cases[i].bytes, cases[i].len, 100, &p),
                        cases[i].expect);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "integers have the known bytes", test_integers_have_the_known_bytes },
        { "bad integers are named", test_bad_integers_are_named },
        { "strings keep their limits", test_strings_keep_their_limits },
        { "floats have the known bytes", test_floats_have_the_known_bytes },
        { "bad floats are named", test_bad_floats_are_named },
        { "every code has its text", test_every_code_has_its_text },
        { "a packet is found whole or not at all",
          test_a_packet_is_found_whole_or_not_at_all },
        { "a bad packet is seen at its first wrong byte",
          test_a_bad_packet_is_seen_at_its_first_wrong_byte },
    };

    return unit_main("dis", cases, ARRAY_LEN(cases));
}
