/* Unit tests of jobs that are shortened to fit before what is promised to others
 * (scheduling.md 21).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define RESV                                                                           \
    "Considering shrinking job to duration=%s, due to a reservation/top job conflict"
#define BOUNDARY                                                                       \
    "Considering shrinking job to duration=00:08:20, "                                 \
    "due to a prime/dedicated time conflict"
#define LEAST     "Considering shrinking job to it's minimum walltime"
#define IN_WAY    "Not Running: Job would conflict with reservation or top job"
#define CROSSES   "Not Running: Job would cross dedicated time boundary"
#define CONFIRMED "reserve_state=2 reserve_substate=2 "

/* A reservation on n1, so many seconds from now. */
static void reserve(struct scene *sc, int n, int in_s, int ncpus)
{
    scene_resv(sc, n, CONFIRMED, NOW + in_s, NOW + in_s + 50,
               arena_printf(sc->arena, "1:ncpus=%d", ncpus),
               arena_printf(sc->arena, "resv_nodes=(n1:ncpus=%d)", ncpus));
}

/* One vnode of 4 cpus. */
static struct scene small_scene(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_SCHED, "default", "opt_backfill_fuzzy=off");
    scene_hosts(&sc, 1, 4);
    scene_queue(&sc, "workq", true);
    return sc;
}

/* "00:10:00", "-": it is run as it is, "": it waits. */
static const char *length_of(const struct scene *sc, const char *id)
{
    const struct plan_step *step = scene_find(sc, id, PLAN_SHRINK_JOB);
    const struct plan_step *run = scene_find(sc, id, PLAN_RUN_JOB);

    if (!run)
        return "";
    /* What shortens it comes right before. */
    CU_ASSERT_TRUE(!step || run == step + 1);
    CU_ASSERT_EQUAL(run->considered, step != NULL);
    return step ? step->walltime : "-";
}

/* The n-th word of the log about the length of job 1. */
static const char *why(const struct scene *sc, size_t n)
{
    const struct plan_step *step = scene_find(sc, "1.svr", PLAN_SHRINK_JOB);

    return step && step->why_shrunk[n] ? step->why_shrunk[n] : "";
}

