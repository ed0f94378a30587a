/* Unit tests of preemption in a plan (scheduling.md 22.2): whom a job makes leave, whom
 * it does not, and what it is not allowed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define QUEUE   "queue_type=Execution started=True"
#define EXPRESS QUEUE " Priority=200"
#define RUNS    "job_state=R euser=ann "

static void setting(struct scene *sc, const char *line)
{
    struct diag why;

    CU_ASSERT_EQUAL(policy_line(sc->policy, line, &why), POLICY_FINE);
}

static struct scene scene_with(int hosts, int ncpus, const char *sched,
                               const char *server, const char *queue)
{
    struct scene sc = scene_new();

    setting(&sc, "preemptive_sched: true ALL");
    scene_add(&sc, OBJECT_SCHED, "default", sched);
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    scene_hosts(&sc, hosts, ncpus);
    scene_add(&sc, OBJECT_QUEUE, "workq", queue);
    scene_add(&sc, OBJECT_QUEUE, "other", QUEUE);
    scene_add(&sc, OBJECT_QUEUE, "hi", EXPRESS);
    return sc;
}

static struct scene scene_of(int hosts, int ncpus)
{
    return scene_with(hosts, ncpus, "a=b", "a=b", QUEUE);
}

/* A job that runs on so many processors of a vnode; the later, the larger 'stime'. */
static void running(struct scene *sc, int id, const char *queue, const char *vnode,
                    int ncpus, int stime, const char *more)
{
    scene_job(sc, arena_printf(sc->arena, "%d.svr", id), queue,
              arena_printf(sc->arena, "1:ncpus=%d", ncpus),
              arena_printf(sc->arena,
                           RUNS "exec_vnode=(%s:ncpus=%d) Resource_List.ncpus=%d "
                                "stime=%d %s",
                           vnode, ncpus, ncpus, stime, more));
}

static void express(struct scene *sc, const char *select, int ncpus, const char *more)
{
    scene_job(
        sc, "50.svr", "hi", select,
        arena_printf(sc->arena, "euser=bob Resource_List.ncpus=%d %s", ncpus, more));
}

/* "1 2 for 50 on (n1:ncpus=1)"; "" when nobody is preempted. */
static const char *said(struct scene *sc)
{
    const char *text = "";

    for (size_t i = 0; i + 1 < sc->plan.n; i++) {
        const struct plan_step *step = &sc->plan.steps[i];

        if (step->kind != PLAN_PREEMPT_JOBS)
            continue;
        for (size_t k = 0; k < step->victims.n; k++)
            text = arena_printf(sc->arena, "%s%d ", text, atoi(step->victims.v[k]));
        CU_ASSERT_TRUE(step[1].preempts);
        CU_ASSERT_STRING_EQUAL(step[1].id, step->id);
        text = arena_printf(sc->arena, "%sfor %d on %s", text, atoi(step->id),
                            step[1].vnodes);
    }
    return text;
}

static bool noted(const struct scene *sc, const char *words)
{
    for (size_t i = 0; i < sc->plan.n; i++)
        for (size_t k = 0; k < sc->plan.steps[i].n_notes; k++)
            if (strcmp(sc->plan.steps[i].notes[k].text, words) == 0)
                return true;
    return false;
}

static void expect(struct scene *sc, const char *story, const char *text)
{
    const char *got;

    scene_plan(sc);
    got = said(sc);
    if (strcmp(got, text) != 0)
        fprintf(stderr, "%s: %s\n", story, got);
    CU_ASSERT_STRING_EQUAL(got, text);
}

static void the_last_to_start_leaves_first(void)
{
    struct scene sc = scene_of(2, 2);

    running(&sc, 1, "workq", "n1", 1, 100, "");
    running(&sc, 2, "workq", "n1", 1, 300, "");
    running(&sc, 3, "workq", "n2", 1, 200, "");
    running(&sc, 4, "workq", "n2", 1, 250, "");
    express(&sc, "1:ncpus=1", 1, "");
    expect(&sc, "one processor", "2 for 50 on (n1:ncpus=1)");
    CU_ASSERT_TRUE(
        noted(&sc, "Employing preemption to try and run high priority job."));
    CU_ASSERT_TRUE(noted(&sc, "Simulation: preempting job"));
    CU_ASSERT_TRUE(noted(&sc, "Simulation: Preempted enough work to run job"));
    scene_free(&sc);
}

