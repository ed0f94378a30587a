/* Unit tests of dry runs of a push: whom it would move, and to when; nobody is
 * (doc/design/046-dry-run.md, 050).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dry_world.h"

#include <string.h>

#define START 1795248000
#define END   1795248600
#define ON_0  "(vn[0]:ncpus=2)"
#define ON_1  "(vn[1]:ncpus=2)"

/* R1 is on vn[0] until R2 begins there, and S3 has three days there, the first one when
 * R2 is over. */
static void make(struct world *w)
{
    dry_make(w);
    world_submit(w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(w, "R1.svr", ON_0);
    world_submit(w, "user2",
                 "reserve_start=1795248600|reserve_end=1795249200|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(w, "R2.svr", ON_0);
    world_submit(w, "user2",
                 "reserve_start=1795249200|Resource_List.walltime=600|"
                 "Resource_List.select=1:ncpus=2|reserve_timezone=UTC|"
                 "reserve_standing=1|reserve_rrule=FREQ=DAILY;COUNT=3");
    world_confirm(w, "S3.svr", "3#" ON_0 "{0-2}");
    world_sched_done(w);
    world_clear(w);
}

static void try_push(struct world *w, const char *user, uint32_t flags, uint32_t one,
                     const char *id, const char *attrs)
{
    dry_try_one(w, user, RESV_ACT_ALTER, RESV_ACT_PUSH | flags, one, id, attrs);
}

static void test_whom_it_would_move(void)
{
    static const struct wire_offer moved[] = {
        { "R1.svr", START, 1795248900, ON_0 },
        { "R2.svr", 1795248900, 1795249500, ON_0 },
        { "S3.svr", 1795249200, 1795249800, ON_1 },
    };
    struct world w;
    uint64_t seq;

    make(&w);
    seq = svr_model(w.s)->seq;
    try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    dry_offer(&w, ARRAY_LEN(moved), moved);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;reserve_end=1795248900;"
                "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];"
                "moved_from.R2.svr=1795248600;moved_to.R2.svr=1795248900;"
                "moved_nodes.R2.svr=(vn[0]:ncpus=2);"
                "moved_from.S3.svr=1795249200;moved_to.S3.svr=1795249200;"
                "moved_nodes.S3.svr=(vn[1]:ncpus=2)");
    dry_expect_nothing(&w, seq);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESERVE_START, NULL),
                "1795248600");
    world_free(&w);
}

/* A plain yes moves nobody. */
static void test_nobody_is_in_the_way(void)
{
    struct world w;

    make(&w);
    try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
    dry_answer(&w, "(vn[4]:ncpus=2)", 0, YES);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;reserve_end=1795248900;"
                "resv_nodes=(vn[4]:ncpus=2);vnodes_released=vn[0];vnodes_gained=vn[4]");
    world_free(&w);
}

static void test_an_occurrence_pushes(void)
{
    static const struct wire_offer moved[] = {
        { "S3[2].svr", 1795335600, 1795422000, ON_0 },
        { "S3[3].svr", 1795422001, 1795422601, ON_0 },
    };
    struct world w;
    uint64_t seq;

    make(&w);
    seq = svr_model(w.s)->seq;
    try_push(&w, "mgr1", 0, 2, "S3", "reserve_end=1795422000");
    dry_offer(&w, ARRAY_LEN(moved), moved);
    EXPECT_TEXT(dry_verdict_name(&w), "S3[2].svr");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795335600;reserve_end=1795422000;"
                "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];"
                "moved_from.S3[3].svr=1795422000;moved_to.S3[3].svr=1795422001;"
                "moved_nodes.S3[3].svr=(vn[0]:ncpus=2)");
    dry_expect_nothing(&w, seq);
    world_free(&w);
}

/* Who cannot be moved is the reason; what force would cost is told as well. */
static void test_a_denial(void)
{
    struct world w;
    uint64_t seq;

    make(&w);
    seq = svr_model(w.s)->seq;
    try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
    dry_answer(&w, "null", 0, NO ":reason=R2 runs");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=force;reason=R2 runs;reserve_start=1795248000;"
                "reserve_end=1795248900;resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];"
                "oversubscribed_resv=R2.svr");
    dry_expect_nothing(&w, seq);
    world_free(&w);
}

/* What the server would refuse is asked about again, and never told as a yes. */
static void test_offers_that_do_not_hold(void)
{
    static const struct {
        const char *story;
        struct wire_offer v[2];
    } cases[] = {
        { "it begins earlier",
          { { "R1.svr", START, 1795248900, ON_0 },
            { "R2.svr", 1795248500, 1795249100, ON_1 } } },
        { "nobody is there",
          { { "R1.svr", START, 1795248900, ON_0 },
            { "R9.svr", 1795248900, 1795249500, ON_0 } } },
        { "it would still be in the way",
          { { "R1.svr", START, 1795248900, ON_0 },
            { "R2.svr", 1795248899, 1795249499, ON_0 } } },
        { "another one is altered",
          { { "R2.svr", START, 1795248900, ON_0 },
            { "R1.svr", 1795248900, 1795249500, ON_0 } } },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        uint64_t seq;

        make(&w);
        seq = svr_model(w.s)->seq;
        try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
        dry_offer(&w, 2, cases[i].v);
        if (strcmp(dry_verdict_text(&w), "waits") != 0)
            fprintf(stderr, "%s\n", cases[i].story);
        EXPECT_TEXT(dry_verdict_text(&w), "waits");
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
        world_free(&w);
    }
}

