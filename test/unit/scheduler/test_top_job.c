/* Unit tests of strict ordering: whose place is kept, from when on, and who waits for
 * whom (scheduling.md 20.3 to 20.5); and of the time that passes meanwhile (30).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define STRICT "strict_ordering: true ALL"
#define SHORT  "Resource_List.ncpus=1 Resource_List.walltime=00:00:50"
#define LONG   "Resource_List.ncpus=1 Resource_List.walltime=00:10:00"
#define WHOLE  "Resource_List.ncpus=4 Resource_List.walltime=00:05:00"

#define AMOUNT "Not Running: Insufficient amount of resource: ncpus (R: 4 A: 1 T: 4)"
#define NONE   "Not Running: Not enough free nodes available"
#define IN_WAY "Not Running: Job would conflict with reservation or top job"
#define BEHIND "Not Running: Job would break strict sorted order"
#define RUNS   "(n1:ncpus=1)"

static void setting(struct scene *sc, const char *line)
{
    struct diag why;

    CU_ASSERT_NOT_EQUAL(policy_line(sc->policy, line, &why), POLICY_WRONG);
}

/* One vnode of 4 cpus; job 1 has 3 of them for 110 seconds from now on. */
static struct scene small_scene(const char *settings, const char *server,
                                const char *queue)
{
    struct scene sc = scene_new();
    char *lines = arena_strdup(sc.arena, settings), *rest = NULL;

    for (char *line = strtok_r(lines, ";", &rest); line;
         line = strtok_r(NULL, ";", &rest))
        setting(&sc, line);
    scene_add(&sc, OBJECT_SCHED, "default", "opt_backfill_fuzzy=off");
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    scene_hosts(&sc, 1, 4);
    scene_add(&sc, OBJECT_QUEUE, "workq",
              arena_printf(sc.arena, "queue_type=Execution started=True %s", queue));
    scene_queue(&sc, "other", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=3",
              "job_state=R exec_vnode=(n1:ncpus=3) stime=999990 "
              "Resource_List.ncpus=3 Resource_List.walltime=00:02:00");
    return sc;
}

/* Two jobs that want the whole vnode, then a long and a short one, then a long and a
 * short one of another queue. */
static void who_waits_for_whom(void)
{
    static const struct {
        const char *story, *settings, *server, *queue;
        const char *said[6]; /* of jobs 2 to 7 */
        int64_t at[2];       /* the estimates of jobs 2 and 3 */
    } cases[] = {
        { "the order is not strict",
          "",
          "a=b",
          "a=b",
          { AMOUNT, AMOUNT, RUNS, NONE, NONE, NONE },
          { 0, 0 } },
        { "one place is kept",
          STRICT,
          "a=b",
          "a=b",
          { AMOUNT, AMOUNT, IN_WAY, RUNS, IN_WAY, NONE },
          { NOW + 110, 0 } },
        { "two are",
          STRICT,
          "backfill_depth=2",
          "a=b",
          { AMOUNT, AMOUNT, IN_WAY, RUNS, IN_WAY, NONE },
          { NOW + 110, NOW + 410 } },
        { "two of this queue",
          STRICT,
          "backfill_depth=0",
          "backfill_depth=2",
          { AMOUNT, AMOUNT, IN_WAY, RUNS, IN_WAY, BEHIND },
          { NOW + 110, NOW + 410 } },
        { "none is: all others wait",
          STRICT,
          "backfill_depth=0",
          "a=b",
          { AMOUNT, BEHIND, BEHIND, BEHIND, BEHIND, BEHIND },
          { 0, 0 } },
        { "none of this queue: its others wait",
          STRICT,
          "a=b",
          "backfill_depth=0",
          { AMOUNT, BEHIND, BEHIND, BEHIND, RUNS, "" },
          { 0, 0 } },
        { "the old line of sched_config",
          STRICT ";backfill: false ALL",
          "a=b",
          "a=b",
          { AMOUNT, BEHIND, BEHIND, BEHIND, BEHIND, BEHIND },
          { 0, 0 } },
        { "strict_fifo is for each queue",
          "strict_fifo: true ALL",
          "a=b",
          "a=b",
          { AMOUNT, BEHIND, BEHIND, BEHIND, RUNS, "" },
          { 0, 0 } },
    };
    static const char *const rows[][2] = { { "workq", WHOLE }, { "workq", WHOLE },
                                           { "workq", LONG },  { "workq", SHORT },
                                           { "other", LONG },  { "other", SHORT } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc =
            small_scene(cases[i].settings, cases[i].server, cases[i].queue);

        for (size_t k = 0; k < COUNT(rows); k++)
            scene_job(&sc, arena_printf(sc.arena, "%zu.svr", k + 2), rows[k][0],
                      k < 2 ? "1:ncpus=4" : "1:ncpus=1",
                      arena_printf(sc.arena, "%s queue_rank=%zu", rows[k][1], k + 10));
        scene_plan(&sc);
        for (size_t k = 0; k < COUNT(rows); k++) {
            const char *said =
                scene_said(&sc, arena_printf(sc.arena, "%zu.svr", k + 2));

            if (*cases[i].said[k] && strcmp(said, cases[i].said[k]) != 0)
                printf("%s, job %zu: %s\n", cases[i].story, k + 2, said);
            if (*cases[i].said[k])
                CU_ASSERT_STRING_EQUAL(said, cases[i].said[k]);
        }
        CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->est_start_at, cases[i].at[0]);
        CU_ASSERT_EQUAL(scene_step(&sc, "3.svr")->est_start_at, cases[i].at[1]);
        scene_free(&sc);
    }
}

