/* Golden test of lib/wire: every frame recorded from a live system, and of our own
 * requests, decodes, encodes to the same bytes again, and is missed as soon as its last
 * byte is.
 *
 * What the reference leaves to chance is left out: the type byte of packet headers and
 * the padding of TPP headers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/im.h"
#include "lib/wire/is.h"
#include "lib/wire/packet.h"
#include "lib/wire/rm.h"
#include "lib/wire/task.h"
#include "lib/wire/tpp.h"

#include "../unit/unit.h"
#include "frames.h"

#include <stdlib.h>
#include <string.h>

static void expect_same(const struct frame *f, const struct buf *got)
{
    bool same = got->len == f->len && memcmp(got->data, f->data, f->len) == 0;

    CU_ASSERT_TRUE(same);
    if (!same)
        fprintf(stderr, "%s: other bytes\n", f->name);
}

static void expect_code(const struct frame *f, size_t cut, enum dis_error got,
                        enum dis_error expect)
{
    CU_ASSERT_EQUAL(got, expect);
    if (got != expect)
        fprintf(stderr, "%s: cut at %zu of %zu gives %d\n", f->name, cut, f->len,
                (int)got);
}

static void check_request(const struct frame *f)
{
    struct arena *a = arena_new();
    struct wire_request rq;
    struct buf b = { 0 };
    bool known;

    expect_code(f, f->len, batch_decode_request(f->data, f->len, a, &rq, &known),
                DIS_OK);
    if (known) {
        batch_encode_request(&b, &rq);
        expect_same(f, &b);
        for (size_t cut = 0; cut < f->len; cut++)
            expect_code(f, cut, batch_decode_request(f->data, cut, a, &rq, &known),
                        DIS_EOD);
        buf_fini(&b);
    } else {
        CU_ASSERT_PTR_NOT_NULL(strstr(f->name, "unknown"));
    }
    arena_free(a);
}

static void check_reply(const struct frame *f)
{
    struct arena *a = arena_new();
    struct wire_reply reply = { .choice = REPLY_NULL };
    struct buf b = { 0 };

    expect_code(f, f->len, batch_decode_reply(f->data, f->len, a, &reply), DIS_OK);
    batch_encode_reply(&b, &reply);
    expect_same(f, &b);
    for (size_t cut = 0; cut < f->len; cut++)
        expect_code(f, cut, batch_decode_reply(f->data, cut, a, &reply), DIS_EOD);
    buf_fini(&b);
    arena_free(a);
}

static void test_requests(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "requests.txt");

    CU_ASSERT_TRUE(all.n > 100);
    for (size_t i = 0; i < all.n; i++)
        check_request(&all.v[i]);
    arena_free(a);
}

static void test_replies(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "replies.txt");

    CU_ASSERT_TRUE(all.n > 50);
    for (size_t i = 0; i < all.n; i++)
        check_reply(&all.v[i]);
    arena_free(a);
}

/* Ours were not recorded; what they ask and answer is test_extensions' matter. */
static void test_our_own_requests(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "extensions.txt");

    CU_ASSERT_TRUE(all.n > 80);
    for (size_t i = 0; i < all.n; i++)
        (all.v[i].direction == '>' ? check_request : check_reply)(&all.v[i]);
    arena_free(a);
}

/* The size of an attribute may be larger than the attribute (test_batch.c): nothing is
 * read or taken for it. These are the places where the rest makes sense then. */
static bool is_size(const struct frame *f, size_t at)
{
    return (strcmp(f->name, "changes-of-a-colour.1") == 0 && at == 23) ||
           (strcmp(f->name, "act-delete-what.1") == 0 && at == 32);
}

/* A number more at that place: where a length or a count is expected it is one that the
 * message cannot keep. Where a value is expected it is a value like others, and the
 * rest of the message is read for what it then is. */
static void check_with(const struct frame *f, size_t at, const char *number)
{
    struct arena *a = arena_new();
    struct buf b = { 0 }, again = { 0 };
    struct wire_request rq;
    bool known = true;

    buf_add(&b, f->data, at);
    buf_add_str(&b, number);
    buf_add(&b, f->data + at, f->len - at);
    if (!batch_decode_request(b.data, b.len, a, &rq, &known) && known) {
        batch_encode_request(&again, &rq);
        CU_ASSERT_TRUE(again.len == b.len || is_size(f, at));
        if (again.len != b.len && !is_size(f, at))
            fprintf(stderr, "%s: with %s at %zu is understood\n", f->name, number, at);
    }
    CU_ASSERT_TRUE(arena_used_bytes(a) < 4096 + 16 * b.len);
    buf_fini(&b);
    buf_fini(&again);
    arena_free(a);
}

