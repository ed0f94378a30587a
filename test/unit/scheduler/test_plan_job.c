/* Unit tests of what the scheduler does with jobs: order, vnodes, comments.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define CO   "reserve_state=2 reserve_substate=2"
#define RN   "reserve_state=5 reserve_substate=5"
#define FREE "Resource_List.place=free"
#define ONE  "Resource_List.ncpus=1"
#define TWO  "Resource_List.ncpus=2"

static void test_first_fit_in_order_of_arrival(void)
{
    struct scene sc = scene_new();
    struct wire_request rq;

    scene_hosts(&sc, 2, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1", ONE " queue_rank=30");
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1", ONE " queue_rank=10");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2", TWO " queue_rank=20");
    scene_job(&sc, "4.svr", "workq", "1:ncpus=1", ONE " queue_rank=40 job_state=H");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "2.svr", "(n2:ncpus=2)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "4.svr", "nothing");
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[0].id, "1.svr");
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[2].id, "3.svr");
    CU_ASSERT_FALSE(sc.plan.again);
    CU_ASSERT_TRUE_FATAL(plan_step_request(&sc.plan.steps[0], sc.arena, &rq));
    CU_ASSERT_EQUAL(rq.number, BATCH_ASYRUN_JOB);
    scene_free(&sc);
}

static void test_comments(void)
{
    static const struct {
        const char *story, *queue, *select, *more, *expect, *log;
    } cases[] = {
        { "stopped queue", "stopped", "1:ncpus=1", ONE,
          "Not Running: Queue not started.", "Queue not started" },
        { "more than is free", "workq", "1:ncpus=2+1:ncpus=2", "Resource_List.ncpus=4",
          "Not Running: Insufficient amount of resource: ncpus (R: 4 A: 3 T: 4)",
          "Insufficient amount of resource: ncpus (R: 4 A: 3 T: 4)" },
        { "more than there is", "workq", "5:ncpus=1", "Resource_List.ncpus=5",
          "Can Never Run: Insufficient amount of resource: ncpus (R: 5 A: 3 T: 4)",
          "Insufficient amount of resource: ncpus (R: 5 A: 3 T: 4)" },
        { "a chunk above every vnode, though all have enough", "workq", "1:ncpus=3",
          "Resource_List.ncpus=3",
          "Can Never Run: Insufficient amount of resource: ncpus (R: 3 A: 2 T: 2)",
          "Insufficient amount of resource: ncpus (R: 3 A: 2 T: 2)" },
        { "what is free of one vnode only for a while", "workq", "2:ncpus=2",
          "Resource_List.ncpus=3",
          "Not Running: Insufficient amount of resource: ncpus ",
          "Insufficient amount of resource: ncpus " },
        { "chunks above every host that they shall lie on together", "workq",
          "2:ncpus=2", "Resource_List.ncpus=3 Resource_List.place=pack",
          "Can Never Run: Insufficient amount of resource: ncpus (R: 4 A: 2 T: 2)",
          "Insufficient amount of resource: ncpus (R: 4 A: 2 T: 2)" },
        { "nobody has it", "workq", "1:ncpus=1:arch=linux", ONE,
          "Can Never Run: Insufficient amount of resource: arch (linux != )",
          "Insufficient amount of resource: arch (linux != )" },
        { "another host", "workq", "1:ncpus=1:host=n9", ONE,
          "Can Never Run: Insufficient amount of resource: host (n9 != n1,n2)",
          "Insufficient amount of resource: host (n9 != n1,n2)" },
        { "sizes in their largest unit", "workq", "1:ncpus=1:mem=3gb",
          ONE " Resource_List.mem=3gb",
          "Can Never Run: Insufficient amount of resource: mem (R: 3gb A: 1gb T: 2gb)",
          "Insufficient amount of resource: mem (R: 3gb A: 1gb T: 2gb)" },
        { "more vnodes than there are", "workq", "3:ncpus=1",
          "Resource_List.ncpus=3 Resource_List.place=scatter",
          "Can Never Run: Not enough total nodes available",
          "Not enough total nodes available" },
        { "alone on a vnode", "workq", "3:ncpus=1",
          "Resource_List.ncpus=3 Resource_List.place=excl",
          "Not Running: Insufficient amount of resource: ncpus ", NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_vnode(&sc, "n1", "n1", 2, "resources_available.mem=1gb");
        scene_vnode(&sc, "n2", "n2", 2, "resources_available.mem=1gb");
        scene_queue(&sc, "workq", true);
        scene_queue(&sc, "stopped", false);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=1:mem=1gb",
                  "job_state=R exec_vnode=(n1:ncpus=1:mem=1048576kb) stime=999990");
        scene_job(&sc, "2.svr", cases[i].queue, cases[i].select, cases[i].more);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "2.svr", cases[i].expect);
        if (cases[i].log && scene_step(&sc, "2.svr"))
            CU_ASSERT_STRING_EQUAL(scene_step(&sc, "2.svr")->log, cases[i].log);
        scene_free(&sc);
    }
}

/* What this scheduler does not serve yet has a comment that says so. */
static void test_jobs_that_are_not_considered(void)
{
    static const struct {
        const char *story, *queue, *select, *more, *expect;
        bool sent;
    } cases[] = {
        { "an array of a stopped queue", "stopped", "1:ncpus=1",
          "array=True array_indices_remaining=1-2 " ONE,
          "Not Running: Queue not started.", true },
        { "an array that has begun keeps its comment", "workq", "1:ncpus=4",
          "job_state=B array=True array_indices_remaining=3-4 comment=Job~Array~Began "
          "Resource_List.ncpus=4",
          "Can Never Run: Insufficient amount of resource: ncpus (R: 4 A: 2 T: 2)",
          false },
        { "an array of which nothing is left", "workq", "1:ncpus=1",
          "job_state=B array=True array_indices_remaining=- " ONE, "nothing", false },
        { "suspended by a scheduler", "workq", "1:ncpus=1",
          "job_state=S substate=45 exec_vnode=(n1:ncpus=1) " ONE, "(n1:ncpus=1)",
          true },
        { "suspended by its user", "workq", "1:ncpus=1",
          "job_state=S substate=43 exec_vnode=(n1:ncpus=1) " ONE, "nothing", false },
        { "a select that cannot be read", "workq", "1:", ONE,
          "Not Running: Invalid Job/Resv select", true },
        { "of a routing queue", "route", "1:ncpus=1", ONE, "nothing", false },
        { "of another scheduler's queue", "other", "1:ncpus=1", ONE, "nothing", false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        const char *id = strstr(cases[i].more, "array=") ? "1[].svr" : "1.svr";
        struct wire_request rq;

        scene_hosts(&sc, 1, 2);
        scene_queue(&sc, "workq", true);
        scene_queue(&sc, "stopped", false);
        scene_add(&sc, OBJECT_QUEUE, "route", "queue_type=Route started=True");
        scene_add(&sc, OBJECT_QUEUE, "other",
                  "queue_type=Execution started=True partition=p2");
        scene_job(&sc, id, cases[i].queue, cases[i].select, cases[i].more);
        scene_plan(&sc);
        ASSERT_SAID(&sc, id, cases[i].expect);
        if (scene_step(&sc, id))
            CU_ASSERT_EQUAL(plan_step_request(scene_step(&sc, id), sc.arena, &rq),
                            cases[i].sent);
        scene_free(&sc);
    }
}

/* The steps of a plan, "7[1].svr=(n1:ncpus=1) ..." */
static const char *steps_of(const struct scene *sc)
{
    const char *text = "";

    for (size_t i = 0; i < sc->plan.n; i++)
        text =
            arena_printf(sc->arena, "%s%s%s=%s", text, i ? " " : "",
                         sc->plan.steps[i].id, scene_said_of(sc, &sc->plan.steps[i]));
    return text;
}

/* Subjobs are started in order until one finds no room; what comes behind the array is
 * looked at after it (scheduling.md 25). */
static void test_arrays(void)
{
    static const struct {
        const char *story, *only, *more, *expect;
    } cases[] = {
        { "as many as there is room for", NULL, "array_indices_remaining=2,5-9:2 ",
          "1[2].svr=(n1:ncpus=1) 1[5].svr=(n1:ncpus=1) 1[7].svr=(n2:ncpus=1) "
          "1[].svr=Not Running: Not enough free nodes available" },
        { "as many as are left", NULL, "array_indices_remaining=2 ",
          "1[2].svr=(n1:ncpus=1) 2.svr=(n1:ncpus=1)" },
        { "as many as may run at once", NULL,
          "array_indices_remaining=3-9 max_run_subjobs=2 ",
          "1[3].svr=(n1:ncpus=1) "
          "1[].svr=Not Running: Number of concurrent running subjobs limit reached "
          "2.svr=(n1:ncpus=1)" },
        { "qrun of a subjob", "1[7].svr", "array_indices_remaining=3-9 ",
          "1[7].svr=(n1:ncpus=1)" },
        { "qrun of some subjobs", "1[8-20].svr", "array_indices_remaining=3-9 ",
          "1[8].svr=(n1:ncpus=1) 1[9].svr=(n1:ncpus=1)" },
        { "qrun of one that does not wait", "1[2].svr", "array_indices_remaining=3-9 ",
          "" },
        { "what is no list of indices", NULL, "array_indices_remaining=3-,x ",
          "2.svr=(n1:ncpus=1)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char text[256];

        scene_hosts(&sc, 2, 2);
        scene_queue(&sc, "workq", true);
        snprintf(text, sizeof(text), "array=True job_state=B %s" ONE, cases[i].more);
        scene_job(&sc, "1[].svr", "workq", "1:ncpus=1", text);
        if (!strstr(cases[i].story, "room"))
            scene_job(&sc, "2.svr", "workq", "1:ncpus=1", ONE);
        /* One that runs already, and one that waits to be run again, which is told as
         * an index that is left. */
        scene_job(&sc, "1[1].svr", "workq", "1:ncpus=1",
                  "array_id=1[].svr job_state=R exec_vnode=(n2:ncpus=1) " ONE);
        scene_job(&sc, "1[2].svr", "workq", "1:ncpus=1",
                  "array_id=1[].svr job_state=Q " ONE);
        sched_plan(sc.snapshot, sc.policy, NOW, cases[i].only, sc.arena, &sc.plan);
        if (strcmp(steps_of(&sc), cases[i].expect) != 0)
            printf("%s: %s\n", cases[i].story, steps_of(&sc));
        CU_ASSERT_STRING_EQUAL(steps_of(&sc), cases[i].expect);
        scene_free(&sc);
    }
}

/* Its host is in use and has stopped it: it keeps all, and nobody resumes it. */
static void test_a_job_that_stands_keeps_its_vnode(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "job_state=U substate=43 exec_vnode=(n1:ncpus=1) stime=999990 " ONE);
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2", TWO);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=2", TWO);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "nothing");
    ASSERT_SAID(&sc, "2.svr", "(n2:ncpus=2)");
    ASSERT_SAID(&sc, "3.svr",
                "Not Running: Insufficient amount of resource: ncpus (R: 2 A: 1 T: 4)");
    scene_free(&sc);
}

