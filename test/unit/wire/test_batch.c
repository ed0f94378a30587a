/* Unit tests of lib/wire: request and reply bodies, by table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_EACH 40

static void encode_text(struct buf *out, const struct wire_request *rq)
{
    buf_clear(out);
    batch_encode_request(out, rq);
}

static void test_known_requests_have_the_known_bytes(void)
{
    const struct body_status status = { .id = "" };
    const struct body_run run = { .object_id = "R7.pbs1",
                                  .vnodes = "",
                                  .argument = 15001 };
    const struct body_authenticate auth = { .method = "resvport", .port = 36688 };
    const struct body_sched_reply done = { .command = 11, .job_id = "17.pbs1" };
    const struct body_sched_reply not_done = { 11, "17.pbs1", 15044, "no" };
    const struct body_resv_act act = {
        RESV_ACT_ALTER, RESV_ACT_DRY_RUN, 3, "S5.svr", { 0 }
    };
    struct wire_offer offers[] = { { "R5.svr", 7, 12, "(a:ncpus=1)" },
                                   { "R6.svr", 12, 15, "(b:ncpus=1)" } };
    const struct body_offer_resv offer = { 42, "p", 2, offers };
    struct wire_answer answers[] = { { "R5.svr", "(a:ncpus=1)", 7, "yes" },
                                     { "R6.svr", "null", 0, "no" } };
    const struct body_answer_resvs answer = { 2, answers };
    const struct body_script script = { .job_id = "", .data = { "#!/bin/sh\n", 10 } };
    const struct {
        const char *story;
        struct wire_request rq;
        const char *bytes;
    } cases[] = {
        { "wire.md 3",
          { BATCH_STATUS_SERVER, "root", &status, NULL },
          "+2+22+21+4root+0+0+0" },
        { "an empty extension is none",
          { BATCH_STATUS_SERVER, "root", &status, "" },
          "+2+22+21+4root+0+0+0" },
        { "with extension",
          { BATCH_CONNECT, "root", NULL, "qsub-daemon" },
          "+2+2+0+4root+12+11qsub-daemon" },
        { "no extension field at all",
          { BATCH_DISCONNECT, "root", NULL, "x" },
          "+2+22+59+4root" },
        { "run",
          { BATCH_CONFIRM_RESV, "root", &run, NULL },
          "+2+22+75+4root+7R7.pbs1+05+15001+0" },
        { "the helper's own",
          { BATCH_AUTHENTICATE, "root", &auth, NULL },
          "+2+22+95+4root+8+8resvport+05+36688+0" },
        { "without text",
          { BATCH_DEF_SCHED_REPLY, "root", &done, NULL },
          "+2+22+80+4root2+11+717.pbs1+0+0+0" },
        { "with text",
          { BATCH_DEF_SCHED_REPLY, "root", &not_done, NULL },
          "+2+22+80+4root2+11+717.pbs15+15044+1+2no+0" },
        { "ResvAct",
          { BATCH_RESV_ACT, "root", &act, NULL },
          "+2+23+202+4root+2+1+3+6S5.svr+0+0" },
        { "OfferResv",
          { BATCH_OFFER_RESV, "root", &offer, NULL },
          "+2+23+204+4root2+42+1p+2+6R5.svr+72+122+11(a:ncpus=1)"
          "+6R6.svr2+122+152+11(b:ncpus=1)+0" },
        { "AnswerResvs",
          { BATCH_ANSWER_RESVS, "root", &answer, NULL },
          "+2+23+205+4root+2+6R5.svr2+11(a:ncpus=1)+7+3yes"
          "+6R6.svr+4null+0+2no+0" },
        { "the size is written for you",
          { BATCH_JOB_SCRIPT, "root", &script, NULL },
          "+2+2+3+4root+0+02+10+02+10#!/bin/sh\n+0" },
    };
    struct buf b = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        encode_text(&b, &cases[i].rq);
        CU_ASSERT_STRING_EQUAL(b.data, cases[i].bytes);
    }
    buf_fini(&b);
}

static void test_bad_requests_are_named(void)
{
    static const struct {
        const char *story, *bytes;
        enum dis_error expect;
    } cases[] = {
        { "protocol type", "+3+22+21+4root+0+0+0", DIS_PROTOCOL },
        { "protocol version", "+2+32+21+4root+0+0+0", DIS_PROTOCOL },
        { "an old version", "+2+12+21+4root+0+0+0", DIS_OK },
        { "version 0", "+2+02+21+4root+0+0+0", DIS_PROTOCOL },
        { "no extension", "+2+22+21+4root+0+0", DIS_EOD },
        { "something behind", "+2+22+21+4root+0+0+0+0", DIS_PROTOCOL },
        { "NUL in the user", "+2+22+21+4ro\1t+0+0+0", DIS_NULL_STRING },
        { "attribute size enough", "+2+22+21+4root+0+1+4+1a+0+1b+0+0", DIS_OK },
        { "attribute size too large", "+2+22+21+4root+0+1+9+1a+0+1b+0+0", DIS_OK },
        { "attribute size too small", "+2+22+21+4root+0+1+3+1a+0+1b+0+0",
          DIS_PROTOCOL },
        { "resource counted too", "+2+22+21+4root+0+1+5+1a+1+1r+1b+0+0", DIS_PROTOCOL },
        { "more attributes promised", "+2+22+21+4root+0210+4000000000", DIS_EOD },
        { "more places promised", "+2+23+204+4root+7+0210+4000000000+0", DIS_EOD },
        { "more answers promised", "+2+23+205+4root210+4000000000+0", DIS_EOD },
        { "more ids promised", "+2+23+100+4root210+4000000000+1a", DIS_EOD },
        { "script size above", "+2+2+3+4root+0+0+3+0+2ab+0", DIS_PROTOCOL },
        { "script size below", "+2+2+3+4root+0+0+1+0+2ab+0", DIS_PROTOCOL },
        { "script size", "+2+2+3+4root+0+0+2+0+2ab+0", DIS_OK },
        { "method empty", "+2+22+95+4root+0+0+0+0", DIS_PROTOCOL },
        { "method's lengths differ", "+2+22+95+4root+4+5munge+0+0+0", DIS_PROTOCOL },
        { "method", "+2+22+95+4root+5+5munge+0+0+0", DIS_OK },
        { "signal of 16", "+2+22+18+4root+1x2+160123456789abcdef+0", DIS_OK },
        { "signal of 17", "+2+22+18+4root+1x2+170123456789abcdefg+0", DIS_OVERFLOW },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *a = arena_new();
        char bytes[128];
        size_t len = strlen(cases[i].bytes);
        struct wire_request rq = { .number = 12345 };
        bool known;

        memcpy(bytes, cases[i].bytes, len);
        for (size_t j = 0; j < len; j++)
            if (bytes[j] == '\1')
                bytes[j] = '\0';
        CU_ASSERT_EQUAL(batch_decode_request(bytes, len, a, &rq, &known),
                        cases[i].expect);
        if (cases[i].expect)
            CU_ASSERT_EQUAL(rq.number, 12345);
        CU_ASSERT_TRUE(arena_used_bytes(a) < 2000);
        arena_free(a);
    }
}

/* Texts at their capacity pass, one more is refused. */
static void test_capacities_are_exact(void)
{
    static const struct {
        uint32_t number;
        const char *before, *after;
        size_t capacity;
    } cases[] = {
        { BATCH_CONNECT, "", "+0", 257 },                   /* user, and one */
        { BATCH_LOCATE_JOB, "+1u", "+0", 276 },             /* job id, and one */
        { BATCH_CONFIRM_RESV, "+1u", "+0+0+0", 276 },       /* reservation id */
        { BATCH_MODIFY_RESV, "+1u+4", "+0+0", 276 },        /* reservation id */
        { BATCH_RESV_ACT, "+1u+2+1+0", "+0+0", 276 },       /* reservation id */
        { BATCH_DRY_RUN, "+1u", "+0+0+0", 276 },            /* its number */
        { BATCH_OFFER_RESV, "+1u+7+0+1", "+7+9+0+0", 276 }, /* reservation id */
        { BATCH_DRY_OFFER, "+1u+7+0+1", "+7+9+0+0", 276 },
        { BATCH_ANSWER_RESVS, "+1u+1", "+0+0+0+0", 276 },   /* reservation id */
        { BATCH_MANAGER, "+1u+0+0", "+0+0", 275 },          /* object name */
        { BATCH_MOVE_JOB, "+1u+1j", "+0", 256 },            /* destination */
        { BATCH_SIGNAL_JOB, "+1u+1j", "+0", 16 },           /* signal */
        { BATCH_REGISTER_DEP, "+1u+0+0", "+0+0+0+0", 537 }, /* child id */
        { BATCH_DEL_HOOK_FILE, "+1u", "+0", 4096 },         /* path */
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (size_t more = 0; more < 2; more++) {
            struct arena *a = arena_new();
            struct wire_request rq;
            bool known;
            struct buf b = { 0 };
            char text[5000];

            memset(text, 'x', sizeof(text));
            dis_put_uint(&b, 2);
            dis_put_uint(&b, 2);
            dis_put_uint(&b, cases[i].number);
            buf_add_str(&b, cases[i].before);
            dis_put_bytes(&b, text, cases[i].capacity + more);
            buf_add_str(&b, cases[i].after);
            CU_ASSERT_EQUAL(batch_decode_request(b.data, b.len, a, &rq, &known),
                            more ? DIS_OVERFLOW : DIS_OK);
            buf_fini(&b);
            arena_free(a);
        }
}

static void test_an_unknown_number_is_told_from_wrong_bytes(void)
{
    static const uint32_t retired[] = { 2,  28, 49, 53, 56, 60, 61, 65,  66,         69,
                                        74, 77, 79, 87, 88, 89, 99, 101, 4000000000u };
    struct arena *a = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(retired); i++) {
        struct buf b = { 0 };
        struct wire_request rq;
        bool known = true;

        buf_add_str(&b, "+2+2");
        dis_put_uint(&b, retired[i]);
        buf_add_str(&b, "+4root anything");
        CU_ASSERT_EQUAL(batch_decode_request(b.data, b.len, a, &rq, &known), DIS_OK);
        CU_ASSERT_FALSE(known);
        CU_ASSERT_EQUAL(rq.number, retired[i]);
        CU_ASSERT_STRING_EQUAL(rq.user, "root");
        CU_ASSERT_PTR_NULL(rq.body);
        CU_ASSERT_PTR_NULL(batch_row(retired[i]));
        buf_fini(&b);
    }
    arena_free(a);
}

