/* test_resv_push.c - alterations that move the reservations behind them, and extensions
 * that are content with less: who may ask, and which answers of a scheduler are taken
 * (doc/design/050-push.md, 049-auto-extend.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/resv_attrs.h"
#include "server/model/occurrence.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH  600
#define END     (NOW + LENGTH) /* of R1, which runs on vn[0] and vn[1] */
#define WANTED  (END + 300)
#define FOLLOWS (END + 100) /* R2 on vn[0], R3 on vn[1], for 200 s each */
#define VNODES  "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)"

static void act(struct world *w, const char *user, uint32_t flags, const char *id,
                const char *attr, int64_t value)
{
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_OTHER };
    struct body_resv_act body = { .what = RESV_ACT_ALTER, .flags = flags, .id = id };
    const struct wire_request rq = { .number = BATCH_RESV_ACT,
                                     .user = user,
                                     .body = &body };

    wire_attrs_add(&body.attrs, w->arena, attr, NULL,
                   arena_printf(w->arena, "%" PRId64, value), WIRE_OP_SET);
    (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
}

/* mgr1 wants R1 until WANTED, with room made. */
static void push(struct world *w)
{
    act(w, "mgr1", RESV_ACT_PUSH, "R1.svr", "reserve_end", WANTED);
    EXPECT_TEXT(world_reply_text(w, CONN_OTHER), "R1.svr ALTER REQUESTED");
    world_clear(w);
}

static uint64_t seq_of(struct world *w, const char *id)
{
    return strtoull(world_attr(w, OBJ_RESV, id, RESV_A_HF_ALTER_SEQ, NULL), NULL, 10);
}

static void offer_as(struct world *w, const struct requester *who, uint64_t seq,
                     size_t n, const struct wire_offer *v)
{
    struct wire_offer *offers = arena_copy(w->arena, v, n * sizeof(*v));
    const struct body_offer_resv body = {
        .seq = seq, .partition = "pbs-default", .n = n, .offers = offers
    };
    const struct wire_request rq = { .number = BATCH_OFFER_RESV,
                                     .user = who->user,
                                     .body = &body };

    (void)svr_request(w->s, w->now_at, who, &rq, &w->out);
}

static void offer(struct world *w, size_t n, const struct wire_offer *v)
{
    const struct requester sched = {
        .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
    };

    offer_as(w, &sched, seq_of(w, "R1"), n, v);
}

static void reserve(struct world *w, const char *id, int64_t start_at, int64_t end_at,
                    const char *vnodes)
{
    world_submit(w, "user2",
                 arena_printf(w->arena,
                              "reserve_start=%" PRId64 "|reserve_end=%" PRId64
                              "|Resource_List.select=1:ncpus=2",
                              start_at, end_at));
    world_confirm(w, id, vnodes);
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_SCHED), 0);
    world_clear(w);
}

static void make(struct world *w)
{
    world_new(w);
    world_reserve(w, 2, NOW, LENGTH);
    reserve(w, "R2.svr", FOLLOWS, FOLLOWS + 200, "(vn[0]:ncpus=2)");
    reserve(w, "R3.svr", FOLLOWS, FOLLOWS + 200, "(vn[1]:ncpus=2)");
}

/* R1 as wanted, R2 behind it, R3 at its time on another vnode. */
static const struct wire_offer good[] = {
    { "R1.svr", NOW, WANTED, VNODES },
    { "R2.svr", WANTED, WANTED + 200, "(vn[0]:ncpus=2)" },
    { "R3.svr", FOLLOWS, FOLLOWS + 200, "(vn[2]:ncpus=2)" },
};

static const char *times(struct world *w, const char *id)
{
    return arena_printf(w->arena, "%s+%s %s",
                        world_attr(w, OBJ_RESV, id, RESV_A_RESERVE_START, NULL),
                        world_attr(w, OBJ_RESV, id, RESV_A_RESERVE_DURATION, NULL),
                        world_attr(w, OBJ_RESV, id, RESV_A_RESV_NODES, NULL));
}

#define EXPECT_TIMES(w, id, start, length, vnodes)                                     \
    EXPECT_TEXT(times(w, id), arena_printf((w)->arena, "%" PRId64 "+%d %s",            \
                                           (int64_t)(start), length, vnodes))