static void test_full_complex(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=job-busy");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "job_state=R exec_vnode=(n1:ncpus=2) stime=999990");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2", TWO);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=2", TWO);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "Not Running: Not enough free nodes available");
    ASSERT_SAID(&sc, "3.svr", "Not Running: Not enough free nodes available");
    scene_free(&sc);
}

static void test_comment_is_sent_once(void)
{
    struct scene sc = scene_new();
    struct wire_request rq;
    const struct body_manage *body;

    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "stopped", false);
    scene_job(&sc, "1.svr", "stopped", "1:ncpus=1",
              "comment=Not~Running:~Queue~not~started.");
    scene_job(&sc, "2.svr", "stopped", "1:ncpus=1", "comment=other");
    scene_plan(&sc);
    CU_ASSERT_FALSE(plan_step_request(scene_step(&sc, "1.svr"), sc.arena, &rq));
    CU_ASSERT_TRUE_FATAL(plan_step_request(scene_step(&sc, "2.svr"), sc.arena, &rq));
    body = rq.body;
    CU_ASSERT_EQUAL(rq.number, BATCH_MODIFY_JOB_ASYNC);
    CU_ASSERT_STRING_EQUAL(body->object_name, "2.svr");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "comment", NULL),
                           "Not Running: Queue not started.");
    scene_free(&sc);
}

