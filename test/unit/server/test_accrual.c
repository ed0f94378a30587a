/* test_accrual.c - how long a job has been eligible (attributes.md 14.6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/accrual.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static void count(struct rig *r, const char *yes)
{
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                arena_printf(r->arena, "eligible_time_enable=%s", yes)),
                    0);
    rig_settle(r);
}

static int alter(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = {
        .command = 2, .object_type = 2, .object_name = id, .attrs = rig_attrs(r, attrs)
    };

    return rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static void scheduler_says(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = {
        .command = 2, .object_type = 2, .object_name = id, .attrs = rig_attrs(r, attrs)
    };

    rig_ask_on(r, r->sched_conn - 1, RIG_ROOT, BATCH_MODIFY_JOB_ASYNC, &body, NULL);
    CU_ASSERT_FALSE(rig_logged(r, "Reject reply"));
}

static void hold(struct rig *r, const char *id, uint32_t request, const char *letters)
{
    struct body_manage body = { .command = 2,
                                .object_type = 2,
                                .object_name = id,
                                .attrs = rig_attrs(r, letters) };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, request, &body, NULL)->code, 0);
}

/* "2 00:00:10": the kind of time, and what is shown of the sum. */
static const char *accrued(struct rig *r, const char *id)
{
    const char *total = rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "eligible_time");

    return arena_printf(r->arena, "%d %s",
                        (int)obj_num(the_job(r, id), JOB_A_ACCRUE_TYPE, -1),
                        total ? total : "hidden");
}

static void later(struct rig *r, int64_t s)
{
    rig_advance(r, r->now_at + s);
}

static void time_passes_by_what_a_job_does(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct is_message *copy;
    const char *id;

    rig_attach_sched(r);
    count(r, "True");
    id = submit(r, RIG_USER, "", "", "x\n");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:00");
    later(r, 10);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:10");
    scheduler_says(r, id, "accrue_type=1");
    CU_ASSERT_TRUE(rig_logged(
        r, "Accrue type has changed to ineligible_time, previous accrue type was "
           "eligible_time for 10 secs, total eligible_time=00:00:10"));
    later(r, 10);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "1 00:00:10");
    scheduler_says(r, id, "accrue_type=2");
    later(r, 5);
    hold(r, id, BATCH_HOLD_JOB, "Hold_Types=u");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "1 00:00:15");
    later(r, 5);
    hold(r, id, BATCH_HOLD_JOB, "Hold_Types=o");
    hold(r, id, BATCH_RELEASE_JOB, "Hold_Types=u");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:15");
    later(r, 5);
    hold(r, id, BATCH_RELEASE_JOB, "Hold_Types=o");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:20");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "3 00:00:20");
    later(r, 50);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "3 00:00:20");
    fake_obit(&fm, id, 1, 0);
    copy = fake_told(&fm, BATCH_COPY_FILES, 0);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "4 00:00:20");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_answer(&fm, copy, 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(accounted(r, 'E', 0), " eligible_time=00:00:20 run_count=1"));
    fake_mom_free(&fm);
}

static void a_job_that_is_back_is_eligible_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;

    count(r, "True");
    id = submit(r, RIG_USER, "", "", "x\n");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_SYSTEM, "no");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    later(r, 7);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:07");
    fake_mom_free(&fm);
}

/* Once all of its subjobs have been started nothing of it waits. */
static void an_array_is_eligible_while_subjobs_wait(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct is_message *commit;
    const char *id;

    rig_attach_sched(r);
    count(r, "True");
    id = submit(r, RIG_USER, "", "array_indices_submitted=1-2", "x\n");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:00");
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    later(r, 10);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:10");
    scheduler_says(r, id, "accrue_type=1");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "1 00:00:10");
    scheduler_says(r, id, "accrue_type=2");
    CU_ASSERT_EQUAL(run_job(r, "0[2].svr", "(n1:ncpus=1)"), 0);
    commit = fake_told(&fm, BATCH_COMMIT, 0);
    later(r, 10);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "1 00:00:10");
    fake_answer(&fm, commit, PBSE_SYSTEM, "no");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "1 00:00:10"); /* until a scheduler looks */
    scheduler_says(r, id, "accrue_type=2");
    later(r, 5);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:15");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_suspended_job_is_eligible(void)
{
    struct fake_mom fm = fake_mom_new();
    struct body_signal body = { .signal = "suspend" };
    const char *id;

    count(fm.r, "True");
    body.job_id = id = running_job(&fm);
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, id), JOB_A_ACCRUE_TYPE, -1), ACCRUAL_RUNNING);
    (void)rig_ask(fm.r, RIG_ROOT, BATCH_SIGNAL_JOB, &body, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    later(fm.r, 8);
    CU_ASSERT_STRING_EQUAL(accrued(fm.r, id), "2 00:00:08");
    fake_mom_free(&fm);
}

