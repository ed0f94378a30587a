/* test_shutdown.c - the end of the server: what becomes of running jobs, who waits for
 * it and what is refused meanwhile (operations.md 12, wire.md 5 and 10.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

enum {
    IMMEDIATE = 0,
    DELAY = 1,
    QUICK = 2,
    WITH_MOMS = 0x20,
    SECONDARY_ONLY = 0x100,
};

static const struct wire_reply *shut_down(struct rig *r, uint32_t how)
{
    struct body_number body = { .value = how };

    return rig_ask(r, RIG_ROOT, BATCH_SHUTDOWN, &body, NULL);
}

/* Without a checkpoint: what is asked of a MoM first is in test_checkpoint.c. */
static const char *run(struct fake_mom *fm, const char *attrs)
{
    const char *all =
        arena_printf(fm->r->arena, "Checkpoint=n%s%s", *attrs ? " " : "", attrs);
    const char *id = submit(fm->r, RIG_USER, "", all, "sleep\n");

    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:02");
    return id;
}

/* The job's last minutes at its MoM. */
static void ends(struct fake_mom *fm, const char *id, int32_t status)
{
    const struct is_message *told;

    fake_obit(fm, id, 1, status);
    told = fake_told(fm, BATCH_COPY_FILES, 0);
    if (told)
        fake_answer(fm, told, 0, NULL);
    told = fake_told(fm, BATCH_DELETE_JOB, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    fake_answer(fm, told, 0, NULL);
}

static const char *signal_told(const struct fake_mom *fm)
{
    const struct body_signal *body = fake_told(fm, BATCH_SIGNAL_JOB, 0)->request.body;

    return body->signal;
}

static void test_quick_leaves_jobs_running(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = run(&fm, "");

    CU_ASSERT_EQUAL(shut_down(fm.r, QUICK)->code, 0);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_EXIT), 1);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

static void test_without_running_jobs_nobody_waits(void)
{
    struct fake_mom fm = fake_mom_new();

    submit(fm.r, RIG_USER, "", "", "x\n");
    CU_ASSERT_EQUAL(shut_down(fm.r, DELAY)->code, 0);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_EXIT), 1);
    CU_ASSERT_TRUE(
        rig_logged(fm.r, "Starting to shutdown the server, type is Delayed"));
    fake_mom_free(&fm);
}

static void test_delay_requeues_what_may_run_again_and_waits_for_the_rest(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *again = run(&fm, "");
    const char *once = run(&fm, "Rerunable=False");
    uint64_t conn;

    CU_ASSERT_PTR_NULL(shut_down(r, DELAY));
    conn = r->conn;
    CU_ASSERT_TRUE(rig_logged(r, "Requeued in queue: workq on Server shutdown"));
    CU_ASSERT_TRUE(rig_logged(r, "job running on at Server shutdown on Server "
                                 "shutdown"));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_SERVER, "", "server_state"),
        "Terminating_Delay");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), PBSE_SVRDOWN);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "Request not allowed: Server shutting down");
    CU_ASSERT_EQUAL(run_job(r, again, "(n1:ncpus=1)"), PBSE_SVRDOWN);
    ends(&fm, again, -11);
    CU_ASSERT_EQUAL(state_of(r, again), 'Q');
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    ends(&fm, once, 0);
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'E', 0));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL(rig_reply(r, conn)->code, 0);
    CU_ASSERT_EQUAL(r->out.v[r->out.n - 1].kind, EFFECT_EXIT);
    fake_mom_free(&fm);
}

static void test_immediate_kills_what_may_not_run_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *once = run(&fm, "Rerunable=False");

    CU_ASSERT_PTR_NULL(shut_down(r, IMMEDIATE));
    CU_ASSERT_STRING_EQUAL(accounted(r, 'A', 0),
                           "Aborted by PBS Server  on Server shutdown");
    CU_ASSERT_PTR_NULL(accounted(r, 'D', 0));
    CU_ASSERT_TRUE(rig_logged(r, "Aborted by PBS Server  on Server shutdown"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_SIGNAL_JOB, 0));
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "SIGKILL"); /* status 265 */
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_SERVER, "", "server_state"), "Terminating");
    ends(&fm, once, 265);
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'E', 0), "Exit_status=265"));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    fake_mom_free(&fm);
}