/* The request about the job as "name=value|...", "" when there is none. */
static const char *asked_of(struct scene *sc, const char *id)
{
    const struct plan_step *step = scene_step(sc, id);
    const struct body_manage *body;
    struct wire_request rq;
    const char *all = "";

    CU_ASSERT_PTR_NOT_NULL_FATAL(step);
    if (!plan_step_request(step, sc->arena, &rq))
        return all;
    CU_ASSERT_EQUAL(rq.number, BATCH_MODIFY_JOB_ASYNC);
    body = rq.body;
    for (size_t i = 0; i < body->attrs.n; i++) {
        const struct wire_attr *a = &body->attrs.v[i];

        all = arena_printf(sc->arena, "%s%s%s%s=%s|", all, a->name,
                           a->resource ? "." : "", a->resource ? a->resource : "",
                           a->value);
    }
    return all;
}

static void only_what_has_changed_is_written(void)
{
#define COMMENT  "comment=" AMOUNT "|"
#define ESTIMATE "estimated.start_time=1000110|estimated.exec_vnode=(n1:ncpus=4)|"
#define COMMENTED                                                                      \
    " comment=Not~Running:~Insufficient~amount~of~resource:~ncpus~(R:~4~A:~1~T:~4)"
#define ESTIMATED                                                                      \
    " topjob=True estimated.start_time=1000110 estimated.exec_vnode=(n1:ncpus=4)"
    static const struct {
        const char *story, *settings, *before, *asked;
    } cases[] = {
        { "all of it", STRICT, "", COMMENT ESTIMATE "topjob=True|" },
        { "nothing", STRICT, COMMENTED ESTIMATED, "" },
        { "the time", STRICT,
          COMMENTED " topjob=True estimated.start_time=1000090 "
                    "estimated.exec_vnode=(n1:ncpus=4)",
          ESTIMATE },
        { "no estimate of who never is one", STRICT,
          COMMENTED " topjob_ineligible=True", "" },
        { "it was one", "", COMMENTED ESTIMATED, "topjob=False|" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene(cases[i].settings, "a=b", "a=b");
        const char *asked;

        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  arena_printf(sc.arena, WHOLE "%s", cases[i].before));
        scene_plan(&sc);
        asked = asked_of(&sc, "2.svr");
        if (strcmp(asked, cases[i].asked) != 0)
            printf("%s: %s\n", cases[i].story, asked);
        CU_ASSERT_STRING_EQUAL(asked, cases[i].asked);
        scene_free(&sc);
    }
#undef COMMENT
#undef ESTIMATE
#undef COMMENTED
#undef ESTIMATED
}

