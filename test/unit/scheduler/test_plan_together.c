/* Unit tests of proposals about several reservations: the scheduler plans their parts
 * as one change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define ALTERED  "reserve_state=11 reserve_substate=2"
#define RUNNING  "reserve_state=11 reserve_substate=5"
#define CO       "reserve_state=2 reserve_substate=2"
#define FREE     "Resource_List.place=free "
#define FIRST    (NOW + 1000) /* two windows of 100 s */
#define SECOND   (NOW + 1100)
#define LENGTH_S 100

/* Part 'n' of the proposal 'seq' is to move from one window to another. */
static void part(struct scene *sc, int n, int seq, int from, int to, const char *select,
                 const char *nodes)
{
    char more[256];

    snprintf(more, sizeof(more),
             FREE "alter_seq=%d resv_nodes=%s reserve_alter_revert.start_time=%d "
                  "reserve_alter_revert.walltime=%d",
             seq, nodes, from, LENGTH_S);
    scene_resv(sc, n, ALTERED, to, to + LENGTH_S, select, more);
}

static void two_change_places(struct scene *sc, int second_seq)
{
    scene_hosts(sc, 1, 2);
    part(sc, 1, 7, FIRST, SECOND, "1:ncpus=2", "(n1:ncpus=2)");
    part(sc, 2, second_seq, SECOND, FIRST, "1:ncpus=2", "(n1:ncpus=2)");
}

static void test_two_change_places(void)
{
    struct scene sc = scene_new();

    two_change_places(&sc, 7);
    CU_ASSERT_FALSE(scene_plan(&sc)->again); /* no job waits */
    CU_ASSERT_EQUAL(sc.plan.n, 2);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=2)");
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=2)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->seq, 7);
    CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->start_at, SECOND);
    scene_free(&sc);
}

/* Two proposals of one reservation each know nothing of each other. */
static void test_other_proposals_stay(void)
{
    struct scene sc = scene_new();

    two_change_places(&sc, 8);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R2.svr",
                "denied: Job would conflict with reservation or top job");
    scene_free(&sc);
}

static void test_a_part_that_was_answered_is_not_said_again(void)
{
    struct scene sc = scene_new();

    two_change_places(&sc, 7);
    scene_resv(&sc, 3, "reserve_state=1 reserve_substate=1", SECOND, SECOND + LENGTH_S,
               "1:ncpus=1", FREE "alter_seq=0");
    snapshot_skip_resv(sc.snapshot, "R1.svr");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "nothing");
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=2)");
    /* The place of the first is taken all the same. */
    ASSERT_SAID(&sc, "R3.svr",
                "denied: Job would conflict with reservation or top job");
    scene_free(&sc);
}

/* The first takes the only place of the second when it is searched first. */
static void test_another_order_is_tried(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    part(&sc, 1, 7, FIRST, SECOND, "1:ncpus=2", "(n2:ncpus=2)");
    part(&sc, 2, 7, FIRST, SECOND, "1:ncpus=2:host=n1", "(n1:ncpus=2:host=n1)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n2:ncpus=2)");
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=2)");
    scene_free(&sc);
}

/* What a search tries and gives up leaves nothing behind: others have their place. */
static void test_nothing_is_left_of_a_trial(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    part(&sc, 1, 7, FIRST, SECOND, "1:ncpus=2", "(n2:ncpus=2)");
    part(&sc, 2, 7, FIRST, SECOND, "1:ncpus=2:host=n1", "(n1:ncpus=2:host=n1)");
    scene_resv(&sc, 3, "reserve_state=1 reserve_substate=1", FIRST, FIRST + LENGTH_S,
               "2:ncpus=2", FREE "alter_seq=0");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R3.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

/* The part that is in the way of the whole is denied, after the others have had their
 * yes; and where it has been nobody else goes. */
static void test_one_that_finds_no_place_is_denied(void)
{
    struct scene sc = scene_new();
    struct wire_request rq;

    scene_hosts(&sc, 2, 2);
    scene_resv(&sc, 3, CO, SECOND, SECOND + LENGTH_S, "1:ncpus=2",
               FREE "alter_seq=0 resv_nodes=(n1:ncpus=2)");
    part(&sc, 1, 7, FIRST, SECOND, "1:ncpus=2:host=n1", "(n1:ncpus=2)");
    part(&sc, 2, 7, FIRST, SECOND, "1:ncpus=2", "(n2:ncpus=2)");
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 2);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, "R2.svr");
    ASSERT_SAID(&sc, "R2.svr", "(n2:ncpus=2)");
    CU_ASSERT_TRUE_FATAL(plan_step_request(&sc.plan.steps[1], sc.arena, &rq));
    CU_ASSERT_PTR_NOT_NULL(strstr(rq.extend, "n1 is held by R3.svr"));
    scene_free(&sc);
}