static void expect_as_before(struct world *w)
{
    EXPECT_TIMES(w, "R1", NOW, LENGTH, VNODES);
    EXPECT_TIMES(w, "R2", FOLLOWS, 200, "(vn[0]:ncpus=2)");
    EXPECT_TIMES(w, "R3", FOLLOWS, 200, "(vn[1]:ncpus=2)");
}

static void test_all_are_moved_in_one_decision(void)
{
    struct world w;

    make(&w);
    push(&w);
    EXPECT_TEXT(world_shown(&w, "root", "R1.svr", "alter_allows", NULL, NULL), "push");
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "alter_allows", NULL, NULL), "");
    /* The others are what they were until the answer. */
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R2.svr", "reserve_state", NULL, NULL), "2");
    world_clear(&w);
    offer(&w, ARRAY_LEN(good), good);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TIMES(&w, "R1", NOW, LENGTH + 300, VNODES);
    EXPECT_TIMES(&w, "R2", WANTED, 200, "(vn[0]:ncpus=2)");
    EXPECT_TIMES(&w, "R3", FOLLOWS, 200, "(vn[2]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESERVE_END, NULL),
                arena_printf(w.arena, "%d", WANTED + 200));
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    EXPECT_TEXT(world_phase(&w, "R2"), "2/2");
    /* One Y each, a letter to each owner, and who was moved where. */
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Y', 2));
    CU_ASSERT_PTR_NULL(world_account(&w, 'Y', 3));
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation moved from "), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation moved on other vnodes"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "This was done to make room for R1.svr."), 2);
    EXPECT_TEXT(world_log_of(&w, "R1.svr"), "Reservation alter confirmed\n");
    EXPECT_TEXT(world_log_of(&w, "R3.svr"),
                "Reservation alter confirmed\nReservation moved on other vnodes, at "
                "the same time, to make room for R1.svr\n");
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "pushed", NULL, "why"),
                arena_printf(w.arena, "R2.svr from @%d to @%d, R3.svr to other vnodes",
                             FOLLOWS, WANTED));
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "pushed", NULL, NULL), "");
    world_restart(&w);
    EXPECT_TIMES(&w, "R2", WANTED, 200, "(vn[0]:ncpus=2)");
    /* The next alteration speaks for itself. */
    act(&w, "mgr1", 0, "R1.svr", "reserve_end", WANTED - 10);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "pushed", NULL, "why"), "");
    world_free(&w);
}

/* Whoever wants no letters gets none. */
static void test_letters(void)
{
    static const struct {
        const char *points;
        size_t n;
    } cases[] = { { "n", 0 }, { "b", 1 }, { "a", 1 } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w);
        world_fact(&w, FACT_SET, OBJ_RESV, "R2.svr", RESV_A_MAIL_POINTS, NULL,
                   cases[i].points);
        push(&w);
        offer(&w, ARRAY_LEN(good), good);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation moved from "), cases[i].n);
        world_free(&w);
    }
}

static void test_an_ordinary_yes_moves_nobody(void)
{
    struct world w;

    make(&w);
    act(&w, "mgr1", RESV_ACT_PUSH, "R1.svr", "reserve_end", END + 50);
    world_clear(&w);
    world_confirm(&w, "R1.svr", VNODES);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TIMES(&w, "R1", NOW, LENGTH + 50, VNODES);
    world_free(&w);
}

static void test_who_may_ask_for_what(void)
{
    static const struct {
        const char *story, *user, *attr;
        uint32_t flags;
        int64_t value;
        int code;
    } cases[] = {
        { "the owner", "user1", "reserve_end", RESV_ACT_PUSH, WANTED, PBSE_PERM },
        { "an operator", "oper1", "reserve_end", RESV_ACT_PUSH, WANTED, PBSE_PERM },
        { "an operator without a push", "oper1", "reserve_end", 0, WANTED, 0 },
        { "with force", "mgr1", "reserve_end", RESV_ACT_PUSH | RESV_ACT_FORCE, WANTED,
          PBSE_NOSUP },
        { "without times", "mgr1", "Priority", RESV_ACT_PUSH, 5, PBSE_NOSUP },
        { "a manager", "mgr1", "reserve_end", RESV_ACT_PUSH, WANTED, 0 },
        { "the owner for himself", "user1", "reserve_end", 0, WANTED, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w);
        world_server(&w, SERVER_A_OPERATORS, NULL, "oper1@*");
        act(&w, cases[i].user, cases[i].flags, "R1.svr", cases[i].attr, cases[i].value);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_OTHER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        expect_as_before(&w);
        world_free(&w);
    }
}

