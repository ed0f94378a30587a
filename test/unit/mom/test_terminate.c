/* Unit tests of $action terminate in the MoM's core: a script ends jobs in the place of
 * SIGTERM, and SIGKILL follows whatever becomes of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <signal.h>

#define JOB "1.svr"

static void give_script(struct bench *b)
{
    struct mom_config cfg = node1_config();

    cfg.ends_by = "/end";
    mom_set_rules(b->m, b->now_at, &cfg, &b->out);
    forget(b);
}

static void begin(struct bench *b)
{
    bench_init(b);
    run_job(b, JOB);
    give_script(b);
}

static bool has_script(const struct bench *b)
{
    return effect(b, MOM_TERMINATE, 0) != NULL;
}

static void test_the_script_is_in_the_place_of_sigterm(void)
{
    struct bench b;

    begin(&b);
    signal_job(&b, JOB, "TermJob");
    CU_ASSERT(has_script(&b) && !killed_with(&b, SIGTERM) && !killed_with(&b, SIGKILL));
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.aux, 59);
    forget(&b);
    signal_job(&b, JOB, "TermJob"); /* it is at it */
    CU_ASSERT(!has_script(&b) && sent(&b, IS_CMD_REPLY)->reply.code == 0);
    CU_ASSERT(logged(&b, "action terminate script /end cannot be run due to existing "
                         "subtask"));
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.aux, 59);
    mom_exited(b.m, b.now_at, JOB, 3, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), 3);
    mom_terminated(b.m, b.now_at, JOB, false, &b.out); /* too late to matter */
    CU_ASSERT_FALSE(logged(&b, "Terminate action failed"));
    bench_fini(&b);
}

static void test_what_it_leaves_is_killed_later(void)
{
    struct bench b;

    begin(&b);
    signal_job(&b, JOB, "TermJob");
    b.now_at += 100; /* as long as it takes */
    forget(&b);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    mom_terminated(b.m, b.now_at, JOB, true, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    mom_tick(b.m, b.now_at + 4, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    mom_tick(b.m, b.now_at + 5, &b.out); /* job_kill_delay */
    CU_ASSERT(killed_with(&b, SIGKILL));
    CU_ASSERT_FALSE(logged(&b, "Terminate action failed"));
    bench_fini(&b);
}

static void test_a_failure_is_followed_by_sigkill(void)
{
    struct bench b;

    begin(&b);
    signal_job(&b, JOB, "Rerun");
    forget(&b);
    mom_terminated(b.m, b.now_at, JOB, false, &b.out);
    CU_ASSERT(killed_with(&b, SIGKILL) && logged(&b, "Terminate action failed"));
    forget(&b);
    mom_exited(b.m, b.now_at, JOB, 265, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), -11); /* the reason of the end stays */
    bench_fini(&b);
}

static void test_force_does_not_wait_for_it(void)
{
    struct bench b;

    begin(&b);
    signal_job(&b, JOB, "TermJob");
    forget(&b);
    signal_job(&b, JOB, "SIGKILL");
    CU_ASSERT(killed_with(&b, SIGKILL));
    bench_fini(&b);
}

/* Its processes are stopped, and the script may want to signal them. */
static void test_a_suspended_job_goes_on_first(void)
{
    struct bench b;

    begin(&b);
    signal_job(&b, JOB, "suspend");
    forget(&b);
    signal_job(&b, JOB, "TermJob");
    CU_ASSERT(killed_with(&b, SIGCONT) && has_script(&b));
    bench_fini(&b);
}

static void test_a_limit_calls_it(void)
{
    struct bench b;

    begin(&b);
    mom_tick(b.m, b.now_at + 61, &b.out); /* its walltime is a minute */
    CU_ASSERT(has_script(&b) && !killed_with(&b, SIGTERM));
    bench_fini(&b);
}

/* The script went with the MoM: the next one begins it anew, or without the line sends
 * SIGTERM. */
static void test_a_restart_begins_it_anew(void)
{
    for (int gives = 0; gives <= 1; gives++) {
        struct mom_config cfg = node1_config();
        struct buf record = { 0 };
        struct bench b;
        const char *id;

        begin(&b);
        signal_job(&b, JOB, "TermJob");
        mom_job_encode(b.m, JOB, &record);
        mom_free(b.m);
        forget(&b);
        cfg.ends_by = gives ? "/end" : NULL;
        b.m = mom_new(&cfg);
        CU_ASSERT_FATAL(mom_load(b.m, record.data, record.len, &id));
        mom_found(b.m, id, true, 0);
        mom_start(b.m, b.now_at, false, &b.out);
        CU_ASSERT_EQUAL(has_script(&b), gives);
        CU_ASSERT_EQUAL(killed_with(&b, SIGTERM), !gives);
        buf_fini(&record);
        bench_fini(&b);
    }
}

static const struct unit_case cases[] = {
    { "a script ends jobs in the place of SIGTERM",
      test_the_script_is_in_the_place_of_sigterm },
    { "what the script leaves is killed after the delay",
      test_what_it_leaves_is_killed_later },
    { "a script that fails is followed by SIGKILL",
      test_a_failure_is_followed_by_sigkill },
    { "SIGKILL does not wait for the script", test_force_does_not_wait_for_it },
    { "a suspended job goes on before the script", test_a_suspended_job_goes_on_first },
    { "a limit calls the script", test_a_limit_calls_it },
    { "a restart begins the script anew", test_a_restart_begins_it_anew },
};

int main(void)
{
    return unit_main("mom/terminate", cases, ARRAY_LEN(cases));
}
