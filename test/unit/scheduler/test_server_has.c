/* Unit tests of what the server has for all together, licences for example, through
 * time: reservations and jobs share it as they share a vnode (reservations.md 25.2,
 * scheduling.md 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define UN      "reserve_state=1 reserve_substate=1 alter_seq=0"
#define CO      "reserve_state=2 reserve_substate=2 alter_seq=0"
#define RN      "reserve_state=5 reserve_substate=5 alter_seq=0"
#define AL      "reserve_state=11 reserve_substate=2 alter_seq=7"
#define LIC(n)  "Resource_List.lic=" #n
#define FREE    " Resource_List.place=free"
#define ON(v)   " resv_nodes=(" v ":ncpus=1)"
#define RUNS(v) " job_state=R exec_vnode=(" v ":ncpus=1)"
#define ONE     "1:ncpus=1"
#define LACKS   "denied: Insufficient amount of server resource: lic "
#define IN_WAY  "Not Running: Job would conflict with reservation or top job"

/* Vnodes enough, and three licences that no vnode has. */
static struct scene library(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 flag=16384");
    scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.lic=3");
    scene_hosts(&sc, 4, 4);
    scene_queue(&sc, "workq", true);
    return sc;
}

/* Two are promised from 100 to 200. */
static void promise(struct scene *sc)
{
    scene_resv(sc, 1, CO, NOW + 100, NOW + 200, ONE, LIC(2) FREE ON("n1"));
}

static void test_reservations_share(void)
{
    static const struct {
        const char *story;
        int from, to;
        const char *more, *said;
        int fits_in;
    } cases[] = {
        { "there is one beside it", 100, 200, LIC(1) FREE, "(n1:ncpus=1)", 0 },
        { "there is no second one", 100, 200, LIC(2) FREE, LACKS, 200 },
        { "before its start", 50, 100, LIC(3) FREE, "(n1:ncpus=1)", 0 },
        { "a second too long before it", 50, 101, LIC(2) FREE, LACKS, 200 },
        { "when it is over", 200, 300, LIC(3) FREE, "(n1:ncpus=1)", 0 },
        { "a second before that", 199, 300, LIC(2) FREE, LACKS, 200 },
        { "more than there are", 300, 400, LIC(4) FREE, LACKS, 0 },
        { "who asks for none is not concerned", 100, 200, "Resource_List.place=free",
          "(n1:ncpus=1)", 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = library();

        promise(&sc);
        scene_resv(&sc, 2, UN, NOW + cases[i].from, NOW + cases[i].to, ONE,
                   cases[i].more);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R2.svr", cases[i].said);
        CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->why.earliest_at,
                        cases[i].fits_in ? NOW + cases[i].fits_in : 0);
        scene_free(&sc);
    }
}

static void test_a_denial_says_who_has_it(void)
{
    struct scene sc = library();
    const struct plan_step *step;

    promise(&sc);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, ONE, LIC(2) FREE);
    scene_plan(&sc);
    step = scene_step(&sc, "R2.svr");
    CU_ASSERT_STRING_EQUAL(step->why.vnode, "lic of the server");
    CU_ASSERT_STRING_EQUAL(step->why.holder, "R1.svr");
    CU_ASSERT_EQUAL(step->why.until_at, NOW + 200);
    CU_ASSERT_STRING_EQUAL(
        step->shortage,
        "all chunks together need 2 of lic, of the server's at most 1 is free");
    scene_free(&sc);
}

/* What chunks ask for is counted at the server as well where that names it. */
static void test_what_chunks_ask_for(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.ncpus=5");
    scene_hosts(&sc, 4, 4);
    scene_resv(&sc, 1, CO, NOW + 100, NOW + 200, "2:ncpus=2",
               "Resource_List.ncpus=4 resv_nodes=(n1:ncpus=2)+(n1:ncpus=2)" FREE);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "2:ncpus=1", &FREE[1]);
    scene_resv(&sc, 3, UN, NOW + 100, NOW + 200, "1:ncpus=1", &FREE[1]);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R2.svr",
                "denied: Insufficient amount of server resource: ncpus ");
    ASSERT_SAID(&sc, "R3.svr", "(n2:ncpus=1)");
    scene_free(&sc);
}