/* NOW is 40 seconds behind a whole minute. */
static void several_ends_are_one_step(void)
{
    static const struct {
        const char *fuzzy;
        int64_t at;
    } cases[] = {
        { "off", NOW + 10 },  /* the first end makes room */
        { "4", NOW + 10 },    /* and is alone in its step */
        { "low", NOW + 15 },  /* two before the next minute */
        { "high", NOW + 70 }, /* three before the next hour */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        setting(&sc, STRICT);
        scene_add(&sc, OBJECT_SCHED, "default",
                  arena_printf(sc.arena, "opt_backfill_fuzzy=%s", cases[i].fuzzy));
        scene_hosts(&sc, 3, 1);
        scene_queue(&sc, "workq", true);
        for (int k = 1; k <= 3; k++)
            scene_job(&sc, arena_printf(sc.arena, "%d.svr", k), "workq", "1:ncpus=1",
                      arena_printf(sc.arena,
                                   "job_state=R exec_vnode=(n%d:ncpus=1) stime=%d "
                                   "Resource_List.ncpus=1 Resource_List.walltime=100",
                                   k,
                                   NOW - (k == 1   ? 90
                                          : k == 2 ? 85
                                                   : 30)));
        scene_job(&sc, "4.svr", "workq", "1:ncpus=1", LONG);
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "4.svr")->est_start_at, cases[i].at);
        scene_free(&sc);
    }
}

static void a_top_job_waits_for_the_end_of_dedicated_time(void)
{
    struct scene sc = small_scene(STRICT, "a=b", "a=b");

    CU_ASSERT_TRUE(policy_add_dedicated(sc.policy, NOW + 200, NOW + 1000));
    scene_job(&sc, "2.svr", "workq", "1:ncpus=4", WHOLE);
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->est_start_at, NOW + 1000);
    scene_free(&sc);

    /* The vnodes are free by now; only the time is in the way. */
    sc = small_scene(STRICT, "a=b", "a=b");
    CU_ASSERT_TRUE(policy_add_dedicated(sc.policy, NOW + 200, NOW + 1000));
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1", LONG);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "Not Running: Job would cross dedicated time boundary");
    CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->est_start_at, NOW + 1000);
    scene_free(&sc);
}

/* Of whose limits the wait is, and only where the site counts. */
static void time_is_eligible_unless_its_owner_waits_for_himself(void)
{
    static const struct {
        const char *server, *more, *asked;
    } cases[] = {
        { "a=b", "comment=x", "" },
        { "eligible_time_enable=True", "", "accrue_type=2|" },
        { "eligible_time_enable=True", "accrue_type=2", "" },
        { "eligible_time_enable=True max_run=[u:PBS_GENERIC=1]", "accrue_type=2",
          "accrue_type=1|" },
        { "eligible_time_enable=True max_run=[u:PBS_GENERIC=1]", "accrue_type=1", "" },
        { "eligible_time_enable=True max_run=[o:PBS_ALL=1]", "accrue_type=1",
          "accrue_type=2|" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = small_scene("update_comments: false", cases[i].server, "a=b");
        const char *asked;

        scene_job(&sc, "0.svr", "workq", "1:ncpus=0",
                  "job_state=R exec_vnode=(n1:ncpus=0) stime=999990 euser=ann");
        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  arena_printf(sc.arena, WHOLE " euser=ann %s", cases[i].more));
        scene_plan(&sc);
        asked = asked_of(&sc, "2.svr");
        if (strcmp(asked, cases[i].asked) != 0)
            printf("%zu: %s\n", i, asked);
        CU_ASSERT_STRING_EQUAL(asked, cases[i].asked);
        scene_free(&sc);
    }
}

static void an_array_shows_the_estimate_of_its_next_subjob(void)
{
    struct scene sc = small_scene(STRICT, "a=b", "a=b");
    const char *asked;

    scene_job(&sc, "2[].svr", "workq", "1:ncpus=4",
              WHOLE " array=True array_indices_remaining=3-9");
    scene_plan(&sc);
    asked = asked_of(&sc, "2[].svr");
    CU_ASSERT_PTR_NOT_NULL(strstr(asked, "estimated.start_time=1000110|"));
    CU_ASSERT_PTR_NULL(strstr(asked, "topjob"));
    scene_free(&sc);
}

static void without_a_possible_time_there_is_no_estimate(void)
{
    struct scene sc = small_scene(STRICT, "a=b", "a=b");

    scene_job(&sc, "2.svr", "workq", "1:ncpus=5",
              "Resource_List.ncpus=5 queue_rank=10");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=4", WHOLE " queue_rank=20");
    scene_plan(&sc);
    CU_ASSERT_FALSE(scene_step(&sc, "2.svr")->top);
    CU_ASSERT_EQUAL(scene_step(&sc, "3.svr")->est_start_at, NOW + 110);
    scene_free(&sc);
}

/* One vnode of 8 cpus, of which job 1 has 5 for 110 seconds. Job 2 wants 4 of them for
 * 300 seconds, and is a top job from then on; job 3 is one of 1 cpu beside it. */
