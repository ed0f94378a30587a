/* Unit tests of ConfirmResv and DeleteResv: what a yes and a no make of a reservation,
 * and what is refused because it does not hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/job_attrs.h"

#include <string.h>

#define START  1795248000
#define YES    "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"
#define SUBMIT "reserve_start=1795248000|Resource_List.walltime=600"
#define ONE    SUBMIT "|Resource_List.select=1:ncpus=2"

static void test_yes(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=2:ncpus=2|Mail_Points=c");
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_EQUAL(world_reply(&w, CONN_SCHED)->choice, REPLY_NULL);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_PARTITION, NULL), "pbs-default");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_PARTITION, NULL),
                "pbs-default");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ENABLED, NULL), "True");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_STARTED, NULL), "False");
    EXPECT_TEXT(world_account(&w, 'Y', 0),
                "requestor=Scheduler@svr start=1795248000 end=1795248600 "
                "nodes=(vn[0]:ncpus=2)+(vn[2]:ncpus=2)");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation confirmed"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation transitioned from state "
                                         "UNCONFIRMED to CONFIRMED"),
                    1);
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    world_sched_done(&w);
    CU_ASSERT_FALSE(world_commanded(&w, 1)); /* no job waits for another cycle */
    world_free(&w);
}

static void test_no(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", ONE);
    world_clear(&w);
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_PTR_NULL(model_queue(svr_model(w.s), "R1"));
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation denied"), 1);
    CU_ASSERT_EQUAL(world_count_log(&w, "reservation deleted"), 1);
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=Server@svr@svr");
    CU_ASSERT_PTR_NULL(world_account(&w, 'K', 1));
    CU_ASSERT_EQUAL(world_count_mail(&w, ""), 0);
    world_free(&w);
}

/* Maintenance: its maker says which vnodes it has, and nobody is asked. */
static void test_maintenance(void)
{
    static const struct requester mgr = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=2:ncpus=2");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)");
    world_sched_done(&w);
    world_clear(&w);
    world_submit_as(&w, &mgr, "m", "", ONE);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "M2.svr UNCONFIRMED");
    CU_ASSERT_FALSE(world_commanded(&w, 1));
    world_clear(&w);

    /* A scheduler that saw it by chance has no word in it. */
    world_confirm(&w, "M2.svr", "(vn[1]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_deny(&w, "M2.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "M2.svr"), "1/1");

    /* A vnode that is not there changes nothing. */
    world_clear(&w);
    world_confirm_at(&w, &mgr, "M2.svr", "(vn[0]:ncpus=2)+(vn[7]:ncpus=2)", 0,
                     "PBS_RESV_CONFIRM_SUCCESS");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "M2.svr"), "1/1");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");

    world_vnode(&w, "vn[0]", NODE_OFFLINE);
    world_clear(&w);
    world_confirm_at(&w, &mgr, "M2.svr", "(vn[0]:ncpus=2)", 0,
                     "PBS_RESV_CONFIRM_SUCCESS");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "M2.svr"), "2/2");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/12");
    CU_ASSERT_TRUE(world_commanded(&w, 15)); /* other vnodes are sought at once */
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "M2.svr"), "2/2");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/12");
    world_free(&w);
}

/* A job runs on where maintenance took the vnode. Offered to its reservation again, in
 * part, the reservation would hold less there than its job uses. */