/* Jobs end before a reservation begins, or stay away from its vnodes. */
static void test_jobs_avoid_reservations(void)
{
    static const struct {
        const char *story, *walltime, *expect;
    } cases[] = {
        { "ends in time", "Resource_List.walltime=00:01:40", "(n1:ncpus=2)" },
        { "one second late", "Resource_List.walltime=00:01:41",
          "Not Running: Job would conflict with reservation or top job" },
        { "without walltime", ONE,
          "Not Running: Job would conflict with reservation or top job" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char more[128];

        scene_hosts(&sc, 1, 2);
        scene_queue(&sc, "workq", true);
        scene_resv(&sc, 7, CO, NOW + 100, NOW + 200, "1:ncpus=2",
                   FREE " resv_nodes=(n1:ncpus=2)");
        snprintf(more, sizeof(more), "%s Resource_List.ncpus=2", cases[i].walltime);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=2", more);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* Inside a reservation only its vnodes exist, with the amounts assigned to it. */
static void test_jobs_in_reservations(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 4, "");
    scene_vnode(&sc, "n2", "n2", 2, "state=offline");
    scene_vnode(&sc, "n3", "n3", 2, "");
    scene_queue(&sc, "workq", true);
    scene_resv(&sc, 7, RN, NOW - 10, NOW + 200, "3:ncpus=2",
               FREE " resv_nodes=(n1:ncpus=2)+(n2:ncpus=2)+(n3:ncpus=2)");
    scene_resv(&sc, 8, CO, NOW + 500, NOW + 600, "1:ncpus=2",
               FREE " resv_nodes=(n3:ncpus=2)");
    scene_job(&sc, "0.svr", "workq", "1:ncpus=2",
              TWO " Resource_List.walltime=100 queue_rank=1");
    scene_job(&sc, "1.svr", "R7", "1:ncpus=1",
              "job_state=R exec_vnode=(n1:ncpus=1) stime=999990");
    scene_job(&sc, "2.svr", "R7", "1:ncpus=2", TWO " queue_rank=2");
    scene_job(&sc, "3.svr", "R7", "1:ncpus=1", ONE " queue_rank=3");
    scene_job(&sc, "4.svr", "R7", "1:ncpus=1", ONE " queue_rank=4");
    scene_job(&sc, "5.svr", "R8", "1:ncpus=1", ONE " queue_rank=5");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "0.svr", "(n1:ncpus=2)");
    ASSERT_SAID(&sc, "2.svr", "(n3:ncpus=2)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "4.svr", "Not Running: Insufficient amount of resource: ncpus ");
    ASSERT_SAID(&sc, "5.svr", "Not Running: Queue not started.");
    /* the jobs of reservations go first */
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[1].id, "2.svr");
    scene_free(&sc);
}

/* What the reservation does not name on a vnode is the vnode's own. */
static void test_jobs_beside_their_reservation(void)
{
#define GB "Resource_List.mem=1gb " FREE
    static const struct {
        const char *story;
        const char *nodes; /* of R7, running, on n1 and n2 of 2 cpus and 4 gb */
        const char *select, *more;
        const char *expect, *outside; /* a job of 3 gb on n1 */
    } cases[] = {
        { "from what the vnode has", "(n1:ncpus=1)", "1:ncpus=1:mem=2gb", GB,
          "(n1:ncpus=1:mem=2097152kb)",
          "Not Running: Insufficient amount of resource: mem " },
        { "a job outside leaves less", "(n1:ncpus=1)", "1:ncpus=1:mem=4gb",
          GB " Resource_List.walltime=00:00:10",
          "Not Running: Insufficient amount of resource: mem ",
          "(n1:ncpus=1:mem=3145728kb)" },
        { "more than there is", "(n1:ncpus=1)", "1:ncpus=1:mem=5gb", GB,
          "Not Running: Insufficient amount of resource: mem ",
          "(n1:ncpus=1:mem=3145728kb)" },
        { "what it names is all there is", "(n1:ncpus=1:mem=1048576kb)",
          "1:ncpus=1:mem=2gb", GB, "Not Running: Insufficient amount of resource: mem ",
          "Not Running: Insufficient amount of resource: mem " },
        { "named on one vnode only", "(n1:ncpus=1:mem=1048576kb)+(n2:ncpus=1)",
          "1:ncpus=1:mem=2gb", GB, "(n2:ncpus=1:mem=2097152kb)",
          "Not Running: Insufficient amount of resource: mem " },
        { "its cpus are its own", "(n1:ncpus=1)", "1:ncpus=2:mem=1gb", GB,
          "Not Running: Insufficient amount of resource: ncpus ",
          "(n1:ncpus=1:mem=3145728kb)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char more[200];

        scene_vnode(&sc, "n1", "n1", 2, "resources_available.mem=4gb");
        scene_vnode(&sc, "n2", "n2", 2, "resources_available.mem=4gb");
        scene_queue(&sc, "workq", true);
        snprintf(more, sizeof(more), FREE " resv_nodes=%s", cases[i].nodes);
        scene_resv(&sc, 7, RN, NOW - 10, NOW + 100, "1:ncpus=1", more);
        scene_job(&sc, "0.svr", "workq", "1:mem=1gb",
                  "job_state=R exec_vnode=(n1:mem=1048576kb) stime=999990");
        scene_job(&sc, "1.svr", "R7", cases[i].select, cases[i].more);
        scene_job(&sc, "2.svr", "workq", "1:ncpus=1:mem=3gb:host=n1",
                  ONE " Resource_List.walltime=00:00:10");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "1.svr", cases[i].expect);
        ASSERT_SAID(&sc, "2.svr", cases[i].outside);
        scene_free(&sc);
    }
#undef GB
}

/* A job that runs inside and uses what the reservation does not name holds it. */
static void test_what_runs_beside_is_held(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "resources_available.mem=4gb");
    scene_queue(&sc, "workq", true);
    scene_resv(&sc, 7, RN, NOW - 10, NOW + 100, "1:ncpus=1",
               FREE " resv_nodes=(n1:ncpus=1)");
    scene_job(&sc, "1.svr", "R7", "1:ncpus=1:mem=3gb",
              "job_state=R exec_vnode=(n1:ncpus=1:mem=3145728kb) stime=999990");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1:mem=2gb", ONE);
    scene_job(&sc, "3.svr", "workq", "1:ncpus=1:mem=1gb", ONE);
    scene_resv(&sc, 8, "reserve_state=1 reserve_substate=1", NOW + 50, NOW + 90,
               "1:mem=2gb", FREE);
    scene_resv(&sc, 9, "reserve_state=1 reserve_substate=1", NOW + 100, NOW + 190,
               "1:mem=2gb", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R8.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R9.svr", "(n1:mem=2097152kb)");
    sc.plan.n = 0;
    snapshot_skip_resv(sc.snapshot, "R8.svr");
    snapshot_skip_resv(sc.snapshot, "R9.svr");
    scene_plan(&sc);
    ASSERT_SAID(
        &sc, "2.svr",
        "Not Running: Insufficient amount of resource: mem (R: 2gb A: 1gb T: 4gb)");
    ASSERT_SAID(&sc, "3.svr", "(n1:ncpus=1:mem=1048576kb)");
    scene_free(&sc);
}

static void test_queue_order(void)
{
    struct scene sc = scene_new();
    struct diag why;

    CU_ASSERT_EQUAL(policy_line(sc.policy, "by_queue: True\tALL", &why), POLICY_FINE);
    scene_hosts(&sc, 1, 1);
    scene_queue(&sc, "low", true);
    scene_add(&sc, OBJECT_QUEUE, "high",
              "queue_type=Execution started=True Priority=100");
    scene_job(&sc, "1.svr", "low", "1:ncpus=1", ONE " queue_rank=1");
    scene_job(&sc, "2.svr", "high", "1:ncpus=1", ONE " queue_rank=2");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    CU_ASSERT_EQUAL(scene_step(&sc, "1.svr")->kind, PLAN_COMMENT_JOB);
    scene_free(&sc);
}

static void test_run_request(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "stopped", false);
    scene_job(&sc, "1.svr", "stopped", "1:ncpus=1", ONE " job_state=H");
    scene_job(&sc, "2.svr", "stopped", "1:ncpus=1", ONE);
    scene_resv(&sc, 3, "reserve_state=1 reserve_substate=1", NOW + 10, NOW + 20,
               "1:ncpus=1", FREE);
    sched_plan(sc.snapshot, sc.policy, NOW, "1.svr", sc.arena, &sc.plan);
    CU_ASSERT_EQUAL(sc.plan.n, 1);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

static void test_vnodes_of_queues(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "queue=special");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_queue(&sc, "workq", true);
    scene_queue(&sc, "special", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1", ONE);
    scene_job(&sc, "2.svr", "special", "1:ncpus=1", ONE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=1)");
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

static void test_policy_acts(void)
{
    struct scene sc = scene_new();
    struct diag why;

    CU_ASSERT_EQUAL(
        policy_line(sc.policy, "node_sort_key: \"sort_priority HIGH\"", &why),
        POLICY_FINE);
    CU_ASSERT_EQUAL(policy_line(sc.policy, "resources: \"ncpus, host\"", &why),
                    POLICY_FINE);
    scene_vnode(&sc, "n1", "n1", 2, "");
    scene_vnode(&sc, "n2", "n2", 2, "Priority=5");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1:mem=1tb", ONE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=1)"); /* mem is not in resources */
    scene_free(&sc);
}

/* What is asked for may be below nothing and beyond everything; others get no more for
 * it, and nobody gets what is not there. */
static void test_absurd_amounts(void)
{
#define NEVER "Can Never Run: Insufficient amount of resource: "
    static const struct {
        const char *story, *running, *first, *second, *expect;
    } cases[] = {
        { "what there is", NULL, "1:ncpus=1:lic=1:fl=0.5", "1:ncpus=1:lic=1:fl=1",
          "(n1:ncpus=1:lic=1:fl=1)" },
        { "more than any number", NULL, "1:ncpus=1", "1:ncpus=1:fl=1e300",
          NEVER "fl (R: 9.007199255e+11 A: 1.5 T: 1.5)" },
        { "less than nothing beside it", NULL, "1:ncpus=1:lic=-5:fl=-5",
          "1:ncpus=1:lic=3", NEVER "lic (R: 3 A: 2 T: 2)" },
        { "less than nothing of a float beside it", NULL, "1:ncpus=1:fl=-5",
          "1:ncpus=1:fl=2", NEVER "fl (R: 2 A: 1.5 T: 1.5)" },
        { "somebody has less than nothing", "(n1:ncpus=1:lic=-5)", "1:ncpus=1",
          "1:ncpus=1:lic=3", NEVER "lic (R: 3 A: 2 T: 2)" },
        { "somebody has everything twice",
          "(n1:ncpus=1:lic=9223372036854775807:lic=9223372036854775807)", "1:ncpus=1",
          "1:ncpus=1:lic=1",
          "Not Running: Insufficient amount of resource: lic (R: 1 A: 0 T: 2)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        struct diag why = { 0 };
        char more[200];

        CU_ASSERT_EQUAL(policy_line(sc.policy, "resources: \"ncpus, lic, fl\"", &why),
                        POLICY_FINE);
        scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 flag=163840");
        scene_add(&sc, OBJECT_RESOURCE, "fl", "type=14 flag=163840");
        scene_vnode(&sc, "n1", "n1", 8,
                    "resources_available.lic=2 resources_available.fl=1.5");
        scene_queue(&sc, "workq", true);
        snprintf(more, sizeof(more), ONE " job_state=R exec_vnode=%s",
                 cases[i].running ? cases[i].running : "(n1:ncpus=1)");
        scene_job(&sc, "1.svr", "workq", "1:ncpus=1", more);
        scene_job(&sc, "2.svr", "workq", cases[i].first, ONE " queue_rank=10");
        scene_job(&sc, "3.svr", "workq", cases[i].second, ONE " queue_rank=20");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "3.svr", cases[i].expect);
        scene_free(&sc);
    }
#undef NEVER
}

/* Six jobs, of which the first three wait for different reasons: a plan that is left
 * goes on behind the last one that was tried in vain. */
static void test_a_plan_in_slices(void)
{
    static const char *const selects[] = { "1:ncpus=3", "1:ncpus=4", "1:ncpus=5",
                                           "1:ncpus=1", "1:ncpus=1", "1:ncpus=6" };
    struct scene sc = scene_new();
    struct planning *p;
    const char *last_id;

    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "workq", true);
    for (size_t i = 0; i < COUNT(selects); i++)
        scene_job(&sc, arena_printf(sc.arena, "%zu.svr", i + 1), "workq", selects[i],
                  "Resource_List.walltime=100 Resource_List.place=free");
    p = planning_new(sc.snapshot, sc.policy, NOW, &(struct sched_look){ 0 }, sc.arena,
                     &sc.plan);
    CU_ASSERT_EQUAL(sc.plan.n, 0);
    CU_ASSERT_PTR_NULL(planning_last_waiting(p));
    CU_ASSERT_TRUE(planning_go_on(p, 1)); /* at least one */
    CU_ASSERT_EQUAL(sc.plan.n, 1);
    CU_ASSERT_TRUE(planning_go_on(p, 1));
    CU_ASSERT_TRUE(planning_go_on(p, 64)); /* two */
    CU_ASSERT_EQUAL(sc.plan.n, 4);
    CU_ASSERT_STRING_EQUAL(sc.plan.steps[3].id, "4.svr");
    CU_ASSERT_EQUAL(sc.plan.steps[3].kind, PLAN_RUN_JOB);
    last_id = planning_last_waiting(p);
    CU_ASSERT_STRING_EQUAL(last_id, "3.svr"); /* the one that runs waits no more */
    planning_free(p);

    p = planning_new(sc.snapshot, sc.policy, NOW,
                     &(struct sched_look){ .last_id = last_id }, sc.arena, &sc.plan);
    CU_ASSERT_FALSE(planning_go_on(p, SIZE_MAX));
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 6);
    for (size_t i = 0; i < 6; i++)
        CU_ASSERT_EQUAL(sc.plan.steps[i].id[0], "456123"[i]);
    planning_free(p);

    /* A job that is gone says nothing. */
    p = planning_new(sc.snapshot, sc.policy, NOW,
                     &(struct sched_look){ .last_id = "9.svr" }, sc.arena, &sc.plan);
    CU_ASSERT_FALSE(planning_go_on(p, SIZE_MAX));
    CU_ASSERT_EQUAL(sc.plan.steps[0].id[0], '1');
    planning_free(p);
    scene_free(&sc);
}

