/* Unit tests of resources that vnodes borrow from one another ("@other"): one amount
 * for all who share it, now and through time (scheduling.md 14.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define HN  "flag=163840" /* h and n */
#define RN  "reserve_state=5 reserve_substate=5"
#define CO  "reserve_state=2 reserve_substate=2"
#define UN  "reserve_state=1 reserve_substate=1"
#define ONE "Resource_List.ncpus=1"

/* n1 has 4 lic; n2 and n3 borrow them; n4 has 2 of its own. Two cpus each. */
static struct scene library(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 " HN);
    scene_add(&sc, OBJECT_RESOURCE, "colour", "type=3 flag=131072");
    scene_vnode(&sc, "n1", "n1", 2,
                "resources_available.lic=4 resources_available.colour=red");
    scene_vnode(&sc, "n2", "n2", 2,
                "resources_available.lic=@n1 resources_available.colour=@n1");
    scene_vnode(&sc, "n3", "n3", 2, "resources_available.lic=@n1");
    scene_vnode(&sc, "n4", "n4", 2, "resources_available.lic=2");
    scene_queue(&sc, "workq", true);
    return sc;
}

static void test_one_amount_for_all(void)
{
    static const struct {
        const char *story, *running, *select, *expect;
    } cases[] = {
        { "all of it through one", NULL, "1:ncpus=1:lic=4:host=n3",
          "(n3:ncpus=1:lic=4)" },
        { "more than there is", NULL, "1:ncpus=1:lic=5:host=n3",
          "Not Running: Insufficient amount of resource: lic " },
        { "through two", NULL, "1:ncpus=1:lic=2:host=n2+1:ncpus=1:lic=2:host=n3",
          "(n2:ncpus=1:lic=2)+(n3:ncpus=1:lic=2)" },
        { "through two, one too many", NULL,
          "1:ncpus=1:lic=2:host=n2+1:ncpus=1:lic=3:host=n3",
          "Not Running: Insufficient amount of resource: ncpus " },
        { "what a job has through another", "(n2:ncpus=1:lic=3)",
          "1:ncpus=1:lic=2:host=n3",
          "Not Running: Insufficient amount of resource: lic " },
        { "what a job leaves", "(n2:ncpus=1:lic=3)", "1:ncpus=1:lic=1:host=n3",
          "(n3:ncpus=1:lic=1)" },
        { "at home", "(n2:ncpus=1:lic=3)", "1:ncpus=1:lic=1:host=n1",
          "(n1:ncpus=1:lic=1)" },
        { "at home, one too many", "(n2:ncpus=1:lic=3)", "1:ncpus=1:lic=2:host=n1",
          "Not Running: Insufficient amount of resource: lic " },
        { "the next with room of its own", "(n2:ncpus=1:lic=3)", "1:ncpus=1:lic=2",
          "(n4:ncpus=1:lic=2)" },
        { "copies use it up", NULL, "3:ncpus=1:lic=2",
          "(n1:ncpus=1:lic=2)+(n1:ncpus=1:lic=2)+(n4:ncpus=1:lic=2)" },
        { "first fit takes too much of it: another way", NULL,
          "1:ncpus=2:lic=2+1:ncpus=1:lic=4:host=n3",
          "(n4:ncpus=2:lic=2)+(n3:ncpus=1:lic=4)" },
        { "a text of another's", NULL, "1:ncpus=1:colour=red:host=n2", "(n2:ncpus=1)" },
        { "who does not borrow the text", NULL, "1:ncpus=1:colour=red:host=n3", NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = library();

        if (cases[i].running) {
            char more[128];

            snprintf(more, sizeof(more), "job_state=R exec_vnode=%s stime=999990",
                     cases[i].running);
            scene_job(&sc, "1.svr", "workq", "1:ncpus=1:lic=3", more);
        }
        scene_job(&sc, "2.svr", "workq", cases[i].select, ONE);
        scene_plan(&sc);
        if (cases[i].expect)
            ASSERT_SAID(&sc, "2.svr", cases[i].expect);
        else
            CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->kind, PLAN_COMMENT_JOB);
        scene_free(&sc);
    }
}

static void test_jobs_of_one_plan_share_it(void)
{
    struct scene sc = library();

    scene_job(&sc, "1.svr", "workq", "1:ncpus=1:lic=3:host=n2", ONE " queue_rank=1");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1:lic=2:host=n3", ONE " queue_rank=2");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1:lic=1:host=n3", ONE " queue_rank=3");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=1:lic=3)");
    ASSERT_SAID(&sc, "2.svr", "Not Running: Insufficient amount of resource: lic ");
    ASSERT_SAID(&sc, "3.svr", "(n3:ncpus=1:lic=1)");
    scene_free(&sc);
}