static void test_a_job_outside_its_reservation(void)
{
    static const struct requester mgr = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };
    char text[160];
    struct world w;

    world_new(&w);
    snprintf(
        text, sizeof(text),
        "reserve_start=%d|Resource_List.walltime=600|Resource_List.select=2:ncpus=1",
        NOW + 10);
    world_submit(&w, "user1", text);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)+(vn[1]:ncpus=1)");
    world_go(&w, NOW + 20);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    snprintf(
        text, sizeof(text),
        "reserve_start=%d|Resource_List.walltime=30|Resource_List.select=2:ncpus=1",
        NOW + 30);
    world_submit_as(&w, &mgr, "m", "", text);
    world_confirm_at(&w, &mgr, "M2.svr", "(vn[0]:ncpus=1)+(vn[1]:ncpus=1)", 0,
                     "PBS_RESV_CONFIRM_SUCCESS");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/12");
    world_go(&w, NOW + 70);

    world_modify(&w, "user1", "R1.svr", "reserve_duration=700", NULL);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)+(vn[2]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(world_count_log(&w,
                                    "Confirmation refused: a job runs on vnode vn[0], "
                                    "which was taken"),
                    1);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[1]:ncpus=1)+(vn[2]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_free(&w);
}

/* Less of it has to be chosen by a scheduler, whose answer would be confused with the
 * maker's word: it waits for that. */
static void test_maintenance_is_altered_when_it_is_made(void)
{
    static const struct requester mgr = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };
    static const char less[] = "Resource_List.select=1:ncpus=2";
    struct world w;

    world_new(&w);
    world_submit_as(&w, &mgr, "m", "", SUBMIT "|Resource_List.select=2:ncpus=2");
    world_clear(&w);
    world_modify(&w, "mgr1", "M1.svr", less, NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_modify(&w, "mgr1", "M1.svr", less, "force");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_clear(&w);
    world_confirm_at(&w, &mgr, "M1.svr", "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)", 0,
                     "PBS_RESV_CONFIRM_SUCCESS");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "M1.svr"), "2/2");
    world_clear(&w);
    world_modify(&w, "mgr1", "M1.svr", less, NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    world_free(&w);
}

/* A series of requests, each refused with nothing changed. */
static void test_refused_answers(void)
{
    static const struct requester user = { .user = "user1",
                                           .host = "svr",
                                           .conn = CONN_OTHER };
    static const struct {
        const char *story;
        const struct requester *who;
        const char *id;
        const char *vnodes;
        const char *extend;
        uint64_t start_at;
        int code;
    } cases[] = {
        { "by a user", &user, "R1.svr", "(vn[0]:ncpus=2)", YES, 0, PBSE_PERM },
        { "an unknown one", NULL, "R9.svr", "(vn[0]:ncpus=2)", YES, 0, PBSE_UNKRESVID },
        { "no word", NULL, "R1.svr", "(vn[0]:ncpus=2)", NULL, 0, PBSE_resvFail },
        { "another word", NULL, "R1.svr", "(vn[0]:ncpus=2)", "PERHAPS", 0,
          PBSE_resvFail },
        { "an unknown vnode", NULL, "R1.svr", "(vn[0]:ncpus=1)+(vn[7]:ncpus=1)", YES, 0,
          PBSE_SYSTEM },
        { "more than a vnode has", NULL, "R1.svr", "(vn[0]:ncpus=3)", YES, 0,
          PBSE_BADSTATE },
        { "more than a vnode has in two chunks", NULL, "R1.svr",
          "(vn[0]:ncpus=2)+(vn[0]:ncpus=1)", YES, 0, PBSE_BADSTATE },
        { "an offline vnode", NULL, "R1.svr", "(vn[4]:ncpus=2)", YES, 0,
          PBSE_BADSTATE },
        { "a window that is over", NULL, "R1.svr", "(vn[0]:ncpus=2)", YES, 5,
          PBSE_BADTSPEC },
        { "a window that ends now", NULL, "R1.svr", "(vn[0]:ncpus=2)", YES, NOW - 600,
          PBSE_BADTSPEC },
        { "a window beyond all numbers", NULL, "R1.svr", "(vn[0]:ncpus=2)", YES,
          UINT64_MAX, PBSE_BADTSPEC },
        { "an end beyond all numbers", NULL, "R1.svr", "(vn[0]:ncpus=2)", YES,
          INT64_MAX, PBSE_BADTSPEC },
    };
    struct world w;

    world_new(&w);
    world_vnode(&w, "vn[4]", NODE_OFFLINE);
    world_submit(&w, "user1", ONE);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t seq = svr_model(w.s)->seq;
        uint64_t conn = cases[i].who ? cases[i].who->conn : CONN_SCHED;

        world_clear(&w);
        world_confirm_at(&w, cases[i].who, cases[i].id, cases[i].vnodes,
                         cases[i].start_at, cases[i].extend);
        if (world_reply_code(&w, conn) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story, world_reply_code(&w, conn));
        CU_ASSERT_EQUAL(world_reply_code(&w, conn), cases[i].code);
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    }
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[7]:ncpus=1)");
    CU_ASSERT_EQUAL(world_count_log(&w, "Unknown node vn[7] received"), 1);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_free(&w);
}