/* Of three, one finds no place. One of the others waits for its vnode, so that it is
 * denied too, but not before the one that is to blame: the first denial is what the
 * owners are told. */
static void test_who_is_to_blame_is_denied_first(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    scene_resv(&sc, 9, CO, SECOND, SECOND + LENGTH_S, "1:ncpus=2",
               FREE "alter_seq=0 resv_nodes=(n1:ncpus=2)");
    part(&sc, 1, 7, FIRST - 500, FIRST, "1:ncpus=2:host=n1", "(n1:ncpus=2)");
    part(&sc, 2, 7, FIRST, SECOND, "1:ncpus=2:host=n1", "(n1:ncpus=2)");
    part(&sc, 3, 7, FIRST, SECOND, "1:ncpus=2:host=n2", "(n2:ncpus=2)");
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 3);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, "R3.svr");
    CU_ASSERT_EQUAL(sc.plan.steps[0].kind, PLAN_CONFIRM_RESV);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[1].id, "R2.svr");
    CU_ASSERT_EQUAL(sc.plan.steps[1].kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[2].id, "R1.svr");
    CU_ASSERT_EQUAL(sc.plan.steps[2].kind, PLAN_DENY_RESV);
    scene_free(&sc);
}

/* Each would find a place alone, and not both: one of them is denied, so that the
 * server is not told two times yes for one place. */
static void test_no_place_is_given_twice(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    part(&sc, 1, 7, FIRST, FIRST + 500, "1:ncpus=2", "(n1:ncpus=2)");
    part(&sc, 2, 7, SECOND, FIRST + 550, "1:ncpus=2", "(n1:ncpus=2)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=2)");
    ASSERT_SAID(&sc, "R2.svr",
                "denied: Job would conflict with reservation or top job");
    scene_free(&sc);
}

/* A running one keeps its vnode, so the other one goes where it was, though it stands
 * first in the list. */
static void test_a_running_one_keeps_its_vnode(void)
{
    struct scene sc = scene_new();
    char more[256];

    scene_hosts(&sc, 2, 2);
    part(&sc, 1, 7, FIRST, NOW + 500, "1:ncpus=2", "(n1:ncpus=2)");
    snprintf(more, sizeof(more),
             FREE
             "alter_seq=7 resv_nodes=(n1:ncpus=2) "
             "reserve_alter_revert.start_time=%d reserve_alter_revert.walltime=400",
             NOW - 100);
    scene_resv(&sc, 2, RUNNING, NOW - 100, NOW + 600, "1:ncpus=2", more);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n2:ncpus=2)");
    ASSERT_SAID(&sc, "R2.svr", "(n1:ncpus=2)");
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "two that change places are granted", test_two_change_places },
        { "two proposals know nothing of each other", test_other_proposals_stay },
        { "a part that was answered is planned and not said again",
          test_a_part_that_was_answered_is_not_said_again },
        { "another order is tried", test_another_order_is_tried },
        { "nothing is left of a trial", test_nothing_is_left_of_a_trial },
        { "a part that finds no place is denied",
          test_one_that_finds_no_place_is_denied },
        { "who is to blame is denied first", test_who_is_to_blame_is_denied_first },
        { "no place is given twice", test_no_place_is_given_twice },
        { "a running one keeps its vnode", test_a_running_one_keeps_its_vnode },
    };

    return unit_main("scheduler/plan_together", cases, COUNT(cases));
}