/* At every place before the extension, whose mark is "some number or 0". */
static void check_hostile(const struct frame *f)
{
    static const char *const numbers[] = { "9+999999999", "210+4294967295",
                                           "220+18446744073709551615" };

    for (size_t at = 0; at + strlen("+0") < f->len; at++)
        for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
            check_with(f, at, numbers[k]);
}

static void test_lengths_that_promise_too_much(void)
{
    struct arena *a = arena_new();
    struct frames ours = frames_load(a, "extensions.txt");

    for (size_t i = 0; i < ours.n; i++)
        if (ours.v[i].direction == '>')
            check_hostile(&ours.v[i]);
    arena_free(a);
}

/* A command is a number, of which 11 is followed by a job id. */
static void test_scheduler_commands(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "commands.txt");

    for (size_t i = 0; i < all.n; i++) {
        const struct frame *f = &all.v[i];
        struct dis_in in = { f->data, f->data + f->len, a };
        struct buf b = { 0 };
        const char *job_id;
        int32_t command;
        struct wire_request rq;
        bool known;

        if (strcmp(f->kind, "bad") == 0) {
            expect_code(f, f->len,
                        batch_decode_request(f->data, f->len, a, &rq, &known),
                        DIS_PROTOCOL);
            continue;
        }
        expect_code(f, f->len, dis_get_int(&in, &command), DIS_OK);
        dis_put_int(&b, command);
        if (command == 11) {
            expect_code(f, f->len, dis_get_string(&in, 275, &job_id), DIS_OK);
            dis_put_string(&b, job_id);
        }
        CU_ASSERT_PTR_EQUAL(in.at, in.end);
        expect_same(f, &b);
        buf_fini(&b);
    }
    arena_free(a);
}

/* The vnode list is there when it was asked for; these messages do not tell. */
static bool has_inventory(const struct frame *f, struct arena *a)
{
    struct is_message msg;
    bool known;

    return is_decode(f->data, f->len, true, a, &msg, &known) == DIS_OK;
}

/* Two cuts go unnoticed by design: the version behind a state block may be missing, and
 * a body that is handed over raw has no end of its own. */
static bool may_end_early(const struct is_message *msg)
{
    return msg->raw.data || msg->command == IS_UPDATE || msg->command == IS_UPDATE2 ||
           msg->command == IS_REGISTERMOM;
}

static void check_is(const struct frame *f)
{
    struct arena *a = arena_new();
    bool inventory = has_inventory(f, a), known = false;
    struct is_message msg = { 0 };
    struct buf b = { 0 };

    expect_code(f, f->len, is_decode(f->data, f->len, inventory, a, &msg, &known),
                DIS_OK);
    CU_ASSERT_TRUE_FATAL(known);
    is_encode(&b, &msg);
    expect_same(f, &b);
    for (size_t cut = 0; cut < f->len; cut++) {
        struct is_message part = { 0 };
        enum dis_error e = is_decode(f->data, cut, inventory, a, &part, &known);

        if (e || !may_end_early(&part))
            expect_code(f, cut, e, DIS_EOD);
    }
    buf_clear(&b);
    is_dump(&b, &msg);
    CU_ASSERT_TRUE(b.len > 4);
    buf_fini(&b);
    arena_free(a);
}

static void test_server_and_mom_messages(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "is.txt");

    CU_ASSERT_TRUE(all.n > 40);
    for (size_t i = 0; i < all.n; i++)
        check_is(&all.v[i]);
    arena_free(a);
}

static void clear(char *data, size_t len, size_t from, size_t n)
{
    for (size_t i = from; i < from + n && i < len; i++)
        data[i] = 0;
}

/* Zero what tpp.md 2 calls padding or garbage. */
static void normalise_tpp(char *data, size_t len)
{
    switch (data[4]) {
    case TPP_JOIN:
        clear(data, len, 9, 3);
        break;
    case TPP_DATA:
        clear(data, len, 5, 3);
        break;
    case TPP_CLOSE_STRM:
        clear(data, len, 5, 3);
        clear(data, len, 20, 4);
        break;
    case TPP_CTL_MSG:
        clear(data, len, 7, 1);
        break;
    case TPP_MCAST_DATA:
        clear(data, len, 6, 2);
        break;
    case TPP_AUTH_CTX:
        clear(data, len, 5, 3);
        clear(data, len, 214, 2);
        break;
    default:
        break;
    }
}