/* R1 holds vn[0] and vn[1] from START to START + 600; may R2 have vn[0]? */
static void test_nothing_is_promised_twice(void)
{
    static const struct {
        const char *story;
        int64_t start_at, length_s;
        const char *select;
        const char *vnodes;
        const char *place;
        int code;
    } cases[] = {
        { "the same time", START, 600, "1:ncpus=1", "(vn[0]:ncpus=1)", "free",
          PBSE_BADSTATE },
        { "the same time elsewhere", START, 600, "1:ncpus=1", "(vn[2]:ncpus=1)", "free",
          0 },
        { "ends when the other begins", START - 100, 100, "1:ncpus=2",
          "(vn[0]:ncpus=2)", "free", 0 },
        { "one second more", START - 100, 101, "1:ncpus=2", "(vn[0]:ncpus=2)", "free",
          PBSE_BADSTATE },
        { "begins when the other ends", START + 600, 100, "1:ncpus=2",
          "(vn[0]:ncpus=2)", "free", 0 },
        { "begins a second before", START + 599, 100, "1:ncpus=2", "(vn[0]:ncpus=2)",
          "free", PBSE_BADSTATE },
        { "all around it", START - 100, 9000, "1:ncpus=1", "(vn[0]:ncpus=1)", "free",
          PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_reserve(&w, 2, START, 600);
        world_submit(&w, "user2",
                     arena_printf(w.arena,
                                  "reserve_start=%" PRId64
                                  "|Resource_List.walltime=%" PRId64
                                  "|Resource_List.select=%s|Resource_List.place=%s",
                                  cases[i].start_at, cases[i].length_s, cases[i].select,
                                  cases[i].place));
        world_confirm(&w, "R2.svr", cases[i].vnodes);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        world_free(&w);
    }
}

/* Two that do not meet each other leave room beside each, not beside their sum. */
static void test_the_peak_counts(void)
{
    struct world w;

    world_new(&w);
    for (int i = 0; i < 2; i++) {
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "reserve_start=%d|Resource_List.walltime=100"
                                  "|Resource_List.select=1:ncpus=1",
                                  START + i * 100));
        world_confirm(&w, i ? "R2.svr" : "R1.svr", "(vn[0]:ncpus=1)");
    }
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=1:ncpus=1");
    world_clear(&w);
    world_confirm(&w, "R3.svr", "(vn[0]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=1:ncpus=1");
    world_clear(&w);
    world_confirm(&w, "R4.svr", "(vn[0]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_free(&w);
}

