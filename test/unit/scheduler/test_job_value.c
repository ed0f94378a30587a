/* Unit tests of what jobs are worth: the job sort formula, its threshold, and the keys
 * of sched_config (scheduling.md 10, 24).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include <math.h>

#define UNDER "Not Running: Job is under job_sort_formula threshold value"

/* Jobs that ask for more and more, and for less and less; one runs at a time, and
 * neither holds up the next. */
static struct scene small_scene(const char *server, const char *sched)
{
    static const char *const jobs[][2] = {
        { "1.svr", "Resource_List.ncpus=1 Resource_List.walltime=00:03:00 Priority=5 "
                   "eligible_time=00:00:10 accrue_type=2" },
        { "2.svr", "Resource_List.ncpus=2 Resource_List.walltime=00:02:00 Priority=-1 "
                   "eligible_time=00:01:00 accrue_type=1" },
        { "3.svr", "Resource_List.ncpus=3 Resource_List.walltime=00:01:00 Priority=0 "
                   "Resource_List.mem=1gb eligible_time=00:00:30 accrue_type=2" },
    };
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "speed", "type=4 flag=0");
    scene_add(&sc, OBJECT_SCHED, "default", sched);
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    scene_hosts(&sc, 6, 3);
    scene_queue(&sc, "workq", true);
    for (size_t i = 0; i < COUNT(jobs); i++)
        scene_job(&sc, jobs[i][0], "workq", "1:ncpus=1", jobs[i][1]);
    return sc;
}

/* The jobs in the order in which they are run: "312". */
static const char *order_of(const struct scene *sc)
{
    char *text = arena_strdup(sc->arena, "       ");
    size_t n = 0;

    for (size_t i = 0; i < sc->plan.n; i++)
        if (sc->plan.steps[i].kind == PLAN_RUN_JOB)
            text[n++] = sc->plan.steps[i].id[0];
    text[n] = '\0';
    return text;
}

static void jobs_are_in_the_order_of_their_values(void)
{
    static const struct {
        const char *story, *server, *sched, *setting, *order;
    } cases[] = {
        { "without a formula", "a=b", "a=b", NULL, "123" },
        { "more cpus first", "job_sort_formula=ncpus", "a=b", NULL, "321" },
        { "fewer cpus first", "job_sort_formula=-ncpus", "a=b", NULL, "123" },
        { "longer ones first", "job_sort_formula=walltime", "a=b", NULL, "123" },
        { "shorter ones first", "job_sort_formula=1/walltime", "a=b", NULL, "321" },
        { "sizes in kb", "job_sort_formula=mem-1048575", "a=b", NULL, "312" },
        { "their own priority", "job_sort_formula=job_priority", "a=b", NULL, "132" },
        { "who has waited", "job_sort_formula=eligible_time", "a=b", NULL, "231" },
        { "what time they accrue", "job_sort_formula=accrue_type", "a=b", NULL, "132" },
        { "of the scheduler", "a=b", "job_sort_formula=ncpus", NULL, "321" },
        { "that of the server counts", "job_sort_formula=-ncpus",
          "job_sort_formula=ncpus", NULL, "123" },
        { "an exception counts as 0", "job_sort_formula=1/(ncpus-1)", "a=b", NULL,
          "231" },
        { "one that is not understood orders nobody",
          "job_sort_formula=factorial(ncpus)", "a=b", NULL, "123" },
        { "a key", "a=b", "a=b", "job_sort_key: \"ncpus HIGH\"", "321" },
        { "a key, the least first", "a=b", "a=b", "job_sort_key: \"walltime LOW\"",
          "321" },
        { "a key of priority", "a=b", "a=b", "job_sort_key: \"job_priority HIGH\"",
          "132" },
        { "a key for those that are worth the same", "job_sort_formula=ncpus==1", "a=b",
          "job_sort_key: \"ncpus HIGH\"", "132" },
        { "a key that nobody has", "a=b", "a=b", "job_sort_key: \"ngpus HIGH\"",
          "123" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(cases[i].server, cases[i].sched);
        struct diag unused;

        if (cases[i].setting)
            CU_ASSERT_EQUAL(policy_line(sc.policy, cases[i].setting, &unused),
                            POLICY_FINE);
        scene_plan(&sc);
        if (strcmp(order_of(&sc), cases[i].order) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].story, order_of(&sc));
        CU_ASSERT_STRING_EQUAL(order_of(&sc), cases[i].order);
        scene_free(&sc);
    }
}

/* Fractions count as what they are, and what is no amount as nothing. */
static void what_is_asked_for_is_worth_its_amount(void)
{
    static const struct {
        const char *formula, *first;
    } cases[] = {
        { "share+ncpus", "2.svr" },
        { "10*share+ncpus", "1.svr" },
        { "10*yes+ncpus", "2.svr" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_add(&sc, OBJECT_RESOURCE, "share", "type=14 flag=0");
        scene_add(&sc, OBJECT_RESOURCE, "yes", "type=11 flag=0");
        scene_add(&sc, OBJECT_SERVER, "svr",
                  arena_printf(sc.arena, "job_sort_formula=%s", cases[i].formula));
        scene_hosts(&sc, 2, 3);
        scene_queue(&sc, "workq", true);
        scene_job(
            &sc, "1.svr", "workq", "1:ncpus=1",
            "Resource_List.ncpus=1 Resource_List.share=0.5 Resource_List.yes=True");
        scene_job(&sc, "2.svr", "workq", "1:ncpus=1", "Resource_List.ncpus=2");
        scene_plan(&sc);
        CU_ASSERT_FATAL(sc.plan.n > 0);
        CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, cases[i].first);
        scene_free(&sc);
    }
}

