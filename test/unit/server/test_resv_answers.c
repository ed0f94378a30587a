/* test_resv_answers.c - AnswerResvs: what a scheduler says about many reservations in
 * one request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/resv_attrs.h"
#include "lib/wire/answers.h"

#include <string.h>

#define YES    "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"
#define NO     "PBS_RESV_CONFIRM_FAIL:reason=there is none"
#define LENGTH 600

static const struct requester sched = {
    .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
};

/* R1, R2 and R3 of user1, unconfirmed, with a chunk of two cpus each. */
static void make(struct world *w)
{
    world_new(w);
    for (int i = 0; i < 3; i++)
        world_submit(w, "user1",
                     arena_printf(w->arena,
                                  "reserve_start=%d|reserve_end=%d"
                                  "|Resource_List.select=1:ncpus=2",
                                  NOW + 1000, NOW + 1000 + LENGTH));
    world_clear(w);
}

/* The turn in which the request comes. */
static void say_as(struct world *w, const struct requester *who, size_t n,
                   const struct wire_answer *v)
{
    const struct body_answer_resvs body = {
        .n = n, .answers = arena_copy(w->arena, v, n * sizeof(*v))
    };
    const struct wire_request rq = { .number = BATCH_ANSWER_RESVS,
                                     .user = who->user,
                                     .body = &body };

    (void)svr_request(w->s, w->now_at, who, &rq, &w->out);
}

static void go_on(struct world *w)
{
    while (svr_has_work(w->s))
        (void)svr_go_on(w->s, w->now_at, &w->out);
}

/* What is told of the answer at 'index'. */
static struct wire_reply told(struct world *w, size_t index)
{
    struct wire_reply reply = { .code = -1 };

    CU_ASSERT_PTR_NOT_NULL_FATAL(world_reply(w, CONN_SCHED));
    reply = *world_reply(w, CONN_SCHED);
    batch_open_reply(&reply, w->arena);
    return wire_answers_reply(&reply, index);
}

static void test_all_are_taken(void)
{
    static const struct wire_answer all[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[1]:ncpus=2)", 0, YES },
        { "R3.svr", "null", 0, NO },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(all), all);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), -1);
    EXPECT_TEXT(world_phase(&w, "R1"), "1/1");
    go_on(&w);
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        CU_ASSERT_EQUAL(told(&w, i).code, 0);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(world_phase(&w, "R2"), "2/2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESV_NODES, NULL),
                "(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_phase(&w, "R3"), "gone");
    world_free(&w);
}

/* The reply leaves behind all of their records, which are numbered one after the other.
 */
static void test_the_reply_waits_for_all(void)
{
    static const struct wire_answer two[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[1]:ncpus=2)", 0, YES },
    };
    uint64_t last = 0, reply_seq = 0;
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(two), two);
    go_on(&w);
    for (size_t i = 0; i < w.out.n; i++) {
        if (w.out.v[i].kind == EFFECT_RECORD)
            last = w.out.v[i].u.record->seq;
        if (w.out.v[i].kind == EFFECT_REPLY && w.out.v[i].u.reply.conn == CONN_SCHED)
            reply_seq = w.out.v[i].seq;
    }
    CU_ASSERT(last > 0);
    CU_ASSERT_EQUAL(reply_seq, last);
    world_free(&w);
}

/* The second one offers what the first one has just got. */
static void test_each_is_judged_by_those_before(void)
{
    static const struct wire_answer all[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R9.svr", "(vn[1]:ncpus=2)", 0, YES },
        { "R3.svr", "(vn[1]:ncpus=2)", 0, YES },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(all), all);
    go_on(&w);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_EQUAL(told(&w, 0).code, 0);
    CU_ASSERT_EQUAL(told(&w, 1).code, PBSE_BADSTATE);
    EXPECT_TEXT(told(&w, 1).text, pbse_text(PBSE_BADSTATE));
    CU_ASSERT_EQUAL(told(&w, 2).code, PBSE_UNKRESVID);
    CU_ASSERT_EQUAL(told(&w, 3).code, 0);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(world_log_of(&w, "R2.svr"), "Confirmation refused: "));
    EXPECT_TEXT(world_log_of(&w, "req_reject"),
                "Reject reply code=15016, aux=0, type=75, from Scheduler@svr\n"
                "Reject reply code=15084, aux=0, type=75, from Scheduler@svr\n");
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(world_phase(&w, "R2"), "1/1");
    EXPECT_TEXT(world_phase(&w, "R3"), "2/2");
    world_free(&w);
}