#define ASKS(mem) "Resource_List.ncpus=1 Resource_List.mem=" mem " " FREE

/* What runs from the queue counts, what is suspended does not; each job that the plan
 * starts counts for the next. Other queues have their own. */
static void test_what_a_queue_has(void)
{
    static const char *const short_of_1gb =
        "Not Running: Insufficient amount of queue resource: mem (R: 1gb A: 512mb T: "
        "3gb)";
    struct scene sc = scene_new();

    scene_hosts(&sc, 4, 4);
    scene_add(&sc, OBJECT_QUEUE, "small",
              "queue_type=Execution started=True resources_available.mem=3gb "
              "resources_available.arch=linux");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "small", "1:ncpus=1",
              ASKS("1gb") " job_state=R exec_vnode=(n1:ncpus=1)");
    scene_job(&sc, "2.svr", "small", "1:ncpus=1",
              ASKS("3gb") " job_state=S substate=43 exec_vnode=(n1:ncpus=1)");
    scene_job(&sc, "3.svr", "small", "1:ncpus=1", ASKS("1536mb"));
    scene_job(&sc, "4.svr", "small", "1:ncpus=1", ASKS("1gb"));
    scene_job(&sc, "5.svr", "small", "1:ncpus=1", ASKS("512mb"));
    scene_job(&sc, "6.svr", "small", "1:ncpus=1", ASKS("4gb"));
    scene_job(&sc, "7.svr", "small", "1:ncpus=1", "Resource_List.ncpus=1 " FREE);
    scene_job(&sc, "8.svr", "workq", "1:ncpus=1", ASKS("9gb"));
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "3.svr")->kind, PLAN_RUN_JOB);
    CU_ASSERT_EQUAL(scene_step(&sc, "4.svr")->failure, FAIL_QUEUE_SHORT);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "4.svr")->reason, short_of_1gb);
    CU_ASSERT_EQUAL(scene_step(&sc, "5.svr")->kind, PLAN_RUN_JOB);
    CU_ASSERT_STRING_EQUAL(
        scene_step(&sc, "6.svr")->reason,
        "Can Never Run: Insufficient amount of queue resource: mem (R: 4gb A: 0kb T: "
        "3gb)");
    CU_ASSERT_EQUAL(scene_step(&sc, "7.svr")->kind, PLAN_RUN_JOB);
    CU_ASSERT_EQUAL(scene_step(&sc, "8.svr")->kind, PLAN_RUN_JOB);
    scene_free(&sc);
}

