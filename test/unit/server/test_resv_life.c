/* Unit tests of the rules by which a reservation starts, ends and goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include <string.h>

#define START (NOW + 100)

static void test_it_starts(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 2, START, 600);
    world_go(&w, START - 1);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    CU_ASSERT_EQUAL(w.out.n, 0);
    world_go(&w, START);
    world_sched_done(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_STARTED, NULL), "True");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ENABLED, NULL), "True");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[2]"), 0);
    CU_ASSERT_TRUE(world_commanded(&w, 10));
    EXPECT_TEXT(world_account(&w, 'B', 0),
                "owner=user1@svr name=NULL queue=R1 ctime=1795247571 start=1795247671 "
                "end=1795248271 duration=600 nodes=(vn[0]:ncpus=2)+(vn[1]:ncpus=2) "
                "Authorized_Users=user1@svr Resource_List.ncpus=4 "
                "Resource_List.nodect=2 Resource_List.select=2:ncpus=2 "
                "Resource_List.place=free Resource_List.walltime=00:10:00 ");
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation period starting"), 0);
    world_free(&w);
}

static void test_a_late_answer_starts_at_once(void)
{
    struct world w;

    world_new(&w);
    world_submit(
        &w, "user1",
        arena_printf(w.arena, "reserve_start=%d|Resource_List.walltime=60", NOW));
    w.now_at += 3;
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_free(&w);
}

static void test_the_start_is_told_once(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_go(&w, START);
    world_clear(&w);
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    CU_ASSERT_PTR_NULL(world_account(&w, 'B', 0));
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    world_free(&w);
}

/* What was missed while the server was away happens when it is back. */
static void test_a_start_and_an_end_are_not_missed(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    w.now_at = START + 5;
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'B', 0));
    world_clear(&w);
    w.now_at = START + 600;
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    world_free(&w);
}

static void test_it_ends(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_go(&w, START + 599);
    world_sched_done(&w);
    world_clear(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_go(&w, START + 600);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_PTR_NULL(model_queue(svr_model(w.s), "R1"));
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    CU_ASSERT_PTR_NULL(world_account(&w, 'K', 1));
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'F', 0));
    CU_ASSERT_EQUAL(strncmp(world_account(&w, 'F', 0), "owner=user1@svr name=NULL", 25),
                    0);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Requesting party: root@svr"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation period ended"),
                    0); /* a, c only */
    CU_ASSERT_TRUE(world_commanded(&w, 2));
    world_free(&w);
}

static void test_it_ends_early_enough(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_RESV_POST_PROCESSING_TIME, NULL, "30");
    world_reserve(&w, 1, START, 600);
    world_go(&w, START + 569);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_go(&w, START + 570);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* Nobody answered before its end. */
static void test_an_unanswered_one_ends(void)
{
    struct world w;

    world_new(&w);
    world_submit(
        &w, "user1",
        arena_printf(w.arena, "reserve_start=%d|Resource_List.walltime=60", START));
    world_go(&w, START + 59);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_go(&w, START + 60);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    CU_ASSERT_PTR_NULL(world_account(&w, 'F', 0));
    CU_ASSERT_PTR_NULL(world_account(&w, 'B', 0));
    world_free(&w);
}

/* Jobs hold a reservation that has ended, no longer than they are there. */
static void test_it_goes_with_its_last_job(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_go(&w, START);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_job(&w, "6.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_clear(&w);
    world_go(&w, START + 600);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ENABLED, NULL), "False");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_STARTED, NULL), "False");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    world_job_end(&w, "5.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    world_job_end(&w, "6.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    CU_ASSERT_PTR_NULL(world_account(&w, 'K', 1));
    world_free(&w);
}

