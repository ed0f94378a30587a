/* Unit tests of dry runs: the verdict is what the request would get, nothing of it is
 * left, and nothing fails open (doc/design/046-dry-run.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dry_world.h"

#include "server/decide/sched_link.h"
#include "server/engine/svr_priv.h"

#include <string.h>

#define START  1795248000
#define SUBMIT "reserve_start=1795248000|reserve_end=1795248600|Resource_List.select="

static void test_a_submission(void)
{
    struct world w;
    uint64_t seq;

    dry_make(&w);
    seq = svr_model(w.s)->seq;
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "2:ncpus=2");
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_DRY_RUN));
    dry_answer(&w, "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)", START, YES);
    EXPECT_TEXT(dry_verdict_text(&w), "verdict=confirm;reserve_start=1795248000;"
                                      "reserve_end=1795248600;"
                                      "resv_nodes=(vn[0]:ncpus=2)+(vn[1]:ncpus=2);"
                                      "vnodes_gained=vn[0],vn[1]");
    dry_expect_nothing(&w, seq);
    world_sched_done(&w);
    /* No number is burnt. */
    world_submit(&w, "user1", SUBMIT "1:ncpus=2");
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "1/1");
    world_free(&w);
}

static void test_what_a_scheduler_is_shown(void)
{
    const struct wire_object *o;
    struct world w;

    dry_make(&w);
    world_reserve(&w, 1, START, 600);
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795249200");
    o = dry_next(&w, "", "", 0, NULL);
    EXPECT_TEXT(o->name, "R1.svr");
    EXPECT_TEXT(wire_attrs_value(&o->attrs, "reserve_state", NULL), "11");
    EXPECT_TEXT(wire_attrs_value(&o->attrs, "reserve_end", NULL), "1795249200");
    EXPECT_TEXT(wire_attrs_value(&o->attrs, "reserve_alter_revert", "walltime"),
                "00:10:00");
    /* Once, and nobody else. */
    CU_ASSERT_PTR_NULL(dry_next(&w, "", "", 0, NULL));
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "root", "R1", "reserve_state", NULL, NULL), "2");
    world_free(&w);
}

static void test_alterations(void)
{
    struct world w;
    uint64_t seq;

    dry_make(&w);
    world_reserve(&w, 2, START, 600);
    seq = svr_model(w.s)->seq;
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795249200");
    dry_answer(&w, "(vn[1]:ncpus=2)+(vn[2]:ncpus=2)", 0, YES);
    EXPECT_TEXT(dry_verdict_text(&w), "verdict=confirm;reserve_start=1795248000;"
                                      "reserve_end=1795249200;"
                                      "resv_nodes=(vn[1]:ncpus=2)+(vn[2]:ncpus=2);"
                                      "vnodes_kept=vn[1];vnodes_released=vn[0];"
                                      "vnodes_gained=vn[2]");
    dry_expect_nothing(&w, seq);
    /* What needs no scheduler is told at once. */
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "Reserve_Name=x");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;reserve_end=1795248600;"
                "resv_nodes=(vn[0]:ncpus=2)+(vn[1]:ncpus=2);vnodes_kept=vn[0],vn[1]");
    dry_expect_nothing(&w, seq);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_NAME, NULL), "NULL");
    world_free(&w);
}