/* Nobody but a maker confirms maintenance, and it asks nobody for room. */
static void test_maintenance_pushes_nobody(void)
{
    struct world w;

    make(&w);
    world_submit_as(&w, &(struct requester){ .user = "mgr1", .host = "svr", .conn = 9 },
                    "m", "",
                    arena_printf(w.arena,
                                 "reserve_start=%d|reserve_end=%d|"
                                 "Resource_List.select=1:host=svr",
                                 END + 5000, END + 6000));
    act(&w, "mgr1", RESV_ACT_PUSH, "M4.svr", "reserve_end", END + 7000);
    CU_ASSERT_NOT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    world_free(&w);
}

/* An offer that does not hold is refused, and nothing has changed. */
static void test_offers_that_are_refused(void)
{
    static const struct {
        const char *story;
        size_t which; /* of 'good' is replaced by: */
        struct wire_offer by;
    } cases[] = {
        { "another start of R1", 0, { "R1.svr", NOW + 1, WANTED, VNODES } },
        { "a shorter extension", 0, { "R1.svr", NOW, WANTED - 1, VNODES } },
        { "a longer extension", 0, { "R1.svr", NOW, WANTED + 1, VNODES } },
        { "another vnode of R1",
          0,
          { "R1.svr", NOW, WANTED, "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)" } },
        { "too little for R1", 0, { "R1.svr", NOW, WANTED, "(vn[0]:ncpus=2)" } },
        { "one that is not there",
          1,
          { "R9.svr", WANTED, WANTED + 200, "(vn[0]:ncpus=2)" } },
        { "one that is named twice",
          1,
          { "R3.svr", WANTED, WANTED + 200, "(vn[0]:ncpus=2)" } },
        { "itself", 1, { "R1.svr", NOW, WANTED, VNODES } },
        { "another length", 1, { "R2.svr", WANTED, WANTED + 199, "(vn[0]:ncpus=2)" } },
        { "no window", 1, { "R2.svr", WANTED, WANTED, "(vn[0]:ncpus=2)" } },
        { "behind all time",
          1,
          { "R2.svr", WANTED, (uint64_t)INT64_MAX + 5, "(vn[0]:ncpus=2)" } },
        { "earlier", 1, { "R2.svr", FOLLOWS - 1, FOLLOWS + 199, "(vn[3]:ncpus=2)" } },
        { "too far",
          1,
          { "R2.svr", FOLLOWS + PUSH_FARTHEST_S + 1, FOLLOWS + PUSH_FARTHEST_S + 201,
            "(vn[0]:ncpus=2)" } },
        { "where R1 still is",
          1,
          { "R2.svr", WANTED - 1, WANTED + 199, "(vn[0]:ncpus=2)" } },
        { "where R3 would be",
          1,
          { "R2.svr", FOLLOWS + 50, FOLLOWS + 250, "(vn[2]:ncpus=2)" } },
        { "no vnode", 1, { "R2.svr", WANTED, WANTED + 200, "" } },
        { "no vnode that is there",
          1,
          { "R2.svr", WANTED, WANTED + 200, "(vx:ncpus=2)" } },
        { "too little", 1, { "R2.svr", WANTED, WANTED + 200, "(vn[0]:ncpus=1)" } },
        { "R3 stays", 2, { "R3.svr", FOLLOWS, FOLLOWS + 200, "(vn[1]:ncpus=2)" } },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        struct wire_offer v[ARRAY_LEN(good)];

        memcpy(v, good, sizeof(v));
        v[cases[i].which] = cases[i].by;
        make(&w);
        push(&w);
        offer(&w, ARRAY_LEN(good), v);
        if (world_reply_code(&w, CONN_SCHED) <= 0)
            fprintf(stderr, "%s: taken\n", cases[i].story);
        CU_ASSERT_TRUE(world_reply_code(&w, CONN_SCHED) > 0);
        expect_as_before(&w);
        CU_ASSERT_TRUE(seq_of(&w, "R1") != 0);
        /* The right one is taken afterwards. */
        world_clear(&w);
        offer(&w, ARRAY_LEN(good), good);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
        world_free(&w);
    }
}