static void test_several_requests_in_one_packet_are_read_in_turn(void)
{
    static const char two[] = "+2+2+8+1u+11+0+2+22+59+1u";
    struct arena *a = arena_new();
    struct dis_in in = { two, two + strlen(two), a };
    struct wire_request rq;
    bool known;

    CU_ASSERT_EQUAL(batch_read_request(&in, &rq, &known), DIS_OK);
    CU_ASSERT_EQUAL(rq.number, BATCH_LOCATE_JOB);
    in.end--;
    CU_ASSERT_EQUAL(batch_read_request(&in, &rq, &known), DIS_EOD);
    CU_ASSERT_EQUAL(rq.number, BATCH_LOCATE_JOB);
    in.end++;
    CU_ASSERT_EQUAL(batch_read_request(&in, &rq, &known), DIS_OK);
    CU_ASSERT_EQUAL(rq.number, BATCH_DISCONNECT);
    CU_ASSERT_PTR_EQUAL(in.at, in.end);
    arena_free(a);
}

/* Encoded, decoded, encoded again: the same bytes; each cut is a short message. */
static void check_round(const struct wire_request *rq, struct arena *a)
{
    struct buf once = { 0 }, twice = { 0 };
    struct wire_request got;
    bool known;

    batch_encode_request(&once, rq);
    CU_ASSERT_EQUAL_FATAL(batch_decode_request(once.data, once.len, a, &got, &known),
                          DIS_OK);
    CU_ASSERT_TRUE(known);
    batch_encode_request(&twice, &got);
    CU_ASSERT_EQUAL_FATAL(once.len, twice.len);
    CU_ASSERT_EQUAL(memcmp(once.data, twice.data, once.len), 0);
    for (size_t cut = 0; cut < once.len; cut++)
        CU_ASSERT_EQUAL(batch_decode_request(once.data, cut, a, &got, &known), DIS_EOD);
    buf_clear(&once);
    batch_dump_request(&once, rq);
    CU_ASSERT_PTR_NOT_NULL(strstr(once.data, batch_row(rq->number)->name));
    buf_fini(&once);
    buf_fini(&twice);
}

