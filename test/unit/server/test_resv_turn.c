/* test_resv_turn.c - a series goes from one occurrence to the next: what happens to its
 * jobs and its queue, what is skipped, and that a restart in between changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "server/model/occurrence.h"

#include <string.h>

#define LENGTH 600
#define FIRST  NOW
#define SECOND (NOW + 3600)
#define THIRD  (NOW + 7200)

/* R1, three times, on other vnodes each time; the first one runs. */
static void make(struct world *w)
{
    world_new(w);
    world_reserve(w, 2, FIRST, LENGTH);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_COUNT, NULL, "3");
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_INDEX, NULL, "1");
    world_later(w, 2, SECOND, LENGTH, "(vn[1]:ncpus=2)+(vn[2]:ncpus=2)");
    world_later(w, 3, THIRD, LENGTH, "(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
    world_clear(w);
}

static const char *queue(struct world *w, int attr)
{
    return world_attr(w, OBJ_QUEUE, "R1", attr, NULL);
}

static const char *index_of(struct world *w)
{
    return world_attr(w, OBJ_RESV, "R1", RESV_A_RESERVE_INDEX, NULL);
}

/* Lines about it that tell of one that was skipped. */
static size_t n_skipped(const struct world *w)
{
    size_t n = 0;

    for (const char *at = world_log_of(w, "R1.svr"); (at = strstr(at, "was skipped"));
         at++)
        n++;
    return n;
}

static void test_each_has_its_turn(void)
{
    struct world w;

    make(&w);
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    world_go(&w, FIRST + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(index_of(&w), "2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[1]:ncpus=2)+(vn[2]:ncpus=2)");
    EXPECT_TEXT(queue(&w, QUEUE_A_STARTED), "False");
    EXPECT_TEXT(queue(&w, QUEUE_A_ENABLED), "True");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    CU_ASSERT_EQUAL(world_count_log(&w, "reached end of occurrence 1/3"), 1);
    CU_ASSERT_EQUAL(n_skipped(&w), 0);
    /* It is not the end of the reservation. */
    CU_ASSERT_PTR_NULL(world_account(&w, 'K', 0));
    CU_ASSERT_PTR_NULL(world_account(&w, 'F', 0));
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation period ended"), 0);
    world_clear(&w);
    world_go(&w, SECOND);
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    EXPECT_TEXT(queue(&w, QUEUE_A_STARTED), "True");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[2]"), 2);
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'B', 0));
    world_go(&w, THIRD);
    EXPECT_TEXT(index_of(&w), "3");
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    world_clear(&w);
    world_go(&w, THIRD + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    CU_ASSERT_EQUAL(world_count_log(&w, "reached end of occurrence 3/3"), 1);
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'K', 0));
    CU_ASSERT_EQUAL(svr_model(w.s)->n_stray, 0);
    world_free(&w);
}