/* R2 is not one that may be moved. */
static void test_who_is_not_moved(void)
{
    static const struct {
        const char *story;
        int attr;
        const char *value;
        const char *expect; /* in the log */
    } cases[] = {
        { "it begins before R1", RESV_A_RESERVE_START, "1795247570",
          "Confirmation refused: R2.svr has started, or is not confirmed" },
        { "it is of another partition", RESV_A_PARTITION, "p2",
          "Confirmation refused: R2.svr is of another partition" },
        { "it is being altered", -1, "reserve_duration=250",
          "Confirmation refused: R2.svr is being altered" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w);
        push(&w);
        if (cases[i].attr >= 0)
            world_fact(&w, FACT_SET, OBJ_RESV, "R2.svr", cases[i].attr, NULL,
                       cases[i].value);
        else
            world_modify(&w, "user2", "R2.svr", cases[i].value, NULL);
        offer(&w, ARRAY_LEN(good), good);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
        if (world_count_log(&w, cases[i].expect) != 1)
            fprintf(stderr, "%s: %s\n", cases[i].story, world_log_of(&w, "R1.svr"));
        CU_ASSERT_EQUAL(world_count_log(&w, cases[i].expect), 1);
        EXPECT_TIMES(&w, "R1", NOW, LENGTH, VNODES);
        world_free(&w);
    }
}

/* Its next occurrence begins before it would end. */
static void test_a_series_is_not_crossed(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, NOW + 1000, 200); /* R1, with a later occurrence */
    world_later(&w, 2, NOW + 1450, 200, "(vn[0]:ncpus=2)");
    reserve(&w, "R2.svr", NOW + 10, NOW + 500, "(vn[0]:ncpus=2)");
    for (int over = 1; over >= 0; over--) {
        const int64_t end = NOW + 1249 + over;
        const struct wire_offer v[] = {
            { "R2.svr", NOW + 10, (uint64_t)end, "(vn[0]:ncpus=2)" },
            { "R1.svr", (uint64_t)end, (uint64_t)end + 200, "(vn[0]:ncpus=2)" },
        };
        const struct requester sched = {
            .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
        };

        world_restart(&w); /* drops what was asked before */
        act(&w, "mgr1", RESV_ACT_PUSH, "R2.svr", "reserve_end", end);
        world_clear(&w);
        offer_as(&w, &sched, seq_of(&w, "R2"), 2, v);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), over ? PBSE_BADSTATE : 0);
    }
    EXPECT_TIMES(&w, "R1", NOW + 1249, 200, "(vn[0]:ncpus=2)");
    world_free(&w);
}

/* R1 runs from now on vn[0] and has two later occurrences there, R1[2] and R1[3]; R2 is
 * on vn[1] when R1[2] is. */
#define SECOND (NOW + 1000)
#define THIRD  (NOW + 1300)
#define ON_0   "(vn[0]:ncpus=2)"
#define ON_1   "(vn[1]:ncpus=2)"

static void make_series(struct world *w)
{
    world_new(w);
    world_attach_ours(w);
    world_reserve(w, 1, NOW, LENGTH);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_STANDING, NULL, "1");
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_COUNT, NULL, "3");
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_INDEX, NULL, "1");
    world_later(w, 2, SECOND, 200, ON_0);
    world_later(w, 3, THIRD, 200, ON_0);
    reserve(w, "R2.svr", SECOND, SECOND + 200, ON_1);
}

static const char *later_times(struct world *w, const char *id)
{
    return arena_printf(
        w->arena, "%s-%s %s",
        world_attr(w, OBJ_OCCURRENCE, id, OCCURRENCE_A_START, NULL),
        world_attr(w, OBJ_OCCURRENCE, id, OCCURRENCE_A_END, NULL),
        world_attr(w, OBJ_OCCURRENCE, id, OCCURRENCE_A_RESV_NODES, NULL));
}