/* Who asks for more than there is is told so, and nobody leaves. */
static void no_one_leaves_for_what_can_never_run(void)
{
    struct scene sc = scene_of(2, 2);

    express(&sc, "1:ncpus=9", 9, "");
    expect(&sc, "nobody runs", "");
    CU_ASSERT_FALSE(
        noted(&sc, "Employing preemption to try and run high priority job."));
    scene_free(&sc);
    sc = scene_of(2, 2);
    running(&sc, 1, "workq", "n1", 1, 100, "");
    express(&sc, "1:ncpus=9", 9, "");
    expect(&sc, "too many processors", "");
    CU_ASSERT_TRUE(
        noted(&sc, "Employing preemption to try and run high priority job."));
    CU_ASSERT_TRUE(noted(&sc,
                         "Preempt: Can not preempt to run job: Insufficient amount "
                         "of resource: ncpus (R: 9 A: 3 T: 4)"));
    scene_free(&sc);
}

/* 2 and 4 started last, but 4 and 3 together make room on one vnode; 2 stays. */
static void who_is_not_needed_stays(void)
{
    struct scene sc = scene_of(2, 2);

    running(&sc, 1, "workq", "n1", 1, 100, "");
    running(&sc, 2, "workq", "n1", 1, 300, "");
    running(&sc, 3, "workq", "n2", 1, 200, "");
    running(&sc, 4, "workq", "n2", 1, 250, "");
    express(&sc, "1:ncpus=2", 2, "");
    expect(&sc, "two of one vnode", "4 3 for 50 on (n2:ncpus=2)");
    CU_ASSERT_TRUE(noted(&sc, "Simulation: preemption of job not needed."));
    scene_free(&sc);
}

/* The place that is found first would need job 1, which the free vnode makes
 * needless. */
static void free_vnodes_are_used_before_others_leave(void)
{
    struct scene sc = scene_of(3, 1);

    running(&sc, 1, "workq", "n1", 1, 300, "");
    running(&sc, 2, "workq", "n3", 1, 200, "Resource_List.x=1");
    scene_add(&sc, OBJECT_SERVER, "svr", "max_run=[o:PBS_ALL=2]");
    express(&sc, "2:ncpus=1", 2, "");
    expect(&sc, "n2 is free", "1 for 50 on (n1:ncpus=1)+(n2:ncpus=1)");
    scene_free(&sc);
}

