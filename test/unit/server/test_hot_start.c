/* test_hot_start.c - "pbs_server -t hot": jobs that ran before run again where they
 * were (operations.md 11), and what may come in between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/engine/svr_priv.h"
#include "server/model/hot_start.h"
#include "server/model/node_life.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define GRACE_S 60 /* how long a job that its MoM does not list may be heard of */
#define SURE_S  20 /* how long one that it lists may be found to be gone */

/* Helpers. */

/* A job of all four cpus of n1 that runs. */
static const char *big_job(struct fake_mom *fm, const char *attrs)
{
    const char *id =
        submit(fm->r, RIG_USER, "",
               arena_printf(fm->r->arena,
                            "Resource_List.select=1:ncpus=4 Checkpoint=n %s", attrs),
               "sleep 5\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=4)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:00");
    return id;
}

static const char *server_state(struct rig *r)
{
    return rig_value(r, RIG_ROOT, BATCH_STATUS_SERVER, "", "server_state");
}

static void expect_state(struct rig *r, const char *state)
{
    const char *is = server_state(r);

    if (strcmp(is, state) != 0)
        fprintf(stderr, "server_state %s, expected %s\n", is, state);
    CU_ASSERT_STRING_EQUAL(is, state);
}

static const char *vnodes_of(const struct rig *r, const char *id)
{
    return obj_str(the_job(r, id), JOB_A_EXEC_VNODE, "");
}

static void answer(struct fake_mom *fm, uint32_t number)
{
    const struct is_message *told = fake_told(fm, number, 0);

    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    fake_answer(fm, told, 0, NULL);
}

/* The MoM is there and does not know the job any more: it goes back to its queue. */
static void mom_comes_without_jobs(struct fake_mom *fm)
{
    fake_connect(fm, 0, NULL);
    rig_advance(fm->r, fm->r->now_at + GRACE_S);
    answer(fm, BATCH_DELETE_JOB);
}

/* qterm -t immediate: it was running, and is queued when the server ends. */
static void requeued_by_shutdown(struct fake_mom *fm, const char *id)
{
    struct body_number body = { .value = 0 };

    rig_ask(fm->r, RIG_ROOT, BATCH_SHUTDOWN, &body, NULL);
    answer(fm, BATCH_SIGNAL_JOB);
    fake_obit(fm, id, 1, -11);
    answer(fm, BATCH_DELETE_JOB);
    CU_ASSERT_EQUAL(state_of(fm->r, id), 'Q');
    CU_ASSERT_EQUAL(rig_count(fm->r, EFFECT_EXIT), 1);
}

static void hot(struct rig *r)
{
    rig_restart_as(r, SVR_HOT);
}

/* A vnode whose MoM never comes may be used nevertheless. */
static void free_again(struct rig *r, const char *name)
{
    struct turn t = { .s = r->s, .now_at = r->now_at, .out = &r->out };
    struct decision d = { .arena = r->arena };
    struct record *rec = record_add(&d.records, r->arena, FACT_NODE_STATE, OBJ_NODE,
                                    name, "test@svr", r->now_at);

    record_change(rec, r->arena, NODE_A_HF_STATE, NULL, "0");
    take_up(&t, &d);
    settle(&t);
}

/* A vnode of another MoM. */
static void other_vnode(struct rig *r, const char *name)
{
    CU_ASSERT_EQUAL_FATAL(rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, name,
                                      "Mom=elsewhere resources_available.ncpus=4"),
                          0);
    free_again(r, name);
}

/* What the attached scheduler's run request is answered. */
static int sched_runs(struct rig *r, uint64_t conn, const char *id, const char *vnodes)
{
    struct body_run body = { .object_id = id, .vnodes = vnodes };
    const struct wire_reply *reply =
        rig_ask_on(r, conn, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &body, NULL);

    return reply ? reply->code : -1;
}

static void offline(struct rig *r, const char *op)
{
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 2, OBJECT_NODE, "n1", op), 0);
}

static bool is_on(const struct rig *r)
{
    return hot_start_is_on(svr_model(r->s));
}