/* What is promised through n2 is not there through n3 when it begins. */
static void test_reservations_share_it_through_time(void)
{
    struct scene sc = library();

    scene_resv(&sc, 5, CO, NOW + 100, NOW + 200, "1:ncpus=1:lic=3",
               "resv_nodes=(n2:ncpus=1:lic=3)");
    scene_resv(&sc, 6, UN, NOW + 150, NOW + 250, "1:ncpus=1:lic=2:host=n3",
               "Resource_List.place=free");
    scene_resv(&sc, 7, UN, NOW + 200, NOW + 250, "1:ncpus=1:lic=2:host=n3",
               "Resource_List.place=free");
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1:lic=2:host=n3",
              ONE " Resource_List.walltime=00:01:00");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1:lic=2:host=n3",
              ONE " Resource_List.walltime=00:10:00");
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "R6.svr")->kind, PLAN_DENY_RESV);
    ASSERT_SAID(&sc, "R7.svr", "(n3:ncpus=1:lic=2)");
    sc.plan = (struct plan){ 0 };
    scene_free(&sc);
}

/* A reservation's jobs share what it has, through whichever of its vnodes. */
static void test_jobs_of_a_reservation_share_what_it_has(void)
{
    struct scene sc = library();

    scene_resv(&sc, 5, RN, NOW - 100, NOW + 900, "1:ncpus=1:lic=2+1:ncpus=1:lic=1",
               "resv_nodes=(n2:ncpus=1:lic=2)+(n3:ncpus=1:lic=1)");
    scene_job(&sc, "1.svr", "R5", "1:ncpus=1:lic=4", ONE " queue_rank=1");
    scene_job(&sc, "2.svr", "R5", "1:ncpus=1:lic=2", ONE " queue_rank=2");
    scene_job(&sc, "3.svr", "R5", "1:ncpus=1:lic=1", ONE " queue_rank=3");
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "1.svr")->kind, PLAN_COMMENT_JOB);
    ASSERT_SAID(&sc, "2.svr", "(n2:ncpus=1:lic=2)");
    ASSERT_SAID(&sc, "3.svr", "(n3:ncpus=1:lic=1)");
    scene_free(&sc);
}

/* A chunk that is split over the vnodes of a host takes the amount once. */
static void test_a_split_chunk_takes_it_once(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 " HN);
    scene_vnode(&sc, "h[0]", "h", 1, "resources_available.lic=3");
    scene_vnode(&sc, "h[1]", "h", 1, "resources_available.lic=@h[0]");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2:lic=4", ONE " queue_rank=1");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2:lic=3", ONE " queue_rank=2");
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "1.svr")->kind, PLAN_COMMENT_JOB);
    CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->kind, PLAN_RUN_JOB);
    scene_free(&sc);
}

/* Nowhere, to nothing, or back to where it began: there is none. */
static void test_a_reference_that_leads_nowhere_gives_nothing(void)
{
    static const char *const values[] = { "@nosuch", "@n2", "@n1", "@", "@n3" };

    for (size_t i = 0; i < COUNT(values); i++) {
        struct scene sc = scene_new();
        char more[64];

        snprintf(more, sizeof(more), "resources_available.lic=%s", values[i]);
        scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 " HN);
        scene_vnode(&sc, "n1", "n1", 2, more);
        scene_vnode(&sc, "n2", "n2", 2, "");
        scene_vnode(&sc, "n3", "n3", 2, "resources_available.lic=@n1");
        scene_queue(&sc, "workq", true);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=1:lic=1", ONE);
        scene_job(&sc, "2.svr", "workq", "1:ncpus=1", ONE);
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "1.svr")->kind, PLAN_COMMENT_JOB);
        ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "there is one amount for all who borrow", test_one_amount_for_all },
        { "jobs of one plan share it", test_jobs_of_one_plan_share_it },
        { "reservations share it through time",
          test_reservations_share_it_through_time },
        { "jobs of a reservation share what it has",
          test_jobs_of_a_reservation_share_what_it_has },
        { "a split chunk takes it once", test_a_split_chunk_takes_it_once },
        { "a reference that leads nowhere gives nothing",
          test_a_reference_that_leads_nowhere_gives_nothing },
    };

    return unit_main("scheduler/plan_indirect", cases, COUNT(cases));
}