static void some_are_never_preempted(void)
{
    static const struct {
        const char *story, *setting, *sched, *queue, *more, *asks;
    } cases[] = {
        { "preemption is off", "preemptive_sched: false ALL", "a=b", "workq", "", "" },
        { "their level is the same", "by_queue: false", "a=b", "hi", "", "" },
        { "no queue is an express one", "by_queue: false", "preempt_queue_prio=999",
          "workq", "", "" },
        { "no method is left for it", "by_queue: false", "preempt_order=R", "workq",
          "Rerunable=False", "" },
        { "it wants no checkpoints", "by_queue: false", "preempt_order=C", "workq",
          "Checkpoint=n", "" },
        { "no attempts are allowed", "preempt_attempts: 0", "a=b", "workq", "", "" },
        { "its queue is no target", "by_queue: false", "a=b", "workq", "",
          "Resource_List.preempt_targets=queue=other" },
        { "nobody is a target", "by_queue: false", "a=b", "workq", "",
          "Resource_List.preempt_targets=NONE" },
        { "it asks for another amount", "by_queue: false", "a=b", "workq", "",
          "Resource_List.preempt_targets=Resource_List.ncpus=2" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_with(1, 1, cases[i].sched, "a=b", QUEUE);

        setting(&sc, cases[i].setting);
        running(&sc, 1, cases[i].queue, "n1", 1, 100, cases[i].more);
        express(&sc, "1:ncpus=1", 1, cases[i].asks);
        expect(&sc, cases[i].story, "");
        ASSERT_SAID(&sc, "50.svr", "Not Running: Not enough free nodes available");
        scene_free(&sc);
    }
}

static void targets_are_preempted(void)
{
    static const char *const targets[] = { "queue=workq", "queue=other,queue=workq",
                                           "Resource_List.ncpus=1",
                                           "queue=other,Resource_List.ncpus=1" };

    for (size_t i = 0; i < COUNT(targets); i++) {
        struct scene sc = scene_of(2, 1);

        running(&sc, 1, "workq", "n1", 1, 100, "");
        /* It started later, and is spared by those that name the other's queue. */
        running(&sc, 2, i == 0 ? "other" : "workq", "n2", 1, i == 0 ? 200 : 50, "");
        express(&sc, "1:ncpus=1", 1,
                arena_printf(sc.arena, "Resource_List.preempt_targets=%s", targets[i]));
        expect(&sc, targets[i], "1 for 50 on (n1:ncpus=1)");
        scene_free(&sc);
    }
}

static void targets_may_be_switched_off(void)
{
    struct scene sc = scene_with(1, 1, "preempt_targets_enable=False", "a=b", QUEUE);

    running(&sc, 1, "workq", "n1", 1, 100, "");
    express(&sc, "1:ncpus=1", 1, "Resource_List.preempt_targets=NONE");
    expect(&sc, "nobody looks at them", "1 for 50 on (n1:ncpus=1)");
    scene_free(&sc);
}

/* R1 has all from 1,000 seconds from now on. */
static void what_is_promised_stays_promised(void)
{
    static const struct {
        const char *walltime, *expect;
    } cases[] = {
        { "Resource_List.walltime=1001", "" },
        { "Resource_List.walltime=1000", "1 for 50 on (n1:ncpus=1)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_of(1, 1);

        scene_resv(&sc, 1, "reserve_state=2 reserve_substate=2", NOW + 1000, NOW + 2000,
                   "1:ncpus=1", "resv_nodes=(n1:ncpus=1)");
        running(&sc, 1, "workq", "n1", 1, NOW - 10, "Resource_List.walltime=500");
        express(&sc, "1:ncpus=1", 1, cases[i].walltime);
        expect(&sc, cases[i].walltime, cases[i].expect);
        scene_free(&sc);
    }
}

static void jobs_of_reservations_are_left_alone(void)
{
    struct scene sc = scene_with(1, 3, "a=b", "max_run=[u:ann=2]", QUEUE);

    scene_resv(&sc, 1, "reserve_state=5 reserve_substate=5", NOW - 10, NOW + 2000,
               "1:ncpus=1", "resv_nodes=(n1:ncpus=1)");
    running(&sc, 1, "R1", "n1", 1, NOW - 5, "");
    running(&sc, 2, "hi", "n1", 1, NOW - 5, "");
    /* Without job 1 ann's limit would let this one run. */
    scene_job(&sc, "50.svr", "hi", "1:ncpus=1", "euser=ann Resource_List.ncpus=1");
    /* Nor does one of them preempt. */
    scene_job(&sc, "60.svr", "R1", "1:ncpus=1", "Resource_List.ncpus=1");
    expect(&sc, "nobody else is lower", "");
    scene_free(&sc);
}

static void limits_make_ones_own_jobs_leave(void)
{
    static const struct {
        const char *server, *queue, *expect;
    } cases[] = {
        { "max_run=[u:PBS_GENERIC=1]", QUEUE, "2 for 50 on (n1:ncpus=1)" },
        { "max_run=[g:PBS_GENERIC=1]", QUEUE, "2 for 50 on (n1:ncpus=1)" },
        { "max_run=[o:PBS_ALL=2]", QUEUE, "1 for 50 on (n1:ncpus=1)" },
        { "max_run_res.ncpus=[u:bob=1]", QUEUE, "2 for 50 on (n1:ncpus=1)" },
        { "max_run_res.ncpus=[u:bob=0]", QUEUE, "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_with(1, 4, "a=b", cases[i].server, cases[i].queue);

        running(&sc, 1, "workq", "n1", 1, 300, "egroup=a");
        scene_job(&sc, "2.svr", "workq", "1:ncpus=1",
                  "job_state=R euser=bob egroup=b exec_vnode=(n1:ncpus=1) stime=200 "
                  "Resource_List.ncpus=1");
        express(&sc, "1:ncpus=1", 1, "egroup=b");
        expect(&sc, cases[i].server, cases[i].expect);
        scene_free(&sc);
    }
}

static void a_queue_that_is_short_makes_its_jobs_leave(void)
{
    struct scene sc = scene_of(1, 9);

    scene_add(&sc, OBJECT_QUEUE, "both",
              QUEUE " Priority=200 resources_available.ncpus=2");
    scene_add(&sc, OBJECT_SERVER, "svr", "max_run_soft=[u:cid=0]");
    scene_add(&sc, OBJECT_SCHED, "default",
              "preempt_prio=express_queue+server_softlimits,normal_jobs");
    running(&sc, 1, "workq", "n1", 2, 300, "");
    running(&sc, 2, "both", "n1", 2, 200, "");
    running(&sc, 3, "workq", "n1", 1, 200, "");
    scene_job(&sc, "50.svr", "both", "1:ncpus=1", "euser=cid Resource_List.ncpus=1");
    scene_job(&sc, "4.svr", "workq", "1:ncpus=1",
              "job_state=R euser=cid exec_vnode=(n1:ncpus=1) stime=200 "
              "Resource_List.ncpus=1");
    expect(&sc, "of that queue", "2 for 50 on (n1:ncpus=1)");
    scene_free(&sc);
}

#define SOFT "preempt_prio=normal_jobs,server_softlimits"

/* Ann has four of four, and may have two. */
static void who_is_over_a_soft_limit_makes_room(void)
{
    struct scene sc = scene_with(1, 4, SOFT, "max_run_soft=[u:PBS_GENERIC=2]", QUEUE);

    for (int i = 1; i <= 4; i++)
        running(&sc, i, "workq", "n1", 1, 100 * i, "");
    for (int i = 5; i <= 7; i++)
        scene_job(
            &sc, arena_printf(sc.arena, "%d0.svr", i), "workq", "1:ncpus=1",
            arena_printf(sc.arena, "euser=bob queue_rank=%d Resource_List.ncpus=1", i));
    /* The third of bob finds her at her limit. */
    expect(&sc, "two of hers", "4 for 50 on (n1:ncpus=1)3 for 60 on (n1:ncpus=1)");
    scene_free(&sc);
}

/* Her job would be a normal one again, above his that is over another limit. */
static void nobody_is_preempted_who_would_rise_above(void)
{
    struct scene sc =
        scene_with(1, 2, "preempt_prio=normal_jobs,server_softlimits,queue_softlimits",
                   "max_run_soft=[u:bob=0]", QUEUE " max_run_soft=[u:ann=0]");

    running(&sc, 1, "workq", "n1", 1, 100, "");
    scene_job(&sc, "2.svr", "other", "1:ncpus=1",
              "job_state=R euser=bob exec_vnode=(n1:ncpus=1) stime=200 "
              "Resource_List.ncpus=1");
    scene_job(&sc, "50.svr", "other", "1:ncpus=1", "euser=bob Resource_List.ncpus=1");
    expect(&sc, "she would take it back", "");
    CU_ASSERT_TRUE(noted(&sc,
                         "Preempting job will escalate its priority or priority of "
                         "other jobs, not preempting it"));
    scene_free(&sc);
}

/* He would be over his limit with it, and she under hers. */
static void nobody_starts_to_be_preempted_at_once(void)
{
    struct scene sc = scene_with(1, 1, SOFT, "max_run_soft=[u:bob=0],[u:ann=0]", QUEUE);

    running(&sc, 1, "workq", "n1", 1, 100, "");
    scene_job(&sc, "50.svr", "workq", "1:ncpus=1", "euser=bob Resource_List.ncpus=1");
    expect(&sc, "it would be hers again", "");
    CU_ASSERT_TRUE(
        noted(&sc, "Job not run because it would immediately be preemptable."));
    scene_free(&sc);
}

/* Suspended jobs keep what is not in the list. */
static void what_a_suspended_job_keeps_is_not_counted_on(void)
{
    static const struct {
        const char *server, *order, *expect;
    } cases[] = {
        { "a=b", "preempt_order=S", "1 for 50 on (n1:ncpus=1:mem=8kb)" },
        { "restrict_res_to_release_on_suspend=ncpus", "preempt_order=S", "" },
        { "restrict_res_to_release_on_suspend=ncpus,mem", "preempt_order=S",
          "1 for 50 on (n1:ncpus=1:mem=8kb)" },
        { "restrict_res_to_release_on_suspend=ncpus", "preempt_order=R",
          "1 for 50 on (n1:ncpus=1:mem=8kb)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_with(0, 0, cases[i].order, cases[i].server, QUEUE);

        scene_vnode(&sc, "n1", "n1", 1, "resources_available.mem=1024kb");
        scene_job(&sc, "1.svr", "workq", "1:ncpus=1:mem=1024kb",
                  RUNS "exec_vnode=(n1:ncpus=1:mem=1024kb) Resource_List.ncpus=1");
        express(&sc, "1:ncpus=1:mem=8kb", 1, "");
        expect(&sc, cases[i].server, cases[i].expect);
        scene_free(&sc);
    }
}

/* It stands on n2, and goes on nowhere else. */
static void a_suspended_job_makes_room_where_it_is(void)
{
    struct scene sc = scene_of(2, 1);

    running(&sc, 1, "workq", "n1", 1, 300, "");
    running(&sc, 2, "workq", "n2", 1, 200, "");
    scene_job(&sc, "50.svr", "hi", "1:ncpus=1",
              "job_state=S substate=45 exec_vnode=(n2:ncpus=1) exec_vnode_kept=(n2) "
              "ptime=500 Resource_List.ncpus=1");
    expect(&sc, "not the last to start", "2 for 50 on (n2:ncpus=1)");
    CU_ASSERT_TRUE(sc.plan.n > 1 && sc.plan.steps[1].resumes);
    scene_free(&sc);
}

static void who_could_not_be_preempted_is_spared(void)
{
    struct scene sc = scene_of(2, 1);

    running(&sc, 1, "workq", "n1", 1, 300, "");
    running(&sc, 2, "workq", "n2", 1, 200, "");
    express(&sc, "1:ncpus=1", 1, "");
    snapshot_spare_job(sc.snapshot, "1.svr");
    expect(&sc, "the other one", "2 for 50 on (n2:ncpus=1)");
    snapshot_skip_none(sc.snapshot);
    expect(&sc, "in the next cycle", "1 for 50 on (n1:ncpus=1)");
    scene_free(&sc);
}

static void who_has_given_up_preempts_nobody(void)
{
    struct scene sc = scene_of(1, 1);

    running(&sc, 1, "workq", "n1", 1, 300, "");
    express(&sc, "1:ncpus=1", 1, "");
    snapshot_give_up(sc.snapshot, "50.svr");
    expect(&sc, "after too many tries", "");
    snapshot_skip_none(sc.snapshot);
    expect(&sc, "in the next cycle", "1 for 50 on (n1:ncpus=1)");
    scene_free(&sc);
}

/* What is told of a job that preempts is told with its victims, and not again. */
static void notes_are_of_one_job(void)
{
    struct scene sc = scene_of(1, 1);
    const struct plan_step *waits;

    running(&sc, 1, "workq", "n1", 1, 300, "");
    express(&sc, "1:ncpus=1", 1, "");
    scene_job(&sc, "60.svr", "workq", "1:ncpus=1", "Resource_List.ncpus=1");
    expect(&sc, "one leaves", "1 for 50 on (n1:ncpus=1)");
    CU_ASSERT(sc.plan.steps[0].n_notes > 0);
    waits = scene_step(&sc, "60.svr");
    CU_ASSERT_EQUAL(waits->kind, PLAN_COMMENT_JOB);
    CU_ASSERT_EQUAL(waits->n_notes, 0);
    scene_free(&sc);
}

/* Both have tried in vain: what the queue has is used by the one that came back. */
static void who_comes_back_uses_what_the_queue_has(void)
{
    struct scene sc =
        scene_with(2, 2, "a=b", "a=b", QUEUE " resources_available.ncpus=2");

    running(&sc, 1, "workq", "n1", 2, 300, "");
    running(&sc, 2, "hi", "n2", 1, 200, "");
    express(&sc, "2:ncpus=2", 4, "");
    scene_job(&sc, "60.svr", "workq", "1:ncpus=1", "Resource_List.ncpus=1");
    expect(&sc, "there are not enough", "");
    CU_ASSERT_EQUAL(scene_step(&sc, "60.svr")->failure, FAIL_QUEUE_SHORT);
    scene_free(&sc);
}

/* The victim has the place again that it left, and not the job that was refused. */
static void who_was_refused_is_put_off(void)
{
    struct scene sc = scene_of(1, 1);

    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "job_state=S substate=45 exec_vnode=(n1:ncpus=1) exec_vnode_kept=(n1) "
              "ptime=500 Resource_List.ncpus=1");
    express(&sc, "1:ncpus=1", 1, "");
    snapshot_put_off(sc.snapshot, "50.svr");
    sched_plan(sc.snapshot, sc.policy, NOW, NULL, sc.arena, &sc.plan);
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 1);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, "1.svr");
    CU_ASSERT_TRUE(sc.plan.steps[0].resumes);
    snapshot_skip_none(sc.snapshot);
    sched_plan(sc.snapshot, sc.policy, NOW, NULL, sc.arena, &sc.plan);
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 2);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, "50.svr");
    CU_ASSERT_EQUAL(sc.plan.steps[0].kind, PLAN_RUN_JOB);
    CU_ASSERT_EQUAL(sc.plan.steps[1].kind, PLAN_COMMENT_JOB);
    scene_free(&sc);
}

