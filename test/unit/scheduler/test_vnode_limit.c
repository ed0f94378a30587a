/* Unit tests of the limits of jobs on a vnode (scheduling.md 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define JOBS   "Not Running: Node has reached job run limit"
#define USERS  "Not Running: Node has reached user run limit"
#define GROUPS "Not Running: Node has reached group run limit"

/* Two vnodes of 4 cpus, the first with limits; job 1 of ann and staff runs there. */
static struct scene small_scene(const char *limits)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 4, limits);
    scene_vnode(&sc, "n2", "n2", 4, "");
    scene_queue(&sc, "workq", true);
    scene_job(
        &sc, "1.svr", "workq", "1:ncpus=1",
        "job_state=R exec_vnode=(n1:ncpus=1) stime=999990 euser=ann egroup=staff");
    return sc;
}

static void who_may_join(void)
{
    static const struct {
        const char *limits, *euser, *egroup, *select, *said;
    } cases[] = {
        { "", "ann", "staff", "1:ncpus=1", "(n1:ncpus=1)" },
        { "max_running=2", "ann", "staff", "1:ncpus=1", "(n1:ncpus=1)" },
        { "max_running=1", "bob", "users", "1:ncpus=1", "(n2:ncpus=1)" },
        { "max_running=1", "bob", "users", "2:ncpus=3", JOBS },
        { "max_running=0", "bob", "users", "2:ncpus=3", JOBS },
        { "max_user_run=1", "ann", "users", "1:ncpus=1", "(n2:ncpus=1)" },
        { "max_user_run=1", "ann", "users", "2:ncpus=3", USERS },
        { "max_user_run=1", "bob", "staff", "1:ncpus=1", "(n1:ncpus=1)" },
        { "max_user_run=2", "ann", "staff", "1:ncpus=1", "(n1:ncpus=1)" },
        { "max_group_run=1", "bob", "staff", "1:ncpus=1", "(n2:ncpus=1)" },
        { "max_group_run=1", "bob", "staff", "2:ncpus=3", GROUPS },
        { "max_group_run=1", "ann", "users", "1:ncpus=1", "(n1:ncpus=1)" },
        /* What would not fit without the limit either has its own reason. */
        { "max_running=1", "bob", "users", "3:ncpus=2",
          "Not Running: Insufficient amount of resource: ncpus" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(cases[i].limits);
        const char *said;

        if (i + 1 == COUNT(cases))
            scene_job(&sc, "3.svr", "workq", "1:ncpus=3",
                      "job_state=R exec_vnode=(n2:ncpus=3) stime=999990");
        scene_job(&sc, "2.svr", "workq", cases[i].select,
                  arena_printf(sc.arena, "euser=%s egroup=%s", cases[i].euser,
                               cases[i].egroup));
        scene_plan(&sc);
        said = scene_said(&sc, "2.svr");
        if (strncmp(said, cases[i].said, strlen(cases[i].said)) != 0)
            fprintf(stderr, "%zu %s: %s\n", i, cases[i].limits, said);
        CU_ASSERT_TRUE(strncmp(said, cases[i].said, strlen(cases[i].said)) == 0);
        scene_free(&sc);
    }
}

/* Of these limits only that of a group makes the time of the job its own (scheduling.md
 * 30). */
static void time_is_eligible_except_for_groups(void)
{
    static const struct {
        const char *limits, *accrues;
    } cases[] = {
        { "max_running=1", "2" },
        { "max_user_run=1", "2" },
        { "max_group_run=1", "1" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(cases[i].limits);

        scene_add(&sc, OBJECT_SERVER, "svr", "eligible_time_enable=True");
        scene_job(&sc, "2.svr", "workq", "2:ncpus=3", "euser=ann egroup=staff");
        scene_plan(&sc);
        CU_ASSERT_STRING_EQUAL(scene_step(&sc, "2.svr")->accrue_type, cases[i].accrues);
        scene_free(&sc);
    }
}

/* Each job that the plan starts counts for the next ones, and so does each subjob. */
static void what_the_plan_starts_counts(void)
{
    struct scene sc = small_scene("max_running=3");
    size_t on_n1 = 0;

    scene_job(&sc, "2[].svr", "workq", "2:ncpus=1",
              "array=True array_indices_remaining=1-3 euser=ann egroup=staff");
    scene_plan(&sc);
    for (size_t i = 0; i < sc.plan.n; i++)
        on_n1 += sc.plan.steps[i].kind == PLAN_RUN_JOB &&
                 strstr(sc.plan.steps[i].vnodes, "n1:") != NULL;
    /* The first one counts once for its two chunks, so the second is the last. */
    CU_ASSERT_EQUAL(on_n1, 2);
    scene_free(&sc);

    sc = small_scene("max_running=3");
    for (int i = 2; i <= 5; i++)
        scene_job(&sc, arena_printf(sc.arena, "%d.svr", i), "workq", "1:ncpus=1",
                  "euser=ann egroup=staff");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "4.svr", "(n2:ncpus=1)");
    ASSERT_SAID(&sc, "5.svr", "(n2:ncpus=1)");
    scene_free(&sc);
}

/* A job that cannot run for its owner's sake says nothing of those of others. */
static void others_are_looked_at(void)
{
    struct scene sc = small_scene("max_user_run=1");

    scene_job(&sc, "2.svr", "workq", "2:ncpus=3", "euser=ann egroup=staff");
    scene_job(&sc, "3.svr", "workq", "2:ncpus=3", "euser=bob egroup=staff");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", USERS);
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=3)+(n2:ncpus=3)");
    scene_free(&sc);
}

