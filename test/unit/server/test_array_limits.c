/* test_array_limits.c - an array counts for its subjobs where limits are counted
 * (attributes.md 5), and what is left of one in history.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static void set(struct rig *r, const char *attrs)
{
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", attrs), 0);
}

static void run_and_end(struct fake_mom *fm, const char *id, int32_t status)
{
    CU_ASSERT_EQUAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_obit(fm, id, 1, status);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

/* Exactly so many more jobs find room; none of them stays. */
static void check_room(struct rig *r, int n)
{
    const char *ids[40];

    for (int i = 0; i < n; i++) {
        ids[i] = submit(r, RIG_USER, "", "", NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(ids[i]);
    }
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), PBSE_ENTLIMCT);
    for (int i = 0; i < n; i++)
        delete_job(r, RIG_USER, ids[i], NULL);
}

static void subjobs_count_one_by_one(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_id body = { .id = "0[1].svr" };

    set(r, "max_queued=[u:PBS_GENERIC=10]");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "array_indices_submitted=1-11"),
                    PBSE_ENTLIMCT);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "would exceed complex's per-user limit");
    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "array_indices_submitted=1-8", "true\n"));
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "array_indices_submitted=1-3"),
                    PBSE_ENTLIMCT);
    check_room(r, 2);
    /* One that runs counts as it did when it waited. */
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    check_room(r, 2);
    rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force");
    check_room(r, 2);
    CU_ASSERT_TRUE(rig_is_same(r));
    /* One that is over, or was deleted, does not count. */
    run_and_end(&fm, "0[2].svr", 0);
    check_room(r, 3);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[5-6].svr", NULL), 0);
    check_room(r, 5);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_restart(r);
    check_room(r, 5);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[].svr", "force"), 0);
    check_room(r, 10);
    fake_mom_free(&fm);
}

/* What runs of it does not wait; what is left does. */
static void the_threshold_is_for_those_that_wait(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "array_indices_submitted=1-4", "true\n"));
    set(r, "queued_jobs_threshold=[o:PBS_ALL=5]");
    check_room(r, 1);
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    check_room(r, 2);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void sums_are_of_all_subjobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *wide = "array_indices_submitted=1-4 Resource_List.select=1:ncpus=2";

    set(r, "max_queued_res.ncpus=[u:PBS_GENERIC=8]");
    CU_ASSERT_PTR_NOT_NULL(submit(r, RIG_USER, "", wide, "true\n"));
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), PBSE_ENTLIMRESC);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[3].svr", NULL), 0);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "array_indices_submitted=1-3"),
                    PBSE_ENTLIMRESC);
    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "array_indices_submitted=1-2", "true\n"));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static const char *value(struct rig *r, const char *id, const char *attr)
{
    struct body_status body = { .id = id };
    const struct wire_reply *reply = rig_ask(r, RIG_USER, BATCH_STATUS_JOB, &body, "x");

    return reply && reply->objects.n == 1
               ? wire_attrs_value(&reply->objects.v[0].attrs, attr, NULL)
               : NULL;
}

/* What is said of the array as a whole is not said of a subjob that waits or is over
 * (attributes.md 14.2). */
