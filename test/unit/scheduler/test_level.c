/* Unit tests of levels (scheduling.md 22.1): who is tried first, and how soft limits
 * lower a level, also in the middle of a plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define EXPRESS "queue_type=Execution started=True Priority=200"
#define QUEUE   "queue_type=Execution started=True"
#define ONE     "Resource_List.ncpus=1"
#define RUNS    "job_state=R exec_vnode=(n1:ncpus=1) Resource_List.ncpus=1"

static void setting(struct scene *sc, const char *line)
{
    struct diag why;

    CU_ASSERT_EQUAL(policy_line(sc->policy, line, &why), POLICY_FINE);
}

/* A vnode that has room for so many jobs, and preemption. */
static struct scene scene_of(int ncpus, const char *sched, const char *server,
                             const char *queue)
{
    struct scene sc = scene_new();

    setting(&sc, "preemptive_sched: true ALL");
    scene_add(&sc, OBJECT_SCHED, "default", sched);
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    scene_hosts(&sc, 1, ncpus);
    scene_add(&sc, OBJECT_QUEUE, "workq", queue);
    scene_add(&sc, OBJECT_QUEUE, "hi", EXPRESS);
    scene_add(&sc, OBJECT_QUEUE, "higher",
              "queue_type=Execution started=True Priority=201");
    return sc;
}

static void job(struct scene *sc, const char *id, const char *queue, const char *more)
{
    scene_job(sc, id, queue, "1:ncpus=1", more);
}

/* The jobs in the order in which the plan has steps about them. */
static const char *order_of(struct scene *sc)
{
    const char *text = "";

    scene_plan(sc);
    for (size_t i = 0; i < sc->plan.n; i++)
        text = arena_printf(sc->arena, "%s%s%.1s", text, i ? " " : "",
                            sc->plan.steps[i].id);
    return text;
}

static void expect_order(struct scene *sc, const char *story, const char *expect)
{
    const char *got = order_of(sc);

    if (strcmp(got, expect) != 0)
        fprintf(stderr, "%s: %s\n", story, got);
    CU_ASSERT_STRING_EQUAL(got, expect);
    scene_free(sc);
}

static void higher_levels_are_tried_first(void)
{
    static const struct {
        const char *story, *setting, *sched, *expect;
    } cases[] = {
        { "express queues come first, the higher one before the other",
          "by_queue: false", "a=b", "4 3 5 1 2" },
        { "there are no levels", "preemptive_sched: false ALL", "a=b", "5 1 2 3 4" },
        { "no queue is an express one", "by_queue: false", "preempt_queue_prio=300",
          "5 1 2 3 4" },
        { "normal jobs are above express ones", "by_queue: false",
          "preempt_prio=normal_jobs,express_queue", "5 1 2 4 3" },
        { "what no level names is normal, and normal is last", "by_queue: false",
          "preempt_prio=express_queue", "4 3 5 1 2" },
        { "queue after queue, but express jobs before all queues", "by_queue: true",
          "a=b", "4 3 5 1 2" },
        { "queue after queue where normal jobs are above", "by_queue: true",
          "preempt_prio=normal_jobs,express_queue", "5 4 3 1 2" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_of(9, cases[i].sched, "a=b", QUEUE);

        setting(&sc, cases[i].setting);
        job(&sc, "1.svr", "workq", "queue_rank=1");
        job(&sc, "2.svr", "workq", "queue_rank=2");
        job(&sc, "3.svr", "hi", "queue_rank=3");
        job(&sc, "4.svr", "higher", "queue_rank=4");
        /* It was preempted. */
        job(&sc, "5.svr", "workq", "queue_rank=5 ptime=999000");
        expect_order(&sc, cases[i].story, cases[i].expect);
    }
}

static void the_first_to_be_preempted_is_the_first_again(void)
{
    struct scene sc = scene_of(9, "a=b", "a=b", QUEUE);

    job(&sc, "1.svr", "workq", "queue_rank=1 ptime=999002");
    job(&sc, "2.svr", "workq", "queue_rank=2 ptime=999001");
    expect_order(&sc, "by ptime", "2 1");
}

#define SOFT "preempt_prio=express_queue,normal_jobs,queue_softlimits,server_softlimits"

/* Ann runs two jobs. */
static void who_is_over_a_soft_limit_comes_later(void)
{
    static const struct {
        const char *story, *server, *queue, *expect;
    } cases[] = {
        { "there are no soft limits", "a=b", QUEUE, "1 2" },
        { "she is at it", "max_run_soft=[u:PBS_GENERIC=2]", QUEUE, "1 2" },
        { "she is over it", "max_run_soft=[u:PBS_GENERIC=1]", QUEUE, "2 1" },
        { "she has one of her own", "max_run_soft=[u:PBS_GENERIC=1],[u:ann=9]", QUEUE,
          "1 2" },
        { "everybody is over it", "max_run_soft=[o:PBS_ALL=1]", QUEUE, "1 2" },
        { "in the queue", "a=b", QUEUE " max_run_soft=[u:ann=1]", "2 1" },
        { "by the old name", "max_user_run_soft=1", QUEUE, "2 1" },
        { "by group", "max_group_run_soft=1", QUEUE, "2 1" },
        { "with a resource", "max_run_res_soft.ncpus=[u:ann=1]", QUEUE, "2 1" },
        { "with a resource, the old way", "a=b", QUEUE " max_user_res_soft.ncpus=1",
          "2 1" },
        { "with one that they do not ask for", "max_run_res_soft.mem=[u:ann=1kb]",
          QUEUE, "1 2" },
        { "a hard limit is another thing", "max_run=[u:ann=2]", QUEUE, "1 2" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_of(9, SOFT, cases[i].server, cases[i].queue);

        job(&sc, "7.svr", "workq", RUNS " euser=ann egroup=ann");
        job(&sc, "8.svr", "workq", RUNS " euser=ann egroup=ann");
        job(&sc, "1.svr", "workq", ONE " queue_rank=1 euser=ann egroup=ann");
        job(&sc, "2.svr", "workq", ONE " queue_rank=2 euser=bob egroup=bob");
        expect_order(&sc, cases[i].story, cases[i].expect);
    }
}

/* Her third job brings her over the limit, so her others come behind. */
static void a_level_falls_in_the_middle_of_a_plan(void)
{
    struct scene sc = scene_of(9, SOFT, "max_run_soft=[u:PBS_GENERIC=1]", QUEUE);

    for (char n = '1'; n <= '4'; n++)
        job(&sc, arena_printf(sc.arena, "%c.svr", n), "workq",
            arena_printf(sc.arena, ONE " euser=ann queue_rank=%c", n));
    job(&sc, "5.svr", "workq", ONE " euser=bob queue_rank=5");
    expect_order(&sc, "two of ann, then bob", "1 2 5 3 4");
}

/* Both conditions of a level have to hold, and such a level is asked first. */
static void levels_may_join_conditions(void)
{
    struct scene sc = scene_of(9,
                               "preempt_prio=express_queue,express_queue+server_"
                               "softlimits,normal_jobs,server_softlimits",
                               "max_run_soft=[u:PBS_GENERIC=0]", QUEUE);

    job(&sc, "9.svr", "workq", RUNS " euser=ann");
    job(&sc, "1.svr", "workq", ONE " queue_rank=1 euser=ann");
    job(&sc, "2.svr", "hi", ONE " queue_rank=2 euser=ann");
    job(&sc, "3.svr", "workq", ONE " queue_rank=3 euser=bob");
    job(&sc, "4.svr", "hi", ONE " queue_rank=4 euser=cid");
    expect_order(&sc, "express, express and over, normal, over", "4 2 3 1");
}

/* The owner waits by his own fault (scheduling.md 30). */
static void over_a_soft_limit_no_time_is_eligible(void)
{
    struct scene sc =
        scene_of(2, SOFT, "eligible_time_enable=True max_run_soft=[u:ann=1]", QUEUE);

    setting(&sc, "preempt_attempts: 0");
    job(&sc, "7.svr", "workq", RUNS " euser=ann");
    job(&sc, "8.svr", "workq", RUNS " euser=ann");
    job(&sc, "1.svr", "workq", ONE " euser=ann");
    job(&sc, "2.svr", "workq", ONE " euser=bob");
    scene_plan(&sc);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "1.svr")->accrue_type, "1");
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "2.svr")->accrue_type, "2");
    scene_free(&sc);
}

