/* Unit tests of degradation: derived from the states of the vnodes, retried in time,
 * healed or re-made around what works.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/sched_command.h"
#include "resv_world.h"

#include <string.h>

#define START (NOW + 10000)
#define HOUR  3600

static const char *retry_of(struct world *w)
{
    return world_attr(w, OBJ_RESV, "R1.svr", RESV_A_RESERVE_RETRY, NULL);
}

static const char *nodes_of(struct world *w)
{
    return world_attr(w, OBJ_RESV, "R1.svr", RESV_A_RESV_NODES, NULL);
}

static const char *at(struct world *w, int64_t when)
{
    return arena_printf(w->arena, "%" PRId64, when);
}

/* R1 on vn[0], vn[1], vn[2]; running when asked for. */
static void new_resv(struct world *w, bool running)
{
    world_new(w);
    world_reserve(w, 3, START, 4 * HOUR);
    if (!running)
        return;
    world_go(w, START);
    world_sched_done(w);
    world_clear(w);
}

static void test_every_kind_of_loss(void)
{
    static const struct {
        const char *story;
        uint32_t bits;
        bool lost;
    } cases[] = {
        { "offline", NODE_OFFLINE, true },
        { "down", NODE_DOWN, true },
        { "stale", NODE_STALE, true },
        { "unknown", NODE_STATE_UNKNOWN, true },
        { "offline by its MoM", NODE_OFFLINE_BY_MOM, true },
        { "asleep", NODE_SLEEP, true },
        { "unresolvable", NODE_UNRESOLVABLE, true },
        { "busy", NODE_BUSY, false },
        { "two reasons", NODE_OFFLINE | NODE_DOWN, true },
    };

    for (int running = 0; running < 2; running++)
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
            struct world w;
            const char *well = running ? "5/5" : "2/2";
            const char *ill = running ? "5/10" : "10/10";

            new_resv(&w, running);
            world_vnode(&w, "vn[1]", cases[i].bits);
            if (strcmp(world_phase(&w, "R1.svr"), cases[i].lost ? ill : well) != 0)
                fprintf(stderr, "%s\n", cases[i].story);
            CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"),
                                   cases[i].lost ? ill : well);
            EXPECT_TEXT(retry_of(&w), cases[i].lost ? at(&w, w.now_at + 600) : "");
            world_vnode(&w, "vn[1]", 0);
            CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), well);
            EXPECT_TEXT(retry_of(&w), "");
            CU_ASSERT_PTR_NULL(world_account(&w, 'Y', 0));
            world_free(&w);
        }
}

/* Maintenance is a loss that lasts as long as its job. */
static void test_maintenance_is_a_loss(void)
{
    struct world w;

    new_resv(&w, false);
    world_job(&w, "5.svr", NULL, "(vn[1])", NULL);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    world_job_stands(&w, "5.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/10");
    EXPECT_TEXT(retry_of(&w), at(&w, w.now_at + 600));
    world_job_end(&w, "5.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    EXPECT_TEXT(retry_of(&w), "");
    world_free(&w);
}

/* One vnode with two faults counts once, and coming back partly does not count. */
static void test_faults_are_not_counted(void)
{
    struct world w;

    new_resv(&w, false);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_vnode(&w, "vn[1]", NODE_OFFLINE | NODE_DOWN);
    world_vnode(&w, "vn[2]", NODE_DOWN);
    world_vnode(&w, "vn[1]", NODE_DOWN);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/10");
    world_vnode(&w, "vn[1]", 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/10");
    world_vnode(&w, "vn[2]", 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_DEGRADED), 1);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_HEALED), 1);
    world_free(&w);
}

static void test_vnodes_of_others_do_not_matter(void)
{
    struct world w;

    new_resv(&w, false);
    world_vnode(&w, "vn[3]", NODE_OFFLINE);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    world_free(&w);
}