static void test_random_requests_survive_the_trip(void)
{
    uint64_t seed = 2026;

    for (uint32_t number = 0; number <= 300; number++) {
        const struct batch_row *row = batch_row(number);

        for (int i = 0; row && i < ROUNDS_EACH; i++) {
            struct arena *a = arena_new();
            void *body = arena_zero(a, row->body_size_bytes);
            struct wire_request rq = { .number = number, .user = "root", .body = body };

            if (row->fields)
                wire_random(&seed, row->fields, body, a);
            if (!row->no_extension && i % 2)
                rq.extend = "force";
            check_round(&rq, a);
            arena_free(a);
        }
    }
}

static void check_reply_round(const struct wire_reply *reply, struct arena *a)
{
    struct buf b = { 0 }, again = { 0 }, said = { 0 }, said_again = { 0 };
    struct wire_reply got = { 0 };

    batch_encode_reply(&b, reply);
    CU_ASSERT_EQUAL_FATAL(batch_decode_reply(b.data, b.len, a, &got), DIS_OK);
    batch_encode_reply(&again, &got);
    CU_ASSERT_EQUAL(b.len, again.len);
    CU_ASSERT_EQUAL(memcmp(b.data, again.data, MIN_OF(b.len, again.len)), 0);
    batch_dump_reply(&said, reply);
    batch_dump_reply(&said_again, &got);
    CU_ASSERT_STRING_EQUAL(said.data, said_again.data);
    for (size_t cut = 0; cut < b.len; cut++) {
        struct wire_reply none = { .code = 7 };

        CU_ASSERT_EQUAL(batch_decode_reply(b.data, cut, a, &none), DIS_EOD);
        CU_ASSERT_EQUAL(none.code, 7);
    }
    buf_fini(&b);
    buf_fini(&again);
    buf_fini(&said);
    buf_fini(&said_again);
}