#define EXPECT_LATER(w, id, start, end, vnodes)                                        \
    EXPECT_TEXT(later_times(w, id), arena_printf((w)->arena, "%d-%d %s", (int)(start), \
                                                 (int)(end), vnodes))

static void offer_about(struct world *w, const char *id, size_t n,
                        const struct wire_offer *v)
{
    const struct requester sched = {
        .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
    };

    offer_as(w, &sched, seq_of(w, id), n, v);
}

static void test_later_occurrences_are_moved(void)
{
    static const struct wire_offer moved[] = {
        { "R3.svr", NOW + 700, NOW + 1100, ON_0 },
        { "R1[2].svr", NOW + 1100, NOW + 1300, ON_0 },
        { "R1[3].svr", NOW + 1301, NOW + 1501, ON_0 },
    };
    struct world w;

    make_series(&w);
    reserve(&w, "R3.svr", NOW + 700, NOW + 900, ON_0);
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_MAIL_POINTS, NULL, "b");
    act(&w, "mgr1", RESV_ACT_PUSH, "R3.svr", "reserve_end", NOW + 1100);
    world_clear(&w);
    offer_about(&w, "R3", ARRAY_LEN(moved), moved);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_LATER(&w, "R1[2].svr", NOW + 1100, NOW + 1300, ON_0);
    EXPECT_LATER(&w, "R1[3].svr", NOW + 1301, NOW + 1501, ON_0);
    EXPECT_TIMES(&w, "R1", NOW, LENGTH, ON_0); /* the current one is what it was */
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(world_log_of(&w, "R1[2].svr"), "to make room for R3.svr"));
    CU_ASSERT_EQUAL(world_count_mail(&w, "This was done to make room for R3.svr."), 2);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation moved from "), 2);
    EXPECT_TEXT(world_shown(&w, "user2", "R3.svr", "pushed", NULL, "why"),
                arena_printf(w.arena,
                             "R1[2].svr from @%d to @%d, R1[3].svr from @%d to @%d",
                             SECOND, NOW + 1100, THIRD, NOW + 1301));
    world_restart(&w);
    EXPECT_LATER(&w, "R1[3].svr", NOW + 1301, NOW + 1501, ON_0);
    world_free(&w);
}

/* R1 itself runs longer than until its next one begins. */
static void test_its_own_followers_are_moved(void)
{
    static const struct wire_offer moved[] = {
        { "R1.svr", NOW, NOW + 1050, ON_0 },
        { "R1[2].svr", NOW + 1051, NOW + 1251, ON_0 },
    };
    struct world w;

    make_series(&w);
    act(&w, "mgr1", 0, "R1.svr", "reserve_end", NOW + 1050);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_STDG_RESV_OCCR_CONFLICT);
    world_clear(&w);
    act(&w, "mgr1", RESV_ACT_PUSH, "R1.svr", "reserve_end", NOW + 1050);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr ALTER REQUESTED");
    world_clear(&w);
    offer(&w, 1, moved); /* without its next one */
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(world_count_log(&w, "Confirmation refused: R1.svr would meet "
                                        "another occurrence of its series"),
                    1);
    world_clear(&w);
    offer(&w, ARRAY_LEN(moved), moved);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TIMES(&w, "R1", NOW, 1050, ON_0);
    EXPECT_LATER(&w, "R1[2].svr", NOW + 1051, NOW + 1251, ON_0);
    EXPECT_LATER(&w, "R1[3].svr", THIRD, THIRD + 200, ON_0);
    world_free(&w);
}

/* One that knows of no push would say its yes again and again. */
static void test_a_yes_that_meets_its_own_series_is_a_no(void)
{
    struct world w;

    make_series(&w);
    act(&w, "mgr1", RESV_ACT_PUSH, "R1.svr", "reserve_end", NOW + 1050);
    world_clear(&w);
    world_confirm(&w, "R1.svr", ON_0);
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter denied"), 1);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "alter_denied", NULL, "why"),
                "Requested time(s) will interfere with a later occurrence");
    EXPECT_TIMES(&w, "R1", NOW, LENGTH, ON_0);
    world_free(&w);
}