static void test_running_jobs_are_in_the_way(void)
{
    struct scene sc = library();

    scene_job(&sc, "1.svr", "workq", ONE,
              LIC(2) " Resource_List.walltime=150 stime=1000000" RUNS("n1"));
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, ONE, LIC(2) FREE);
    scene_resv(&sc, 2, UN, NOW + 150, NOW + 200, ONE, LIC(2) FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", LACKS);
    CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->why.earliest_at, NOW + 150);
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* A job keeps out of a promise until its end, or ends before. */
static void test_jobs_keep_out_of_promises(void)
{
    struct scene sc = library();

    promise(&sc);
    scene_job(&sc, "1.svr", "workq", ONE, LIC(2) " Resource_List.walltime=101");
    scene_job(&sc, "2.svr", "workq", ONE, LIC(1) " Resource_List.walltime=500");
    scene_job(&sc, "3.svr", "workq", ONE, LIC(2) " Resource_List.walltime=100");
    scene_job(&sc, "4.svr", "workq", ONE, "Resource_List.walltime=500");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", IN_WAY);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "4.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* A running reservation has its share, whether its jobs use it or not: they use no
 * more. */
static void test_a_running_reservation_has_its_share(void)
{
    struct scene sc = library();

    scene_resv(&sc, 1, RN, NOW - 50, NOW + 200, ONE, LIC(2) FREE ON("n1"));
    scene_job(&sc, "1.svr", "R1", ONE, LIC(2) " Resource_List.walltime=100");
    scene_job(&sc, "2.svr", "workq", ONE, LIC(2) " Resource_List.walltime=100");
    scene_job(&sc, "3.svr", "workq", ONE, LIC(1) " Resource_List.walltime=100");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "2.svr",
                "Not Running: Insufficient amount of server resource: lic "
                "(R: 2 A: 1 T: 3)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* Until the question is answered it has what it had; the answer is about what is wanted
 * beside the others. */
static void test_alterations(void)
{
    static const struct {
        const char *story;
        int from, length;
        const char *said;
    } cases[] = {
        { "longer, up to the next one", 100, 200, "(n1:ncpus=1)" },
        { "into the next one", 100, 201, LACKS },
        { "over to behind it", 400, 100, "(n1:ncpus=1)" },
        { "moved into it", 350, 100, LACKS },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = library();

        scene_resv(&sc, 1, AL, NOW + cases[i].from,
                   NOW + cases[i].from + cases[i].length, ONE,
                   LIC(2) FREE ON("n1") " reserve_alter_revert.start_time=1000100 "
                                        "reserve_alter_revert.walltime=100");
        scene_resv(&sc, 2, CO, NOW + 300, NOW + 400, ONE, LIC(2) FREE ON("n2"));
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", cases[i].said);
        scene_free(&sc);
    }
}

static void test_a_running_one_is_made_longer(void)
{
    for (int longer = 0; longer <= 1; longer++) {
        struct scene sc = library();

        scene_resv(&sc, 1, "reserve_state=11 reserve_substate=5 alter_seq=7", NOW - 50,
                   NOW + 300 + longer, ONE,
                   LIC(2) FREE ON("n1") " reserve_alter_revert.start_time=999950 "
                                        "reserve_alter_revert.walltime=100");
        scene_resv(&sc, 2, CO, NOW + 300, NOW + 400, ONE, LIC(2) FREE ON("n2"));
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", longer ? LACKS : "(n1:ncpus=1)");
        scene_free(&sc);
    }
}

/* Each occurrence of a series has its own share. */
static void test_series(void)
{
    for (int from = 1200; from >= 1199; from--) {
        struct scene sc = library();

        scene_resv(&sc, 1, CO, NOW + 200, NOW + 1000, ONE, LIC(1) FREE ON("n1"));
        scene_resv(&sc, 2, CO, NOW + from, NOW + 1300, ONE, LIC(2) FREE ON("n1"));
        scene_resv(&sc, 5,
                   UN " reserve_standing=1 reserve_count=2 "
                      "reserve_occurrences=1000100+100,1001100+100",
                   NOW + 100, NOW + 200, ONE, LIC(2) FREE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R5.svr", from == 1200 ? "2#(n1:ncpus=1){0-1}" : LACKS);
        if (from != 1200)
            CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R5.svr")->advice,
                                   "; occurrence 2 of 2 does not fit");
        scene_free(&sc);
    }
}

/* One that takes whatever start comes first gets the first with enough of it. */
static void test_as_soon_as_possible(void)
{
    struct scene sc = library();

    scene_job(&sc, "1.svr", "workq", ONE,
              LIC(2) " Resource_List.walltime=50 stime=1000000" RUNS("n1"));
    promise(&sc);
    scene_resv(&sc, 2, UN, 1893488460, 1893488460 + 60, ONE, LIC(2) FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=1)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->start_at, NOW + 200);
    scene_free(&sc);
}

/* What nobody counts is there for everybody: a resource that is no amount, and one that
 * sched_config does not name. */
static void test_only_what_is_counted_can_be_short(void)
{
    static const struct {
        const char *story, *flag, *setting;
        bool waits;
    } cases[] = {
        { "an amount", "flag=16384", NULL, true },
        { "named", "flag=16384", "resources: \"ncpus, lic\"", true },
        { "not named", "flag=16384", "resources: \"ncpus\"", false },
        { "no amount", "flag=0", NULL, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        const struct plan_step *step;
        struct diag why;

        if (cases[i].setting)
            CU_ASSERT_EQUAL(policy_line(sc.policy, cases[i].setting, &why),
                            POLICY_FINE);
        scene_add(&sc, OBJECT_RESOURCE, "lic",
                  arena_printf(sc.arena, "type=1 %s", cases[i].flag));
        scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.lic=3");
        scene_hosts(&sc, 1, 4);
        scene_queue(&sc, "workq", true);
        scene_job(&sc, "1.svr", "workq", ONE, LIC(4));
        scene_plan(&sc);
        step = scene_step(&sc, "1.svr");
        if ((step->kind == PLAN_COMMENT_JOB) != cases[i].waits)
            printf("%s\n", cases[i].story);
        CU_ASSERT_EQUAL(step->kind == PLAN_COMMENT_JOB, cases[i].waits);
        scene_free(&sc);
    }
}

/* When a job ends that has the last ones, its vnode may have no more than before:
 * others are there from then on. */
static void test_only_the_server_gains(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 flag=16384");
    scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.lic=3");
    scene_hosts(&sc, 1, 4);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", ONE,
              LIC(2) " Resource_List.walltime=50 stime=1000000" RUNS("n1"));
    scene_resv(&sc, 1, CO, NOW + 60, NOW + 5000, ONE,
               "Resource_List.place=free" ON("n1"));
    scene_resv(&sc, 2, UN, NOW + 10, NOW + 110, ONE, LIC(2) FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R2.svr", LACKS);
    CU_ASSERT_EQUAL(scene_step(&sc, "R2.svr")->why.earliest_at, NOW + 50);
    scene_free(&sc);
}

/* The place of a top job is kept there as well: only who ends before it goes first. */
static void test_top_jobs(void)
{
    struct scene sc = library();
    struct diag why;

    CU_ASSERT_NOT_EQUAL(policy_line(sc.policy, "strict_ordering: true ALL", &why),
                        POLICY_WRONG);
    scene_add(&sc, OBJECT_SCHED, "default", "opt_backfill_fuzzy=off");
    scene_job(&sc, "1.svr", "workq", ONE,
              LIC(2) " Resource_List.walltime=100 stime=1000000" RUNS("n1"));
    scene_job(&sc, "2.svr", "workq", ONE, LIC(3) " Resource_List.walltime=100");
    scene_job(&sc, "3.svr", "workq", ONE, LIC(1) " Resource_List.walltime=101");
    scene_job(&sc, "4.svr", "workq", ONE, LIC(1) " Resource_List.walltime=100");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr",
                "Not Running: Insufficient amount of server resource: lic "
                "(R: 3 A: 1 T: 3)");
    CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->est_start_at, NOW + 100);
    ASSERT_SAID(&sc, "3.svr", IN_WAY);
    ASSERT_SAID(&sc, "4.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* When the server has less than it has promised, who has a promise keeps it, and nobody
 * gets any. */
static void test_less_than_was_promised(void)
{
    struct scene sc = library();

    scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.lic=1");
    promise(&sc);
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, ONE, LIC(1) FREE);
    scene_resv(&sc, 3, UN, NOW + 200, NOW + 300, ONE, LIC(1) FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "nothing");
    ASSERT_SAID(&sc, "R2.svr", LACKS);
    ASSERT_SAID(&sc, "R3.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* What it was promised is not asked again: less of it, and other vnodes for lost ones.
 */
static void test_what_was_promised_is_not_asked_again(void)
{
    struct scene sc = library();

    scene_add(&sc, OBJECT_SERVER, "svr", "resources_available.lic=1");
    scene_resv(&sc, 1, AL, NOW + 100, NOW + 150, ONE,
               LIC(2) FREE ON("n1") " reserve_alter_revert.start_time=1000100 "
                                    "reserve_alter_revert.walltime=100");
    scene_resv(&sc, 2, "reserve_state=11 reserve_substate=5 alter_seq=8", NOW - 50,
               NOW + 20, ONE,
               LIC(2) FREE ON("n1") " reserve_alter_revert.start_time=999950 "
                                    "reserve_alter_revert.walltime=100");
    scene_resv(&sc, 3, "reserve_state=10 reserve_substate=10 alter_seq=0", NOW + 300,
               NOW + 400, ONE, LIC(2) FREE ON("gone") " reserve_retry=999999");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "R3.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "reservations share what the server has", test_reservations_share },
        { "a denial says who has it", test_a_denial_says_who_has_it },
        { "what chunks ask for is counted there too", test_what_chunks_ask_for },
        { "running jobs are in the way until their end",
          test_running_jobs_are_in_the_way },
        { "jobs keep out of promises until their end", test_jobs_keep_out_of_promises },
        { "a running reservation has its share, and its jobs no more",
          test_a_running_reservation_has_its_share },
        { "alterations are granted beside the others", test_alterations },
        { "a running reservation is made longer beside the others",
          test_a_running_one_is_made_longer },
        { "each occurrence of a series has its share", test_series },
        { "the first start is one with enough of it", test_as_soon_as_possible },
        { "only what is counted can be short", test_only_what_is_counted_can_be_short },
        { "the first start may be where only the server gains",
          test_only_the_server_gains },
        { "the place of a top job is kept there", test_top_jobs },
        { "what was promised is not asked again",
          test_what_was_promised_is_not_asked_again },
        { "a promise outlasts what it was made of", test_less_than_was_promised },
    };

    return unit_main("scheduler/server_has", cases, COUNT(cases));
}