/* The course of it. */

static void test_without_running_jobs_it_is_over_at_once(void)
{
    struct fake_mom fm = fake_mom_new();

    submit(fm.r, RIG_USER, "", "", "x\n");
    hot(fm.r);
    CU_ASSERT_FALSE(is_on(fm.r));
    expect_state(fm.r, "Active");
    fake_mom_free(&fm);
}

static void test_a_job_that_is_found_runs_on(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_running running = { .substate = 42, .run_version = 1 };

    running.job_id = big_job(&fm, "");
    hot(fm.r);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Hot start: 1 jobs ran before"));
    expect_state(fm.r, "Hot_Start");
    fake_connect(&fm, 1, &running);
    expect_state(fm.r, "Hot_Start"); /* the MoM may find out yet that it is gone */
    rig_advance(fm.r, fm.r->now_at + SURE_S);
    CU_ASSERT_TRUE(
        rig_logged(fm.r, "Hot start is over, 0 jobs that ran before are not running"));
    expect_state(fm.r, "Active");
    CU_ASSERT_EQUAL(state_of(fm.r, running.job_id), 'R');
    CU_ASSERT_FALSE(job_ran_before(TO_JOB(the_job(fm.r, running.job_id))));
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, running.job_id), JOB_A_RUN_VERSION, 0), 1);
    fake_mom_free(&fm);
}

static void test_a_lost_job_starts_again_where_it_was(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");

    other_vnode(r, "a0");
    hot(r);
    mom_comes_without_jobs(&fm);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    CU_ASSERT_STRING_EQUAL(vnodes_of(r, id), "(n1:ncpus=4)");
    CU_ASSERT_TRUE(rig_logged(r, "Job Run at request of root@" RIG_HOST
                                 " on exec_vnode (n1:ncpus=4)"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    CU_ASSERT_TRUE(is_on(r)); /* its MoM has not taken it yet */
    answer(&fm, BATCH_COMMIT);
    CU_ASSERT_FALSE(is_on(r));
    expect_state(r, "Active");
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_RUN_VERSION, 0), 2);
    fake_mom_free(&fm);
}

/* The MoM lists it among its jobs, says what it has used, and then that it is lost. */
static void test_a_job_that_its_mom_gives_back_starts_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_running ended = { .substate = 42, .run_version = 1 };

    ended.job_id = big_job(&fm, "");
    hot(fm.r);
    fake_connect(&fm, 1, &ended);
    fake_usage(&fm, ended.job_id, 1, NULL, "00:00:05");
    rig_advance(fm.r, fm.r->now_at + SURE_S - 1);
    expect_state(fm.r, "Hot_Start");
    fake_obit(&fm, ended.job_id, 1, -4);
    answer(&fm, BATCH_DELETE_JOB);
    CU_ASSERT_EQUAL(state_of(fm.r, ended.job_id), 'R');
    CU_ASSERT_STRING_EQUAL(vnodes_of(fm.r, ended.job_id), "(n1:ncpus=4)");
    fake_mom_free(&fm);
}

/* Listed once, and then not any more. */
static void test_a_mom_may_lose_it_after_all(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_running running = { .substate = 42, .run_version = 1 };

    running.job_id = big_job(&fm, "");
    hot(fm.r);
    fake_connect(&fm, 1, &running);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + SURE_S);
    mom_comes_without_jobs(&fm);
    CU_ASSERT_EQUAL(state_of(fm.r, running.job_id), 'R');
    CU_ASSERT_STRING_EQUAL(vnodes_of(fm.r, running.job_id), "(n1:ncpus=4)");
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, running.job_id), JOB_A_RUN_COUNT, 0), 2);
    fake_mom_free(&fm);
}

static void test_a_warm_start_leaves_it_to_schedulers(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = big_job(&fm, "");

    rig_restart(fm.r);
    expect_state(fm.r, "Active");
    mom_comes_without_jobs(&fm);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    fake_mom_free(&fm);
}