static void act_on_second(struct world *w, uint32_t flags, int64_t end_at)
{
    world_clear(w);
    world_act(w, "mgr1", RESV_ACT_ALTER, flags, 2, "R1.svr",
              arena_printf(w->arena, "reserve_end=%" PRId64, end_at));
}

static void test_a_later_one_pushes(void)
{
    static const struct wire_offer moved[] = {
        { "R1[2].svr", SECOND, THIRD + 50, ON_1 },
        { "R2.svr", THIRD + 50, THIRD + 250, ON_1 },
        { "R1[3].svr", THIRD + 51, THIRD + 251, ON_0 },
    };
    struct world w;

    make_series(&w);
    act_on_second(&w, 0, THIRD + 50);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_STDG_RESV_OCCR_CONFLICT);
    act_on_second(&w, RESV_ACT_PUSH, THIRD + 50);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1[2].svr ALTER REQUESTED");
    world_clear(&w);
    offer_about(&w, "R1", 1, &(struct wire_offer){ "R1.svr", NOW, NOW + 700, ON_0 });
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_clear(&w);
    offer_about(&w, "R1", 2, moved); /* R1[3] is not moved */
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    EXPECT_LATER(&w, "R1[2].svr", SECOND, SECOND + 200, ON_0);
    world_clear(&w);
    offer_about(&w, "R1", ARRAY_LEN(moved), moved);
    /* R2 begins with R1[2], and not behind it */
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_fact(&w, FACT_SET, OBJ_RESV, "R2.svr", RESV_A_RESERVE_START, NULL,
               arena_printf(w.arena, "%d", SECOND + 1));
    world_fact(&w, FACT_SET, OBJ_RESV, "R2.svr", RESV_A_RESERVE_END, NULL,
               arena_printf(w.arena, "%d", SECOND + 201));
    world_clear(&w);
    offer_about(&w, "R1", ARRAY_LEN(moved), moved);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_LATER(&w, "R1[2].svr", SECOND, THIRD + 50, ON_1);
    EXPECT_LATER(&w, "R1[3].svr", THIRD + 51, THIRD + 251, ON_0);
    EXPECT_TIMES(&w, "R2", THIRD + 50, 200, ON_1);
    EXPECT_TIMES(&w, "R1", NOW, LENGTH, ON_0);
    CU_ASSERT_EQUAL(seq_of(&w, "R1"), 0);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "pushed", NULL, "why"),
                arena_printf(w.arena,
                             "R2.svr from @%d to @%d, R1[3].svr from @%d to @%d",
                             SECOND + 1, THIRD + 50, THIRD, THIRD + 51));
    world_free(&w);
}

static void test_later_offers_that_are_refused(void)
{
    static const struct {
        const char *story;
        struct wire_offer by; /* in the place of R1[2] */
        const char *expect;   /* in the log */
    } cases[] = {
        { "it meets the one behind it",
          { "R1[2].svr", NOW + 1100, NOW + 1300, ON_0 },
          "R1[2].svr would meet another occurrence of its series" },
        { "another length",
          { "R1[2].svr", NOW + 1090, NOW + 1295, ON_0 },
          "R1[2].svr would have another length" },
        { "the first one again",
          { "R1[1].svr", NOW + 1090, NOW + 1290, ON_0 },
          "R1[1].svr has started, or is not confirmed" },
        { "none of this index",
          { "R1[4].svr", NOW + 1090, NOW + 1290, ON_0 },
          "R1[4].svr is gone" },
        { "what is no index",
          { "R1[x].svr", NOW + 1090, NOW + 1290, ON_0 },
          "R1[x].svr is gone" },
        { "where R2 is",
          { "R1[2].svr", NOW + 1090, NOW + 1290, ON_1 },
          "Confirmation refused: " },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct wire_offer v[] = { { "R3.svr", NOW + 700, NOW + 1090, ON_0 },
                                  cases[i].by };
        struct world w;

        make_series(&w);
        reserve(&w, "R3.svr", NOW + 700, NOW + 900, ON_0);
        act(&w, "mgr1", RESV_ACT_PUSH, "R3.svr", "reserve_end", NOW + 1090);
        world_clear(&w);
        offer_about(&w, "R3", ARRAY_LEN(v), v);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(arena_printf(w.arena, "%s%s", world_log_of(&w, "R3.svr"),
                                world_log_of(&w, "R1.svr")),
                   cases[i].expect));
        EXPECT_LATER(&w, "R1[2].svr", SECOND, SECOND + 200, ON_0);
        world_free(&w);
    }
}