static void test_the_first_attempt(void)
{
    struct world w;

    new_resv(&w, false);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    CU_ASSERT_EQUAL(world_count_log(&w,
                                    "An attempt to reconfirm reservation will be made "
                                    "on Sat Nov 21 08:02:51 2026\n"),
                    1);
    CU_ASSERT_FALSE(world_commanded(&w, 15));
    world_go(&w, NOW + 100);
    world_vnode(&w, "vn[2]", NODE_OFFLINE); /* the time set first stays */
    EXPECT_TEXT(retry_of(&w), at(&w, NOW + 600));
    world_go(&w, NOW + 599);
    CU_ASSERT_FALSE(world_commanded(&w, 15));
    world_go(&w, NOW + 600);
    CU_ASSERT_TRUE(world_commanded(&w, 15));
    EXPECT_TEXT(retry_of(&w), at(&w, NOW + 600)); /* the scheduler looks at it */
    world_clear(&w);
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(retry_of(&w), at(&w, NOW + 1200));
    CU_ASSERT_EQUAL(world_count_log(&w, "Next attempt to reconfirm reservation will be "
                                        "made on Sat Nov 21 08:12:51 2026\n"),
                    1);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/10");
    world_go(&w, NOW + 700);
    world_deny(&w, "R1.svr"); /* a late answer to the question before */
    EXPECT_TEXT(retry_of(&w), at(&w, NOW + 1200));
    world_free(&w);
}

static void test_the_interval_is_the_servers(void)
{
    struct world w;

    new_resv(&w, false);
    world_server(&w, SERVER_A_RESERVE_RETRY_TIME, NULL, "37");
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(retry_of(&w), at(&w, NOW + 37));
    world_free(&w);
}

/* An interval of any size only leaves the attempts at the start; that no attempt comes
 * after it is no reason to make one at once. */
static void test_an_interval_beyond_all_time(void)
{
    struct world w;

    new_resv(&w, false);
    world_server(&w, SERVER_A_RESERVE_RETRY_TIME, NULL, "9223372036854775807");
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(retry_of(&w), at(&w, START - 5));
    world_go(&w, START - 1);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_deny(&w, "R1.svr");
    EXPECT_TEXT(retry_of(&w), at(&w, START));
    world_go(&w, START);
    world_deny(&w, "R1.svr");
    world_clear(&w);
    world_go(&w, START + 2 * HOUR);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
    world_free(&w);
}

/* Every attempt fails: right before the start, at it, and each interval after it. */
static void test_attempts_around_the_start(void)
{
    static const int64_t expected[] = { START - 5, START, START + 600, START + 1200 };
    struct world w;

    new_resv(&w, false);
    world_go(&w, START - 300);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        EXPECT_TEXT(retry_of(&w), at(&w, expected[i]));
        world_sched_done(&w);
        world_clear(&w);
        world_go(&w, expected[i] - 1);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
        world_go(&w, expected[i]);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
        CU_ASSERT_TRUE(world_commanded(&w, 15));
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"),
                               expected[i] < START ? "10/10" : "5/10");
        world_deny(&w, "R1.svr");
    }
    world_free(&w);
}

/* An attempt that nobody answers is made again after an interval, also over a restart.
 */
static void test_unanswered_attempts(void)
{
    struct world w;

    new_resv(&w, true);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_go(&w, START + 600);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_restart(&w);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    EXPECT_TEXT(retry_of(&w), at(&w, START + 600));
    world_go(&w, START + 1199);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_go(&w, START + 1200);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 2);
    world_free(&w);
}