static void command_11_preempts_everybody(void)
{
    struct scene sc = scene_of(1, 1);

    running(&sc, 1, "hi", "n1", 1, 300, "");
    scene_job(&sc, "50.svr", "workq", "1:ncpus=1", "Resource_List.ncpus=1");
    expect(&sc, "as itself it does not", "");
    sched_plan(sc.snapshot, sc.policy, NOW, "50.svr", sc.arena, &sc.plan);
    CU_ASSERT_STRING_EQUAL(said(&sc), "1 for 50 on (n1:ncpus=1)");
    scene_free(&sc);
}

/* Whoever carries a plan out hears of the victims before anything else is decided. */
static void a_slice_ends_behind_a_job_that_preempts(void)
{
    struct scene sc = scene_of(1, 2);
    struct planning *p;

    running(&sc, 1, "workq", "n1", 2, 300, "");
    express(&sc, "1:ncpus=1", 1, "queue_rank=1");
    scene_job(&sc, "51.svr", "hi", "1:ncpus=1", "Resource_List.ncpus=1 queue_rank=2");
    p = planning_new(sc.snapshot, sc.policy, NOW, &(struct sched_look){ 0 }, sc.arena,
                     &sc.plan);
    CU_ASSERT_TRUE(planning_go_on(p, SIZE_MAX));
    CU_ASSERT_EQUAL(sc.plan.n, 2);
    /* What the victim has left is for others too, which had failed before. */
    CU_ASSERT_FALSE(planning_go_on(p, SIZE_MAX));
    ASSERT_SAID(&sc, "51.svr", "(n1:ncpus=1)");
    planning_free(p);
    scene_free(&sc);
}

