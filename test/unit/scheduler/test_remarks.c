/* Unit tests of what a cycle tells of reservations besides its steps: jobs on vnodes
 * that their reservation has lost, occurrences that are left (reservations.md 23).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "lib/base/buf.h"

#define RN "reserve_state=5 reserve_substate=5 Resource_List.place=free "

static void say_stray(void *arg, const char *job_id, const char *vnode)
{
    buf_printf(arg, "%s on %s; ", job_id, vnode);
}

static void say_occurrence(void *arg, const char *resv_id, int64_t number,
                           int64_t count, int64_t start_at)
{
    buf_printf(arg, "%s %d/%d at %d; ", resv_id, (int)number, (int)count,
               (int)(start_at - NOW));
}

#define ASSERT_REMARKS(sc, strays, occurrences)                                        \
    do {                                                                               \
        struct buf said_ = { 0 };                                                      \
        struct planning *p_ =                                                          \
            planning_new((sc)->snapshot, (sc)->policy, NOW, &(struct sched_look){ 0 }, \
                         (sc)->arena, &(sc)->plan);                                    \
        buf_add_str(&said_, "");                                                       \
        planning_strays(p_, say_stray, &said_);                                        \
        CU_ASSERT_STRING_EQUAL(said_.data, strays);                                    \
        buf_clear(&said_);                                                             \
        buf_add_str(&said_, "");                                                       \
        planning_occurrences(p_, say_occurrence, &said_);                              \
        CU_ASSERT_STRING_EQUAL(said_.data, occurrences);                               \
        buf_fini(&said_);                                                              \
        planning_free(p_);                                                             \
    } while (0)

static void test_jobs_whose_vnode_has_left(void)
{
    static const struct {
        const char *story, *nodes, *queue, *job, *expect;
    } cases[] = {
        { "it is there", "resv_nodes=(n1:ncpus=2)+(n2:ncpus=2)", "R1",
          "job_state=R exec_vnode=(n2:ncpus=1)", "" },
        { "it has left", "resv_nodes=(n1:ncpus=2)", "R1",
          "job_state=R exec_vnode=(n2:ncpus=1)", "1.svr on n2; " },
        { "one of two has left", "resv_nodes=(n2:ncpus=2)", "R1",
          "job_state=R exec_vnode=(n2:ncpus=1)+(n1:ncpus=1)", "1.svr on n1; " },
        { "all have left", "", "R1", "job_state=R exec_vnode=(n2:ncpus=1)",
          "1.svr on n2; " },
        { "they cannot be read", "resv_nodes=((", "R1",
          "job_state=R exec_vnode=(n2:ncpus=1)", "" },
        { "it does not run", "resv_nodes=(n1:ncpus=2)", "R1",
          "job_state=Q exec_vnode=(n2:ncpus=1)", "" },
        { "it is in no reservation", "resv_nodes=(n1:ncpus=2)", "workq",
          "job_state=R exec_vnode=(n2:ncpus=1)", "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 3, 2);
        scene_queue(&sc, "workq", true);
        scene_resv(&sc, 1, RN, NOW - 100, NOW + 100, "2:ncpus=2", cases[i].nodes);
        scene_job(&sc, "1.svr", cases[i].queue, "1:ncpus=1", cases[i].job);
        ASSERT_REMARKS(&sc, cases[i].expect, "");
        scene_free(&sc);
    }
}

static void test_occurrences_that_are_left(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    scene_resv(&sc, 1, RN, NOW - 100, NOW + 100, "1:ncpus=2",
               "resv_nodes=(n1:ncpus=2) reserve_standing=1 reserve_index=2 "
               "reserve_count=5 reserve_execvnodes=4#(n1:ncpus=2){0-3} "
               "reserve_occurrences=999900+200,1001000+200,-,1003000+200");
    /* Not confirmed yet, and none at all. */
    scene_resv(&sc, 2, "reserve_state=1 reserve_substate=1", NOW + 500, NOW + 600,
               "1:ncpus=2",
               "Resource_List.place=free reserve_standing=1 reserve_count=2 "
               "reserve_occurrences=1000500+100,1001500+100");
    scene_resv(&sc, 3, RN, NOW - 100, NOW + 100, "1:ncpus=2",
               "resv_nodes=(n2:ncpus=2)");
    ASSERT_REMARKS(&sc, "",
                   "R1.svr 2/5 at -100; R1.svr 3/5 at 1000; R1.svr 5/5 at 3000; ");
    scene_free(&sc);
}