/* What all jobs have counts, whatever their queues; a reservation is no way around what
 * runs, and its jobs are held back by it alone. */
static void test_what_the_server_has(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 4, 4);
    scene_add(&sc, OBJECT_SERVER, "svr",
              "resources_available.mem=3gb resources_available.arch=linux");
    scene_queue(&sc, "a", true);
    scene_queue(&sc, "b", true);
    scene_job(&sc, "1.svr", "a", "1:ncpus=1",
              ASKS("1gb") " job_state=R exec_vnode=(n1:ncpus=1)");
    scene_job(&sc, "2.svr", "a", "1:ncpus=1",
              ASKS("3gb") " job_state=S substate=43 exec_vnode=(n1:ncpus=1)");
    scene_job(&sc, "3.svr", "b", "1:ncpus=1", ASKS("1536mb"));
    scene_job(&sc, "4.svr", "a", "1:ncpus=1", ASKS("1gb"));
    scene_job(&sc, "5.svr", "b", "1:ncpus=1", ASKS("512mb"));
    scene_job(&sc, "6.svr", "b", "1:ncpus=1", ASKS("4gb"));
    scene_job(&sc, "7.svr", "b", "1:ncpus=1", "Resource_List.ncpus=1 " FREE);
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "3.svr")->kind, PLAN_RUN_JOB);
    CU_ASSERT_EQUAL(scene_step(&sc, "4.svr")->failure, FAIL_SERVER_SHORT);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "4.svr")->reason,
                           "Not Running: Insufficient amount of server resource: mem "
                           "(R: 1gb A: 512mb T: 3gb)");
    CU_ASSERT_EQUAL(scene_step(&sc, "5.svr")->kind, PLAN_RUN_JOB);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "6.svr")->reason,
                           "Can Never Run: Insufficient amount of server resource: mem "
                           "(R: 4gb A: 0kb T: 3gb)");
    CU_ASSERT_EQUAL(scene_step(&sc, "7.svr")->kind, PLAN_RUN_JOB);
    scene_free(&sc);
}