/* Random complexes. */

#define HOSTS 4
#define CPUS  3

struct complex {
    int n_jobs, vnode[HOSTS * CPUS], cpus[HOSTS * CPUS], stime[HOSTS * CPUS];
    bool is_low[HOSTS * CPUS];
    int chunks, per_chunk;
};

static unsigned next_random(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

static struct complex random_complex(unsigned seed)
{
    struct complex c = { 0 };

    for (int v = 0; v < HOSTS; v++)
        for (int used = 0; used < CPUS;) {
            int n = 1 + (int)next_random(&seed, CPUS);

            n = n > CPUS - used ? CPUS - used : n;
            used += n;
            if (next_random(&seed, 4) == 0)
                continue; /* free */
            c.vnode[c.n_jobs] = v;
            c.cpus[c.n_jobs] = n;
            c.stime[c.n_jobs] = (int)next_random(&seed, 50);
            c.is_low[c.n_jobs++] = next_random(&seed, 4) != 0;
        }
    c.chunks = 1 + (int)next_random(&seed, 4);
    c.per_chunk = 1 + (int)next_random(&seed, CPUS);
    return c;
}

/* 'left': those that are not there, NULL: all are. */
static struct scene scene_from(const struct complex *c, const bool *left)
{
    struct scene sc = scene_of(HOSTS, CPUS);

    for (int i = 0; i < c->n_jobs; i++)
        if (!left || !left[i])
            running(&sc, i, c->is_low[i] ? "workq" : "hi",
                    arena_printf(sc.arena, "n%d", c->vnode[i] + 1), c->cpus[i],
                    c->stime[i], "");
    express(&sc, arena_printf(sc.arena, "%d:ncpus=%d", c->chunks, c->per_chunk),
            c->chunks * c->per_chunk, "");
    return sc;
}

/* Does it run without those? */
static bool runs_without(const struct complex *c, const bool *left)
{
    struct scene sc = scene_from(c, left);
    const struct plan_step *step;
    bool runs;

    setting(&sc, "preemptive_sched: false ALL");
    scene_plan(&sc);
    step = scene_step(&sc, "50.svr");
    runs = step && step->kind == PLAN_RUN_JOB;
    scene_free(&sc);
    return runs;
}

static void nobody_is_preempted_in_vain(void)
{
    int preempted = 0;

    for (unsigned seed = 1; seed <= 400; seed++) {
        struct complex c = random_complex(seed);
        struct scene sc = scene_from(&c, NULL);
        bool left[HOSTS * CPUS] = { false }, low[HOSTS * CPUS];
        const struct plan_step *first;

        memcpy(low, c.is_low, sizeof(low));
        scene_plan(&sc);
        first = scene_step(&sc, "50.svr");
        CU_ASSERT_PTR_NOT_NULL_FATAL(first);
        if (first->kind != PLAN_PREEMPT_JOBS) {
            /* It runs as it is, or not even without all lower ones. */
            CU_ASSERT_EQUAL(first->kind == PLAN_RUN_JOB, runs_without(&c, low));
            CU_ASSERT_EQUAL(first->kind == PLAN_RUN_JOB, runs_without(&c, left));
            scene_free(&sc);
            continue;
        }
        preempted++;
        for (size_t i = 0; i < first->victims.n; i++) {
            int id = atoi(first->victims.v[i]);

            CU_ASSERT_TRUE(c.is_low[id]);
            left[id] = true;
        }
        CU_ASSERT_TRUE(runs_without(&c, left));
        /* Each of them is needed. */
        for (int i = 0; i < c.n_jobs; i++)
            if (left[i]) {
                left[i] = false;
                if (runs_without(&c, left))
                    fprintf(stderr, "seed %u: %d is not needed\n", seed, i);
                CU_ASSERT_FALSE(runs_without(&c, left));
                left[i] = true;
            }
        scene_free(&sc);
    }
    CU_ASSERT_TRUE(preempted > 100);
}

/* Job 60 is a top job, and beside it the user may run one more: job 50 makes that
 * leave, and nobody where all others have ended by then. */
static void one_leaves_for_a_limit_beside_a_top_job(void)
{
    static const struct {
        const char *story, *walltime, *who, *text, *reason;
    } cases[] = {
        { "it would be there still", "600", "", "7 for 50 on (n1:ncpus=1)", NULL },
        { "it has ended", "110", "", "", NULL },
        { "it is another user's", "600", "euser=cid", "", NULL },
        { "there is no room, and it is another user's", "600", "euser=cid", "",
          "Not Running: Server job limit reached for user bob" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_with(
            1, 8, "preempt_order=R opt_backfill_fuzzy=off",
            cases[i].reason ? "max_run=[u:bob=1]" : "max_run=[u:bob=2]", QUEUE);

        setting(&sc, "strict_ordering: true ALL");
        running(&sc, 1, "hi", "n1", 5, NOW, "Resource_List.walltime=110 euser=cid");
        running(&sc, 7, "workq", "n1", 1, NOW,
                arena_printf(sc.arena, "Resource_List.walltime=%s %s",
                             cases[i].walltime,
                             *cases[i].who ? cases[i].who : "euser=bob"));
        scene_job(&sc, "60.svr", "hi", "1:ncpus=4",
                  "euser=bob Resource_List.ncpus=4 Resource_List.walltime=300 "
                  "queue_rank=1 Resource_List.preempt_targets=NONE");
        express(&sc, "1:ncpus=1", 1, "Resource_List.walltime=600 queue_rank=2");
        expect(&sc, cases[i].story, cases[i].text);
        CU_ASSERT_EQUAL(scene_step(&sc, "60.svr")->est_start_at, NOW + 110);
        if (cases[i].reason)
            ASSERT_SAID(&sc, "50.svr", cases[i].reason);
        scene_free(&sc);
    }
}

/* Two of three have to leave, for a limit or for a sum; the one that was taken first
 * counts again when it is asked whether it was needed. */
static void all_leave_whom_a_limit_needs(void)
{
    static const char *const servers[] = { "max_run=[o:PBS_ALL=2]",
                                           "resources_available.ncpus=2" };

    for (size_t i = 0; i < COUNT(servers); i++) {
        struct scene sc = scene_with(1, 8, "a=b", servers[i], QUEUE);

        for (int k = 1; k <= 3; k++)
            running(&sc, k, "workq", "n1", 1, 100 * k, "");
        express(&sc, "1:ncpus=1", 1, "");
        expect(&sc, servers[i], "3 2 for 50 on (n1:ncpus=1)");
        scene_free(&sc);
    }
}

/* A suspended job goes on where it is, if it has ended before dedicated time begins and
 * its vnode is there. */
static void a_suspended_job_does_not_go_on_at_any_time(void)
{
    static const struct {
        int dedicated_at;
        const char *vnode, *said;
    } cases[] = {
        { 300, "state=free", "(n1:ncpus=1)" },
        { 299, "state=free", "Not Running: Job would cross dedicated time boundary" },
        { 300, "state=down", "Not Running: No available resources on nodes" },
        { 300, "state=offline", "Not Running: No available resources on nodes" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_of(0, 0);

        CU_ASSERT_TRUE(
            policy_add_dedicated(sc.policy, NOW + cases[i].dedicated_at, NOW + 1000));
        scene_vnode(&sc, "n1", "n1", 4, cases[i].vnode);
        scene_job(&sc, "2.svr", "workq", "1:ncpus=1",
                  "job_state=S substate=45 exec_vnode=(n1:ncpus=1) "
                  "Resource_List.ncpus=1 Resource_List.walltime=300 euser=ann");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "2.svr", cases[i].said);
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the last to start leaves first", the_last_to_start_leaves_first },
        { "no one leaves for what can never run",
          no_one_leaves_for_what_can_never_run },
        { "who is not needed stays", who_is_not_needed_stays },
        { "free vnodes are used before others leave",
          free_vnodes_are_used_before_others_leave },
        { "some are never preempted", some_are_never_preempted },
        { "targets are preempted", targets_are_preempted },
        { "targets may be switched off", targets_may_be_switched_off },
        { "what is promised stays promised", what_is_promised_stays_promised },
        { "jobs of reservations are left alone", jobs_of_reservations_are_left_alone },
        { "limits make one's own jobs leave", limits_make_ones_own_jobs_leave },
        { "a queue that is short makes its jobs leave",
          a_queue_that_is_short_makes_its_jobs_leave },
        { "who is over a soft limit makes room", who_is_over_a_soft_limit_makes_room },
        { "nobody is preempted who would rise above",
          nobody_is_preempted_who_would_rise_above },
        { "nobody starts to be preempted at once",
          nobody_starts_to_be_preempted_at_once },
        { "what a suspended job keeps is not counted on",
          what_a_suspended_job_keeps_is_not_counted_on },
        { "a suspended job makes room where it is",
          a_suspended_job_makes_room_where_it_is },
        { "who could not be preempted is spared",
          who_could_not_be_preempted_is_spared },
        { "who has given up preempts nobody", who_has_given_up_preempts_nobody },
        { "notes are of one job", notes_are_of_one_job },
        { "who comes back uses what the queue has",
          who_comes_back_uses_what_the_queue_has },
        { "who was refused is put off", who_was_refused_is_put_off },
        { "command 11 preempts everybody", command_11_preempts_everybody },
        { "a slice ends behind a job that preempts",
          a_slice_ends_behind_a_job_that_preempts },
        { "nobody is preempted in vain", nobody_is_preempted_in_vain },
        { "one leaves for a limit beside a top job",
          one_leaves_for_a_limit_beside_a_top_job },
        { "all leave whom a limit needs", all_leave_whom_a_limit_needs },
        { "a suspended job does not go on at any time",
          a_suspended_job_does_not_go_on_at_any_time },
    };

    return unit_main("preempt_plan", cases, COUNT(cases));
}