static void test_a_second_immediate_request_forces_the_end(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t first;

    run(&fm, "");
    CU_ASSERT_PTR_NULL(shut_down(r, DELAY));
    first = r->conn;
    CU_ASSERT_PTR_NULL(shut_down(r, IMMEDIATE));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    CU_ASSERT_PTR_NOT_NULL(shut_down(r, IMMEDIATE));
    CU_ASSERT_TRUE(rig_logged(r, "type is Forced"));
    CU_ASSERT_PTR_NOT_NULL(rig_reply(r, first));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    fake_mom_free(&fm);
}

static void test_a_signal_answers_whoever_waits(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    run(&fm, "");
    CU_ASSERT_PTR_NULL(shut_down(r, DELAY));
    r->out = (struct effects){ .arena = r->arena };
    svr_end(r->s, r->now_at, &r->out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, r->conn));
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->code, 0);
    fake_mom_free(&fm);
}

static void test_a_mom_that_nobody_can_reach_is_not_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();

    run(&fm, "");
    CU_ASSERT_PTR_NULL(shut_down(fm.r, IMMEDIATE));
    fake_lose(&fm);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_EXIT), 1);
    fake_mom_free(&fm);
}

static void test_moms_end_too_when_asked_for(void)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_EQUAL(shut_down(fm.r, QUICK | WITH_MOMS)->code, 0);
    CU_ASSERT_PTR_NOT_NULL(fake_message(&fm, IS_SHUTDOWN));
    fake_mom_free(&fm);
}

static void test_who_may_not_and_what_is_not_there(void)
{
    struct body_number body = { .value = QUICK };
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SHUTDOWN, &body, NULL)->code, PBSE_PERM);
    CU_ASSERT_EQUAL(shut_down(r, SECONDARY_ONLY)->code, PBSE_NOSUP);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), 0);
    rig_free(r);
}

/* The opposite end: a start that gives up every job, wherever it was. */
static void test_a_cold_start_gives_up_all_jobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *gone[] = { run(&fm, ""), submit(r, RIG_USER, "", "", "x\n"),
                           submit(r, RIG_USER, "", "Mail_Points=n", "x\n") };

    rig_restart(r);
    CU_ASSERT_EQUAL(state_of(r, gone[0]), 'R');
    rig_restart_as(r, SVR_COLD);
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        CU_ASSERT_PTR_NULL(the_job(r, gone[i]));
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'E', 0));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MAIL), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_effect(r, EFFECT_MAIL, 0)->u.mail.text,
                                  "Aborted by PBS Server \n"
                                  "Job aborted on PBS Server initialization\n"));
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_QUEUE, "workq", "queue_type"), "Execution");
    CU_ASSERT(rig_is_same(r));
    fake_mom_free(&fm);
}

/* From here on many jobs run, and one slice decides what becomes of one of them. */

#define MANY 6

static void run_many(struct fake_mom *fm, const char *ids[MANY], const char *attrs)
{
    rig_slice_cost = 60;
    *fm = fake_mom_new();
    rig_slice_cost = 0;
    rig_settle(fm->r); /* the MoM's registration is taken up in slices as well */
    for (size_t i = 0; i < MANY; i++)
        ids[i] = run(fm, attrs);
}

/* The server is asked to end so while they run: one slice is over. */
static struct rig *end_many(struct fake_mom *fm, const char *ids[MANY],
                            const char *attrs, uint32_t how)
{
    run_many(fm, ids, attrs);
    CU_ASSERT_PTR_NULL(shut_down(fm->r, how));
    return fm->r;
}

/* The MoM takes all signals of the last input. */
static void take_signals(struct fake_mom *fm)
{
    const struct is_message *told[MANY];
    size_t n = 0;

    while (n < MANY && (told[n] = fake_told(fm, BATCH_SIGNAL_JOB, n)))
        n++;
    for (size_t i = 0; i < n; i++)
        fake_answer(fm, told[i], 0, NULL);
}