#define STANDS(more)                                                                   \
    "job_state=S substate=45 exec_vnode=(n1:ncpus=2:mem=1gb) "                         \
    "Resource_List.walltime=100 " more " " ONE

/* It goes on where it is, as long as is left of it, or waits. What it has kept is its
 * own, and nobody else's. */
static void test_suspended_jobs(void)
{
    static const struct {
        const char *story, *more, *other, *expect, *expect_other;
    } cases[] = {
        { "there is room", STANDS("exec_vnode_kept=(n1)"), NULL, "(n1:ncpus=2:mem=1gb)",
          "(n1:ncpus=2)" },
        { "somebody has its vnode, and another one is free",
          STANDS("exec_vnode_kept=(n1)"), "job_state=R exec_vnode=(n1:ncpus=3) " ONE,
          "Not Running: No available resources on nodes", "(n2:ncpus=2)" },
        { "what it has kept is not in its way", STANDS("exec_vnode_kept=(n1:mem=1gb)"),
          NULL, "(n1:ncpus=2:mem=1gb)", "(n1:ncpus=2)" },
        { "a reservation begins before it is over",
          STANDS("exec_vnode_kept=(n1) ran_time=30 runs_from=999990"), "resv 60",
          "Not Running: No available resources on nodes", NULL },
        { "a reservation begins after what is left of it",
          STANDS("exec_vnode_kept=(n1) ran_time=60 runs_from=999990"), "resv 60",
          "(n1:ncpus=2:mem=1gb)", NULL },
        { "its user has not said that it may",
          "job_state=S substate=43 exec_vnode=(n1:ncpus=2) exec_vnode_kept=(n1) " ONE,
          NULL, "nothing", "(n1:ncpus=2)" },
        { "an administrator's keeps all",
          "job_state=S substate=43 exec_vnode=(n1:ncpus=3) "
          "exec_vnode_kept=(n1:ncpus=3) " ONE,
          NULL, "nothing", "(n2:ncpus=2)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        bool resv = cases[i].other && strncmp(cases[i].other, "resv", 4) == 0;

        scene_vnode(&sc, "n1", "n1", 4, "resources_available.mem=1gb");
        scene_vnode(&sc, "n2", "n2", 4, "resources_available.mem=1gb");
        scene_queue(&sc, "workq", true);
        if (resv)
            scene_resv(&sc, 1, CO, NOW + atoi(cases[i].other + 5), NOW + 900,
                       "1:ncpus=4", "resv_nodes=(n1:ncpus=4)");
        else if (cases[i].other)
            scene_job(&sc, "2.svr", "workq", "1:ncpus=3", cases[i].other);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=2:mem=1gb", cases[i].more);
        scene_job(&sc, "3.svr", "workq", "1:ncpus=2", ONE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "1.svr", cases[i].expect);
        if (cases[i].expect_other)
            ASSERT_SAID(&sc, "3.svr", cases[i].expect_other);
        if (scene_step(&sc, "1.svr") &&
            scene_step(&sc, "1.svr")->kind == PLAN_RUN_JOB) {
            struct wire_request rq;

            CU_ASSERT_TRUE(plan_step_request(scene_step(&sc, "1.svr"), sc.arena, &rq));
            CU_ASSERT_EQUAL(rq.number, BATCH_SIGNAL_JOB);
        }
        scene_free(&sc);
    }
}

/* A job that was checkpointed runs where its image lies, or waits for that. */
static void test_jobs_with_an_image(void)
{
    static const struct {
        const char *story, *other, *expect, *expect_other;
    } cases[] = {
        { "the first vnode would do as well", NULL, "(n2:ncpus=2)", "(n1:ncpus=2)" },
        { "somebody has its vnode", "job_state=R exec_vnode=(n2:ncpus=3) " ONE,
          "Not Running: No available resources on nodes", "(n1:ncpus=2)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        struct wire_request rq;

        scene_vnode(&sc, "n1", "n1", 4, "");
        scene_vnode(&sc, "n2", "n2", 4, "");
        scene_queue(&sc, "workq", true);
        if (cases[i].other)
            scene_job(&sc, "2.svr", "workq", "1:ncpus=3", cases[i].other);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
                  "job_state=Q exec_vnode=(n2:ncpus=2) " ONE);
        scene_job(&sc, "3.svr", "workq", "1:ncpus=2", ONE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "1.svr", cases[i].expect);
        ASSERT_SAID(&sc, "3.svr", cases[i].expect_other);
        if (!cases[i].other) {
            CU_ASSERT_TRUE(plan_step_request(scene_step(&sc, "1.svr"), sc.arena, &rq));
            CU_ASSERT_EQUAL(rq.number, BATCH_ASYRUN_JOB);
        }
        scene_free(&sc);
    }
}

/* Inside a reservation others of it may have the room meanwhile. */
static void test_suspended_jobs_of_a_reservation(void)
{
    for (int busy = 0; busy < 2; busy++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 2, 4);
        scene_resv(&sc, 1, RN, NOW - 10, NOW + 900, "1:ncpus=2",
                   "resv_nodes=(n1:ncpus=2)");
        scene_queue(&sc, "R1", true);
        scene_job(&sc, "1.svr", "R1", "1:ncpus=2",
                  "job_state=S substate=45 exec_vnode=(n1:ncpus=2) "
                  "exec_vnode_kept=(n1) " ONE);
        if (busy)
            scene_job(&sc, "2.svr", "R1", "1:ncpus=1",
                      "job_state=R exec_vnode=(n1:ncpus=1) " ONE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "1.svr",
                    busy ? "Not Running: Insufficient amount of resource: ncpus "
                         : "(n1:ncpus=2)");
        scene_free(&sc);
    }
}

