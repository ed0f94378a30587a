/* Unit tests of jobs that a manager expects to need less than their walltime
 * (scheduling.md 20.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define RUNS(stime)                                                                    \
    "job_state=R substate=42 exec_vnode=(n1:ncpus=4) Resource_List.ncpus=4 "           \
    "stime=" #stime " "
#define CONFIRMED "reserve_state=2 reserve_substate=2 "
#define ASKED     "reserve_state=1 reserve_substate=1 "
#define IN_WAY    "Not Running: Job would conflict with reservation or top job"

/* One vnode of 4 cpus, where each job that waits is a top job. */
static struct scene strict_scene(void)
{
    struct scene sc = scene_new();
    struct diag unused;

    scene_add(&sc, OBJECT_SCHED, "default", "opt_backfill_fuzzy=off");
    CU_ASSERT_EQUAL(policy_line(sc.policy, "strict_ordering: true ALL", &unused),
                    POLICY_FINE);
    scene_hosts(&sc, 1, 4);
    scene_queue(&sc, "workq", true);
    return sc;
}

/* What is said about a running job: "" is nothing. */
static const char *extended(const struct scene *sc, const char *id)
{
    const struct plan_step *step = scene_find(sc, id, PLAN_EXTEND_JOB);

    return step ? step->walltime : "";
}

/* Job 2 wants all of the vnode that job 1 has, and is told when that will be. */
static void how_long_a_running_job_lasts(void)
{
    static const struct {
        const char *story, *runs;
        int ends_in_s;
        const char *extended;
    } cases[] = {
        { "it has just begun", RUNS(1000000) "Resource_List.soft_walltime=60", 60, "" },
        { "some of it is over", RUNS(999950) "Resource_List.soft_walltime=60", 10, "" },
        { "all of it is over", RUNS(999940) "Resource_List.soft_walltime=60", 1, "" },
        { "it is over", RUNS(999993) "Resource_List.soft_walltime=3", 2, "00:00:09" },
        { "a multiple is over", RUNS(999991) "Resource_List.soft_walltime=3", 1,
          "00:00:09" },
        { "the next one is told already",
          RUNS(999993) "Resource_List.soft_walltime=3 "
                       "estimated.soft_walltime=00:00:09",
          2, "" },
        { "another one was told",
          RUNS(999993) "Resource_List.soft_walltime=3 "
                       "estimated.soft_walltime=00:00:06",
          2, "00:00:09" },
        { "never above the walltime",
          RUNS(999930) "Resource_List.soft_walltime=60 Resource_List.walltime=100", 30,
          "00:01:40" },
        { "it has a walltime, too",
          RUNS(999990) "Resource_List.soft_walltime=60 Resource_List.walltime=600", 50,
          "" },
        { "it is late",
          RUNS(999000) "Resource_List.soft_walltime=60 "
                       "Resource_List.walltime=600",
          1, "00:10:00" },
        { "none is none",
          RUNS(999990) "Resource_List.soft_walltime=0 "
                       "Resource_List.walltime=600",
          590, "" },
        { "it ran before it was suspended",
          RUNS(999000) "Resource_List.soft_walltime=60 ran_time=80 runs_from=999990 "
                       "Resource_List.walltime=600",
          30, "00:02:00" },
        { "the longest",
          RUNS(999990) "Resource_List.soft_walltime=2147483647 "
                       "Resource_List.walltime=600",
          590, "" },
        { "a subjob has no estimate",
          RUNS(999993) "Resource_List.soft_walltime=3 array_id=1[].svr", 2, "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = strict_scene();
        const struct plan_step *waits;

        scene_job(&sc, "1.svr", "workq", "1:ncpus=4", cases[i].runs);
        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  "Resource_List.ncpus=4 Resource_List.walltime=60");
        scene_plan(&sc);
        scene_expect(cases[i].story, extended(&sc, "1.svr"), cases[i].extended);
        waits = scene_find(&sc, "2.svr", PLAN_COMMENT_JOB);
        CU_ASSERT_PTR_NOT_NULL_FATAL(waits);
        if (waits->est_start_at != NOW + cases[i].ends_in_s)
            fprintf(stderr, "%s: in %d s\n", cases[i].story,
                    (int)(waits->est_start_at - NOW));
        CU_ASSERT_EQUAL(waits->est_start_at, NOW + cases[i].ends_in_s);
        scene_free(&sc);
    }
}