/* R1 holds vn[0] until R2 begins there. */
static void make_neighbours(struct world *w)
{
    dry_make(w);
    world_reserve(w, 1, START, 600);
    world_submit(w, "user2",
                 "reserve_start=1795248600|reserve_end=1795249200|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(w, "R2.svr", "(vn[0]:ncpus=2)");
    world_sched_done(w);
    world_clear(w);
}

static void test_denials_and_force(void)
{
    static const struct {
        const char *story, *user, *attrs;
        uint32_t flags;
        const char *extend, *expect;
    } cases[] = {
        { "no, but a manager could", "user1", "reserve_end=1795249200", 0,
          NO ":reason=held",
          "verdict=force;reason=held;earliest_start=1795249200;"
          "reserve_start=1795248000;reserve_end=1795249200;"
          "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];"
          "oversubscribed_resv=R2.svr" },
        { "no, and a manager insists", "mgr1", "reserve_end=1795249200", RESV_ACT_FORCE,
          NO ":reason=held",
          "verdict=force;reason=held;earliest_start=1795249200;"
          "reserve_start=1795248000;reserve_end=1795249200;"
          "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];"
          "oversubscribed_resv=R2.svr" },
        { "no, and nobody can insist", "user1",
          "reserve_end=1795249200|Resource_List.select=1:ncpus=2", 0, NO ":reason=held",
          "verdict=deny;reason=held;earliest_start=1795249200" },
        { "not even asked", "user2", "reserve_end=1795249200", 0, NULL,
          "15007 Unauthorized Request " },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        uint64_t seq;

        make_neighbours(&w);
        seq = svr_model(w.s)->seq;
        dry_try(&w, cases[i].user, RESV_ACT_ALTER, cases[i].flags, "R1",
                cases[i].attrs);
        if (cases[i].extend)
            dry_answer(&w, "null", 1795249200, cases[i].extend);
        EXPECT_TEXT(dry_verdict_text(&w), cases[i].expect);
        if (cases[i].extend)
            dry_expect_nothing(&w, seq);
        world_free(&w);
    }
}

static void test_a_yes_that_does_not_hold_is_asked_again(void)
{
    struct world w;

    make_neighbours(&w);
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795249200");
    dry_answer(&w, "(vn[0]:ncpus=2)", 0, YES);
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    world_sched_done(&w);
    dry_answer(&w, "(vn[4]:ncpus=2)", 0, YES);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;reserve_end=1795249200;"
                "resv_nodes=(vn[4]:ncpus=2);vnodes_released=vn[0];vnodes_gained=vn[4]");
    world_free(&w);
}

static void test_deletions(void)
{
    struct world w;
    uint64_t seq;

    dry_make(&w);
    world_reserve(&w, 2, NOW, 600);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
    world_job(&w, "6.svr", "R1", NULL, NULL);
    seq = svr_model(w.s)->seq;
    dry_try(&w, "user1", RESV_ACT_DELETE, 0, "R1", "");
    EXPECT_TEXT(dry_verdict_text(&w), "verdict=confirm;vnodes_released=vn[0],vn[1];"
                                      "jobs_deleted=5.svr,6.svr");
    dry_expect_nothing(&w, seq);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "5/5");
    dry_try(&w, "user2", RESV_ACT_DELETE, 0, "R1", "");
    EXPECT_TEXT(dry_verdict_text(&w), "15007 Unauthorized Request ");
    world_free(&w);
}

static void test_maintenance(void)
{
    static const char *const attrs =
        "reserve_start=1795248000|reserve_end=1795248600|"
        "Resource_List.select=host=svr:ncpus=2|Resource_List.place=exclhost|"
        "resv_nodes=(vn[0]:ncpus=2)";
    struct world w;
    uint64_t seq;

    dry_make(&w);
    world_reserve(&w, 1, START, 600);
    seq = svr_model(w.s)->seq;
    dry_try(&w, "mgr1", RESV_ACT_SUBMIT, 0, "", attrs);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;"
                "reserve_end=1795248600;resv_nodes=(vn[0]:ncpus=2);"
                "vnodes_gained=vn[0];conflicts_resv=R1.svr");
    dry_expect_nothing(&w, seq);
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", attrs);
    EXPECT_TEXT(dry_verdict_text(&w), "15007 Unauthorized Request ");
    world_free(&w);
}