/* The vnode stays away: nothing before the limit, and the scheduler's turn after it. */
static void test_it_is_given_up_after_five_minutes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");
    uint64_t sched;

    requeued_by_shutdown(&fm, id);
    hot(r);
    other_vnode(r, "a0");
    sched = rig_attach_sched(r);
    for (int i = 0; i < 3; i++)
        rig_sched_done(r);
    rig_advance(r, r->now_at + HOT_START_S - 1);
    expect_state(r, "Hot_Start");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(sched_runs(r, sched, id, "(a0:ncpus=4)"), PBSE_BADSTATE);
    rig_sched_done(r);
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_TRUE(
        rig_logged(r, "Hot start is over, 1 jobs that ran before are not running"));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    expect_state(r, "Scheduling");
    CU_ASSERT_FALSE(job_ran_before(TO_JOB(the_job(r, id))));
    CU_ASSERT_EQUAL(sched_runs(r, sched, id, "(a0:ncpus=4)"), 0);
    fake_mom_free(&fm);
}

static void test_what_the_end_requeued_starts_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");

    requeued_by_shutdown(&fm, id);
    hot(r);
    expect_state(r, "Hot_Start");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    answer(&fm, BATCH_COMMIT);
    expect_state(r, "Active");
    fake_mom_free(&fm);
}

static void test_and_not_when_the_next_start_is_warm(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");

    requeued_by_shutdown(&fm, id);
    rig_restart(r);
    CU_ASSERT_FALSE(job_ran_before(TO_JOB(the_job(r, id))));
    hot(r); /* too late */
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    expect_state(r, "Active");
    fake_mom_free(&fm);
}

/* The server dies once more. */

static void test_a_second_hot_start_goes_on(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *queued = big_job(&fm, ""), *running;

    requeued_by_shutdown(&fm, queued);
    hot(r);
    fake_connect(&fm, 0, NULL);
    answer(&fm, BATCH_COMMIT);
    running = queued; /* runs again; now only the marks of this run count */
    rig_advance(r, r->now_at + 200);
    hot(r);
    CU_ASSERT_TRUE(is_on(r));
    rig_advance(r, r->now_at + 200);
    hot(r);
    rig_advance(r, r->now_at + HOT_START_S - 10); /* each has its own five minutes */
    CU_ASSERT_TRUE(is_on(r));
    CU_ASSERT_TRUE(job_ran_before(TO_JOB(the_job(r, running))));
    fake_connect(&fm, 0, NULL);
    rig_advance(r, r->now_at + 10);
    CU_ASSERT_FALSE(is_on(r));
    fake_mom_free(&fm);
}

static void test_a_warm_start_forgets_it(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");

    hot(r);
    expect_state(r, "Hot_Start");
    rig_restart(r);
    expect_state(r, "Active");
    CU_ASSERT_FALSE(job_ran_before(TO_JOB(the_job(r, id))));
    mom_comes_without_jobs(&fm);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_mom_free(&fm);
}

/* What keeps it from its vnodes, and what gives them back. */

/* A job that was requeued by the end, after a hot start whose MoM has not come. */
static const char *awaited(struct fake_mom *fm)
{
    const char *id = big_job(fm, "");

    requeued_by_shutdown(fm, id);
    hot(fm->r);
    return id;
}

static void test_an_offline_vnode_is_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = awaited(&fm);

    offline(fm.r, "state+=offline");
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    expect_state(fm.r, "Hot_Start");
    offline(fm.r, "state-=offline");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