static void limits_count_top_jobs_to_come(void)
{
#define USER      "Not Running: User has reached server running job limit."
#define OF_ANN    "max_run=[u:PBS_GENERIC=1]"
#define TWO       "max_run=[u:PBS_GENERIC=2]"
#define ANN       " euser=ann egroup=staff project=web "
#define BOB       " euser=bob egroup=guests project=none "
#define LASTING_S "Resource_List.ncpus=1 Resource_List.walltime="
#define LASTING   LASTING_S "600"
#define ONE_MORE  "job_state=R exec_vnode=(n1:ncpus=1) stime=999990 "
    static const struct {
        const char *story, *settings, *server, *queue;
        const char *before; /* one more that runs on 1 cpu, of ann; NULL: none */
        const char *third, *said;
    } cases[] = {
        { "there is no limit", STRICT, "a=b", "a=b", NULL, LASTING ANN, RUNS },
        { "nobody is promised anything", "", OF_ANN, "a=b", NULL, LASTING ANN, RUNS },
        { "it would be there still", STRICT, OF_ANN, "a=b", NULL, LASTING ANN, USER },
        { "it has no walltime", STRICT, OF_ANN, "a=b", NULL,
          "Resource_List.ncpus=1" ANN, USER },
        { "it ends when the top job starts", STRICT, OF_ANN, "a=b", NULL,
          LASTING_S "110" ANN, RUNS },
        { "it ends a second later", STRICT, OF_ANN, "a=b", NULL, LASTING_S "111" ANN,
          USER },
        { "it is another user's", STRICT, OF_ANN, "a=b", NULL, LASTING BOB, RUNS },
        { "two may run", STRICT, TWO, "a=b", NULL, LASTING ANN, RUNS },
        { "two would", STRICT, TWO, "a=b", ONE_MORE LASTING ANN, LASTING ANN, USER },
        { "one of them has ended", STRICT, TWO, "a=b", ONE_MORE LASTING_S "120" ANN,
          LASTING ANN, RUNS },
        { "one of them has not", STRICT, TWO, "a=b", ONE_MORE LASTING_S "121" ANN,
          LASTING ANN, USER },
        { "limits of old", STRICT, "max_user_run=1", "a=b", NULL, LASTING ANN, USER },
        { "of the group", STRICT, "max_group_run=1", "a=b", NULL, LASTING ANN,
          "Not Running: Group has reached server running limit." },
        { "of this project", STRICT, "max_run=[p:web=1]", "a=b", NULL, LASTING ANN,
          "Not Running: Server job limit reached for project web" },
        { "of its queue", STRICT, "a=b", "max_user_run=1", NULL, LASTING ANN,
          "Not Running: User has reached queue workq running job limit." },
        { "of cpus", STRICT, "max_run_res.ncpus=[u:ann=4]", "a=b", NULL, LASTING ANN,
          "Not Running: would exceed user ann's limit on resource ncpus in complex" },
        { "of more cpus", STRICT, "max_run_res.ncpus=[u:ann=5]", "a=b", NULL,
          LASTING ANN, RUNS },
        { "a soft one holds nobody", STRICT, "max_run_soft=[u:PBS_GENERIC=1]", "a=b",
          NULL, LASTING ANN, RUNS },
        { "it may be shortened", STRICT, OF_ANN, "a=b", NULL,
          LASTING_S "600 Resource_List.min_walltime=60" ANN, "00:01:50" },
        { "it may not be shortened so far", STRICT, OF_ANN, "a=b", NULL,
          LASTING_S "600 Resource_List.min_walltime=111" ANN, USER },
        { "nothing is in its way", STRICT, "a=b", "a=b", NULL,
          "Resource_List.ncpus=1 Resource_List.min_walltime=60 "
          "Resource_List.max_walltime=600" ANN,
          "00:10:00" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        const char *said;

        if (*cases[i].settings)
            setting(&sc, cases[i].settings);
        scene_add(&sc, OBJECT_SCHED, "default", "opt_backfill_fuzzy=off");
        scene_add(&sc, OBJECT_SERVER, "svr", cases[i].server);
        scene_hosts(&sc, 1, 8);
        scene_add(&sc, OBJECT_QUEUE, "workq",
                  arena_printf(sc.arena, "queue_type=Execution started=True %s",
                               cases[i].queue));
        scene_job(&sc, "1.svr", "workq", "1:ncpus=5",
                  "job_state=R exec_vnode=(n1:ncpus=5) stime=999990 "
                  "Resource_List.ncpus=5 Resource_List.walltime=120 euser=cid");
        if (cases[i].before)
            scene_job(&sc, "0.svr", "workq", "1:ncpus=1", cases[i].before);
        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  "Resource_List.ncpus=4 Resource_List.walltime=300 queue_rank=2" ANN);
        scene_job(&sc, "3.svr", "workq", "1:ncpus=1",
                  arena_printf(sc.arena, "%s queue_rank=3", cases[i].third));
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "2.svr")->est_start_at,
                        *cases[i].settings ? NOW + 110 : 0);
        said = scene_said(&sc, "3.svr");
        if (strcmp(said, cases[i].said) != 0)
            printf("%s: %s\n", cases[i].story, said);
        CU_ASSERT_STRING_EQUAL(said, cases[i].said);
        scene_free(&sc);
    }
}