static void who_is_worth_too_little_waits(void)
{
    static const struct {
        const char *sched, *order;
    } cases[] = {
        { "a=b", "321" },
        { "job_sort_formula_threshold=0", "321" },
        { "job_sort_formula_threshold=1.0", "32" },
        { "job_sort_formula_threshold=2.9", "3" },
        { "job_sort_formula_threshold=3", "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(
            "job_sort_formula=ncpus eligible_time_enable=True", cases[i].sched);

        scene_plan(&sc);
        CU_ASSERT_STRING_EQUAL(order_of(&sc), cases[i].order);
        if (!strchr(cases[i].order, '1')) {
            const struct plan_step *step = scene_step(&sc, "1.svr");

            ASSERT_SAID(&sc, "1.svr", UNDER);
            CU_ASSERT_TRUE(step->early);
            CU_ASSERT_STRING_EQUAL(step->accrue_type, "1"); /* ineligible */
        }
        scene_free(&sc);
    }
}

/* qrun is held up by no threshold. */
static void who_is_asked_for_runs(void)
{
    struct scene sc =
        small_scene("job_sort_formula=ncpus", "job_sort_formula_threshold=3");

    sched_plan(sc.snapshot, sc.policy, NOW, "1.svr", sc.arena, &sc.plan);
    CU_ASSERT_STRING_EQUAL(order_of(&sc), "1");
    scene_free(&sc);
}

/* A threshold without a formula stops nobody. */
static void no_formula_no_threshold(void)
{
    struct scene sc = small_scene("a=b", "job_sort_formula_threshold=3");

    scene_plan(&sc);
    CU_ASSERT_STRING_EQUAL(order_of(&sc), "123");
    scene_free(&sc);
}

struct worths {
    double value[3];
    const char *why[3];
    bool under[3];
};

static void note(void *arg, const struct job_worth *w)
{
    struct worths *all = arg;
    size_t i = (size_t)(w->id[0] - '1');

    all->value[i] = w->value;
    all->why[i] = w->why;
    all->under[i] = w->under;
}

static struct worths worths_of(struct scene *sc, const char **ret_fault)
{
    struct worths all = { { -9, -9, -9 }, { 0 }, { 0 } };
    struct planning *p = planning_new(sc->snapshot, sc->policy, NOW,
                                      &(struct sched_look){ 0 }, sc->arena, &sc->plan);

    planning_values(p, note, &all);
    *ret_fault = planning_formula_fault(p);
    planning_free(p);
    return all;
}

static void what_the_log_is_told(void)
{
    struct scene sc =
        small_scene("job_sort_formula=6/(3-ncpus)", "job_sort_formula_threshold=3");
    const char *fault;
    struct worths all = worths_of(&sc, &fault);

    CU_ASSERT_PTR_NULL(fault);
    CU_ASSERT_EQUAL(all.value[0], 3);
    CU_ASSERT_EQUAL(all.value[1], 6);
    CU_ASSERT_EQUAL(all.value[2], 0);
    CU_ASSERT_STRING_EQUAL(all.why[2], "division by zero");
    CU_ASSERT_TRUE(all.under[0] && !all.under[1] && all.under[2]);
    scene_free(&sc);
    sc = small_scene("job_sort_formula=comb(ncpus,1)", "a=b");
    all = worths_of(&sc, &fault);
    CU_ASSERT_STRING_EQUAL(fault, "comb() is not computed");
    CU_ASSERT_EQUAL(all.value[1], 0);
    scene_free(&sc);
}

/* What the server told ten seconds ago has grown by ten seconds, where it grows. */
static void eligible_time_goes_on(void)
{
    struct scene sc = scene_new();
    const char *fault;
    struct worths all;

    snapshot_told_at(sc.snapshot, NOW - 10);
    scene_add(&sc, OBJECT_SERVER, "svr", "job_sort_formula=eligible_time");
    scene_hosts(&sc, 1, 1);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "eligible_time=00:00:05 accrue_type=2");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1",
              "eligible_time=00:00:05 accrue_type=1");
    snapshot_told_at(sc.snapshot, NOW);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1",
              "eligible_time=00:00:05 accrue_type=2");
    all = worths_of(&sc, &fault);
    CU_ASSERT_EQUAL(all.value[0], 15);
    CU_ASSERT_EQUAL(all.value[1], 5);
    CU_ASSERT_EQUAL(all.value[2], 5);
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "jobs are in the order of their values",
          jobs_are_in_the_order_of_their_values },
        { "what is asked for is worth its amount",
          what_is_asked_for_is_worth_its_amount },
        { "who is worth too little waits", who_is_worth_too_little_waits },
        { "who is asked for runs", who_is_asked_for_runs },
        { "no formula, no threshold", no_formula_no_threshold },
        { "what the log is told", what_the_log_is_told },
        { "eligible time goes on", eligible_time_goes_on },
    };

    return unit_main("job_value", cases, ARRAY_LEN(cases));
}