static void test_a_stopped_queue_starts_nothing(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = awaited(&fm);

    rig_manager(fm.r, RIG_ROOT, 2, OBJECT_QUEUE, "workq", "started=False");
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    rig_manager(fm.r, RIG_ROOT, 2, OBJECT_QUEUE, "workq", "started=True");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

static void test_a_vnode_of_another_queue_is_not_taken(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = awaited(&fm);

    rig_manager(fm.r, RIG_ROOT, 0, OBJECT_QUEUE, "other", "queue_type=e");
    rig_manager(fm.r, RIG_ROOT, 2, OBJECT_NODE, "n1", "queue=other");
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    rig_manager(fm.r, RIG_ROOT, 3, OBJECT_NODE, "n1", "queue=");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

/* It is never put beside others where there is no room, and gets the room at once. */
static void test_a_vnode_in_use_is_not_oversubscribed(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm), *other;

    offline(r, "state+=offline");
    fake_connect(&fm, 0, NULL);
    other = submit(r, RIG_USER, "", "", "x\n");
    CU_ASSERT_EQUAL(run_job(r, other, "(n1:ncpus=1)"), 0);
    answer(&fm, BATCH_COMMIT);
    offline(r, "state-=offline");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_obit(&fm, other, 1, 0);
    answer(&fm, BATCH_COPY_FILES);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    answer(&fm, BATCH_DELETE_JOB);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    CU_ASSERT_EQUAL(resources_amount(&model_node(svr_model(r->s), "n1")->assigned.shown,
                                     "ncpus", 0),
                    4);
    fake_mom_free(&fm);
}

/* n1 borrows from a0, which lends to a1 too: what is used through any of them is given
 * back for all. */
static void lender(struct rig *r)
{
    rig_manager(r, RIG_ROOT, 0, OBJECT_RESOURCE, "lic", "type=long flag=hn");
    other_vnode(r, "a0");
    other_vnode(r, "a1");
    rig_manager(r, RIG_ROOT, 2, OBJECT_NODE, "a0", "resources_available.lic=1");
    rig_manager(r, RIG_ROOT, 2, OBJECT_NODE, "a1", "resources_available.lic=@a0");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, 2, OBJECT_NODE, "n1", "resources_available.lic=@a0"),
        0);
}

static void test_a_borrowed_resource_is_waited_for(void)
{
    static const char *const others[] = { "(a0:ncpus=1:lic=1)", "(a1:ncpus=1:lic=1)" };
    const char *wanted = "Resource_List.select=1:ncpus=1:lic=1";

    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id, *other;

        lender(r);
        id = submit(r, RIG_USER, "", wanted, "x\n");
        CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1:lic=1)"), 0);
        answer(&fm, BATCH_COMMIT);
        requeued_by_shutdown(&fm, id);
        hot(r);
        free_again(r, "a0");
        free_again(r, "a1");
        other = submit(r, RIG_USER, "", wanted, "x\n");
        CU_ASSERT_EQUAL(run_job(r, other, others[i]), 0);
        fake_connect(&fm, 0, NULL);
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
        CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, other, "force"), 0);
        CU_ASSERT_EQUAL(state_of(r, id), 'R');
        fake_mom_free(&fm);
    }
}

static void test_a_deleted_vnode_is_awaited_by_its_name(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 1, OBJECT_NODE, "n1", ""), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "n1", "Mom=localhost"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    fake_mom_free(&fm);
}

static void test_a_mom_that_refuses_it_is_asked_once(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = awaited(&fm);

    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_SYSTEM, "no");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    CU_ASSERT_FALSE(is_on(fm.r));
    fake_mom_free(&fm);
}

/* The stream ends before the MoM has said whether it took the job. */
static void test_a_mom_that_goes_again_is_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);

    fake_connect(&fm, 0, NULL);
    fake_lose(&fm);
    CU_ASSERT_TRUE(is_on(r));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    answer(&fm, BATCH_COMMIT);
    CU_ASSERT_FALSE(is_on(r));
    fake_mom_free(&fm);
}

/* What users and schedulers do meanwhile. */

static void hold(struct rig *r, uint32_t number, const char *id)
{
    struct body_manage body = { .command = 2,
                                .object_type = OBJECT_JOB,
                                .object_name = id,
                                .attrs = rig_attrs(r, "Hold_Types=u") };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, number, &body, NULL)->code, 0);
}

static void test_a_held_job_is_not_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);

    hold(r, BATCH_HOLD_JOB, id);
    CU_ASSERT_FALSE(is_on(r));
    expect_state(r, "Active");
    hold(r, BATCH_RELEASE_JOB, id);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_mom_free(&fm);
}