static void test_hostile_offers(void)
{
    static const struct requester user = { .user = "user1", .host = "svr", .conn = 55 };
    static const struct requester root = {
        .user = "root", .host = "svr", .server_uid = true, .conn = 56
    };
    struct wire_offer many[PUSH_MOST + 2];
    struct world w;
    uint64_t seq;

    make(&w);
    push(&w);
    seq = seq_of(&w, "R1");
    offer_as(&w, &user, seq, ARRAY_LEN(good), good);
    CU_ASSERT_EQUAL(world_reply_code(&w, 55), PBSE_PERM);
    offer_as(&w, &root, seq + 1, ARRAY_LEN(good), good);
    CU_ASSERT_EQUAL(world_reply_code(&w, 56), PBSE_BADSTATE);
    world_clear(&w);
    offer_as(&w, &root, seq, 0, good);
    CU_ASSERT_EQUAL(world_reply_code(&w, 56), PBSE_IVALREQ);
    world_clear(&w);
    offer_as(&w, &root, 0, 1, &good[1]); /* nobody has asked about R2 */
    CU_ASSERT_EQUAL(world_reply_code(&w, 56), PBSE_BADSTATE);
    world_clear(&w);
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = good[i == 0 ? 0 : 1];
    offer_as(&w, &root, seq, ARRAY_LEN(many), many);
    CU_ASSERT_EQUAL(world_reply_code(&w, 56), PBSE_IVALREQ);
    expect_as_before(&w);
    world_free(&w);
}

/* Whoever did not ask for a push gets none. */
static void test_nobody_is_moved_unasked(void)
{
    struct world w;

    make(&w);
    act(&w, "mgr1", 0, "R1.svr", "reserve_end", WANTED);
    world_clear(&w);
    offer(&w, ARRAY_LEN(good), good);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    expect_as_before(&w);
    world_free(&w);
}

static void test_a_restart_drops_it(void)
{
    struct world w;

    make(&w);
    push(&w);
    world_restart(&w);
    CU_ASSERT_EQUAL(seq_of(&w, "R1"), 0);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_ALLOWS, NULL), "");
    expect_as_before(&w);
    world_free(&w);
}

/* Extensions by themselves. */

static void extends_itself(struct world *w)
{
    make(w);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_AUTO_EXTEND, NULL, "300");
    world_job(w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_go(w, END - 30);
    EXPECT_TEXT(world_shown(w, "root", "R1.svr", "alter_allows", NULL, NULL),
                "shorter");
    world_clear(w);
}

static void test_a_shorter_extension(void)
{
    static const struct {
        const char *story;
        int64_t end;
        int code;
    } cases[] = {
        { "the whole, where others are", END + 300, PBSE_BADSTATE },
        { "until the next one", FOLLOWS, 0 },
        { "a second", END + 1, 0 },
        { "none", END, PBSE_BADSTATE },
        { "less than it has", END - 1, PBSE_BADSTATE },
        { "more than was asked for", END + 301, PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        const struct wire_offer v = { "R1.svr", NOW, (uint64_t)cases[i].end, VNODES };

        extends_itself(&w);
        offer(&w, 1, &v);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        EXPECT_TIMES(&w, "R1", NOW, cases[i].code ? LENGTH : (int)(cases[i].end - NOW),
                     VNODES);
        if (!cases[i].code)
            EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ASKED_END, NULL),
                        arena_printf(w.arena, "%d", END));
        world_free(&w);
    }
}

/* Nobody is moved for what nobody has asked for. */
static void test_an_extension_pushes_nobody(void)
{
    struct world w;

    extends_itself(&w);
    offer(&w, ARRAY_LEN(good), good);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    expect_as_before(&w);
    world_free(&w);
}

