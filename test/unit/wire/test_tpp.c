/* Unit tests of lib/wire: what is refused of TPP packets, and what golden frames lack.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/tpp.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

/* A packet with this length and type, the rest as given, zero-filled up to 'len'. */
static char *packet(uint32_t total, uint8_t type, size_t len)
{
    char *p = calloc(1, len);

    p[0] = (char)(total >> 24);
    p[1] = (char)(total >> 16);
    p[2] = (char)(total >> 8);
    p[3] = (char)total;
    p[4] = (char)type;
    return p;
}

static void test_lengths_are_judged_at_once(void)
{
    static const struct {
        const char *story;
        uint32_t total;
        uint8_t type;
        size_t len;
        enum tpp_status expect;
    } cases[] = {
        { "nothing to say yet", 64, TPP_DATA, 4, TPP_PARTIAL },
        { "header to come", 64, TPP_DATA, 5, TPP_PARTIAL },
        { "whole", 64, TPP_DATA, 64, TPP_READY },
        { "more behind", 64, TPP_DATA, 80, TPP_READY },
        { "below the header", 63, TPP_DATA, 63, TPP_BAD },
        { "tiny", 3, TPP_JOIN, 12, TPP_BAD },
        { "type 0", 64, 0, 64, TPP_BAD },
        { "type 9", 64, 9, 64, TPP_BAD },
        { "at the limit", 1000, TPP_DATA, 100, TPP_PARTIAL },
        { "above the limit", 1001, TPP_DATA, 100, TPP_BAD },
        { "31 bits", 0x80000000u, TPP_DATA, 100, TPP_BAD },
        { "no method", 215, TPP_AUTH_CTX, 215, TPP_BAD },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char *p =
            packet(cases[i].total, cases[i].type, MAX_OF(cases[i].len, (size_t)5));
        size_t total = 7;

        CU_ASSERT_EQUAL(tpp_peek(p, cases[i].len, 1000, &total), cases[i].expect);
        CU_ASSERT_EQUAL(total, cases[i].expect == TPP_READY ? cases[i].total : 7);
        free(p);
    }
}

static void test_inner_lengths_must_fit(void)
{
    static const struct {
        const char *story;
        uint8_t type;
        uint32_t total;
        size_t at;
        uint8_t value;
        bool expect;
    } cases[] = {
        { "join without addresses", TPP_JOIN, 12, 8, 0, true },
        { "join longer than its addresses", TPP_JOIN, 40, 8, 1, true },
        { "join of one address too many", TPP_JOIN, 31, 8, 1, false },
        { "join of 129 addresses", TPP_JOIN, 12 + 129 * 20, 8, 129, false },
        { "leave of one address too many", TPP_LEAVE, 27, 7, 1, false },
        { "close with a payload", TPP_CLOSE_STRM, 65, 5, 0, false },
        { "members that are not there", TPP_MCAST_DATA, 44, 11, 1, false },
        { "no members", TPP_MCAST_DATA, 44, 11, 0, true },
        { "compressed list too long", TPP_MCAST_DATA, 45, 19, 2, false },
        { "method without end", TPP_AUTH_CTX, 216, 12, 0, true },
        { "encrypted", TPP_ENCRYPTED_DATA, 20, 8, 0, false },
    };
    struct arena *a = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char *p = packet(cases[i].total, cases[i].type, cases[i].total);
        struct tpp_packet pkt = { .hop = 99 };

        p[cases[i].at] = (char)cases[i].value;
        CU_ASSERT_EQUAL(tpp_decode(p, cases[i].total, a, &pkt), cases[i].expect);
        CU_ASSERT_EQUAL(pkt.hop == 99, !cases[i].expect);
        free(p);
    }
    arena_free(a);
}

static void test_a_method_name_has_an_end(void)
{
    struct arena *a = arena_new();
    char *p = packet(216, TPP_AUTH_CTX, 216);
    struct tpp_packet pkt;

    memset(p + 12, 'x', TPP_METHOD_BYTES);
    CU_ASSERT_FALSE(tpp_decode(p, 216, a, &pkt));
    p[12 + TPP_METHOD_BYTES - 1] = '\0';
    CU_ASSERT_TRUE(tpp_decode(p, 216, a, &pkt));
    CU_ASSERT_EQUAL(strlen(pkt.auth_method), TPP_METHOD_BYTES - 1);
    free(p);
    arena_free(a);
}

static void test_a_compressed_member_list_is_handed_over(void)
{
    struct tpp_packet pkt = { .type = TPP_MCAST_DATA, .n_members = 300, .totlen = 9 };
    struct tpp_packet got = { 0 };
    struct arena *a = arena_new();
    struct buf b = { 0 };

    pkt.info = "zipped";
    pkt.info_len = 6;
    pkt.payload = "payload";
    pkt.payload_len = 7;
    tpp_encode(&b, &pkt);
    CU_ASSERT_EQUAL(b.len, 44 + 6 + 7);
    CU_ASSERT_TRUE_FATAL(tpp_decode(b.data, b.len, a, &got));
    CU_ASSERT_PTR_NULL(got.members);
    CU_ASSERT_EQUAL(got.n_members, 300);
    CU_ASSERT_EQUAL(got.info_len, 6);
    CU_ASSERT_EQUAL(got.totlen, 9);
    CU_ASSERT_EQUAL(memcmp(got.payload, "payload", 7), 0);
    buf_fini(&b);
    arena_free(a);
}

static void test_member_lists_survive_the_trip(void)
{
    struct tpp_member v[3] = { { 1, 2, 3, tpp_addr_ipv4(0x0a4d0502, 12003) },
                               { 4, 5, TPP_NO_SD, tpp_addr_ipv4(0x7f000001, 1) },
                               { 0 } };
    struct tpp_member *got;
    struct arena *a = arena_new();
    struct buf b = { 0 };

    tpp_encode_members(&b, v, 3);
    CU_ASSERT_EQUAL_FATAL(b.len, 96);
    CU_ASSERT_TRUE_FATAL(tpp_decode_members(b.data, b.len, 3, a, &got));
    CU_ASSERT_EQUAL(got[1].dest_sd, TPP_NO_SD);
    CU_ASSERT_TRUE(tpp_addr_same(&got[0].dest_addr, &v[0].dest_addr));
    CU_ASSERT_FALSE(tpp_addr_same(&got[0].dest_addr, &v[1].dest_addr));
    CU_ASSERT_FALSE(tpp_decode_members(b.data, b.len, 2, a, &got));
    CU_ASSERT_FALSE(tpp_decode_members(b.data, b.len - 1, 3, a, &got));
    buf_fini(&b);
    arena_free(a);
}

static void test_addresses_are_read_by_people(void)
{
    struct tpp_addr a = tpp_addr_ipv4(0x0a4d0502, 12003);
    char text[TPP_ADDR_TEXT_BYTES];

    CU_ASSERT_STRING_EQUAL(tpp_addr_text(&a, text), "10.77.5.2:12003");
    CU_ASSERT_EQUAL(tpp_addr_ip(&a), 0x0a4d0502);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "lengths are judged at once", test_lengths_are_judged_at_once },
        { "inner lengths must fit", test_inner_lengths_must_fit },
        { "a method name has an end", test_a_method_name_has_an_end },
        { "a compressed member list is handed over",
          test_a_compressed_member_list_is_handed_over },
        { "member lists survive the trip", test_member_lists_survive_the_trip },
        { "addresses are read by people", test_addresses_are_read_by_people },
    };

    return unit_main("tpp", cases, ARRAY_LEN(cases));
}