static void test_a_job_that_is_released_in_time_starts_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[2];

    for (int i = 0; i < 2; i++) {
        ids[i] = submit(r, RIG_USER, "", "", "x\n");
        CU_ASSERT_EQUAL_FATAL(run_job(r, ids[i], "(n1:ncpus=1)"), 0);
        answer(&fm, BATCH_COMMIT);
    }
    hold(r, BATCH_HOLD_JOB, ids[1]);
    hot(r);
    fake_connect(&fm, 0, NULL);
    rig_advance(r, r->now_at + GRACE_S);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 1), 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, ids[1]), 'H');
    CU_ASSERT_TRUE(is_on(r)); /* for the other one */
    hold(r, BATCH_RELEASE_JOB, ids[1]);
    CU_ASSERT_EQUAL(state_of(r, ids[1]), 'R');
    CU_ASSERT_STRING_EQUAL(vnodes_of(r, ids[1]), "(n1:ncpus=1)");
    fake_mom_free(&fm);
}

static void test_a_deleted_job_is_not_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = awaited(&fm);

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    expect_state(fm.r, "Active");
    fake_mom_free(&fm);
}

static void test_a_job_that_wants_something_else_is_a_schedulers(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);
    struct body_manage body = { .command = 2,
                                .object_type = OBJECT_JOB,
                                .object_name = id,
                                .attrs =
                                    rig_attrs(r, "Resource_List.select=1:ncpus=1") };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code, 0);
    CU_ASSERT_FALSE(is_on(r));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_mom_free(&fm);
}

static void test_qrerun_means_the_queue(void)
{
    static const char *const extends[] = { NULL, "force" };

    for (size_t i = 0; i < ARRAY_LEN(extends); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        struct is_running running = { .substate = 42, .run_version = 1 };
        struct body_id body;

        running.job_id = body.id = big_job(&fm, "");
        hot(r);
        rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, extends[i]);
        if (svr_has_work(r->s))
            rig_go_on(r, 0);
        CU_ASSERT_FALSE(is_on(r));
        CU_ASSERT_EQUAL(state_of(r, body.id), extends[i] ? 'Q' : 'R');
        fake_connect(&fm, 1, &running);
        CU_ASSERT_EQUAL(state_of(r, body.id), extends[i] ? 'Q' : 'R');
        fake_mom_free(&fm);
    }
}

static void test_a_manager_may_run_it_elsewhere(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);

    other_vnode(r, "a0");
    CU_ASSERT_EQUAL(run_job(r, id, "(a0:ncpus=4)"), 0);
    CU_ASSERT_FALSE(is_on(r));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_STRING_EQUAL(vnodes_of(r, id), "(a0:ncpus=4)");
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_RUN_COUNT, 0), 2);
    fake_mom_free(&fm);
}

/* qrun without vnodes: the scheduler that is told to decide may. */
static void test_a_scheduler_runs_it_elsewhere_when_told_to(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);
    struct body_run body = { .object_id = id, .vnodes = "" };
    uint64_t sched;

    other_vnode(r, "a0");
    sched = rig_attach_sched(r);
    for (int i = 0; i < 3; i++)
        rig_sched_done(r);
    CU_ASSERT_EQUAL(sched_runs(r, sched, id, "(a0:ncpus=4)"), PBSE_BADSTATE);
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_RUN_JOB, &body, NULL));
    CU_ASSERT_EQUAL(sched_runs(r, sched, id, "(a0:ncpus=4)"), 0);
    CU_ASSERT_FALSE(is_on(r));
    fake_mom_free(&fm);
}

/* Schedulers run others meanwhile, and one job at most once. */
static void test_schedulers_go_on_with_other_jobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = awaited(&fm);
    const char *other = submit(r, RIG_USER, "", "", "x\n");
    uint64_t sched;

    other_vnode(r, "a0");
    sched = rig_attach_sched(r);
    CU_ASSERT_EQUAL(sched_runs(r, sched, other, "(a0:ncpus=1)"), 0);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(sched_runs(r, sched, id, "(n1:ncpus=4)"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_RUN_COUNT, 0), 2);
    fake_mom_free(&fm);
}