/* Whoever does not push is moved for by nobody, whatever a scheduler says. */
static void test_an_offer_that_was_not_asked_for(void)
{
    static const struct wire_offer moved[] = {
        { "R1.svr", START, 1795248900, ON_0 },
        { "R2.svr", 1795248900, 1795249500, ON_1 },
    };
    static const struct wire_offer fresh[] = { { "R-8.svr", START, END, ON_0 } };
    struct world w;
    uint64_t seq;

    make(&w);
    seq = svr_model(w.s)->seq;
    dry_try(&w, "mgr1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795248900");
    dry_offer(&w, ARRAY_LEN(moved), moved);
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
    world_free(&w);
    make(&w);
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "",
            "reserve_start=1795248000|reserve_end=1795248600|"
            "Resource_List.select=1:ncpus=2");
    dry_offer(&w, ARRAY_LEN(fresh), fresh);
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    world_free(&w);
}

static void test_who_may(void)
{
    static const struct {
        const char *user, *attrs;
        uint32_t flags;
        const char *expect;
    } cases[] = {
        { "user1", "reserve_end=1795248900", 0, "15007 Unauthorized Request " },
        { "oper1", "reserve_end=1795248900", 0, "15007 Unauthorized Request " },
        { "mgr1", "Priority=5", 0, "15029 No support for requested service" },
        { "mgr1", "reserve_end=1795248900", RESV_ACT_FORCE,
          "15029 No support for requested service" },
    };
    struct world w;

    make(&w);
    world_server(&w, SERVER_A_OPERATORS, NULL, "oper1@*");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        try_push(&w, cases[i].user, cases[i].flags, 0, "R1", cases[i].attrs);
        EXPECT_TEXT(dry_verdict_text(&w), cases[i].expect);
    }
    world_free(&w);
}

/* One that knows dry runs and not these would have no words for its answer. */
static void test_strangers(void)
{
    struct world w;

    make(&w);
    dry_attach(&w, "cut,dry_run");
    try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
    EXPECT_TEXT(dry_verdict_text(&w),
                "15029 No support for requested service: scheduler "
                "default knows of no dry runs with --push");
    dry_attach(&w, "");
    try_push(&w, "mgr1", 0, 0, "R1", "reserve_end=1795248900");
    EXPECT_TEXT(dry_verdict_text(&w),
                "15029 No support for requested service: scheduler "
                "default knows of no dry runs with --push");
    world_free(&w);
}

static void expect_offer_refused(struct world *w, const struct requester *who, size_t n,
                                 int code)
{
    static struct wire_offer v[PUSH_MOST + 2];
    const struct body_offer_resv body = { 7, "", n, v };
    const struct wire_request rq = { .number = BATCH_DRY_OFFER,
                                     .user = who->user,
                                     .body = &body };

    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i] = (struct wire_offer){ "R1.svr", START, END, ON_0 };
    world_clear(w);
    svr_request(w->s, w->now_at, who, &rq, &w->out);
    CU_ASSERT_EQUAL(world_reply_code(w, who->conn), code);
}

static void test_hostile_offers(void)
{
    static const struct requester user = { .user = "mgr1",
                                           .host = "svr",
                                           .conn = CONN_OTHER };
    static const struct requester sched = {
        .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
    };
    struct world w;

    make(&w);
    expect_offer_refused(&w, &user, 1, PBSE_PERM);
    expect_offer_refused(&w, &sched, 0, PBSE_IVALREQ);
    expect_offer_refused(&w, &sched, PUSH_MOST + 2, PBSE_IVALREQ);
    expect_offer_refused(&w, &sched, 1, 0); /* of a dry run that is over */
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "it names whom it would move, and when to", test_whom_it_would_move },
        { "nobody is in the way", test_nobody_is_in_the_way },
        { "an occurrence pushes", test_an_occurrence_pushes },
        { "a denial says what force would cost", test_a_denial },
        { "offers that do not hold are asked about again",
          test_offers_that_do_not_hold },
        { "an offer that was not asked for moves nobody",
          test_an_offer_that_was_not_asked_for },
        { "managers alone, with times, without force", test_who_may },
        { "a stranger is never asked", test_strangers },
        { "hostile offers are refused", test_hostile_offers },
    };

    return unit_main("server/dry_push", cases, ARRAY_LEN(cases));
}