static void test_deletion_asked_twice_is_told_once(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_go(&w, START);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_delete(&w, "user1", "R1.svr");
    world_delete(&w, "mgr1", "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    EXPECT_TEXT(world_account(&w, 'k', 0), "requestor=user1@svr");
    CU_ASSERT_PTR_NULL(world_account(&w, 'K', 0));
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation removed"), 1);
    world_free(&w);
}

static void reserve_idle(struct world *w)
{
    world_submit(w, "user1",
                 arena_printf(w->arena,
                              "reserve_start=%d|Resource_List.walltime=600|"
                              "delete_idle_time=60",
                              START));
    world_confirm(w, "R1.svr", "(vn[0]:ncpus=1)");
    world_clear(w);
}

static void test_idle_from_the_start(void)
{
    struct world w;

    world_new(&w);
    reserve_idle(&w);
    world_go(&w, START + 59);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_go(&w, START + 60);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_EQUAL(
        world_count_log(&w, "Deleting reservation after being idle for 60 seconds"), 1);
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    CU_ASSERT_PTR_NULL(world_account(&w, 'F', 0));
    world_free(&w);
}

static void test_idle_after_a_job(void)
{
    struct world w;

    world_new(&w);
    reserve_idle(&w);
    world_go(&w, START + 10);
    world_job(&w, "5.svr", "R1", NULL, NULL); /* a queued job counts as live */
    world_go(&w, START + 200);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_job_end(&w, "5.svr");
    world_restart(&w);
    world_go(&w, START + 259);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_go(&w, START + 260);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* The end comes first: it is an end, not idleness. */
static void test_idle_behind_the_end(void)
{
    struct world w;

    world_new(&w);
    reserve_idle(&w);
    world_go(&w, START);
    world_job(&w, "5.svr", "R1", NULL, NULL);
    world_go(&w, START + 560);
    world_job_end(&w, "5.svr");
    world_go(&w, START + 600);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'F', 0));
    CU_ASSERT_EQUAL(
        world_count_log(&w, "Deleting reservation after being idle for 60 seconds"), 0);
    world_free(&w);
}

/* Nobody there to hear it: the question waits. No answer: it is put again. */
static void test_asking(void)
{
    struct world w;

    world_new(&w);
    world_fact(&w, FACT_SET, OBJ_SCHED, "default", SCHED_A_SCHEDULING, NULL, "False");
    world_clear(&w);
    world_submit(&w, "user1",
                 arena_printf(w.arena, "reserve_start=%d|Resource_List.walltime=60",
                              NOW + 5000));
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
    CU_ASSERT_FALSE(world_commanded(&w, 1));
    world_go(&w, NOW + 2000);
    world_fact(&w, FACT_SET, OBJ_SCHED, "default", SCHED_A_SCHEDULING, NULL, "True");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_sched_done(&w);
    CU_ASSERT_TRUE(world_commanded(&w, 1));
    world_clear(&w);
    world_go(&w, NOW + 2599);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
    world_go(&w, NOW + 2600);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_free(&w);
}

/* Right after a restart no vnode is known, so a no means little. */
static void test_a_no_after_a_restart_is_not_final(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 arena_printf(w.arena, "reserve_start=%d|Resource_List.walltime=60",
                              NOW + 5000));
    world_restart_silent(&w);
    world_clear(&w);
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_go(&w, NOW + 4);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
    world_go(&w, NOW + 5);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    CU_ASSERT_TRUE(world_commanded(&w, 1));
    for (int i = 0; i < 5; i++)
        world_vnode(&w, arena_printf(w.arena, "vn[%d]", i), 0);
    /* What the scheduler says now it saw before they reported. */
    world_deny(&w, "R1.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_sched_done(&w);
    world_go(&w, NOW + 10);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 2);
    world_deny(&w, "R1.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

static void test_mail_points(void)
{
    static const struct {
        const char *points;
        size_t confirmed, began, ended, removed;
    } cases[] = {
        { "", 1, 0, 0, 1 },
        { "|Mail_Points=n", 0, 0, 0, 0 },
        { "|Mail_Points=abce", 1, 1, 1, 1 },
        { "|Mail_Points=be", 0, 1, 1, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "reserve_start=%d|Resource_List.walltime=60%s", START,
                                  cases[i].points));
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)");
        world_go(&w, START + 60);
        CU_ASSERT_EQUAL(world_count_mail(&w, "to CONFIRMED\n\n"), cases[i].confirmed);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation period starting"),
                        cases[i].began);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation period ended"),
                        cases[i].ended);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation removed"), cases[i].removed);
        world_free(&w);
    }
}