/* Each test in its order, with its words; a limit of one's own before the generic one,
 * jobs that the plan starts count, and a run request asks none. */
static void test_limits(void)
{
    static const struct {
        const char *story, *queue, *server, *reason;
    } cases[] = {
        { "everybody in the queue", "max_run=[o:PBS_ALL=1]", "",
          "Not Running: Queue small job limit has been reached." },
        { "the same of old", "max_running=1", "",
          "Not Running: Queue small job limit has been reached." },
        { "the user in the queue", "max_run=[u:PBS_GENERIC=1]", "",
          "Not Running: User has reached queue small running job limit." },
        { "of old", "max_user_run=1", "",
          "Not Running: User has reached queue small running job limit." },
        { "this user", "max_run=[u:ann=1]", "",
          "Not Running: Queue small job limit reached for user ann" },
        { "this user may do more", "max_run=[u:PBS_GENERIC=1],[u:ann=9]", "", NULL },
        { "another one may not", "max_run=[u:bob=0]", "", NULL },
        { "the group", "max_run=[g:PBS_GENERIC=1]", "",
          "Not Running: Group has reached queue small running limit." },
        { "the project", "max_run=[p:PBS_GENERIC=1]", "",
          "Not Running: Project has reached queue small's running limit." },
        { "the group comes before the user", "max_run=[u:ann=1],[g:staff=1]", "",
          "Not Running: Queue small job limit reached for group staff" },
        { "the server", "", "max_run=[o:PBS_ALL=1]",
          "Not Running: Server job limit has been reached." },
        { "the user at the server", "", "max_user_run=1",
          "Not Running: User has reached server running job limit." },
        { "the project at the server", "", "max_run=[p:web=1]",
          "Not Running: Server job limit reached for project web" },
        { "cpus", "max_run_res.ncpus=[u:PBS_GENERIC=3]", "",
          "Not Running: Queue small per-user limit reached on resource ncpus" },
        { "just enough cpus", "max_run_res.ncpus=[u:PBS_GENERIC=4]", "", NULL },
        { "cpus of all", "", "max_run_res.ncpus=[o:PBS_ALL=3]",
          "Not Running: would exceed overall limit on resource ncpus in complex" },
        { "cpus of this group", "", "max_run_res.ncpus=[g:staff=3]",
          "Not Running: would exceed group staff's limit on resource ncpus in "
          "complex" },
        { "cpus of old", "", "max_group_res.ncpus=3",
          "Not Running: Server per-group limit reached on resource ncpus" },
    };

    static const char *const how[] = { "", "job_state=R exec_vnode=(n1:ncpus=2)",
                                       "job_state=U exec_vnode=(n1:ncpus=2)" };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (size_t runs = 0; runs < ARRAY_LEN(how); runs++) {
            struct scene sc = scene_new();
            const char *who =
                "Resource_List.ncpus=2 euser=ann egroup=staff project=web " FREE;
            char text[300];
            const struct plan_step *step;

            scene_hosts(&sc, 4, 4);
            snprintf(text, sizeof(text), "queue_type=Execution started=True %s",
                     cases[i].queue);
            scene_add(&sc, OBJECT_QUEUE, "small", text);
            scene_add(&sc, OBJECT_SERVER, "svr", cases[i].server);
            snprintf(text, sizeof(text), "%s %s", who, how[runs]);
            scene_job(&sc, "1.svr", "small", "1:ncpus=2", text);
            scene_job(&sc, "2.svr", "small", "1:ncpus=2", who);
            scene_plan(&sc);
            step = scene_step(&sc, "2.svr");
            if (cases[i].reason && !str_same(step->reason, cases[i].reason))
                printf("%s: %s\n", cases[i].story,
                       step->reason ? step->reason : "runs");
            if (cases[i].reason) {
                CU_ASSERT_STRING_EQUAL(step->reason ? step->reason : "",
                                       cases[i].reason);
            } else {
                CU_ASSERT_EQUAL(step->kind, PLAN_RUN_JOB);
            }
            scene_free(&sc);
        }
}