/* The same vnode and the same first two jobs, and what comes behind them. */
static struct scene promised_scene(const char *sched, const char *server)
{
    struct scene sc = scene_new();

    setting(&sc, STRICT);
    scene_add(&sc, OBJECT_SCHED, "default",
              arena_printf(sc.arena, "opt_backfill_fuzzy=off %s", sched));
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    scene_hosts(&sc, 1, 8);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=5",
              "job_state=R exec_vnode=(n1:ncpus=5) stime=999990 Resource_List.ncpus=5 "
              "Resource_List.walltime=120 euser=cid");
    return sc;
}

static void add_top_job(struct scene *sc, const char *more)
{
    scene_job(sc, "2.svr", "workq", "1:ncpus=4",
              arena_printf(sc->arena,
                           "Resource_List.ncpus=4 Resource_List.walltime=300 "
                           "queue_rank=2" ANN "%s",
                           more));
}

static void what_has_started_counts_beside_a_top_job(void)
{
    struct scene sc = promised_scene("a=b", TWO);

    add_top_job(&sc, "");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1", LASTING ANN "queue_rank=3");
    scene_job(&sc, "4.svr", "workq", "1:ncpus=1", LASTING ANN "queue_rank=4");
    scene_job(&sc, "5.svr", "workq", "1:ncpus=1", LASTING_S "110" ANN "queue_rank=5");
    scene_job(&sc, "6.svr", "workq", "1:ncpus=1", LASTING_S "110" ANN "queue_rank=6");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "3.svr", RUNS);
    ASSERT_SAID(&sc, "4.svr", USER);
    ASSERT_SAID(&sc, "5.svr", RUNS);
    ASSERT_SAID(&sc, "6.svr", USER);
    scene_free(&sc);
}

/* A job that was shortened is gone when the top job starts, though there is room until
 * a reservation begins, which is later. */
static void what_was_shortened_does_not_count_then(void)
{
    struct scene sc = promised_scene("a=b", "max_run_res.ncpus=[u:ann=5]");

    scene_resv(&sc, 5, "reserve_state=2 reserve_substate=2", NOW + 200, NOW + 300,
               "1:ncpus=1", "Resource_List.place=free resv_nodes=(n1:ncpus=1)");
    add_top_job(&sc, "");
    scene_job(&sc, "3.svr", "workq", "1:ncpus=2",
              "Resource_List.ncpus=2 Resource_List.min_walltime=60 "
              "Resource_List.max_walltime=600 queue_rank=3" ANN);
    scene_job(&sc, "4.svr", "workq", "1:ncpus=1", LASTING ANN "queue_rank=4");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "3.svr", "00:01:50");
    ASSERT_SAID(&sc, "4.svr", RUNS);
    scene_free(&sc);
}

/* Of everybody's jobs one has ended when two top jobs start. */
static void several_top_jobs_count_together(void)
{
    static const struct {
        const char *server, *said;
    } cases[] = {
        { "backfill_depth=2 max_running=2",
          "Not Running: Server job limit has been reached." },
        { "backfill_depth=2 max_running=3", IN_WAY },
        { "backfill_depth=1 max_running=2", RUNS },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = promised_scene("a=b", cases[i].server);

        add_top_job(&sc, "");
        scene_job(&sc, "3.svr", "workq", "1:ncpus=4",
                  "Resource_List.ncpus=4 Resource_List.walltime=300 queue_rank=3" BOB);
        scene_job(&sc, "4.svr", "workq", "1:ncpus=1", LASTING " queue_rank=4");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "4.svr", cases[i].said);
        scene_free(&sc);
    }
}