static size_t classes_of(struct scene *sc)
{
    struct planning *p = planning_new(sc->snapshot, sc->policy, NOW,
                                      &(struct sched_look){ 0 }, sc->arena, &sc->plan);
    size_t n = planning_classes(p);

    planning_free(p);
    return n;
}

/* Whose a job is matters where owners have limits, and its queue where that is one of
 * its own kind. */
static void test_kinds_of_jobs(void)
{
    static const struct {
        const char *story, *queue, *select, *more;
        size_t n;
    } rows[] = {
        { "the first one", "workq", "1:ncpus=1", "euser=ann", 1 },
        { "the same again", "workq", "1:ncpus=1", "euser=ann", 1 },
        { "of somebody else", "workq", "1:ncpus=1", "euser=bob", 1 },
        { "of another queue", "other", "1:ncpus=1", "euser=ann", 1 },
        { "another select", "workq", "2:ncpus=1", "euser=ann", 2 },
        { "another place", "workq", "1:ncpus=1", "Resource_List.place=scatter", 3 },
        { "another walltime", "workq", "1:ncpus=1", "Resource_List.walltime=60", 4 },
        { "that runs", "workq", "3:ncpus=1", "job_state=R exec_vnode=(n1:ncpus=1)", 5 },
        { "that is held", "workq", "4:ncpus=1", "job_state=H", 5 },
        { "of a stopped queue", "stopped", "1:ncpus=1", "", 6 },
        { "of nobody's queue", "nowhere", "5:ncpus=1", "", 6 },
    };
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    scene_queue(&sc, "workq", true);
    scene_queue(&sc, "other", true);
    scene_queue(&sc, "stopped", false);
    CU_ASSERT_EQUAL(classes_of(&sc), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char id[16];

        snprintf(id, sizeof(id), "%zu.svr", i + 1);
        scene_job(&sc, id, rows[i].queue, rows[i].select, rows[i].more);
        CU_ASSERT_EQUAL(classes_of(&sc), rows[i].n);
    }
    scene_free(&sc);
}

static void test_kinds_of_jobs_with_limits(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    scene_add(&sc, OBJECT_SERVER, "svr", "max_run=[u:PBS_GENERIC=1]");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1", "euser=ann");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1", "euser=bob");
    CU_ASSERT_EQUAL(classes_of(&sc), 2);
    scene_free(&sc);
}

static void test_what_there_is_to_serve(void)
{
    static const struct {
        const char *story, *name, *sched, *vnode;
        bool has_partition, has_vnodes;
    } cases[] = {
        { "all that is nobody else's", NULL, "", "", true, true },
        { "vnodes of another partition are none", NULL, "", "partition=p2", true,
          false },
        { "a partition without vnodes", "s2", "partition=p2", "", true, false },
        { "its own vnodes", "s2", "partition=p2", "partition=p2", true, true },
        { "no partition", "s2", "", "partition=p2", false, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        struct planning *p;

        if (cases[i].name)
            snapshot_set_name(sc.snapshot, cases[i].name);
        scene_add(&sc, OBJECT_SCHED, cases[i].name ? cases[i].name : "default",
                  cases[i].sched);
        scene_vnode(&sc, "n1", "n1", 1, cases[i].vnode);
        p = planning_new(sc.snapshot, sc.policy, NOW, &(struct sched_look){ 0 },
                         sc.arena, &sc.plan);
        CU_ASSERT_EQUAL(planning_has_partition(p), cases[i].has_partition);
        CU_ASSERT_EQUAL(planning_has_vnodes(p), cases[i].has_vnodes);
        planning_free(p);
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "jobs whose vnode has left their reservation are named",
          test_jobs_whose_vnode_has_left },
        { "the occurrences that are left are told", test_occurrences_that_are_left },
        { "kinds of jobs are counted", test_kinds_of_jobs },
        { "what there is to serve", test_what_there_is_to_serve },
        { "with limits of owners they are more", test_kinds_of_jobs_with_limits },
    };

    return unit_main("scheduler/remarks", cases, COUNT(cases));
}
