/* Unit tests of the scheduler's answers about reservations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define UN           "reserve_state=1 reserve_substate=1"
#define CO           "reserve_state=2 reserve_substate=2"
#define DG           "reserve_state=10 reserve_substate=10"
#define RN           "reserve_state=5 reserve_substate=5"
#define RN_DG        "reserve_state=5 reserve_substate=10"
#define RN_IC        "reserve_state=5 reserve_substate=12"
#define FREE         "Resource_List.place=free"
#define DUE          " reserve_retry=999999"
#define SHORT_NCPUS  "denied: Insufficient amount of resource: ncpus "
#define RUNNING_JOBS "denied: Reservation has running jobs in it"

static void test_confirm(void)
{
    struct scene sc = scene_new();
    const struct plan_step *step;
    struct wire_request rq;
    const struct body_run *body;

    scene_hosts(&sc, 3, 2);
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, "3:ncpus=2", FREE);
    CU_ASSERT_FALSE(scene_plan(&sc)->again); /* no job waits */
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=2)+(n2:ncpus=2)+(n3:ncpus=2)");
    step = scene_step(&sc, "R1.svr");
    CU_ASSERT_TRUE_FATAL(plan_step_request(step, sc.arena, &rq));
    body = rq.body;
    CU_ASSERT_EQUAL(rq.number, BATCH_CONFIRM_RESV);
    CU_ASSERT_STRING_EQUAL(rq.extend, "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
    CU_ASSERT_STRING_EQUAL(body->object_id, "R1.svr");
    CU_ASSERT_EQUAL(body->argument, NOW + 100);
    scene_free(&sc);
}

/* What waits is planned anew on the complex as it is after the confirmation. */
static void test_jobs_wait_for_the_next_plan(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "5.svr", "workq", "1:ncpus=1", "");
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, "1:ncpus=2", FREE);
    CU_ASSERT_TRUE(scene_plan(&sc)->again);
    ASSERT_SAID(&sc, "5.svr", "nothing");
    snapshot_skip_resv(sc.snapshot, "R1.svr");
    CU_ASSERT_FALSE(scene_plan(&sc)->again);
    ASSERT_SAID(&sc, "R1.svr", "nothing");
    ASSERT_SAID(&sc, "5.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* A vnode that is down today is promised only when nothing else fits, the reservation
 * starts late enough to be tried again before, and the server can say that it is
 * degraded. */
static void test_vnodes_that_are_away(void)
{
    static const struct {
        const char *state;
        const char *more;
        int start_in;
        int ncpus;
        const char *said;
    } rows[] = {
        { "down", "alter_seq=0", 601, 2, "(n2:ncpus=2)+(n1:ncpus=2)" },
        { "offline", "alter_seq=0", 601, 2, "(n2:ncpus=2)+(n1:ncpus=2)" },
        { "down", "alter_seq=0", 601, 1, "(n2:ncpus=1)+(n2:ncpus=1)" },
        { "down", "alter_seq=0", 600, 2, SHORT_NCPUS },
        { "down", "", 601, 2, SHORT_NCPUS },
        { "state-unknown,down", "alter_seq=0", 601, 2, SHORT_NCPUS },
        { "maintenance,down", "alter_seq=0", 601, 2, SHORT_NCPUS },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene sc = scene_new();
        char state[64], more[64], select[32];

        snprintf(state, sizeof(state), "state=%s", rows[i].state);
        snprintf(more, sizeof(more), FREE " %s", rows[i].more);
        snprintf(select, sizeof(select), "2:ncpus=%d", rows[i].ncpus);
        scene_vnode(&sc, "n1", "n1", 2, state);
        scene_vnode(&sc, "n2", "n2", 2, "");
        scene_resv(&sc, 1, UN, NOW + rows[i].start_in, NOW + 1000, select, more);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", rows[i].said);
        scene_free(&sc);
    }
}

/* An alteration never trades a vnode that works for one that is away: it is denied, and
 * who insists gets it on the vnodes that the reservation has. */
static void test_an_alteration_does_not_go_where_nobody_is(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_resv(&sc, 1, "reserve_state=11 reserve_substate=2", NOW + 1000, NOW + 2000,
               "1:ncpus=2",
               FREE " alter_seq=7 resv_nodes=(n2:ncpus=2) "
                    "reserve_alter_revert.start_time=1001000 "
                    "reserve_alter_revert.walltime=500");
    scene_resv(&sc, 2, CO, NOW + 1500, NOW + 2000, "1:ncpus=2",
               FREE " alter_seq=0 resv_nodes=(n2:ncpus=2)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr",
                "denied: Job would conflict with reservation or top job");
    scene_free(&sc);
}

/* A job without a walltime is in the way for years: the denial names it. */
static void test_jobs_without_walltime_are_named(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "job_state=R substate=42 exec_vnode=(n1:ncpus=1) stime=999000");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1",
              "job_state=R substate=42 exec_vnode=(n2:ncpus=1) stime=999000 "
              "Resource_List.walltime=01:00:00");
    scene_resv(&sc, 1, UN, NOW + 86400, NOW + 90000, "2:ncpus=2", FREE);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "2:ncpus=2", FREE);
    scene_resv(&sc, 3, UN, NOW + 86400, NOW + 90000, "3:ncpus=2", FREE);
    scene_plan(&sc);
    CU_ASSERT_STRING_EQUAL(
        scene_step(&sc, "R1.svr")->advice,
        "; jobs without a walltime may never give back their vnodes: 1.svr");
    /* 2.svr alone is enough of a reason, and three vnodes there are not. */
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R2.svr")->advice, "");
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R3.svr")->advice, "");
    scene_free(&sc);
}