static void who_does_not_count_shows_nothing(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "", "x\n");

    CU_ASSERT_STRING_EQUAL(accrued(r, id), "-1 hidden");
    CU_ASSERT_EQUAL(alter(r, id, "eligible_time=00:01:00"), PBSE_ETEERROR);
    count(r, "True");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:00:00");
    later(r, 9);
    CU_ASSERT_EQUAL(alter(r, id, "eligible_time=00:01:00"), 0);
    later(r, 4);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:01:04");
    count(r, "False");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "-1 hidden");
    later(r, 100);
    count(r, "True");
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:01:04");
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(accrued(r, id), "2 00:01:04");
    fake_mom_free(&fm);
}

static void who_waits_by_himself_is_not_eligible(void)
{
    static const struct {
        const char *story, *attrs;
        char state;
        int type;
    } cases[] = {
        { "for a time", "Execution_Time=1800001000", 'W', ACCRUAL_INELIGIBLE },
        { "held by its user", "Hold_Types=u", 'H', ACCRUAL_INELIGIBLE },
        { "for another job", "depend=afterok:0.svr", 'H', ACCRUAL_INELIGIBLE },
        { "for vnodes", "", 'Q', ACCRUAL_ELIGIBLE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id;

        count(fm.r, "True");
        submit(fm.r, RIG_USER, "", "", "x\n");
        id = submit(fm.r, RIG_USER, "", cases[i].attrs, "x\n");
        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        if (state_of(fm.r, id) != cases[i].state)
            printf("%s: %c\n", cases[i].story, state_of(fm.r, id));
        CU_ASSERT_EQUAL(state_of(fm.r, id), cases[i].state);
        CU_ASSERT_EQUAL(obj_num(the_job(fm.r, id), JOB_A_ACCRUE_TYPE, -1),
                        cases[i].type);
        fake_mom_free(&fm);
    }
}

/* What is shown to 'qstat -x', as accrued() has it of jobs that are not over. */
static const char *shown_of_past(struct rig *r, const char *id)
{
    const struct body_status body = { .id = id };
    const struct wire_reply *reply = rig_ask(r, RIG_ROOT, BATCH_STATUS_JOB, &body, "x");
    const struct wire_attrs *attrs;
    const char *type, *total;

    while (!reply && rig_count(r, EFFECT_REPLY) == 0)
        reply = rig_go_on(r, r->conn);
    if (!reply || reply->objects.n != 1)
        return "none";
    attrs = &reply->objects.v[0].attrs;
    type = wire_attrs_value(attrs, "accrue_type", NULL);
    total = wire_attrs_value(attrs, "eligible_time", NULL);
    return arena_printf(r->arena, "%s %s", type ? type : "hidden",
                        total ? total : "hidden");
}

static void no_time_passes_for_a_job_that_is_over(void)
{
    struct rig *r = rig_new();
    const char *id;

    count(r, "True");
    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "job_history_enable=True");
    id = submit(r, RIG_USER, "", "", NULL);
    later(r, 10);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    CU_ASSERT_STRING_EQUAL(shown_of_past(r, id), "2 00:00:10");
    later(r, 25);
    CU_ASSERT_STRING_EQUAL(shown_of_past(r, id), "2 00:00:10");
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(shown_of_past(r, id), "2 00:00:10");
    count(r, "False");
    CU_ASSERT_STRING_EQUAL(shown_of_past(r, id), "hidden hidden");
    count(r, "True");
    CU_ASSERT_STRING_EQUAL(shown_of_past(r, id), "2 00:00:10");
    rig_free(r);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "time passes by what a job does", time_passes_by_what_a_job_does },
        { "a job that is back is eligible again",
          a_job_that_is_back_is_eligible_again },
        { "an array is eligible while subjobs wait",
          an_array_is_eligible_while_subjobs_wait },
        { "a suspended job is eligible", a_suspended_job_is_eligible },
        { "who does not count shows nothing", who_does_not_count_shows_nothing },
        { "who waits by himself is not eligible",
          who_waits_by_himself_is_not_eligible },
        { "no time passes for a job that is over",
          no_time_passes_for_a_job_that_is_over },
    };

    return unit_main("accrual", cases, ARRAY_LEN(cases));
}