static void check_tpp(const struct frame *f)
{
    struct arena *a = arena_new();
    struct frame normal = *f;
    struct tpp_packet pkt = { 0 };
    struct buf b = { 0 };
    char *data = arena_copy(a, f->data, f->len);
    size_t total = 0;

    normalise_tpp(data, f->len);
    normal.data = data;
    CU_ASSERT_EQUAL(tpp_peek(f->data, f->len, f->len, &total), TPP_READY);
    CU_ASSERT_EQUAL(total, f->len);
    CU_ASSERT_TRUE_FATAL(tpp_decode(f->data, f->len, a, &pkt));
    tpp_encode(&b, &pkt);
    expect_same(&normal, &b);
    for (size_t cut = 0; cut < f->len; cut++) {
        CU_ASSERT_EQUAL(tpp_peek(f->data, cut, f->len, &total), TPP_PARTIAL);
        CU_ASSERT_FALSE(tpp_decode(f->data, cut, a, &pkt));
    }
    buf_fini(&b);
    arena_free(a);
}

static void test_tpp_packets(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "tpp.txt");

    CU_ASSERT_TRUE(all.n > 60);
    for (size_t i = 0; i < all.n; i++)
        check_tpp(&all.v[i]);
    arena_free(a);
}

/* The command that the frame answers: "im-to-6"; 0: it answers none. */
static int asked_of(const struct frame *f)
{
    const char *to = strstr(f->kind, "-to-");

    return to ? atoi(to + 4) : 0;
}

/* Of an answer the body is a second step. */
static enum dis_error decode_im(const struct frame *f, size_t len, struct arena *a,
                                struct im_message *ret)
{
    enum dis_error e = im_decode(f->data, len, a, ret);

    if (!e && asked_of(f))
        e = im_decode_answer(ret, (enum im_command)asked_of(f), a);
    return e;
}

static void check_im(const struct frame *f)
{
    struct arena *a = arena_new();
    struct im_message msg = { 0 }, part = { 0 };
    struct buf b = { 0 };

    expect_code(f, f->len, decode_im(f, f->len, a, &msg), DIS_OK);
    CU_ASSERT_TRUE(msg.raw.len == 0 || asked_of(f));
    im_encode(&b, &msg);
    expect_same(f, &b);
    for (size_t cut = 0; cut < f->len; cut++) {
        enum dis_error e = decode_im(f, cut, a, &part);

        if (e || !strstr(f->name, "-open"))
            expect_code(f, cut, e, DIS_EOD);
    }
    buf_clear(&b);
    im_dump(&b, &msg);
    CU_ASSERT_PTR_NULL(strchr(b.data, '?'));
    buf_fini(&b);
    arena_free(a);
}

static void test_mom_and_mom_messages(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "im.txt");

    CU_ASSERT_EQUAL(all.n, 17);
    for (size_t i = 0; i < all.n; i++)
        check_im(&all.v[i]);
    arena_free(a);
}

/* Those that were not recorded are what the specification says; together there is one
 * of each command that has a name. */
static void test_every_command_between_moms_has_a_frame(void)
{
    struct arena *a = arena_new();
    struct frames of[] = { frames_load(a, "im.txt"),
                           frames_load(a, "im-specified.txt") };
    bool seen[IM_ERROR2 + 1] = { false };

    for (size_t i = 0; i < of[1].n; i++)
        check_im(&of[1].v[i]);
    for (size_t k = 0; k < ARRAY_LEN(of); k++)
        for (size_t i = 0; i < of[k].n; i++) {
            struct im_message msg = { 0 };

            CU_ASSERT_EQUAL_FATAL(im_decode(of[k].v[i].data, of[k].v[i].len, a, &msg),
                                  DIS_OK);
            CU_ASSERT_FATAL((size_t)msg.command < ARRAY_LEN(seen));
            seen[msg.command] = true;
        }
    for (size_t c = 0; c < ARRAY_LEN(seen); c++)
        if (strcmp(im_command_name((enum im_command)c), "?") != 0)
            CU_ASSERT_TRUE(seen[c]);
    arena_free(a);
}

static enum dis_error decode_reply(const struct frame *f, size_t len, struct arena *a,
                                   struct task_reply *ret)
{
    enum dis_error e = task_reply_decode(f->data, len, a, ret);

    return e ? e : task_reply_decode_body(ret, (enum task_command)asked_of(f), a);
}

static void check_tm(const struct frame *f)
{
    struct arena *a = arena_new();
    struct task_request rq = { 0 };
    struct task_reply reply = { 0 };
    struct buf b = { 0 };

    if (asked_of(f)) {
        expect_code(f, f->len, decode_reply(f, f->len, a, &reply), DIS_OK);
        task_reply_encode(&b, &reply, (enum task_command)asked_of(f));
    } else {
        expect_code(f, f->len, task_request_decode(f->data, f->len, a, &rq), DIS_OK);
        task_request_encode(&b, &rq);
    }
    expect_same(f, &b);
    for (size_t cut = 0; cut < f->len; cut++)
        expect_code(f, cut,
                    asked_of(f) ? decode_reply(f, cut, a, &reply)
                                : task_request_decode(f->data, cut, a, &rq),
                    DIS_EOD);
    buf_fini(&b);
    arena_free(a);
}