/* Two that want the same: the first gets it, the second learns when. */
static void test_deny_with_reason(void)
{
    struct scene sc = scene_new();
    const struct plan_step *step;
    struct wire_request rq;

    scene_hosts(&sc, 2, 2);
    scene_resv(&sc, 1, CO, NOW + 100, NOW + 200, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)");
    scene_resv(&sc, 2, UN, NOW + 150, NOW + 250, "2:ncpus=2", FREE);
    CU_ASSERT_FALSE(scene_plan(&sc)->again);
    ASSERT_SAID(&sc, "R2.svr",
                "denied: Job would conflict with reservation or top job");
    step = scene_step(&sc, "R2.svr");
    CU_ASSERT_STRING_EQUAL(step->why.resource, "ncpus");
    CU_ASSERT_STRING_EQUAL(step->why.vnode, "n1");
    CU_ASSERT_STRING_EQUAL(step->why.holder, "R1.svr");
    CU_ASSERT_EQUAL(step->why.until_at, NOW + 200);
    CU_ASSERT_EQUAL(step->why.earliest_at, NOW + 200);
    CU_ASSERT_TRUE_FATAL(plan_step_request(step, sc.arena, &rq));
    CU_ASSERT_STRING_EQUAL(rq.extend, "PBS_RESV_CONFIRM_FAIL");
    CU_ASSERT_STRING_EQUAL(((const struct body_run *)rq.body)->vnodes, "null");
    CU_ASSERT_EQUAL(((const struct body_run *)rq.body)->argument, NOW + 200);
    scene_free(&sc);
}

static void test_windows(void)
{
    static const struct {
        const char *story;
        int start, end;
        const char *expect;
    } cases[] = {
        { "ends as the other begins", NOW + 50, NOW + 100, "(n1:ncpus=2)" },
        { "begins as the other ends", NOW + 200, NOW + 300, "(n1:ncpus=2)" },
        { "overlaps its first second", NOW + 50, NOW + 101, "(n2:ncpus=2)" },
        { "overlaps its last second", NOW + 199, NOW + 201, "(n2:ncpus=2)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 2, 2);
        scene_resv(&sc, 1, CO, NOW + 100, NOW + 200, "1:ncpus=2",
                   FREE " resv_nodes=(n1:ncpus=2)");
        scene_resv(&sc, 2, UN, cases[i].start, cases[i].end, "1:ncpus=2", FREE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R2.svr", cases[i].expect);
        scene_free(&sc);
    }
}

static void test_jobs_block(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "job_state=R exec_vnode=(n1:ncpus=2) stime=999990 "
              "Resource_List.walltime=00:01:00");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=2",
              "job_state=R exec_vnode=(n3:ncpus=2) stime=999990 "
              "Resource_List.walltime=9223372036854775807");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2",
              "job_state=R exec_vnode=(n2:ncpus=2) stime=999990");
    scene_resv(&sc, 3, UN, NOW + 49, NOW + 100, "1:ncpus=2", FREE);
    scene_resv(&sc, 4, UN, NOW + 50, NOW + 100, "1:ncpus=2", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R3.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R4.svr", "(n1:ncpus=2)");
    scene_free(&sc);
}