/* Job 2 is to have the whole vnode when job 1 leaves it, in 100 seconds. */
static void a_job_that_waits(void)
{
    static const struct {
        const char *story, *asks;
        int resv_in_s; /* somewhere else; 0: there is none */
        bool runs;
    } cases[] = {
        { "ends before the top job", "Resource_List.soft_walltime=100", 0, true },
        { "does not", "Resource_List.soft_walltime=101", 0, false },
        { "its walltime is longer",
          "Resource_List.soft_walltime=100 Resource_List.walltime=300", 0, true },
        { "its walltime would be over when the reservation begins",
          "Resource_List.soft_walltime=100 Resource_List.walltime=300", 300, true },
        { "its walltime would not",
          "Resource_List.soft_walltime=100 Resource_List.walltime=300", 299, false },
        { "it has none, so no reservation may come", "Resource_List.soft_walltime=100",
          90000, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = strict_scene();

        scene_vnode(&sc, "n2", "n2", 1, "");
        if (cases[i].resv_in_s)
            scene_resv(&sc, 1, CONFIRMED, NOW + cases[i].resv_in_s,
                       NOW + cases[i].resv_in_s + 50, "1:ncpus=1",
                       "resv_nodes=(n2:ncpus=1)");
        scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
                  "job_state=R substate=42 exec_vnode=(n1:ncpus=2) stime=1000000 "
                  "Resource_List.ncpus=2 Resource_List.walltime=100");
        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  "Resource_List.ncpus=4 Resource_List.walltime=60 queue_rank=1");
        scene_job(&sc, "3.svr", "workq", "1:ncpus=2",
                  arena_printf(sc.arena, "Resource_List.ncpus=2 queue_rank=2 %s",
                               cases[i].asks));
        scene_plan(&sc);
        scene_expect(cases[i].story, scene_said(&sc, "3.svr"),
                     cases[i].runs ? "(n1:ncpus=2)" : IN_WAY);
        scene_free(&sc);
    }
}

/* What jobs may leave unused is promised to nobody. */
static void reservations_know_walltimes_only(void)
{
    static const struct {
        const char *story, *length;
        bool confirmed;
    } cases[] = {
        { "its walltime is longer", "Resource_List.walltime=700", false },
        { "its walltime is over then", "Resource_List.walltime=600", true },
        { "it has none", "Resource_List.mem=1kb", false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = strict_scene();

        scene_job(&sc, "1.svr", "workq", "1:ncpus=4",
                  arena_printf(sc.arena,
                               RUNS(999990) "%s Resource_List.soft_walltime=3",
                               cases[i].length));
        scene_resv(&sc, 1, ASKED, NOW + 600, NOW + 700, "1:ncpus=4", "");
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_find(&sc, "R1.svr", PLAN_CONFIRM_RESV) != NULL,
                        cases[i].confirmed);
        if ((scene_find(&sc, "R1.svr", PLAN_CONFIRM_RESV) != NULL) !=
            cases[i].confirmed)
            fprintf(stderr, "%s: %s\n", cases[i].story, scene_said(&sc, "R1.svr"));
        scene_expect(cases[i].story, extended(&sc, "1.svr"), "");
        scene_free(&sc);
    }
}

static void the_request_sets_the_estimate(void)
{
    struct scene sc = strict_scene();
    const struct body_manage *body;
    const struct plan_step *step;
    struct wire_request rq;

    scene_job(&sc, "1.svr", "workq", "1:ncpus=4",
              RUNS(999993) "Resource_List.soft_walltime=3");
    scene_plan(&sc);
    step = scene_find(&sc, "1.svr", PLAN_EXTEND_JOB);
    CU_ASSERT_PTR_NOT_NULL_FATAL(step);
    CU_ASSERT_FALSE(plan_step_is_awaited(step));
    CU_ASSERT_TRUE_FATAL(plan_step_request(step, sc.arena, &rq));
    CU_ASSERT_EQUAL(rq.number, BATCH_MODIFY_JOB_ASYNC);
    body = rq.body;
    CU_ASSERT_STRING_EQUAL(body->object_name, "1.svr");
    CU_ASSERT_EQUAL(body->attrs.n, 1);
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "estimated", "soft_walltime"),
                           "00:00:09");
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "how long a running job lasts", how_long_a_running_job_lasts },
        { "a job that waits", a_job_that_waits },
        { "reservations know walltimes only", reservations_know_walltimes_only },
        { "the request sets the estimate", the_request_sets_the_estimate },
    };

    return unit_main("soft_walltime", cases, ARRAY_LEN(cases));
}