static void test_reconfirmed_before_the_start(void)
{
    struct world w;

    new_resv(&w, false);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_go(&w, NOW + 600);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    EXPECT_TEXT(retry_of(&w), "");
    EXPECT_TEXT(nodes_of(&w), "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
    EXPECT_TEXT(world_account(&w, 'Y', 0),
                arena_printf(w.arena,
                             "requestor=Scheduler@svr start=%d end=%d "
                             "nodes=(vn[2]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)",
                             START, START + 4 * HOUR));
    world_vnode(&w, "vn[1]", 0); /* no longer ours */
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    world_free(&w);
}

/* The cycle that has answered may have looked at no job, so another one follows, unless
 * nobody waits. A scheduler of ours plans its jobs again by itself; others do not. */
static void test_a_cycle_for_jobs_follows(void)
{
    for (int waits = 0; waits < 2; waits++) {
        struct world w;

        new_resv(&w, false);
        if (waits)
            world_job(&w, "7.svr", "workq", NULL, "60");
        world_sched_done(&w);
        world_vnode(&w, "vn[1]", NODE_OFFLINE);
        world_go(&w, NOW + 600);
        CU_ASSERT_TRUE(world_commanded(&w, SCHED_RECONFIRM));
        world_clear(&w);
        world_confirm(&w, "R1.svr", "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
        CU_ASSERT_FALSE(world_commanded(&w, SCHED_NEW)); /* the cycle still runs */
        world_sched_done(&w);
        CU_ASSERT_EQUAL(world_commanded(&w, SCHED_NEW), waits == 1);
        world_free(&w);
    }
}

/* Running: what works is kept, with all that is held on it. */
static void test_what_may_replace_what(void)
{
    static const struct {
        const char *story;
        const char *job_on;
        uint32_t lost;
        const char *vnodes;
        int code;
    } cases[] = {
        { "only the lost one is replaced", NULL, NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)", 0 },
        { "in another order", NULL, NODE_OFFLINE,
          "(vn[2]:ncpus=2)+(vn[0]:ncpus=2)+(vn[4]:ncpus=2)", 0 },
        { "a usable one is moved", NULL, NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)", PBSE_BADSTATE },
        { "a usable one is shrunk", NULL, NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=1)+(vn[4]:ncpus=1)",
          PBSE_BADSTATE },
        { "the lost one is offered again", NULL, NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)+(vn[2]:ncpus=2)", PBSE_BADSTATE },
        { "a job runs on the lost one", "(vn[1]:ncpus=1)", NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)", PBSE_BADSTATE },
        { "a job runs on the lost one, which is down", "(vn[1]:ncpus=1)", NODE_DOWN,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)", PBSE_BADSTATE },
        { "a job runs on another one", "(vn[0]:ncpus=1)", NODE_OFFLINE,
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        new_resv(&w, true);
        world_server(&w, SERVER_A_NODE_FAIL_REQUEUE, NULL, "0"); /* jobs stay */
        if (cases[i].job_on)
            world_job(&w, "5.svr", "R1", cases[i].job_on, NULL);
        world_vnode(&w, "vn[1]", cases[i].lost);
        world_go(&w, START + 600);
        world_clear(&w);
        world_confirm(&w, "R1.svr", cases[i].vnodes);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_SCHED));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"),
                               cases[i].code ? "5/10" : "5/5");
        EXPECT_TEXT(nodes_of(&w),
                    cases[i].code ? "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)+(vn[2]:ncpus=2)"
                                  : cases[i].vnodes);
        CU_ASSERT_EQUAL(world_assigned(&w, "vn[1]"), cases[i].code ? 2 : 0);
        CU_ASSERT_EQUAL(world_account(&w, 'Y', 0) != NULL, cases[i].code == 0);
        world_free(&w);
    }
}

/* On a vnode that is down for long the job is taken away, and blocks no more. */
static void test_a_lost_job_does_not_block(void)
{
    struct world w;

    new_resv(&w, true);
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=1)", NULL);
    world_vnode(&w, "vn[1]", NODE_DOWN);
    world_go(&w, START + 600);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_free(&w);
}

/* After a restart what was known last holds until the MoMs had time to report. */
static void test_known_availability_holds(void)
{
    for (int running = 0; running < 2; running++) {
        const char *well = running ? "5/5" : "2/2";
        struct world w;

        new_resv(&w, running);
        world_vnode(&w, "vn[1]", NODE_OFFLINE);
        world_vnode(&w, "vn[1]", 0);
        world_restart_silent(&w);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), well);
        world_go(&w, w.now_at + 599);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), well);
        world_go(&w, w.now_at + 1);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), running ? "5/10" : "10/10");
        EXPECT_TEXT(retry_of(&w), at(&w, w.now_at + 600));
        world_free(&w);
    }
}