static void test_a_running_job(void)
{
    struct world w;
    uint64_t seq;

    dry_make(&w);
    world_fact(&w, FACT_CREATED, OBJ_QUEUE, "workq", QUEUE_A_QUEUE_TYPE, NULL,
               "Execution");
    world_job(&w, "5.svr", "workq", "(vn[0]:ncpus=2)", "600");
    world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "5.svr", JOB_A_JOB_OWNER, NULL,
               "user1@svr");
    world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "5.svr", JOB_A_SCHEDSELECT, NULL,
               "1:ncpus=2");
    world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "5.svr", JOB_A_RESOURCE_LIST, "select",
               "1:ncpus=2");
    seq = svr_model(w.s)->seq;
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", "reserve_job=5.svr");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795247571;"
                "reserve_end=1795248171;resv_nodes=(vn[0]:ncpus=2);"
                "vnodes_gained=vn[0];jobs_moved=5.svr");
    dry_expect_nothing(&w, seq);
    world_free(&w);
}

static void test_a_series(void)
{
    struct world w;

    dry_make(&w);
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "",
            SUBMIT "1:ncpus=2|reserve_rrule=FREQ=DAILY;COUNT=3|"
                   "reserve_timezone=UTC|reserve_standing=1");
    EXPECT_TEXT(dry_verdict_text(&w), "waits");
    dry_answer(&w, "3#(vn[0]:ncpus=2){0,2}(vn[3]:ncpus=2){1}", START, YES);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;reserve_start=1795248000;"
                "reserve_end=1795248600;resv_nodes=(vn[0]:ncpus=2);"
                "reserve_count=3;vnodes_gained=vn[0],vn[3]");
    world_free(&w);
}

/* A scheduler that has left one unanswered is asked again. */
static void test_an_answer_that_is_missing(void)
{
    struct world w;

    dry_make(&w);
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    CU_ASSERT_PTR_NOT_NULL(dry_next(&w, "", "", 0, NULL));
    world_sched_done(&w);
    dry_go_on(&w);
    CU_ASSERT_PTR_NULL(dry_next(&w, "", "", 0, NULL));
    world_clear(&w);
    world_go(&w, w.now_at + 5);
    dry_go_on(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_DRY_RUN));
    dry_answer(&w, "(vn[0]:ncpus=2)", START, YES);
    CU_ASSERT_PTR_NOT_NULL(strstr(dry_verdict_text(&w), "verdict=confirm"));
    world_free(&w);
}

/* Never fails open. */
static void test_strangers(void)
{
    struct world w;

    world_new(&w);
    dry_attach(&w, "cut");
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    EXPECT_TEXT(dry_verdict_text(&w),
                "15029 No support for requested service: scheduler "
                "default knows of no dry runs");
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    EXPECT_TEXT(dry_verdict_text(&w),
                "15029 No support for requested service: no scheduler is "
                "there to be asked");
    world_free(&w);
}

static void test_nobody_else_asks_for_them(void)
{
    static const struct requester who = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };
    const struct body_run body = { "", "", 0 };
    const struct wire_request rq = { .number = BATCH_DRY_RUN,
                                     .user = "mgr1",
                                     .body = &body };
    struct world w;

    dry_make(&w);
    svr_request(w.s, w.now_at, &who, &rq, &w.out);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_PERM);
    world_free(&w);
}

static void test_what_ends_it(void)
{
    struct world w;
    const struct wire_object *o;
    uint64_t seq;

    dry_make(&w);
    seq = svr_model(w.s)->seq;
    /* the client goes, with the question at the scheduler */
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    o = dry_next(&w, "", "", 0, NULL);
    svr_client_gone(w.s, w.now_at, CONN_USER, &w.out);
    CU_ASSERT_PTR_NULL(dry_next(&w, dry_number(o), "(vn[0]:ncpus=2)", START, YES));
    dry_expect_nothing(&w, seq);
    world_sched_done(&w);
    /* nobody answers */
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    world_go(&w, w.now_at + 600);
    dry_go_on(&w);
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=deny;reason=no scheduler answered within 600 s");
    CU_ASSERT_EQUAL(w.s->waiting.n, 0);
    CU_ASSERT_PTR_NULL(dry_next(&w, "", "", 0, NULL));
    world_sched_done(&w);
    /* the scheduler goes */
    w.now_at = NOW;
    dry_try(&w, "user1", RESV_ACT_SUBMIT, 0, "", SUBMIT "1:ncpus=2");
    svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
    dry_go_on(&w);
    EXPECT_TEXT(dry_verdict_text(&w),
                "15029 No support for requested service: the scheduler "
                "has gone");
    CU_ASSERT_EQUAL(w.s->waiting.n, 0);
    world_free(&w);
}