static void subjobs_do_not_say_what_is_said_of_the_array(void)
{
    static const char *const of_array[] = {
        "array",
        "array_state_count",
        "array_indices_submitted",
        "Hold_Types",
        "comment",
        "array_indices_remaining",
        "Checkpoint",
        "estimated.start_time",
        "max_run_subjobs",
        "Exit_status",
        "depend",
        "stime",
        "obittime",
    };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *first = submit(r, RIG_USER, "", "", "true\n");
    const char *id = submit(
        r, RIG_USER, "",
        arena_printf(r->arena, "array_indices_submitted=1-3 depend=after:%s", first),
        "true\n");
    struct body_manage body = { .command = SET, .object_type = OBJECT_JOB };
    size_t n = 0;

    set(r, "job_history_enable=True");
    body.object_name = id;
    body.attrs = rig_attrs(r, "comment=word estimated.start_time=1800000100 "
                              "max_run_subjobs=2");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code, 0);
    for (size_t i = 0; i < ARRAY_LEN(of_array); i++) {
        n += rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, of_array[i]) != NULL;
        CU_ASSERT_PTR_NULL(
            rig_value(r, RIG_USER, BATCH_STATUS_JOB, "1[2].svr", of_array[i]));
    }
    CU_ASSERT_EQUAL(n, 10); /* all but those of its start and end */
    run_and_end(&fm, first, 0);
    run_and_end(&fm, "1[1].svr", 0);
    run_and_end(&fm, "1[2].svr", 0);
    CU_ASSERT_PTR_NULL(value(r, "1[3].svr", "stime"));
    CU_ASSERT_STRING_EQUAL(value(r, "1[2].svr", "comment"), "Subjob finished");
    run_and_end(&fm, "1[3].svr", 3);
    CU_ASSERT_STRING_EQUAL(value(r, id, "job_state"), "F");
    CU_ASSERT_PTR_NOT_NULL(value(r, id, "obittime"));
    CU_ASSERT_PTR_NULL(value(r, "1[2].svr", "obittime"));
    CU_ASSERT_STRING_EQUAL(value(r, "1[2].svr", "Exit_status"), "0");
    fake_mom_free(&fm);
}

static void an_array_in_history(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    set(r, "job_history_enable=True");
    submit(r, RIG_USER, "", "array_indices_submitted=1-2", "true\n");
    run_and_end(&fm, "0[1].svr", 0);
    run_and_end(&fm, "0[2].svr", 3);
    CU_ASSERT_STRING_EQUAL(value(r, "0[].svr", "job_state"), "F");
    CU_ASSERT_STRING_EQUAL(value(r, "0[].svr", "array_state_count"),
                           "Queued:0 Running:0 Exiting:0 Expired:0");
    CU_ASSERT_STRING_EQUAL(value(r, "0[2].svr", "job_state"), "F");
    CU_ASSERT_STRING_EQUAL(value(r, "0[2].svr", "substate"), "93");
    CU_ASSERT_STRING_EQUAL(value(r, "0[2].svr", "Exit_status"), "3");
    /* Its history goes as a whole. */
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[2].svr", "deletehist"),
                    PBSE_NOHISTARRAYSUBJOB);
    CU_ASSERT_EQUAL(delete_job(r, "bob", "0[1-2].svr", "deletehist"), PBSE_PERM);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[1].svr", NULL), PBSE_HISTJOBID);
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(value(r, "0[2].svr", "substate"), "93");
    delete_job(r, RIG_USER, "0[].svr", "deletehist");
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    fake_mom_free(&fm);
}

static int modify(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = { .command = SET,
                                .object_type = OBJECT_JOB,
                                .object_name = id,
                                .attrs = rig_attrs(r, attrs) };

    return rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* What waits of an array that has begun counts as queued, and not twice when the array
 * is altered. */
static void an_altered_array_counts_once(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "array_indices_submitted=1-4", "x\n"));
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'B');
    set(r, "queued_jobs_threshold_res.ncpus=[u:ann=6]");
    CU_ASSERT_EQUAL(modify(r, "0[].svr", "Resource_List.ncpus=2"), 0);
    CU_ASSERT_EQUAL(modify(r, "0[].svr", "Resource_List.ncpus=3"), PBSE_ENTLIMRESC);
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "subjobs count one by one", subjobs_count_one_by_one },
        { "an altered array counts once", an_altered_array_counts_once },
        { "the threshold is for those that wait",
          the_threshold_is_for_those_that_wait },
        { "sums are of all subjobs", sums_are_of_all_subjobs },
        { "subjobs do not say what is said of the array",
          subjobs_do_not_say_what_is_said_of_the_array },
        { "an array in history", an_array_in_history },
    };

    return unit_main("array limits", cases, ARRAY_LEN(cases));
}