/* So many jobs, and a slice in which one search goes or so many that fail with it. */
#define ALIKE   40
#define A_SLICE 33

/* How many slices a plan of the scene takes. */
static size_t slices(struct scene *sc)
{
    struct planning *p = planning_new(sc->snapshot, sc->policy, NOW,
                                      &(struct sched_look){ 0 }, sc->arena, &sc->plan);
    size_t n = 1;

    while (planning_go_on(p, A_SLICE))
        n++;
    planning_free(p);
    return n;
}

/* One search says for what all jobs wait to whom the limits close the same vnodes. */
static void those_alike_fail_together(void)
{
    static const struct {
        const char *limits, *said;
        int n_users, n_groups; /* whose the jobs are, in turns */
        size_t n_searches;
    } cases[] = {
        { "max_running=1", JOBS, 3, 5, 1 },
        { "max_user_run=0", USERS, 1, 5, 1 },
        { "max_user_run=0", USERS, 3, 5, 3 },
        { "max_group_run=0", GROUPS, 3, 1, 1 },
        { "max_group_run=0", GROUPS, 3, 5, 5 },
        { "max_user_run=0 max_group_run=0", USERS, 1, 2, 2 },
        { "max_user_run=0 max_group_run=0", USERS, 2, 3, 6 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(cases[i].limits);
        size_t n = cases[i].n_searches;

        for (int k = 0; k < ALIKE; k++)
            scene_job(&sc, arena_printf(sc.arena, "%d.svr", 100 + k), "workq",
                      "2:ncpus=3",
                      arena_printf(sc.arena, "euser=u%d egroup=g%d",
                                   k % cases[i].n_users, k % cases[i].n_groups));
        CU_ASSERT_EQUAL(slices(&sc), n + (ALIKE - n + A_SLICE - 1) / A_SLICE);
        for (int k = 0; k < ALIKE; k++)
            ASSERT_SAID(&sc, arena_printf(sc.arena, "%d.svr", 100 + k), cases[i].said);
        scene_free(&sc);
    }
}

/* What fails with open vnodes fails so for everybody. */
static void limits_that_close_nothing(void)
{
    struct scene sc = small_scene("max_user_run=9 max_group_run=9");

    for (int k = 0; k < ALIKE; k++)
        scene_job(&sc, arena_printf(sc.arena, "%d.svr", 100 + k), "workq", "2:ncpus=4",
                  arena_printf(sc.arena, "euser=u%d egroup=g%d", k, k));
    CU_ASSERT_EQUAL(slices(&sc), 3);
    scene_free(&sc);
}

/* Who is asked for, or suspended, does not count. */
static void qrun_and_the_suspended(void)
{
    struct scene sc = small_scene("max_running=1");

    scene_job(&sc, "2.svr", "workq", "2:ncpus=3", "euser=bob egroup=users");
    sched_plan(sc.snapshot, sc.policy, NOW, "2.svr", sc.arena, &sc.plan);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=3)+(n2:ncpus=3)");
    scene_free(&sc);

    sc = scene_new();
    scene_vnode(&sc, "n1", "n1", 4, "max_running=1");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "job_state=S substate=43 exec_vnode=(n1:ncpus=1) stime=999990 euser=ann");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1", "euser=bob egroup=users");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

#define RESTS "substate=45 exec_vnode=(n1:ncpus=1) stime=999980 job_state=S euser=bob"

/* A suspended job goes on where it is, and counts there like one that starts. */
static void who_goes_on_counts(void)
{
    struct scene sc = small_scene("max_running=1");

    scene_job(&sc, "2.svr", "workq", "1:ncpus=1", RESTS);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", JOBS);
    scene_free(&sc);

    sc = small_scene("max_running=2");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1", RESTS);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1", "euser=bob");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "3.svr", "(n2:ncpus=1)");
    scene_free(&sc);
}

/* No limit holds a job of a reservation, and it counts for those that the same plan
 * starts beside it. */
static void who_starts_in_a_reservation_counts(void)
{
    struct scene sc = small_scene("max_running=2");

    scene_queue(&sc, "R9", true);
    scene_resv(&sc, 9, "reserve_state=5 reserve_substate=5", NOW - 100, NOW + 1000,
               "1:ncpus=2", "queue=R9 resv_nodes=(n1:ncpus=2)");
    scene_job(&sc, "2.svr", "R9", "1:ncpus=1", "euser=bob");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1", "euser=bob");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "3.svr", "(n2:ncpus=1)");
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who may join", who_may_join },
        { "time is eligible except for groups", time_is_eligible_except_for_groups },
        { "a suspended job goes on within the limits", who_goes_on_counts },
        { "a job of a reservation counts", who_starts_in_a_reservation_counts },
        { "what the plan starts counts", what_the_plan_starts_counts },
        { "others are looked at", others_are_looked_at },
        { "those alike fail together", those_alike_fail_together },
        { "limits that close nothing", limits_that_close_nothing },
        { "qrun and the suspended", qrun_and_the_suspended },
    };

    return unit_main("vnode_limit", cases, ARRAY_LEN(cases));
}