/* Her third job would wait even if all before it ran, whatever it waits for today. */
static void beyond_a_limit_no_time_is_eligible(void)
{
    static const struct {
        const char *id, *owner, *type;
    } jobs[] = { { "1.svr", "euser=ann queue_rank=1", "2" },
                 { "2.svr", "euser=ann queue_rank=2", "2" },
                 { "3.svr", "euser=bob queue_rank=3", "2" },
                 { "4.svr", "euser=ann queue_rank=4", "1" },
                 { "5.svr", "euser=bob queue_rank=5", "2" } };
    struct scene sc =
        scene_of(2, "a=b", "eligible_time_enable=True max_run=[u:ann=2]", QUEUE);

    job(&sc, "7.svr", "workq", RUNS " euser=cid");
    job(&sc, "8.svr", "workq", RUNS " euser=cid");
    for (size_t i = 0; i < COUNT(jobs); i++)
        job(&sc, jobs[i].id, "workq", arena_printf(sc.arena, ONE " %s", jobs[i].owner));
    scene_plan(&sc);
    for (size_t i = 0; i < COUNT(jobs); i++)
        CU_ASSERT_STRING_EQUAL(scene_step(&sc, jobs[i].id)->accrue_type, jobs[i].type);
    scene_free(&sc);
}

/* A plan that goes on where one was left keeps the levels. */
static void who_was_tried_stays_in_its_level(void)
{
    struct scene sc = scene_of(9, "a=b", "a=b", QUEUE);
    struct planning *p;
    const char *text = "";

    job(&sc, "1.svr", "workq", "queue_rank=1");
    job(&sc, "2.svr", "workq", "queue_rank=2");
    job(&sc, "3.svr", "workq", "queue_rank=3");
    job(&sc, "4.svr", "hi", "queue_rank=4");
    p = planning_new(sc.snapshot, sc.policy, NOW,
                     &(struct sched_look){ .last_id = "1.svr" }, sc.arena, &sc.plan);
    while (planning_go_on(p, SIZE_MAX))
        continue;
    for (size_t i = 0; i < sc.plan.n; i++)
        text = arena_printf(sc.arena, "%s%.1s", text, sc.plan.steps[i].id);
    CU_ASSERT_STRING_EQUAL(text, "4231");
    planning_free(p);
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "higher levels are tried first", higher_levels_are_tried_first },
        { "the first to be preempted is the first again",
          the_first_to_be_preempted_is_the_first_again },
        { "who is over a soft limit comes later",
          who_is_over_a_soft_limit_comes_later },
        { "a level falls in the middle of a plan",
          a_level_falls_in_the_middle_of_a_plan },
        { "levels may join conditions", levels_may_join_conditions },
        { "over a soft limit no time is eligible",
          over_a_soft_limit_no_time_is_eligible },
        { "beyond a limit no time is eligible", beyond_a_limit_no_time_is_eligible },
        { "who was tried stays in its level", who_was_tried_stays_in_its_level },
    };

    return unit_main("level", cases, COUNT(cases));
}