static void test_the_reservation_goes_meanwhile(void)
{
    struct world w;

    dry_make(&w);
    world_reserve(&w, 1, START, 600);
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795249200");
    world_delete(&w, "user1", "R1");
    dry_go_on(&w);
    EXPECT_TEXT(dry_verdict_text(&w), "15084 Unknown Reservation Id");
    world_free(&w);
}

/* With the same words and numbers as the real thing, in the same world. */
static void test_the_real_one_gets_the_same(void)
{
    struct world w;

    make_neighbours(&w);
    dry_try(&w, "user1", RESV_ACT_ALTER, 0, "R1", "reserve_end=1795249200");
    dry_answer(&w, "(vn[4]:ncpus=2)", 0, YES);
    world_sched_done(&w);
    dry_act(&w, "user1", RESV_ACT_ALTER, 0, 0, "R1", "reserve_end=1795249200");
    world_confirm(&w, "R1.svr", "(vn[4]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[4]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL), "1795249200");
    world_free(&w);
}

/* The command goes before a cycle, and never twice before it. */
static void test_the_turn_of_the_command(void)
{
    struct sched_links links = { 0 };
    struct effects out = { .arena = arena_new() };
    struct world w;
    struct sched_link *l;

    dry_make(&w);
    l = sched_link_make(&links, "default");
    sched_link_register(l, 1, "svr", "cut,dry_run");
    sched_link_register(l, 2, "svr", "cut,dry_run");
    for (int i = 0; i < 6; i++) { /* the commands that greet it */
        sched_link_pump(l, &(struct sched_turn){ svr_model(w.s), false, NOW }, &out);
        if (l->state == SCHED_BUSY)
            sched_link_done(l);
    }
    out.n = 0;
    sched_link_wake(l, SCHED_NEW);
    for (int i = 0; i < 4; i++) {
        sched_link_try(l);
        sched_link_pump(l, &(struct sched_turn){ svr_model(w.s), false, NOW + 5 },
                        &out);
        sched_link_done(l);
    }
    CU_ASSERT_EQUAL_FATAL(out.n, 4);
    CU_ASSERT_EQUAL(out.v[0].u.sched.command, SCHED_DRY_RUN);
    CU_ASSERT_EQUAL(out.v[1].u.sched.command, SCHED_NEW);
    CU_ASSERT_EQUAL(out.v[2].u.sched.command, SCHED_DRY_RUN);
    CU_ASSERT_EQUAL(out.v[3].u.sched.command, SCHED_DRY_RUN);
    sched_links_fini(&links);
    arena_free(out.arena);
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a submission is judged and burns no number", test_a_submission },
        { "its scheduler alone is shown the question", test_what_a_scheduler_is_shown },
        { "alterations name vnodes kept, released, gained", test_alterations },
        { "a denial says whether force would do", test_denials_and_force },
        { "a yes that does not hold is asked about again",
          test_a_yes_that_does_not_hold_is_asked_again },
        { "a deletion names the jobs", test_deletions },
        { "maintenance names whom it takes from", test_maintenance },
        { "a running job", test_a_running_job },
        { "a series", test_a_series },
        { "who has not answered is asked again", test_an_answer_that_is_missing },
        { "a stranger is never asked", test_strangers },
        { "nobody else asks for them", test_nobody_else_asks_for_them },
        { "client, time and scheduler end it", test_what_ends_it },
        { "its reservation may go meanwhile", test_the_reservation_goes_meanwhile },
        { "the real one gets the same", test_the_real_one_gets_the_same },
        { "the command has its turn", test_the_turn_of_the_command },
    };

    return unit_main("server/resv_dry", cases, ARRAY_LEN(cases));
}