static bool is_requeued(struct rig *r, const char *id)
{
    return obj_num(the_job(r, id), JOB_A_HF_REQUEUE, 0) != 0;
}

static bool is_killed(struct rig *r, const char *id)
{
    return obj_is_set(the_job(r, id), JOB_A_HF_KILL_BY);
}

static size_t n_requeued(struct rig *r, const char *const ids[MANY])
{
    size_t n = 0;

    for (size_t i = 0; i < MANY; i++)
        n += the_job(r, ids[i]) && is_requeued(r, ids[i]);
    return n;
}

static void test_others_are_served_while_jobs_are_decided(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;
    uint64_t conn;
    size_t n, before;

    r = end_many(&fm, ids, "", DELAY);
    conn = r->conn;
    CU_ASSERT_EQUAL(n_requeued(r, ids), 1);
    CU_ASSERT_TRUE(is_requeued(r, ids[0]));
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), PBSE_SVRDOWN);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_SERVER, "", "server_state"),
        "Terminating_Delay");
    /* What comes in between has no share in it. */
    CU_ASSERT_EQUAL(n_requeued(r, ids), 1);
    for (before = 1; (n = n_requeued(r, ids)) < MANY; before = n) {
        CU_ASSERT_TRUE_FATAL(svr_is_settling(r->s));
        CU_ASSERT_TRUE(n <= before + 1);
        CU_ASSERT_PTR_NULL(rig_go_on(r, conn));
    }
    rig_settle(r);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    CU_ASSERT(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The jobs end before their turn: the next one, the last one, and one is deleted. */
static void test_a_job_may_end_before_its_turn(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "Rerunable=False", IMMEDIATE);
    take_signals(&fm);
    CU_ASSERT_TRUE(is_killed(r, ids[0]));
    CU_ASSERT_FALSE(is_killed(r, ids[1]));
    ends(&fm, ids[1], 0);
    CU_ASSERT_PTR_NULL(the_job(r, ids[1]));
    ends(&fm, ids[MANY - 1], 0);
    CU_ASSERT_PTR_NULL(the_job(r, ids[MANY - 1]));
    CU_ASSERT_FALSE(is_killed(r, ids[2]));
    delete_job(r, RIG_ROOT, ids[2], "force");
    CU_ASSERT_PTR_NULL(the_job(r, ids[2]));
    rig_settle(r);
    take_signals(&fm);
    CU_ASSERT_TRUE(is_killed(r, ids[3]) && is_killed(r, ids[4]));
    ends(&fm, ids[0], 265);
    ends(&fm, ids[4], 265);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    ends(&fm, ids[3], 265);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    fake_mom_free(&fm);
}

/* Whatever the order in which they end. */
static void test_the_end_waits_for_each_job(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "Rerunable=False", DELAY);
    rig_settle(r);
    ends(&fm, ids[2], 0);
    delete_job(r, RIG_ROOT, ids[0], "force");
    CU_ASSERT_PTR_NULL(the_job(r, ids[0]));
    for (size_t i = MANY - 1; i > 2; i--)
        ends(&fm, ids[i], 0);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    ends(&fm, ids[1], 0);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    fake_mom_free(&fm);
}

static void test_the_end_waits_for_a_job_that_had_no_turn_yet(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "Rerunable=False", IMMEDIATE);
    take_signals(&fm);
    for (size_t i = 0; i < MANY - 1; i++)
        ends(&fm, ids[i], i == 0 ? 265 : 0);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    CU_ASSERT_FALSE(is_killed(r, ids[MANY - 1]));
    rig_settle(r);
    CU_ASSERT_TRUE(is_killed(r, ids[MANY - 1]));
    fake_mom_free(&fm);
}