static void test_task_messages(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "tm.txt");

    CU_ASSERT_EQUAL(all.n, 13);
    for (size_t i = 0; i < all.n; i++)
        check_tm(&all.v[i]);
    arena_free(a);
}

/* The list of names is ended by the message: a cut behind one of them is a shorter
 * list, so a cut is missed only within a name or a number. */
static void test_questions_about_hosts(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "rm.txt");

    CU_ASSERT_EQUAL(all.n, 2);
    for (size_t i = 0; i < all.n; i++) {
        const struct frame *f = &all.v[i];
        struct rm_request rq = { 0 };
        struct buf b = { 0 };

        expect_code(f, f->len, rm_request_decode(f->data, f->len, a, &rq), DIS_OK);
        rm_request_encode(&b, &rq);
        CU_ASSERT_EQUAL(b.len, f->len);
        CU_ASSERT(b.len == f->len && memcmp(b.data, f->data, f->len) == 0);
        for (size_t cut = 0; cut < f->len; cut++) {
            enum dis_error e = rm_request_decode(f->data, cut, a, &rq);

            CU_ASSERT(e == DIS_EOD || (e == DIS_OK && f->data[cut] == '+') ||
                      (e == DIS_OK && f->data[cut] >= '0' && f->data[cut] <= '9'));
        }
        buf_fini(&b);
    }
    arena_free(a);
}

/* As between MoMs; REGISTER is answered with an error whatever it says. */
static void test_every_request_of_tasks_has_a_frame(void)
{
    static const int asked[] = { 100, 101, 102, 103, 104, 105, 106, 107, 112, 113 };
    struct arena *a = arena_new();
    struct frames of[] = { frames_load(a, "tm.txt"),
                           frames_load(a, "tm-specified.txt") };

    for (size_t i = 0; i < of[1].n; i++)
        check_tm(&of[1].v[i]);
    for (size_t c = 0; c < ARRAY_LEN(asked); c++) {
        size_t n = 0;

        for (size_t k = 0; k < ARRAY_LEN(of); k++)
            for (size_t i = 0; i < of[k].n; i++) {
                struct task_request rq = { 0 };

                n += !asked_of(&of[k].v[i]) &&
                     task_request_decode(of[k].v[i].data, of[k].v[i].len, a, &rq) ==
                         DIS_OK &&
                     (int)rq.command == asked[c];
            }
        CU_ASSERT_TRUE(n > 0);
    }
    arena_free(a);
}

/* Tokens travel in packets of their own type, which is kept. */
static void test_handshake_packets(void)
{
    struct arena *a = arena_new();
    struct frames all = frames_load(a, "packets.txt");

    CU_ASSERT_EQUAL(all.n, 2);
    for (size_t i = 0; i < all.n; i++) {
        const struct frame *f = &all.v[i];
        struct packet p = { 0 };
        struct buf b = { 0 };

        CU_ASSERT_EQUAL_FATAL(packet_peek(f->data, f->len, f->len, &p), PACKET_READY);
        CU_ASSERT_EQUAL(p.total_bytes, f->len);
        CU_ASSERT_EQUAL(p.type, f->direction == '>' ? PACKET_TOKEN : PACKET_OK);
        packet_put(&b, p.type, p.data, p.len);
        expect_same(f, &b);
        for (size_t cut = 0; cut < f->len; cut++)
            CU_ASSERT_EQUAL(packet_peek(f->data, cut, f->len, &p), PACKET_PARTIAL);
        buf_fini(&b);
    }
    arena_free(a);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "recorded requests survive the trip", test_requests },
        { "recorded replies survive the trip", test_replies },
        { "our own requests and replies survive the trip", test_our_own_requests },
        { "lengths that promise too much are refused",
          test_lengths_that_promise_too_much },
        { "recorded scheduler commands survive the trip", test_scheduler_commands },
        { "recorded server and MoM messages survive the trip",
          test_server_and_mom_messages },
        { "recorded messages between MoMs survive the trip",
          test_mom_and_mom_messages },
        { "every command between MoMs has a frame that survives the trip",
          test_every_command_between_moms_has_a_frame },
        { "recorded messages of tasks survive the trip", test_task_messages },
        { "recorded questions about hosts survive the trip",
          test_questions_about_hosts },
        { "every request of tasks has a frame that survives the trip",
          test_every_request_of_tasks_has_a_frame },
        { "recorded TPP packets survive the trip", test_tpp_packets },
        { "recorded handshake packets survive the trip", test_handshake_packets },
    };

    return unit_main("golden frames", cases, ARRAY_LEN(cases));
}