/* Jobs hold their vnodes until their walltime is over, without one for ever. */
static void test_jobs_count(void)
{
    static const struct {
        const char *story;
        const char *walltime;
        int code;
    } cases[] = {
        { "over before the start", "00:05:00", 0 },
        { "into the window", "00:15:00", PBSE_BADSTATE },
        { "nobody knows how long", NULL, PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_job(&w, "77.svr", NULL, "(vn[0]:ncpus=1)", cases[i].walltime);
        world_submit(&w, "user1", ONE);
        world_clear(&w);
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        world_free(&w);
    }
}

/* Who wants a vnode alone has it from the second in which the one before leaves. */
static void test_exclusive_ones_follow_each_other(void)
{
    static const struct {
        const char *story, *times;
        int code;
    } cases[] = {
        { "before", "reserve_start=1795247400|reserve_end=1795248000", 0 },
        { "one second into it", "reserve_start=1795247400|reserve_end=1795248001",
          PBSE_BADSTATE },
        { "behind", "reserve_start=1795248600|Resource_List.walltime=600", 0 },
        { "one second too early", "reserve_start=1795248599|Resource_List.walltime=600",
          PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        w.now_at -= 1000;
        world_submit(&w, "user1", ONE "|Resource_List.place=excl");
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "%s|Resource_List.select=1:ncpus=2|"
                                  "Resource_List.place=excl",
                                  cases[i].times));
        world_clear(&w);
        world_confirm(&w, "R2.svr", "(vn[0]:ncpus=2)");
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_SCHED));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        world_free(&w);
    }
}

/* A job that should have ended is there as long as it is there. */
static void test_a_late_job_is_in_the_way(void)
{
    struct world w;

    world_new(&w);
    world_job(&w, "5.svr", NULL, "(vn[0]:ncpus=2)", "10");
    world_go(&w, START);
    world_submit(&w, "user1", ONE);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_job_end(&w, "5.svr");
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    world_free(&w);
}

static void test_exclusive_is_alone(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=1:ncpus=1");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)");
    world_submit(&w, "user1",
                 SUBMIT "|Resource_List.select=1:ncpus=1|Resource_List.place=excl");
    world_clear(&w);
    world_confirm(&w, "R2.svr", "(vn[0]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_clear(&w);
    world_confirm(&w, "R2.svr", "(vn[1]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    world_submit(&w, "user1", SUBMIT "|Resource_List.select=1:ncpus=1");
    world_clear(&w);
    world_confirm(&w, "R3.svr", "(vn[1]:ncpus=1)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_free(&w);
}

/* A suspended job is in the way with what it has kept, and not by being there. */
static void test_a_suspended_job_that_has_nothing_is_not_met(void)
{
    static const struct {
        const char *kept;
        int code;
    } rows[] = { { NULL, PBSE_BADSTATE },
                 { "(vn[0])", 0 },
                 { "(vn[0]:ncpus=1)", PBSE_BADSTATE } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;

        world_new(&w);
        world_job(&w, "5.svr", NULL, "(vn[0]:ncpus=1)", NULL);
        if (rows[i].kept) {
            world_fact(&w, FACT_SET, OBJ_JOB, "5.svr", JOB_A_HF_SENT, NULL, "True");
            world_fact(&w, FACT_SET, OBJ_JOB, "5.svr", JOB_A_SUBSTATE, NULL, "43");
            world_fact(&w, FACT_SET, OBJ_JOB, "5.svr", JOB_A_HF_SUSPEND, NULL,
                       "suspend");
            world_fact(&w, FACT_SET, OBJ_JOB, "5.svr", JOB_A_EXEC_VNODE_KEPT, NULL,
                       rows[i].kept);
        }
        world_submit(&w, "user1",
                     SUBMIT "|Resource_List.select=1:ncpus=1|Resource_List.place=excl");
        world_clear(&w);
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=1)");
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), rows[i].code);
        world_free(&w);
    }
}

/* A second yes would move a reservation that nobody asked about. */
static void test_a_healthy_one_stays(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_confirm(&w, "R1.svr", "(vn[3]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[0]:ncpus=2)");
    world_clear(&w);
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    world_free(&w);
}

static void test_start_chosen_by_the_scheduler(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", ONE);
    world_confirm_at(&w, NULL, "R1.svr", "(vn[0]:ncpus=2)", START + 50, YES);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_START, NULL),
                "1795248050");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL), "1795248650");
    world_free(&w);
}