/* A reservation is deleted between two slices. */
static void test_others_are_served_in_between(void)
{
    static const struct wire_answer two[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[1]:ncpus=2)", 0, YES },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(two), two);
    (void)svr_go_on(w.s, w.now_at, &w.out);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    world_delete(&w, "user1", "R2.svr");
    EXPECT_TEXT(world_phase(&w, "R2"), "gone");
    go_on(&w);
    CU_ASSERT_EQUAL(told(&w, 0).code, 0);
    CU_ASSERT_EQUAL(told(&w, 1).code, PBSE_UNKRESVID);
    world_free(&w);
}

/* What was taken stays; what was not yet is asked again. */
static void test_the_scheduler_goes_in_between(void)
{
    static const struct wire_answer two[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[1]:ncpus=2)", 0, YES },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(two), two);
    (void)svr_go_on(w.s, w.now_at, &w.out);
    svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
    go_on(&w);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(world_phase(&w, "R2"), "1/1");
    world_clear(&w);
    world_attach(&w, "default", CONN_SCHED, CONN_SCHED2);
    world_sched_done(&w);
    world_clear(&w);
    world_confirm(&w, "R2.svr", "(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_phase(&w, "R2"), "2/2");
    world_free(&w);
}

static void test_a_lost_store_ends_it(void)
{
    static const struct wire_answer two[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, YES },
        { "R2.svr", "(vn[1]:ncpus=2)", 0, YES },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(two), two);
    (void)svr_go_on(w.s, w.now_at, &w.out);
    svr_set_store_failed(w.s, true);
    go_on(&w);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_SAVE_ERR);
    CU_ASSERT_EQUAL(told(&w, 1).code, PBSE_SAVE_ERR);
    EXPECT_TEXT(world_phase(&w, "R2"), "1/1");
    world_free(&w);
}

static void test_who_and_how_many(void)
{
    const struct requester user = { .user = "user1",
                                    .host = "svr",
                                    .conn = CONN_OTHER };
    static struct wire_answer many[ANSWERS_MOST + 1];
    struct world w;

    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = (struct wire_answer){ "R1.svr", "null", 0, NO };
    make(&w);
    say_as(&w, &user, 1, many);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_PERM);
    say_as(&w, &sched, 0, many);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_IVALREQ);
    world_clear(&w);
    say_as(&w, &sched, ANSWERS_MOST + 1, many);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_IVALREQ);
    EXPECT_TEXT(world_phase(&w, "R1"), "1/1");
    world_clear(&w);
    /* The first no is the last word about it, and the others are about nothing. */
    say_as(&w, &sched, ANSWERS_MOST, many);
    go_on(&w);
    CU_ASSERT_EQUAL(told(&w, 0).code, 0);
    CU_ASSERT_EQUAL(told(&w, ANSWERS_MOST - 1).code, PBSE_UNKRESVID);
    world_free(&w);
}

/* What cannot be read is refused, and nothing of it is kept. */
static void test_hostile_answers(void)
{
    static const struct wire_answer bad[] = {
        { "R1.svr", "(vn[0]:ncpus=2)", 0, "" },
        { "R1.svr", "((((", 0, YES },
        { "", "null", 0, YES },
        { "R1.svr", "(vn[99]:ncpus=2)", 0, YES },
        { "R1.svr", "(vn[0]:ncpus=2)", UINT64_MAX, YES },
    };
    struct world w;

    make(&w);
    say_as(&w, &sched, ARRAY_LEN(bad), bad);
    go_on(&w);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        CU_ASSERT_NOT_EQUAL(told(&w, i).code, 0);
    EXPECT_TEXT(world_phase(&w, "R1"), "1/1");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "all are taken", test_all_are_taken },
        { "the reply waits for all", test_the_reply_waits_for_all },
        { "each is judged by what those before it made",
          test_each_is_judged_by_those_before },
        { "others are served in between", test_others_are_served_in_between },
        { "the scheduler goes in between", test_the_scheduler_goes_in_between },
        { "a lost store ends it", test_a_lost_store_ends_it },
        { "who may, and how many", test_who_and_how_many },
        { "hostile answers change nothing", test_hostile_answers },
    };

    return unit_main("resv_answers", cases, ARRAY_LEN(cases));
}