/* 50 of 100 s are left to it since 50 s ago, and it may go on at the next whole minute,
 * in 20 s. */
static void test_a_job_that_stands_blocks_for_longer(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "job_state=U substate=43 exec_vnode=(n1:ncpus=2) stime=999900 "
              "runs_from=999950 ran_time=50 Resource_List.walltime=100");
    scene_resv(&sc, 3, UN, NOW + 69, NOW + 100, "1:ncpus=2", FREE);
    scene_resv(&sc, 4, UN, NOW + 70, NOW + 100, "1:ncpus=2", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R3.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R4.svr", "(n1:ncpus=2)");
    scene_free(&sc);
}

static void test_unusable_vnodes_are_not_offered(void)
{
    static const char *const more[] = {
        "state=offline",
        "state=down",
        "state=state-unknown,down",
        "state=Stale",
        "state=job-busy,offline",
        "resv_enable=False",
        "queue=special",
        "partition=P1",
    };

    for (size_t i = 0; i < COUNT(more); i++) {
        struct scene sc = scene_new();

        scene_vnode(&sc, "n1", "n1", 2, more[i]);
        scene_vnode(&sc, "n2", "n2", 2, "state=job-busy");
        scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, "1:ncpus=2", FREE);
        scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "1:ncpus=2", FREE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", "(n2:ncpus=2)");
        CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->kind, PLAN_DENY_RESV);
        scene_free(&sc);
    }
}

static void test_answers_to_what_cannot_be(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_resv(&sc, 1, UN, NOW - 100, NOW, "1:ncpus=1", FREE);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "1:ncpus=3", FREE);
    scene_resv(&sc, 3, UN, NOW + 100, NOW + 200, "1:foo=3", FREE);
    scene_resv(&sc, 4, UN, NOW + 100, NOW + 200, "1:ncpus=1:host=other", FREE);
    scene_resv(&sc, 5, UN, NOW - 100, NOW + 200, "1:ncpus=1", FREE);
    scene_resv(&sc, 6, UN, NOW + 100, NOW + 200, "1:ncpus=1",
               FREE " partition=somebody-elses");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "denied: Reservation would end before it starts");
    ASSERT_SAID(&sc, "R2.svr", SHORT_NCPUS);
    ASSERT_SAID(&sc, "R3.svr", "denied: Reservation is invalid");
    ASSERT_SAID(&sc, "R4.svr", "denied: Insufficient amount of resource: host ");
    ASSERT_SAID(&sc, "R5.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "R6.svr", "nothing");
    CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->why.needed, 3);
    CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->why.most_free, 2);
    scene_free(&sc);
}

/* Nobody is blamed for what would not fit without him either. */
static void test_what_was_short_is_told(void)
{
    static const struct {
        const char *select, *place, *words;
    } rows[] = {
        { "4:ncpus=4", FREE,
          "there is room for 3 of the 4 copies of chunk 1, even with "
          "nobody else there" },
        { "1:ncpus=1+2:ncpus=1", "Resource_List.place=scatter",
          "there is room for 1 of the 2 copies of chunk 2, each on a host of its own, "
          "even "
          "with nobody else there" },
        { "5:ncpus=1", "Resource_List.place=vscatter",
          "there is room for 3 of the 5 copies of chunk 1, each on a vnode of its own, "
          "even with nobody else there" },
        { "2:ncpus=5", "Resource_List.place=pack",
          "no host has room for all chunks together, even with nobody else there" },
        { "1:ncpus=9", FREE, "chunk 1 needs 9 of ncpus, at most 8 is free" },
        { "1:ncpus=1:mem=4tb", FREE, "chunk 1 needs 4tb of mem, at most 3gb is free" },
        { "1:ncpus=1+1:ncpus=1:host=other", FREE,
          "chunk 2 needs host=other, which no usable vnode has" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene sc = scene_new();

        scene_vnode(&sc, "n1", "h1", 4, "resources_available.mem=1gb");
        scene_vnode(&sc, "n2", "h1", 4, "resources_available.mem=2gb");
        scene_vnode(&sc, "n3", "h2", 4, "");
        scene_resv(&sc, 2, RN, NOW - 100, NOW + 200, "1:ncpus=2",
                   FREE " resv_nodes=(n1:ncpus=2)");
        scene_resv(&sc, 1, UN, NOW + 100, NOW + 300, rows[i].select, rows[i].place);
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->kind, PLAN_DENY_RESV);
        CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R1.svr")->shortage, rows[i].words);
        CU_ASSERT_PTR_NULL(scene_step(&sc, "R1.svr")->why.holder);
        scene_free(&sc);
    }
}