/* Those that run are killed, the others stay for the next time. */
static void test_jobs_at_the_end_of_an_occurrence(void)
{
    struct world w;

    make(&w);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
    world_job(&w, "6.svr", "R1", NULL, NULL);
    world_clear(&w);
    world_go(&w, FIRST + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "9/5");
    EXPECT_TEXT(queue(&w, QUEUE_A_STARTED), "False");
    CU_ASSERT_NOT_EQUAL(
        strlen(world_attr(&w, OBJ_JOB, "5.svr", JOB_A_HF_KILL_BY, NULL)), 0);
    EXPECT_TEXT(world_account(&w, 'A', 0),
                "Deleting running job at end of reservation occurrence");
    CU_ASSERT_EQUAL(world_count_mail(&w, "Aborted by PBS Server "), 1);
    CU_ASSERT_PTR_NULL(world_account(&w, 'D', 0));
    /* Nothing is altered meanwhile. */
    world_modify(&w, "user1", "R1.svr", "reserve_duration=900", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_modify(&w, "mgr1", "R1.svr", "Reserve_Name=x", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_restart(&w);
    EXPECT_TEXT(world_phase(&w, "R1"), "9/5");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(index_of(&w), "2");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    CU_ASSERT_PTR_NOT_NULL(model_job(svr_model(w.s), "6.svr"));
    world_free(&w);
}

/* The job took so long to end that the start of the next one had come. */
static void test_the_next_one_starts_late(void)
{
    struct world w;

    make(&w);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
    world_go(&w, SECOND + 10);
    EXPECT_TEXT(world_phase(&w, "R1"), "9/5");
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    EXPECT_TEXT(index_of(&w), "2");
    world_free(&w);
}

/* The server was not there for a while. */
static void test_missed_ones_are_skipped(void)
{
    static const struct {
        int64_t at;
        const char *phase, *index;
        size_t n_skipped;
    } cases[] = {
        { SECOND + 1, "5/5", "2", 0 },
        { SECOND + LENGTH, "2/2", "3", 1 },
        { THIRD + 1, "5/5", "3", 1 },
        { THIRD + LENGTH, "gone", "", 2 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w);
        w.now_at = cases[i].at;
        svr_tick(w.s, w.now_at, &w.out);
        EXPECT_TEXT(world_phase(&w, "R1"), cases[i].phase);
        EXPECT_TEXT(index_of(&w), cases[i].index);
        CU_ASSERT_EQUAL(n_skipped(&w), cases[i].n_skipped);
        CU_ASSERT_EQUAL(svr_model(w.s)->n_stray, 0);
        world_free(&w);
    }
}

/* One that never ran, since the server was away at its start, too. */
static void test_one_that_never_ran(void)
{
    struct world w;

    make(&w);
    world_go(&w, FIRST + LENGTH);
    world_clear(&w);
    w.now_at = SECOND + LENGTH + 5;
    svr_tick(w.s, w.now_at, &w.out);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    EXPECT_TEXT(index_of(&w), "3");
    CU_ASSERT_EQUAL(world_count_log(&w, "reached end of occurrence 2/3"), 1);
    CU_ASSERT_EQUAL(
        world_count_log(&w, "reservation occurrence 2/3 scheduled at 08:52:51 was "
                            "skipped because its end time is in the past"),
        1);
    CU_ASSERT_PTR_NULL(world_account(&w, 'B', 0));
    world_free(&w);
}

static void test_degraded_ones(void)
{
    struct world w;

    make(&w);
    world_vnode(&w, "vn[0]", NODE_OFFLINE);
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=2)", NULL);
    world_go(&w, FIRST + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "9/10");
    CU_ASSERT_EQUAL(strlen(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_RETRY, NULL)),
                    0);
    world_job_end(&w, "5.svr");
    /* The next one has other vnodes. */
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    world_vnode(&w, "vn[4]", NODE_OFFLINE);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    world_go(&w, SECOND + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "10/10");
    world_free(&w);
}

/* It ends while a job is being killed, and before. */
static void test_deletion_of_a_series(void)
{
    for (int between = 0; between < 2; between++) {
        struct world w;

        make(&w);
        world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
        if (between)
            world_go(&w, FIRST + LENGTH);
        world_delete(&w, "user1", "R1");
        EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
        CU_ASSERT_PTR_NULL(svr_model(w.s)->kinds[OBJ_OCCURRENCE].first);
        CU_ASSERT_EQUAL(model_node(svr_model(w.s), "vn[3]")->n_occurrences, 0);
        CU_ASSERT_EQUAL(n_skipped(&w), 0);
        world_restart(&w);
        world_job_end(&w, "5.svr");
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        world_free(&w);
    }
}

/* An alteration that waits is about the one that is over. */
static void test_an_open_alteration(void)
{
    struct world w;

    make(&w);
    world_go(&w, FIRST + 100); /* the answer time outlasts the occurrence */
    world_modify(&w, "user1", "R1.svr", "Resource_List.select=1:ncpus=2", NULL);
    world_go(&w, FIRST + LENGTH);
    EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter denied"), 1);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL), "2:ncpus=2");
    world_free(&w);
}

/* The select of the first one is not that of the second; the queue follows. */
static void test_limits_of_the_queue_follow(void)
{
    struct world w;

    make(&w);
    world_modify(&w, "user1", "R1.svr", "Resource_List.select=1:ncpus=2", NULL);
    world_confirm_at(&w, NULL, "R1.svr", "(vn[0]:ncpus=2)", FIRST,
                     "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_RESOURCES_MAX, "ncpus"), "2");
    world_go(&w, FIRST + LENGTH);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL), "2:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_RESOURCES_MAX, "ncpus"), "4");
    world_restart(&w);
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "each occurrence has its turn", test_each_has_its_turn },
        { "jobs at the end of an occurrence", test_jobs_at_the_end_of_an_occurrence },
        { "the next one starts late", test_the_next_one_starts_late },
        { "missed ones are skipped", test_missed_ones_are_skipped },
        { "one that never ran is skipped", test_one_that_never_ran },
        { "degraded ones", test_degraded_ones },
        { "deletion of a series", test_deletion_of_a_series },
        { "an open alteration is denied", test_an_open_alteration },
        { "the limits of the queue follow", test_limits_of_the_queue_follow },
    };

    return unit_main("resv_turn", cases, ARRAY_LEN(cases));
}