static void test_a_second_request_has_all_jobs_decided_in_its_manner(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "Rerunable=False", DELAY);
    rig_go_on(r, r->conn);
    CU_ASSERT_TRUE(svr_is_settling(r->s));
    CU_ASSERT_PTR_NULL(shut_down(r, IMMEDIATE));
    rig_settle(r);
    for (size_t i = 0; i < MANY; i++)
        CU_ASSERT_TRUE(is_killed(r, ids[i]));
    fake_mom_free(&fm);
}

static void test_a_quick_request_leaves_the_others_running(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;
    uint64_t first;

    r = end_many(&fm, ids, "", DELAY);
    first = r->conn;
    CU_ASSERT_PTR_NOT_NULL(shut_down(r, QUICK));
    CU_ASSERT_PTR_NOT_NULL(rig_reply(r, first));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 1);
    rig_settle(r);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 1);
    fake_mom_free(&fm);
}

static void test_a_signal_leaves_the_others_running(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "", DELAY);
    r->out = (struct effects){ .arena = r->arena };
    svr_end(r->s, r->now_at, &r->out);
    CU_ASSERT_PTR_NOT_NULL(rig_reply(r, r->conn));
    rig_settle(r);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 1);
    fake_mom_free(&fm);
}

/* What was decided is fact, and the end itself is forgotten. */
static void test_a_server_that_is_killed_between_leaves_the_others_running(void)
{
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    r = end_many(&fm, ids, "", DELAY);
    rig_go_on(r, r->conn);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 2);
    rig_restart(r);
    rig_settle(r);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 2);
    for (size_t i = 0; i < MANY; i++)
        CU_ASSERT_EQUAL(state_of(r, ids[i]), 'R');
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), 0);
    fake_mom_free(&fm);
}

static void test_nothing_is_begun_without_a_store(void)
{
    const struct wire_reply *reply;
    const char *ids[MANY];
    struct fake_mom fm;
    struct rig *r;

    run_many(&fm, ids, "");
    r = fm.r;
    svr_set_store_failed(r->s, true);
    reply = shut_down(r, IMMEDIATE);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_SAVE_ERR);
    svr_set_store_failed(r->s, false);
    rig_settle(r);
    CU_ASSERT_EQUAL(n_requeued(r, ids), 0);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), 0);
    fake_mom_free(&fm);
}

static const struct unit_case cases[] = {
    { "quick leaves jobs running", test_quick_leaves_jobs_running },
    { "without running jobs nobody waits", test_without_running_jobs_nobody_waits },
    { "delay requeues what may run again and waits for the rest",
      test_delay_requeues_what_may_run_again_and_waits_for_the_rest },
    { "immediate kills what may not run again",
      test_immediate_kills_what_may_not_run_again },
    { "a second immediate request forces the end",
      test_a_second_immediate_request_forces_the_end },
    { "a signal answers whoever waits", test_a_signal_answers_whoever_waits },
    { "a MoM that nobody can reach is not waited for",
      test_a_mom_that_nobody_can_reach_is_not_waited_for },
    { "MoMs end too when asked for", test_moms_end_too_when_asked_for },
    { "a cold start gives up all jobs", test_a_cold_start_gives_up_all_jobs },
    { "only staff may, and there is no second server",
      test_who_may_not_and_what_is_not_there },
    { "others are served while jobs are decided",
      test_others_are_served_while_jobs_are_decided },
    { "a job may end before its turn", test_a_job_may_end_before_its_turn },
    { "the end waits for each job", test_the_end_waits_for_each_job },
    { "the end waits for a job that had no turn yet",
      test_the_end_waits_for_a_job_that_had_no_turn_yet },
    { "a second request has all jobs decided in its manner",
      test_a_second_request_has_all_jobs_decided_in_its_manner },
    { "a quick request leaves the others running",
      test_a_quick_request_leaves_the_others_running },
    { "a signal leaves the others running", test_a_signal_leaves_the_others_running },
    { "a server that is killed between leaves the others running",
      test_a_server_that_is_killed_between_leaves_the_others_running },
    { "nothing is begun without a store", test_nothing_is_begun_without_a_store },
};

int main(void)
{
    return unit_main("shutdown", cases, ARRAY_LEN(cases));
}