/* When the job is gone, the attempt that failed before succeeds. */
static void test_the_job_blocks_until_it_ends(void)
{
    static const char vnodes[] = "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)";
    struct world w;

    new_resv(&w, true);
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=1)", NULL);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_go(&w, START + 600);
    world_deny(&w, "R1.svr");
    world_job_end(&w, "5.svr");
    world_go(&w, START + 1200);
    world_clear(&w);
    world_confirm(&w, "R1.svr", vnodes);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[1]"), 0);
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[3]"), 2);
    world_free(&w);
}

/* The end of the last job on a lost vnode is followed by an attempt, but the first
 * attempt waits for its time. */
static void test_an_attempt_follows_the_jobs(void)
{
    static const char vnodes[] = "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)";
    struct world w;

    new_resv(&w, true);
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=1)", NULL);
    world_job(&w, "6.svr", "R1", "(vn[2]:ncpus=1)", NULL);
    world_job(&w, "7.svr", "R1", "(vn[0]:ncpus=1)", NULL); /* blocks nobody */
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_job_stands(&w, "6.svr"); /* maintenance */
    world_go(&w, START + 600);
    world_deny(&w, "R1.svr");
    world_go(&w, START + 700);
    world_clear(&w);
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(retry_of(&w), at(&w, START + 1200));
    world_confirm(&w, "R1.svr", vnodes); /* one is left */
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_restart(&w);
    world_sched_done(&w);
    world_clear(&w);
    world_job_end(&w, "6.svr");
    EXPECT_TEXT(retry_of(&w), at(&w, w.now_at));
    CU_ASSERT_TRUE(world_commanded(&w, 15));
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    /* The maintenance has ended with its job. */
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)+(vn[3]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    EXPECT_TEXT(retry_of(&w), "");
    world_free(&w);
}

static void test_a_job_ends_before_the_first_attempt(void)
{
    struct world w;

    new_resv(&w, true);
    world_job(&w, "5.svr", "R1", "(vn[1]:ncpus=1)", NULL);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(retry_of(&w), at(&w, START + 600));
    world_go(&w, START + 600);
    world_deny(&w, "R1.svr"); /* for want of vnodes: no job has blocked it */
    world_job(&w, "6.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_job_end(&w, "6.svr");
    EXPECT_TEXT(retry_of(&w), at(&w, START + 1200));
    world_free(&w);
}

/* reserve_retry_now: each loss is followed by an attempt, a return by none. The
 * ordinary attempts go on. */
static void test_attempts_at_once(void)
{
    for (int running = 0; running < 2; running++) {
        struct world w;

        new_resv(&w, running);
        world_server(&w, SERVER_A_RESERVE_RETRY_NOW, NULL, "True");
        world_vnode(&w, "vn[1]", NODE_OFFLINE);
        EXPECT_TEXT(retry_of(&w), at(&w, w.now_at));
        CU_ASSERT_TRUE(world_commanded(&w, 15));
        world_deny(&w, "R1.svr");
        EXPECT_TEXT(retry_of(&w), at(&w, w.now_at + 600));
        world_sched_done(&w);
        world_clear(&w);
        world_vnode(&w, "vn[1]", NODE_OFFLINE | NODE_DOWN); /* the same loss */
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
        world_vnode(&w, "vn[2]", NODE_DOWN);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
        world_deny(&w, "R1.svr");
        world_sched_done(&w);
        world_clear(&w);
        world_vnode(&w, "vn[2]", 0);
        world_restart(&w);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
        world_vnode(&w, "vn[2]", NODE_DOWN);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
        world_vnode(&w, "vn[2]", 0);
        world_vnode(&w, "vn[1]", 0);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), running ? "5/5" : "2/2");
        EXPECT_TEXT(retry_of(&w), "");
        world_free(&w);
    }
}