/* What a vnode shows. */

static void test_a_vnode_names_a_reservation_once_per_part(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 arena_printf(w.arena,
                              "reserve_start=%d|Resource_List.walltime=60|"
                              "Resource_List.select=2:ncpus=1+1:ncpus=2",
                              START));
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)+(vn[0]:ncpus=1)+(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_vnode_shown(&w, "vn[0]", "resv", NULL), "R1.svr, R1.svr");
    EXPECT_TEXT(world_vnode_shown(&w, "vn[1]", "resv", NULL), "R1.svr");
    EXPECT_TEXT(world_vnode_shown(&w, "vn[2]", "resv", NULL), "");
    world_restart(&w);
    EXPECT_TEXT(world_vnode_shown(&w, "vn[0]", "resv", NULL), "R1.svr, R1.svr");
    world_free(&w);
}

/* A running reservation with two cpus of vn[0], and a job in it that uses both. */
static void test_exclusive_both_ways(void)
{
    static const struct {
        const char *resv, *job, *state;
    } cases[] = {
        { "free", "free", "job-busy" },
        { "excl", "free", "resv-exclusive" },
        { "excl", "shared", "resv-exclusive" },
        { "excl", "excl", "job-exclusive,resv-exclusive" },
        { "exclhost", "excl", "job-exclusive,resv-exclusive" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "reserve_start=%d|Resource_List.walltime=60|"
                                  "Resource_List.select=1:ncpus=2|"
                                  "Resource_List.place=%s",
                                  START, cases[i].resv));
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
        world_go(&w, START);
        world_job(&w, "9.svr", "R1", "(vn[0]:ncpus=2)", NULL);
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "9.svr", JOB_A_RESOURCE_LIST,
                   "place", cases[i].job);
        EXPECT_TEXT(world_vnode_shown(&w, "vn[0]", "state", NULL), cases[i].state);
        world_job_end(&w, "9.svr");
        EXPECT_TEXT(world_vnode_shown(&w, "vn[0]", "state", NULL),
                    i == 0 ? "free" : "resv-exclusive");
        world_free(&w);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a reservation starts at its start", test_it_starts },
        { "a late answer starts it at once", test_a_late_answer_starts_at_once },
        { "the start is told once", test_the_start_is_told_once },
        { "a start and an end are not missed", test_a_start_and_an_end_are_not_missed },
        { "a reservation ends at its end", test_it_ends },
        { "post-processing time ends it early", test_it_ends_early_enough },
        { "an unanswered one ends", test_an_unanswered_one_ends },
        { "it goes with its last job", test_it_goes_with_its_last_job },
        { "a deletion asked for twice is told once",
          test_deletion_asked_twice_is_told_once },
        { "idle time counts from the start", test_idle_from_the_start },
        { "idle time counts from the last job's end", test_idle_after_a_job },
        { "the end wins over idleness", test_idle_behind_the_end },
        { "a question waits for somebody and is put again", test_asking },
        { "a no right after a restart is not final",
          test_a_no_after_a_restart_is_not_final },
        { "mail follows the points", test_mail_points },
        { "a vnode names a reservation once per part",
          test_a_vnode_names_a_reservation_once_per_part },
        { "job and reservation may both be exclusive", test_exclusive_both_ways },
    };

    return unit_main("resv_life", cases, ARRAY_LEN(cases));
}