/* Before the start everything may move: first fit over what is usable. */
static void test_remake_before_start(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=offline");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_vnode(&sc, "n3", "n3", 2, "");
    scene_resv(&sc, 1, DG, NOW + 100, NOW + 200, "2:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)+(n2:ncpus=2)" DUE);
    scene_resv(&sc, 2, DG, NOW + 300, NOW + 400, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2) reserve_retry=1000001");
    scene_resv(&sc, 3, DG, NOW + 300, NOW + 400, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n2:ncpus=2)+(n3:ncpus=2)");
    ASSERT_SAID(&sc, "R2.svr", "nothing"); /* not yet due */
    ASSERT_SAID(&sc, "R3.svr", "nothing"); /* no retry wanted */
    scene_free(&sc);
}

static void test_failed_remake_keeps_its_vnodes(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=offline");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_resv(&sc, 1, DG, NOW + 100, NOW + 200, "2:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)+(n2:ncpus=2)" DUE);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "1:ncpus=1", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", SHORT_NCPUS);
    CU_ASSERT_TRUE(scene_step(&sc, "R1.svr")->degraded);
    CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->kind, PLAN_DENY_RESV);
    scene_free(&sc);
}

/* Four vnodes, three reserved, a job on the first. */
static struct scene running(const char *n1, const char *n2, const char *resv_state,
                            const char *more)
{
    struct scene sc = scene_new();
    char text[256];

    scene_vnode(&sc, "n0", "n0", 2, "");
    scene_vnode(&sc, "n1", "n1", 2, n1);
    scene_vnode(&sc, "n2", "n2", 2, n2);
    scene_vnode(&sc, "n3", "n3", 2, "");
    snprintf(text, sizeof(text),
             FREE " resv_nodes=(n1:ncpus=2)+(n2:ncpus=2)+(n3:ncpus=2) %s", more);
    scene_resv(&sc, 1, resv_state, NOW - 100, NOW + 200, "3:ncpus=2", text);
    scene_job(&sc, "9.svr", "R1", "1:ncpus=1",
              "job_state=R exec_vnode=(n1:ncpus=1) stime=999990");
    scene_plan(&sc);
    return sc;
}