static void how_long_it_may_last(void)
{
    static const struct {
        const char *story;
        const char *asks;
        struct {
            int in_s, ncpus;
        } resvs[3];
        int dedicated_in_s; /* 0: never */
        const char *length, *why[2], *comment;
    } cases[] = {
        { "nothing is in the way",
          "min_walltime=60 max_walltime=300",
          { { 0 } },
          0,
          "00:05:00",
          { 0 },
          NULL },
        { "it may last for ever", "min_walltime=60", { { 0 } }, 0, "-", { 0 }, NULL },
        { "it is as long as it may be",
          "min_walltime=60 max_walltime=300 walltime=300",
          { { 0 } },
          0,
          "-",
          { 0 },
          NULL },
        { "without max_walltime its walltime is the most",
          "min_walltime=60 walltime=500",
          { { 600, 4 } },
          0,
          "-",
          { 0 },
          NULL },
        { "all of it ends before the reservation",
          "min_walltime=60 max_walltime=600",
          { { 600, 4 } },
          0,
          "00:10:00",
          { 0 },
          NULL },
        { "up to the reservation",
          "min_walltime=60 max_walltime=601",
          { { 600, 4 } },
          0,
          "00:10:00",
          { RESV },
          NULL },
        { "likewise when it may last for ever",
          "min_walltime=60",
          { { 600, 4 } },
          0,
          "00:10:00",
          { RESV },
          NULL },
        { "more than a day",
          "min_walltime=60",
          { { 360000, 4 } },
          0,
          "100:00:00",
          { RESV },
          NULL },
        { "beside the first one, up to the second",
          "min_walltime=60",
          { { 600, 2 }, { 900, 3 }, { 1200, 1 } },
          0,
          "00:15:00",
          { RESV },
          NULL },
        { "the least is all that fits",
          "min_walltime=600",
          { { 600, 4 } },
          0,
          "00:10:00",
          { LEAST },
          NULL },
        { "the least does not fit",
          "min_walltime=601",
          { { 600, 4 } },
          0,
          "",
          { 0 },
          IN_WAY },
        { "a walltime below the least",
          "min_walltime=600 walltime=10",
          { { 700, 4 } },
          0,
          "00:10:00",
          { 0 },
          NULL },
        { "up to dedicated time",
          "min_walltime=60 max_walltime=1000",
          { { 0 } },
          500,
          "00:08:20",
          { BOUNDARY },
          NULL },
        { "the least reaches into dedicated time",
          "min_walltime=501",
          { { 0 } },
          500,
          "",
          { 0 },
          CROSSES },
        { "dedicated time, and a reservation before it",
          "min_walltime=60",
          { { 300, 4 } },
          500,
          "00:05:00",
          { BOUNDARY, RESV },
          NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene();
        char *text = arena_strdup(sc.arena, cases[i].asks), *rest = NULL;
        const char *asks = "Resource_List.ncpus=2";

        for (char *word = strtok_r(text, " ", &rest); word;
             word = strtok_r(NULL, " ", &rest))
            asks = arena_printf(sc.arena, "%s Resource_List.%s", asks, word);
        for (int k = 0; k < 3 && cases[i].resvs[k].in_s; k++)
            reserve(&sc, k + 1, cases[i].resvs[k].in_s, cases[i].resvs[k].ncpus);
        if (cases[i].dedicated_in_s)
            CU_ASSERT_TRUE(policy_add_dedicated(
                sc.policy, NOW + cases[i].dedicated_in_s, NOW + 90000));
        scene_job(&sc, "1.svr", "workq", "1:ncpus=2", asks);
        scene_plan(&sc);
        scene_expect(cases[i].story, length_of(&sc, "1.svr"), cases[i].length);
        for (size_t k = 0; k < 2; k++) {
            const char *form = cases[i].why[k] ? cases[i].why[k] : "";

            scene_expect(cases[i].story, why(&sc, k),
                         strcmp(form, RESV) == 0
                             ? arena_printf(sc.arena, RESV, cases[i].length)
                             : form);
        }
        if (cases[i].comment)
            ASSERT_SAID(&sc, "1.svr", cases[i].comment);
        scene_free(&sc);
    }
}

/* Job 2 wants the whole vnode, which job 1 leaves in 110 seconds: job 3 ends before. */
static void it_ends_before_a_top_job(void)
{
    struct scene sc = small_scene();
    struct diag unused;

    CU_ASSERT_EQUAL(policy_line(sc.policy, "strict_ordering: true ALL", &unused),
                    POLICY_FINE);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=3",
              "job_state=R exec_vnode=(n1:ncpus=3) stime=999990 "
              "Resource_List.ncpus=3 Resource_List.walltime=00:02:00 "
              "Resource_List.min_walltime=1 Resource_List.max_walltime=01:00:00");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
              "Resource_List.ncpus=4 Resource_List.walltime=00:05:00");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1",
              "Resource_List.ncpus=1 Resource_List.min_walltime=10");
    scene_job(&sc, "4.svr", "workq", "1:ncpus=1",
              "Resource_List.ncpus=1 Resource_List.min_walltime=10");
    scene_plan(&sc);
    CU_ASSERT_STRING_EQUAL(length_of(&sc, "3.svr"), "00:01:50");
    CU_ASSERT_STRING_EQUAL(length_of(&sc, "4.svr"), "");
    scene_free(&sc);
}

/* Who asks for the same but cannot be shortened fails on his own, and what one that was
 * shortened has is the others' when it ends. */
static void beside_others(void)
{
    struct scene sc = small_scene();

    reserve(&sc, 1, 600, 4);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "Resource_List.ncpus=2 Resource_List.walltime=00:20:00");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2",
              "Resource_List.ncpus=2 Resource_List.walltime=00:20:00 "
              "Resource_List.min_walltime=00:30:00");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=2",
              "Resource_List.ncpus=2 Resource_List.walltime=00:20:00 "
              "Resource_List.min_walltime=00:01:00");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", IN_WAY);
    ASSERT_SAID(&sc, "2.svr", IN_WAY);
    CU_ASSERT_STRING_EQUAL(length_of(&sc, "3.svr"), "00:10:00");
    scene_free(&sc);
}

static void the_request_sets_walltime(void)
{
    struct scene sc = small_scene();
    struct wire_request rq;
    const struct body_manage *body;

    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "Resource_List.min_walltime=60 Resource_List.max_walltime=00:03:00");
    scene_plan(&sc);
    CU_ASSERT_TRUE_FATAL(
        plan_step_request(scene_find(&sc, "1.svr", PLAN_SHRINK_JOB), sc.arena, &rq));
    CU_ASSERT_EQUAL(rq.number, BATCH_MODIFY_JOB_ASYNC);
    body = rq.body;
    CU_ASSERT_STRING_EQUAL(body->object_name, "1.svr");
    CU_ASSERT_EQUAL(body->attrs.n, 1);
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "Resource_List", "walltime"),
                           "00:03:00");
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "how long it may last", how_long_it_may_last },
        { "it ends before a top job", it_ends_before_a_top_job },
        { "beside others", beside_others },
        { "the request sets walltime", the_request_sets_walltime },
    };

    return unit_main("shrink", cases, ARRAY_LEN(cases));
}