/* A name that no host has is compared with those of all of them. */
static void words_have_a_limit(void)
{
    struct scene sc = scene_new();
    const struct plan_step *step;

    scene_hosts(&sc, 400, 1);
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1:host=nosuch", "");
    scene_plan(&sc);
    step = scene_step(&sc, "1.svr");
    CU_ASSERT_TRUE(
        strncmp(step->reason,
                "Can Never Run: Insufficient amount of resource: host "
                "(nosuch != n1,n2,",
                strlen("Can Never Run: Insufficient amount of resource: host "
                       "(nosuch != n1,n2,")) == 0);
    CU_ASSERT_EQUAL(strlen(step->reason), 1023);
    CU_ASSERT_EQUAL(strlen(step->log), 1023);
    scene_free(&sc);
}

/* job_run_wait; hooks are asked about at a server that says it has some. */
static void test_what_a_run_waits_for(void)
{
    static const struct {
        const char *sched, *server;
        uint32_t number;
        bool awaited;
    } rows[] = {
        { "", "", BATCH_ASYRUN_JOB, false },
        { "job_run_wait=none", "has_runjob_hook=True", BATCH_ASYRUN_JOB, false },
        { "job_run_wait=runjob_hook", "has_runjob_hook=False", BATCH_ASYRUN_JOB,
          false },
        { "job_run_wait=runjob_hook", "has_runjob_hook=True", BATCH_ASYRUN_JOB_ACK,
          true },
        { "job_run_wait=execjob_hook", "has_runjob_hook=False", BATCH_RUN_JOB, true },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene sc = scene_new();
        struct wire_request rq;

        scene_add(&sc, OBJECT_SCHED, "default", rows[i].sched);
        scene_add(&sc, OBJECT_SERVER, "svr", rows[i].server);
        scene_hosts(&sc, 1, 1);
        scene_queue(&sc, "workq", true);
        scene_job(&sc, "1.svr", "workq", "1:ncpus=1", ONE);
        scene_plan(&sc);
        CU_ASSERT_EQUAL_FATAL(sc.plan.n, 1);
        CU_ASSERT_TRUE_FATAL(plan_step_request(&sc.plan.steps[0], sc.arena, &rq));
        CU_ASSERT_EQUAL(rq.number, rows[i].number);
        CU_ASSERT_EQUAL(plan_step_is_awaited(&sc.plan.steps[0]), rows[i].awaited);
        scene_free(&sc);
    }
}

static void test_a_run_that_is_refused(void)
{
    static const struct {
        const char *id, *object;
    } rows[] = {
        { "1.svr", "1.svr" },
        { "2[].svr", "2[].svr" },
        { "2[7].svr", NULL }, /* subjobs have no comment */
    };
    struct scene sc = scene_new();
    struct wire_request rq;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct plan_step step = { .kind = PLAN_RUN_JOB, .id = rows[i].id };
        const struct body_manage *body;
        bool any = plan_refused_request(&step, sc.policy, "no way", sc.arena, &rq);

        CU_ASSERT_EQUAL(any, rows[i].object != NULL);
        if (!any || !rows[i].object)
            continue;
        body = rq.body;
        CU_ASSERT_EQUAL(rq.number, BATCH_MODIFY_JOB_ASYNC);
        CU_ASSERT_STRING_EQUAL(body->object_name, rows[i].object);
        CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "comment", NULL),
                               "Not Running: PBS Error: no way");
    }
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a run waits for what job_run_wait says", test_what_a_run_waits_for },
        { "a run that is refused is told in the comment", test_a_run_that_is_refused },
        { "suspended jobs go on where they are", test_suspended_jobs },
        { "jobs with an image run where it lies", test_jobs_with_an_image },
        { "suspended jobs of a reservation go on inside",
          test_suspended_jobs_of_a_reservation },
        { "a plan in slices", test_a_plan_in_slices },
        { "jobs run by first fit in order of arrival",
          test_first_fit_in_order_of_arrival },
        { "a job that waits is told why", test_comments },
        { "words have a limit", words_have_a_limit },
        { "a job that is not served yet is told so",
          test_jobs_that_are_not_considered },
        { "subjobs are started in order", test_arrays },
        { "a job that stands keeps its vnode", test_a_job_that_stands_keeps_its_vnode },
        { "on a full complex there are no free nodes", test_full_complex },
        { "a comment is sent only when it changed", test_comment_is_sent_once },
        { "jobs do not run into reservations", test_jobs_avoid_reservations },
        { "jobs of a reservation see only their reservation",
          test_jobs_in_reservations },
        { "what a reservation does not name is the vnode's",
          test_jobs_beside_their_reservation },
        { "what a job uses beside its reservation is held",
          test_what_runs_beside_is_held },
        { "by_queue orders by the queues' priority", test_queue_order },
        { "a run request looks at one job and at no rule of queues", test_run_request },
        { "vnodes of a queue serve that queue only", test_vnodes_of_queues },
        { "a queue limits what its jobs have together", test_what_a_queue_has },
        { "the server limits what all jobs have together", test_what_the_server_has },
        { "limits of running jobs are kept", test_limits },
        { "absurd amounts help nobody", test_absurd_amounts },
        { "the order of vnodes and the resources compared follow the policy",
          test_policy_acts },
    };

    return unit_main("scheduler/plan_job", cases, COUNT(cases));
}