static void test_remake_while_running(void)
{
    static const struct {
        const char *story, *n1, *n2, *state, *more, *expect;
    } cases[] = {
        { "only the lost vnode is replaced", "", "state=offline", RN_DG, DUE,
          "(n1:ncpus=2)+(n0:ncpus=2)+(n3:ncpus=2)" },
        { "a job on the lost vnode makes it wait", "state=offline", "", RN_DG, DUE,
          RUNNING_JOBS },
        { "both lost, the job decides", "state=down", "state=offline", RN_DG, DUE,
          RUNNING_JOBS },
        { "in conflict nothing is done", "", "state=offline", RN_IC, DUE, "nothing" },
        { "not due nothing is done", "", "state=offline", RN_DG, "", "nothing" },
        { "whole nothing is done", "", "", RN, "", "nothing" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc =
            running(cases[i].n1, cases[i].n2, cases[i].state, cases[i].more);

        ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

static void test_running_avoids_others(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=offline");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_vnode(&sc, "n3", "n3", 2, "");
    scene_resv(&sc, 1, RN_DG, NOW - 100, NOW + 200, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)" DUE);
    scene_resv(&sc, 2, CO, NOW + 199, NOW + 300, "1:ncpus=2",
               FREE " resv_nodes=(n2:ncpus=2)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n3:ncpus=2)");
    scene_free(&sc);
}

#define AL(sub) "reserve_state=11 reserve_substate=" #sub

static void test_alter(void)
{
    static const struct {
        const char *story, *state;
        int start, end;
        const char *select, *more, *expect;
    } cases[] = {
        { "not started: searched as new", AL(2), NOW + 100, NOW + 500, "2:ncpus=2",
          "resv_nodes=(n2:ncpus=2)+(n3:ncpus=2)", "(n1:ncpus=2)+(n2:ncpus=2)" },
        { "running, longer: stays where it is", AL(5), NOW - 100, NOW + 250,
          "2:ncpus=2", "resv_nodes=(n2:ncpus=2)+(n3:ncpus=2)",
          "(n2:ncpus=2)+(n3:ncpus=2)" },
        { "running, into another's time: denied", AL(5), NOW - 100, NOW + 301,
          "2:ncpus=2", "resv_nodes=(n2:ncpus=2)+(n3:ncpus=2)",
          "denied: Job would conflict with reservation or top job" },
        { "running, smaller: keeps the one with the job", AL(5), NOW - 100, NOW + 200,
          "1:ncpus=2",
          "resv_nodes=(n2:ncpus=2)+(n3:ncpus=2) schedselect_orig=2:ncpus=2",
          "(n3:ncpus=2)" },
        { "running, another chunk only: the job forbids it", AL(5), NOW - 100,
          NOW + 200, "1:ncpus=1",
          "resv_nodes=(n2:ncpus=1)+(n3:ncpus=2) schedselect_orig=1:ncpus=1+1:ncpus=2",
          RUNNING_JOBS },
        { "degraded, smaller: the lost one goes first", AL(10), NOW - 100, NOW + 200,
          "2:ncpus=2",
          "resv_nodes=(gone:ncpus=2)+(n2:ncpus=2)+(n3:ncpus=2) "
          "schedselect_orig=3:ncpus=2",
          "(n2:ncpus=2)+(n3:ncpus=2)" },
        { "in conflict: found as new", AL(12), NOW - 100, NOW + 200, "4:ncpus=1",
          "schedselect_orig=4:ncpus=1",
          "(n1:ncpus=1)+(n1:ncpus=1)+(n2:ncpus=1)+(n2:ncpus=1)" },
        { "in conflict: not where a job runs outside", AL(12), NOW - 100, NOW + 200,
          "5:ncpus=1", "schedselect_orig=5:ncpus=1",
          "denied: Job would conflict with reservation or top job" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char more[256];

        scene_hosts(&sc, 3, 2);
        snprintf(more, sizeof(more), FREE " %s", cases[i].more);
        scene_resv(&sc, 1, cases[i].state, cases[i].start, cases[i].end,
                   cases[i].select, more);
        scene_resv(&sc, 2, CO, NOW + 300, NOW + 400, "1:ncpus=2",
                   FREE " resv_nodes=(n3:ncpus=2)");
        scene_job(&sc, "9.svr", "R1", "1:ncpus=1",
                  i == 0 ? "" : "job_state=R exec_vnode=(n3:ncpus=1) stime=999990");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

#define REVERT                                                                         \
    " reserve_alter_revert.start_time=999900 reserve_alter_revert.walltime=00:05:00 "

/* What it has promised is its own until it is answered, and nobody else's. */
static void test_alter_holds_the_old_window(void)
{
    struct scene sc = scene_new();
    const struct plan_step *step;
    struct wire_request rq;

    scene_hosts(&sc, 1, 2);
    scene_resv(&sc, 1, AL(5), NOW - 100, NOW + 400, "1:ncpus=2",
               FREE REVERT "resv_nodes=(n1:ncpus=2) alter_seq=7");
    scene_resv(&sc, 2, CO, NOW + 300, NOW + 400, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2) alter_seq=0");
    scene_resv(&sc, 3, UN, NOW + 199, NOW + 250, "1:ncpus=2", FREE " alter_seq=0");
    scene_resv(&sc, 4, UN, NOW + 200, NOW + 300, "1:ncpus=2", FREE " alter_seq=0");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R3.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R4.svr", "(n1:ncpus=2)");
    step = scene_step(&sc, "R1.svr");
    CU_ASSERT_TRUE_FATAL(plan_step_request(step, sc.arena, &rq));
    CU_ASSERT_STRING_EQUAL(rq.extend,
                           "PBS_RESV_CONFIRM_FAIL:seq=7:reason=Job would conflict with "
                           "reservation or top job: n1 is held by R2.svr until "
                           "@1000400");
    CU_ASSERT_TRUE_FATAL(plan_step_request(scene_step(&sc, "R4.svr"), sc.arena, &rq));
    CU_ASSERT_STRING_EQUAL(rq.extend,
                           "PBS_RESV_CONFIRM_SUCCESS:seq=0:partition=pbs-default");
    scene_free(&sc);
}

/* A shorter window, or a smaller select, asks for nothing that was not promised. */
static void test_alter_within_the_promise(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_resv(&sc, 1, AL(5), NOW - 100, NOW + 150, "1:ncpus=2",
               FREE REVERT "resv_nodes=(n1:ncpus=2)");
    scene_resv(&sc, 2, CO, NOW + 100, NOW + 400, "1:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)"); /* R1 was forced onto it */
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=2)");
    scene_free(&sc);
}

/* Longer while a vnode is gone: it must be replaced for all of the new window. */
static void test_alter_degraded(void)
{
    static const struct {
        int vnodes;
        const char *expect;
    } cases[] = {
        { 3, "(n1:ncpus=2)+(n2:ncpus=2)" },
        { 2, "denied: Insufficient amount of resource: ncpus " },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        struct wire_request rq;

        scene_hosts(&sc, cases[i].vnodes, 2);
        scene_resv(&sc, 1, AL(10), NOW - 100, NOW + 400, "2:ncpus=2",
                   FREE REVERT "resv_nodes=(n1:ncpus=2)+(gone:ncpus=2) alter_seq=7");
        if (cases[i].vnodes == 2)
            scene_resv(&sc, 2, CO, NOW + 300, NOW + 400, "1:ncpus=2",
                       FREE " resv_nodes=(n2:ncpus=2)");
        scene_plan(&sc);
        if (i == 1) {
            CU_ASSERT_TRUE_FATAL(
                plan_step_request(scene_step(&sc, "R1.svr"), sc.arena, &rq));
            CU_ASSERT_PTR_NOT_NULL(
                strstr(rq.extend, "; a manager can insist with -W force"));
            CU_ASSERT_PTR_NOT_NULL(strstr(rq.extend, "n2 is held by R2.svr"));
        } else {
            ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        }
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "vnodes that are away today are promised last", test_vnodes_that_are_away },
        { "an alteration keeps to vnodes that are there",
          test_an_alteration_does_not_go_where_nobody_is },
        { "jobs without a walltime are named", test_jobs_without_walltime_are_named },
        { "a new reservation is confirmed by first fit", test_confirm },
        { "jobs that wait are planned after the confirmation",
          test_jobs_wait_for_the_next_plan },
        { "a denial says what is short, who holds it and when it fits",
          test_deny_with_reason },
        { "windows that only touch do not conflict", test_windows },
        { "jobs block until their walltime is over", test_jobs_block },
        { "a job that stands blocks for longer with each look",
          test_a_job_that_stands_blocks_for_longer },
        { "unusable vnodes are not offered", test_unusable_vnodes_are_not_offered },
        { "what cannot be is denied with its reason", test_answers_to_what_cannot_be },
        { "what was short is told", test_what_was_short_is_told },
        { "before the start everything may move", test_remake_before_start },
        { "a failed re-make keeps what it had", test_failed_remake_keeps_its_vnodes },
        { "while running only lost vnodes are replaced", test_remake_while_running },
        { "a replacement stays out of later promises", test_running_avoids_others },
        { "alterations are answered by their situation", test_alter },
        { "an open alteration holds what was promised",
          test_alter_holds_the_old_window },
        { "an alteration within its promise is granted",
          test_alter_within_the_promise },
        { "a degraded one that is to be longer", test_alter_degraded },
    };

    return unit_main("scheduler/plan_resv", cases, COUNT(cases));
}