/* The new vnode goes away before the answer, or right after it. */
static void test_loss_after_loss(void)
{
    static const char vnodes[] = "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)+(vn[2]:ncpus=2)";
    struct world w;

    new_resv(&w, true);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_go(&w, START + 600);
    world_vnode(&w, "vn[3]", NODE_DOWN);
    world_confirm(&w, "R1.svr", vnodes);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_vnode(&w, "vn[3]", 0);
    world_clear(&w);
    world_confirm(&w, "R1.svr", vnodes);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_vnode(&w, "vn[3]", NODE_DOWN);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/10");
    EXPECT_TEXT(retry_of(&w), at(&w, START + 1200));
    world_free(&w);
}

/* The vnodes came back while the scheduler thought: nothing moves. */
static void test_healed_before_the_answer(void)
{
    struct world w;

    new_resv(&w, false);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_go(&w, NOW + 600);
    world_vnode(&w, "vn[1]", 0);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    world_go(&w, NOW + 5000);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0); /* no stale attempt */
    world_free(&w);
}

/* What waits for its jobs to go is neither degraded nor revived. */
static void test_the_dying_are_left_alone(void)
{
    struct world w;

    new_resv(&w, true);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_delete(&w, "user1", "R1.svr");
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    EXPECT_TEXT(retry_of(&w), "");
    world_vnode(&w, "vn[1]", 0);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "7/9");
    world_job_end(&w, "5.svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* A degraded one that is deleted forgets its attempts. */
static void test_degraded_then_deleted(void)
{
    struct world w;

    new_resv(&w, true);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(retry_of(&w), "");
    world_clear(&w);
    world_go(&w, START + 5000);
    CU_ASSERT_FALSE(world_commanded(&w, 15));
    world_free(&w);
}

/* Every state of health survives a restart as it was. */
static void test_restarts(void)
{
    for (int running = 0; running < 2; running++) {
        struct world w;

        new_resv(&w, running);
        world_vnode(&w, "vn[1]", NODE_OFFLINE);
        world_clear(&w);
        world_restart(&w);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), running ? "5/10" : "10/10");
        EXPECT_TEXT(retry_of(&w), at(&w, w.now_at + 600));
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_DEGRADED), 0);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_RETRY), 0);
        world_vnode(&w, "vn[1]", 0);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), running ? "5/5" : "2/2");
        world_restart(&w);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), running ? "5/5" : "2/2");
        world_free(&w);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every kind of loss degrades, and return heals", test_every_kind_of_loss },
        { "maintenance is a loss", test_maintenance_is_a_loss },
        { "faults are not counted", test_faults_are_not_counted },
        { "vnodes of others do not matter", test_vnodes_of_others_do_not_matter },
        { "the first attempt comes after the interval", test_the_first_attempt },
        { "the interval is the server's", test_the_interval_is_the_servers },
        { "an interval beyond all time leaves the attempts at the start",
          test_an_interval_beyond_all_time },
        { "attempts are made right before the start, at it and after it",
          test_attempts_around_the_start },
        { "unanswered attempts are made again", test_unanswered_attempts },
        { "before the start all vnodes may change", test_reconfirmed_before_the_start },
        { "a cycle for jobs follows a confirmation", test_a_cycle_for_jobs_follows },
        { "while it runs only the lost vnode is replaced", test_what_may_replace_what },
        { "a job on a lost vnode blocks until it ends",
          test_the_job_blocks_until_it_ends },
        { "the attempt follows the end of the last job on lost vnodes",
          test_an_attempt_follows_the_jobs },
        { "the first attempt does not follow a job",
          test_a_job_ends_before_the_first_attempt },
        { "with reserve_retry_now each loss is followed by an attempt",
          test_attempts_at_once },
        { "a job that node_fail_requeue took does not block",
          test_a_lost_job_does_not_block },
        { "what was known last holds after a restart", test_known_availability_holds },
        { "loss after loss is noticed", test_loss_after_loss },
        { "healed before the answer nothing moves", test_healed_before_the_answer },
        { "the dying are left alone", test_the_dying_are_left_alone },
        { "a deleted one forgets its attempts", test_degraded_then_deleted },
        { "health survives a restart", test_restarts },
    };

    return unit_main("resv_health", cases, ARRAY_LEN(cases));
}