/* Vnodes without jobs are given back with an extension. */
static void test_what_is_released(void)
{
    static const struct {
        const char *story, *job; /* NULL: none */
        uint32_t flags;
        int64_t end;
        int code;
        const char *select; /* that is proposed */
    } cases[] = {
        { "one of two", "(vn[1]:ncpus=1)", RESV_ACT_RELEASE, WANTED, 0, "1:ncpus=2" },
        { "nothing without the word", "(vn[1]:ncpus=1)", 0, WANTED, 0, "2:ncpus=2" },
        { "nothing where all are used", "(vn[0]:ncpus=1)+(vn[1]:ncpus=1)",
          RESV_ACT_RELEASE, WANTED, 0, "2:ncpus=2" },
        { "nothing where none is", NULL, RESV_ACT_RELEASE, WANTED, 0, "2:ncpus=2" },
        { "no extension", "(vn[1]:ncpus=1)", RESV_ACT_RELEASE, END, PBSE_NOSUP,
          "2:ncpus=2" },
        { "by force", "(vn[1]:ncpus=1)", RESV_ACT_RELEASE | RESV_ACT_FORCE, WANTED,
          PBSE_NOSUP, "2:ncpus=2" },
        { "and others are pushed", "(vn[1]:ncpus=1)", RESV_ACT_RELEASE | RESV_ACT_PUSH,
          WANTED, 0, "1:ncpus=2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        const char *select;

        make(&w);
        if (cases[i].job)
            world_job(&w, "5.svr", "R1", cases[i].job, NULL);
        world_clear(&w);
        act(&w, "mgr1", cases[i].flags, "R1.svr", "reserve_end", cases[i].end);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        world_clear(&w);
        select = world_shown(&w, "root", "R1.svr", "schedselect", NULL, NULL);
        if (strcmp(select, cases[i].select) != 0)
            fprintf(stderr, "%s\n", cases[i].story);
        EXPECT_TEXT(select, cases[i].select);
        EXPECT_TIMES(&w, "R1", NOW, LENGTH, VNODES);
        world_free(&w);
    }
}

/* One that waits has no jobs, and would have nothing left. */
static void test_one_that_waits_releases_nothing(void)
{
    struct world w;

    make(&w);
    act(&w, "mgr1", RESV_ACT_RELEASE, "R2.svr", "reserve_end", FOLLOWS + 300);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_NOSUP);
    world_free(&w);
}

static void test_an_extension_that_releases(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 3, NOW, LENGTH);
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_AUTO_EXTEND, NULL, "300");
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_AUTO_EXTEND_RELEASE, NULL,
               "True");
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=1)", NULL);
    world_go(&w, END - 30);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "root", "R1.svr", "schedselect", NULL, NULL),
                "1:ncpus=2");
    /* The vnode of the job stays, and no other one will do. */
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[1]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TIMES(&w, "R1", NOW, LENGTH + 300, "(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "ncpus"), "2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "walltime"),
                "00:15:00");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is released", test_what_is_released },
        { "one that waits releases nothing", test_one_that_waits_releases_nothing },
        { "an extension that releases", test_an_extension_that_releases },
        { "all are moved in one decision", test_all_are_moved_in_one_decision },
        { "whoever wants no letters gets none", test_letters },
        { "an ordinary yes moves nobody", test_an_ordinary_yes_moves_nobody },
        { "only managers push, and only times", test_who_may_ask_for_what },
        { "maintenance pushes nobody", test_maintenance_pushes_nobody },
        { "offers that do not hold are refused", test_offers_that_are_refused },
        { "some are not moved", test_who_is_not_moved },
        { "a series is not crossed", test_a_series_is_not_crossed },
        { "later occurrences are moved", test_later_occurrences_are_moved },
        { "its own followers are moved", test_its_own_followers_are_moved },
        { "a yes that meets its own series is a no",
          test_a_yes_that_meets_its_own_series_is_a_no },
        { "a later one pushes", test_a_later_one_pushes },
        { "later offers that are refused", test_later_offers_that_are_refused },
        { "hostile offers change nothing", test_hostile_offers },
        { "nobody is moved unasked", test_nobody_is_moved_unasked },
        { "a restart drops it", test_a_restart_drops_it },
        { "an extension is content with less", test_a_shorter_extension },
        { "an extension pushes nobody", test_an_extension_pushes_nobody },
    };

    return unit_main("resv_push", cases, ARRAY_LEN(cases));
}