static void test_random_replies_survive_the_trip(void)
{
    uint64_t seed = 2027;

    for (int choice = REPLY_NULL; choice <= REPLY_DELETE; choice++)
        for (int i = 0; i < ROUNDS_EACH; i++) {
            struct arena *a = arena_new();
            struct wire_reply reply;

            batch_random_reply(&seed, (enum reply_choice)choice, a, &reply);
            check_reply_round(&reply, a);
            arena_free(a);
        }
}

static void expect_reply(const struct wire_reply *reply, const char *bytes)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct wire_reply got = { 0 };

    batch_encode_reply(&b, reply);
    CU_ASSERT_STRING_EQUAL(b.data, bytes);
    CU_ASSERT_EQUAL_FATAL(batch_decode_reply(b.data, b.len, a, &got), DIS_OK);
    for (size_t cut = 0; cut < b.len; cut++) {
        struct wire_reply none = { .code = 7 };

        CU_ASSERT_EQUAL(batch_decode_reply(b.data, cut, a, &none), DIS_EOD);
        CU_ASSERT_EQUAL(none.code, 7);
    }
    buf_clear(&b);
    batch_encode_reply(&b, &got);
    CU_ASSERT_STRING_EQUAL(b.data, bytes);
    CU_ASSERT_EQUAL(got.more, reply->more);
    buf_clear(&b);
    batch_dump_reply(&b, &got);
    CU_ASSERT_TRUE(b.len > 0);
    buf_fini(&b);
    arena_free(a);
}