static void test_delete(void)
{
    static const struct {
        const char *story;
        const char *user, *id;
        int code;
        char type;
        const char *account;
    } cases[] = {
        { "the owner", "user1", "R1.svr", 0, 'k', "requestor=user1@svr" },
        { "a manager", "mgr1", "R1.svr", 0, 'K', "requestor=mgr1@svr" },
        { "somebody else", "user2", "R1.svr", PBSE_PERM, 0, NULL },
        { "a name that begins with the owner's", "user10", "R1.svr", PBSE_PERM, 0,
          NULL },
        { "a name that the owner's begins with", "user", "R1.svr", PBSE_PERM, 0, NULL },
        { "an unknown one", "user1", "R9.svr", PBSE_UNKRESVID, 0, NULL },
        { "another spelling", "user1", "r1.far", 0, 'k', "requestor=user1@svr" },
        { "no letter", "user1", "1.svr", PBSE_UNKRESVID, 0, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_reserve(&w, 1, START, 600);
        world_delete(&w, cases[i].user, cases[i].id);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"),
                               cases[i].code ? "2/2" : "gone");
        if (cases[i].account) {
            EXPECT_TEXT(world_account(&w, cases[i].type, 0), cases[i].account);
            CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation removed"), 1);
            CU_ASSERT_TRUE(world_commanded(&w, 2));
            CU_ASSERT_PTR_NULL(model_queue(svr_model(w.s), "R1"));
        }
        world_free(&w);
    }
}

static void test_refused_deletion_is_logged(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_delete(&w, "user2", "R1");
    CU_ASSERT_EQUAL(world_count_log(&w,
                                    "Unauthorized Request, request type: 72, Object: "
                                    "RESCRESV, Name: R1.svr, request from: "
                                    "user2@svr"),
                    1);
    world_delete(&w, "user2", "R5.svr");
    CU_ASSERT_EQUAL(world_count_log(&w, "Unknown Reservation Id"), 1);
    world_free(&w);
}

/* What is told to the store outlives what it is about. */
static void test_records_outlive_their_objects(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_delete(&w, "user1", "R1.svr");
    world_vnode(&w, "vn[0]", NODE_OFFLINE); /* what was removed is freed now */
    CU_ASSERT_TRUE(world_has_record(&w, FACT_RESV_ENDING, OBJ_RESV, "R1.svr"));
    CU_ASSERT_TRUE(world_has_record(&w, FACT_DELETED, OBJ_QUEUE, "R1"));
    CU_ASSERT_TRUE(world_has_record(&w, FACT_RESV_GONE, OBJ_RESV, "R1.svr"));
    world_free(&w);
}

/* A yes for one that is being deleted does not revive it. */
static void test_no_yes_for_the_dying(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, START, 600);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_delete(&w, "user1", "R1.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADTSPEC);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a yes confirms", test_yes },
        { "a no ends a new reservation", test_no },
        { "maintenance takes vnodes of others", test_maintenance },
        { "a job outside its reservation", test_a_job_outside_its_reservation },
        { "maintenance is altered when it is made",
          test_maintenance_is_altered_when_it_is_made },
        { "a refused answer changes nothing", test_refused_answers },
        { "nothing is promised twice", test_nothing_is_promised_twice },
        { "the peak counts, not the sum", test_the_peak_counts },
        { "jobs count until their walltime", test_jobs_count },
        { "exclusive is alone", test_exclusive_is_alone },
        { "a suspended job that has nothing is not met",
          test_a_suspended_job_that_has_nothing_is_not_met },
        { "exclusive ones follow each other", test_exclusive_ones_follow_each_other },
        { "a late job is in the way", test_a_late_job_is_in_the_way },
        { "a healthy reservation stays where it is", test_a_healthy_one_stays },
        { "a scheduler may choose the start", test_start_chosen_by_the_scheduler },
        { "owner and managers delete, others do not", test_delete },
        { "a refused deletion is logged", test_refused_deletion_is_logged },
        { "records outlive their objects", test_records_outlive_their_objects },
        { "no yes revives the dying", test_no_yes_for_the_dying },
    };

    return unit_main("resv_confirm", cases, ARRAY_LEN(cases));
}