static void test_scheduling_may_be_off(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = big_job(&fm, "");

    rig_manager(r, RIG_ROOT, 2, OBJECT_SERVER, "", "scheduling=False");
    requeued_by_shutdown(&fm, id);
    hot(r);
    expect_state(r, "Hot_Start");
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    answer(&fm, BATCH_COMMIT);
    expect_state(r, "Idle");
    fake_mom_free(&fm);
}

static void test_the_end_of_the_server_comes_first(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "Rerunable=False", "x\n");
    const char *again = submit(r, RIG_USER, "", "", "x\n");
    struct is_running running = { .job_id = id, .substate = 42, .run_version = 1 };
    struct body_number delay = { .value = 1 };

    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    answer(&fm, BATCH_COMMIT);
    CU_ASSERT_EQUAL(run_job(r, again, "(n1:ncpus=1)"), 0);
    answer(&fm, BATCH_COMMIT);
    hot(r);
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_SHUTDOWN, &delay, NULL));
    expect_state(r, "Terminating_Delay");
    fake_connect(&fm, 1, &running);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), PBSE_UNKJOBID, NULL);
    answer(&fm, BATCH_DELETE_JOB);
    CU_ASSERT_EQUAL(state_of(r, again), 'Q');
    CU_ASSERT_TRUE(is_on(r));
    fake_mom_free(&fm);
}

static const struct unit_case cases[] = {
    { "without running jobs it is over at once",
      test_without_running_jobs_it_is_over_at_once },
    { "a job that is found runs on", test_a_job_that_is_found_runs_on },
    { "a lost job starts again where it was",
      test_a_lost_job_starts_again_where_it_was },
    { "a job that its MoM gives back starts again",
      test_a_job_that_its_mom_gives_back_starts_again },
    { "a MoM may lose it after all", test_a_mom_may_lose_it_after_all },
    { "a warm start leaves it to schedulers",
      test_a_warm_start_leaves_it_to_schedulers },
    { "it is given up after five minutes", test_it_is_given_up_after_five_minutes },
    { "what the end requeued starts again", test_what_the_end_requeued_starts_again },
    { "and not when the next start is warm", test_and_not_when_the_next_start_is_warm },
    { "a second hot start goes on", test_a_second_hot_start_goes_on },
    { "a warm start forgets it", test_a_warm_start_forgets_it },
    { "an offline vnode is waited for", test_an_offline_vnode_is_waited_for },
    { "a stopped queue starts nothing", test_a_stopped_queue_starts_nothing },
    { "a vnode of another queue is not taken",
      test_a_vnode_of_another_queue_is_not_taken },
    { "a vnode in use is not oversubscribed",
      test_a_vnode_in_use_is_not_oversubscribed },
    { "a borrowed resource is waited for", test_a_borrowed_resource_is_waited_for },
    { "a deleted vnode is awaited by its name",
      test_a_deleted_vnode_is_awaited_by_its_name },
    { "a MoM that refuses it is asked once", test_a_mom_that_refuses_it_is_asked_once },
    { "a MoM that goes again is waited for", test_a_mom_that_goes_again_is_waited_for },
    { "a held job is not waited for", test_a_held_job_is_not_waited_for },
    { "a job that is released in time starts again",
      test_a_job_that_is_released_in_time_starts_again },
    { "a deleted job is not waited for", test_a_deleted_job_is_not_waited_for },
    { "a job that wants something else is a scheduler's",
      test_a_job_that_wants_something_else_is_a_schedulers },
    { "qrerun means the queue", test_qrerun_means_the_queue },
    { "a manager may run it elsewhere", test_a_manager_may_run_it_elsewhere },
    { "a scheduler runs it elsewhere when told to",
      test_a_scheduler_runs_it_elsewhere_when_told_to },
    { "schedulers go on with other jobs", test_schedulers_go_on_with_other_jobs },
    { "scheduling may be off", test_scheduling_may_be_off },
    { "the end of the server comes first", test_the_end_of_the_server_comes_first },
};

int main(void)
{
    return unit_main("hot start", cases, ARRAY_LEN(cases));
}