static void test_every_reply_choice_has_the_known_bytes(void)
{
    struct wire_attr attr = { "Resource_List", "ncpus", "1", WIRE_OP_SET };
    struct wire_object object = { OBJECT_JOB, "1.pbs1", { 1, 1, &attr } };
    const char *ids[] = { "1.pbs1", "2.pbs1" };
    struct wire_deleted_job gone = { "9.pbs1", 15001, "S" };
    uint32_t numbers[] = { 1, 2, 3, 4 };
    const struct {
        struct wire_reply reply;
        const char *bytes;
    } cases[] = {
        { { .choice = REPLY_NULL }, "+2+2+0+0+1+0" },
        { { .code = 15056, .choice = REPLY_NULL }, "+2+25+15056+0+1+0" },
        { { .code = -1, .aux = 3, .choice = REPLY_NULL }, "+2+2-1+3+1+0" },
        { { .choice = REPLY_QUEUE, .text = "5.pbs1" }, "+2+2+0+0+2+0+65.pbs1" },
        { { .choice = REPLY_RDY_TO_COMMIT, .text = "5.pbs1" }, "+2+2+0+0+3+0+65.pbs1" },
        { { .choice = REPLY_COMMIT, .text = "5.pbs1" }, "+2+2+0+0+4+0+65.pbs1" },
        { { .choice = REPLY_SELECT, .ids = { 2, ids } },
          "+2+2+0+0+5+0+2+61.pbs1+62.pbs1" },
        { { .choice = REPLY_STATUS }, "+2+2+0+0+6+0+0" },
        { { .choice = REPLY_STATUS, .more = true, .objects = { 1, 1, &object } },
          "+2+2+0+0+6+1+1+2+61.pbs1+12+222+13Resource_List+1+5ncpus+11+0" },
        { { .code = 15001, .choice = REPLY_TEXT, .text = "Unknown Job Id" },
          "+2+25+15001+0+7+02+14Unknown Job Id" },
        { { .choice = REPLY_LOCATE, .text = "pbs1" }, "+2+2+0+0+8+0+4pbs1" },
        { { .choice = REPLY_RESC_QUERY, .resources = { 1, numbers } },
          "+2+2+0+0+9+0+1+1+2+3+4" },
        { { .choice = REPLY_PREEMPT, .deleted = { 1, &gone } },
          "+2+2+0+02+10+0+1+69.pbs1+1S" },
        { { .choice = REPLY_DELETE, .deleted = { 1, &gone } },
          "+2+2+0+02+11+0+1+69.pbs15+15001" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect_reply(&cases[i].reply, cases[i].bytes);
}

static void test_bad_replies_are_named(void)
{
    static const struct {
        const char *bytes;
        enum dis_error expect;
    } cases[] = {
        { "+2+1+0+0+1+0", DIS_PROTOCOL },
        { "+3+2+0+0+1+0", DIS_PROTOCOL },
        { "+2+2+0+0+0+0", DIS_PROTOCOL },
        { "+2+2+0+02+12+0", DIS_PROTOCOL },
        { "+2+2+0+0+1+0+0", DIS_PROTOCOL },
        { "+2+2+0+0+6+0210+4294967295", DIS_EOD },
        { "+2+2+0+0+9+0210+4294967295", DIS_EOD },
        { "+2+2+0+0+6+0+1+2+1a+1+0+1a+0+1b+0", DIS_OK }, /* size not looked at */
    };
    struct arena *a = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct wire_reply got;

        CU_ASSERT_EQUAL(
            batch_decode_reply(cases[i].bytes, strlen(cases[i].bytes), a, &got),
            cases[i].expect);
    }
    arena_free(a);
}

static void test_dumps_show_what_does_not_print(void)
{
    const struct body_script script = { .job_id = "a'b",
                                        .data = { "x\0\n\\", 4 },
                                        .size_bytes = 4 };
    struct wire_request rq = { BATCH_JOB_SCRIPT, "root", &script, "e" };
    struct buf b = { 0 };

    batch_dump_request(&b, &rq);
    CU_ASSERT_STRING_EQUAL(b.data, "3(jobscript) user='root' sequence=0 file_type=0 "
                                   "size_bytes=4 job_id='a\\'b' data='x\\x00\\n\\\\' "
                                   "extend='e'");
    buf_fini(&b);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "known requests have the known bytes",
          test_known_requests_have_the_known_bytes },
        { "bad requests are named", test_bad_requests_are_named },
        { "capacities are exact", test_capacities_are_exact },
        { "an unknown number is told from wrong bytes",
          test_an_unknown_number_is_told_from_wrong_bytes },
        { "several requests in one packet are read in turn",
          test_several_requests_in_one_packet_are_read_in_turn },
        { "random requests survive the trip", test_random_requests_survive_the_trip },
        { "random replies survive the trip", test_random_replies_survive_the_trip },
        { "every reply choice has the known bytes",
          test_every_reply_choice_has_the_known_bytes },
        { "bad replies are named", test_bad_replies_are_named },
        { "dumps show what does not print", test_dumps_show_what_does_not_print },
    };

    return unit_main("batch", cases, ARRAY_LEN(cases));
}