/* The next subjob of an array is the top job; of another array each counts. */
static void each_subjob_counts(void)
{
    struct scene sc = promised_scene("a=b", "max_run=[u:PBS_GENERIC=3]");
    size_t n = 0;

    scene_job(&sc, "2[].svr", "workq", "1:ncpus=4",
              "Resource_List.ncpus=4 Resource_List.walltime=300 queue_rank=2" ANN
              "array=True array_indices_remaining=3-9");
    scene_job(&sc, "3[].svr", "workq", "1:ncpus=1",
              LASTING ANN "queue_rank=3 array=True array_indices_remaining=1-4");
    scene_plan(&sc);
    for (size_t i = 0; i < sc.plan.n; i++)
        n += sc.plan.steps[i].kind == PLAN_RUN_JOB;
    CU_ASSERT_EQUAL(n, 2);
    ASSERT_SAID(&sc, "3[1].svr", RUNS);
    ASSERT_SAID(&sc, "3[2].svr", RUNS);
    ASSERT_SAID(&sc, "3[].svr", USER);
    scene_free(&sc);
}

/* A job ends with its reservation, before the top job starts or behind that. */
static void a_reservation_ends_its_jobs(void)
{
    static const struct {
        int end_at;
        const char *said;
    } cases[] = { { NOW + 110, RUNS }, { NOW + 111, USER } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = promised_scene("a=b", TWO);

        scene_resv(&sc, 5, "reserve_state=5 reserve_substate=5", NOW - 50,
                   cases[i].end_at, "1:ncpus=1",
                   "Resource_List.place=free resv_nodes=(n1:ncpus=1)");
        scene_job(&sc, "0.svr", "R5", "1:ncpus=1", ONE_MORE LASTING ANN);
        add_top_job(&sc, "");
        scene_job(&sc, "3.svr", "workq", "1:ncpus=1", LASTING ANN "queue_rank=3");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "3.svr", cases[i].said);
        scene_free(&sc);
    }
}

/* The same vnode; a suspended job has its place back as soon as there is room. */
static void one_who_is_to_go_on_counts_from_then_on(void)
{
#define ENFORCES "sched_preempt_enforce_resumption=True"
    static const struct {
        const char *sched, *third, *said;
    } cases[] = {
        { ENFORCES, LASTING ANN, USER },
        { ENFORCES, LASTING_S "600 Resource_List.min_walltime=60" ANN, "00:01:50" },
        { "a=b", LASTING ANN, RUNS },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = promised_scene(cases[i].sched, OF_ANN);

        setting(&sc, "strict_ordering: false ALL");
        setting(&sc, "preemptive_sched: true ALL");
        scene_job(&sc, "2.svr", "workq", "1:ncpus=4",
                  "job_state=S substate=45 ptime=5 exec_vnode=(n1:ncpus=4) "
                  "Resource_List.ncpus=4 Resource_List.walltime=300" ANN);
        scene_job(&sc, "3.svr", "workq", "1:ncpus=1", cases[i].third);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "3.svr", cases[i].said);
        scene_free(&sc);
    }
#undef ENFORCES
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who waits for whom", who_waits_for_whom },
        { "only what has changed is written", only_what_has_changed_is_written },
        { "several ends are one step", several_ends_are_one_step },
        { "a top job waits for the end of dedicated time",
          a_top_job_waits_for_the_end_of_dedicated_time },
        { "time is eligible unless its owner waits for himself",
          time_is_eligible_unless_its_owner_waits_for_himself },
        { "an array shows the estimate of its next subjob",
          an_array_shows_the_estimate_of_its_next_subjob },
        { "without a possible time there is no estimate",
          without_a_possible_time_there_is_no_estimate },
        { "limits count top jobs to come", limits_count_top_jobs_to_come },
        { "what has started counts beside a top job",
          what_has_started_counts_beside_a_top_job },
        { "what was shortened does not count then",
          what_was_shortened_does_not_count_then },
        { "several top jobs count together", several_top_jobs_count_together },
        { "each subjob counts", each_subjob_counts },
        { "a reservation ends its jobs", a_reservation_ends_its_jobs },
        { "one who is to go on counts from then on",
          one_who_is_to_go_on_counts_from_then_on },
    };

    return unit_main("top job", cases, COUNT(cases));
}
