/* test_stage_in.c - files that a job needs before it begins: fetched before the job is
 * sent, fetched later when that fails, removed when it is over (tpp.md 6.2,
 * execution.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static const char *staging_job(struct rig *r, const char *more)
{
    const char *id = submit(
        r, RIG_USER, "", arena_printf(r->arena, "stagein=in@h:/src/f %s", more), "x\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SUBSTATE, 0), 11);
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    return id;
}

static void check_files(const struct is_message *told, uint32_t direction)
{
    const struct body_files *files;

    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    files = told->request.body;
    CU_ASSERT_STRING_EQUAL(files->owner, "ann");
    CU_ASSERT_STRING_EQUAL(files->user, "ann");
    CU_ASSERT_EQUAL(files->direction, direction);
    CU_ASSERT_EQUAL(files->n_pairs, 1);
    CU_ASSERT_EQUAL(files->pairs[0].flag, 3);
    CU_ASSERT_STRING_EQUAL(files->pairs[0].local, "in");
    CU_ASSERT_STRING_EQUAL(files->pairs[0].remote, "h:/src/f");
}

static void the_files_come_before_the_job_and_go_after_it(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = staging_job(r, "sandbox=PRIVATE");
    const struct is_message *told = fake_told(&fm, BATCH_COPY_FILES, 0);

    check_files(told, 2);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    fake_obit(&fm, id, 1, 0);
    told = fake_told(&fm, BATCH_COPY_FILES, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    told = fake_told(&fm, BATCH_DEL_FILES, 0);
    check_files(told, 2);
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_PTR_NULL(the_job(r, id));
    fake_mom_free(&fm);
}

static void a_failure_is_told_and_tried_again_later(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = staging_job(r, "");

    check_files(fake_told(&fm, BATCH_COPY_FILES, 0), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), PBSE_NOCOPYFILE,
                "Unable to copy file in from h:/src/f\n>>> more\n");
    CU_ASSERT_EQUAL(state_of(r, id), 'W');
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SUBSTATE, 0), 37);
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_EXECUTION_TIME, 0),
                    RIG_START_AT + 1800);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, id), JOB_A_COMMENT, ""),
                           "Not Running: File stage in failed: Unable to copy file in "
                           "from h:/src/f");
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_EXEC_VNODE));
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_effect(r, EFFECT_MAIL, 0));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_effect(r, EFFECT_MAIL, 0)->u.mail.text,
                                  "File stage in failed, see below.\n"
                                  "Job will be retried later, please investigate and "
                                  "correct problem.\nUnable to copy file in"));
    rig_advance(r, RIG_START_AT + 1799);
    CU_ASSERT_EQUAL(state_of(r, id), 'W');
    rig_advance(r, RIG_START_AT + 1800);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SUBSTATE, 0), 11);
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
    fake_mom_free(&fm);
}

/* The MoM takes the files and not the job, or the job is deleted in between. */
static void files_of_a_job_that_does_not_begin_go(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = staging_job(r, "");

    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), PBSE_SYSTEM, "no disk");
    check_files(fake_told(&fm, BATCH_DEL_FILES, 0), 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, id, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(the_job(r, id)); /* the files are on their way */
    rig_restart(r);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_PTR_NULL(the_job(r, id));
    fake_mom_free(&fm);
}

/* The next run may be on another host, so that each run has its files fetched. */
static void each_run_fetches_its_files(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = staging_job(r, "");
    const struct body_id body = { .id = id };

    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), PBSE_SYSTEM, "no disk");
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    check_files(fake_told(&fm, BATCH_COPY_FILES, 0), 0);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    fake_usage(&fm, id, 2, "4711", "00:00:02");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force")->code, 0);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    check_files(fake_told(&fm, BATCH_COPY_FILES, 0), 0);
    fake_mom_free(&fm);
}

/* A lost answer, and a server that was killed: the files are asked for again. */
static void a_lost_answer_costs_another_copy(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = staging_job(r, "");

    fake_lose(&fm); /* the MoM has not heard of the job itself */
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    check_files(fake_told(&fm, BATCH_COPY_FILES, 0), 0);
    rig_restart(r);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    check_files(fake_told(&fm, BATCH_COPY_FILES, 0), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    rig_restart(r); /* it knows that they are there */
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the files come before the job and go after it",
          the_files_come_before_the_job_and_go_after_it },
        { "a failure is told, and tried again half an hour later",
          a_failure_is_told_and_tried_again_later },
        { "files of a job that does not begin go",
          files_of_a_job_that_does_not_begin_go },
        { "each run fetches its files", each_run_fetches_its_files },
        { "a lost answer costs another copy", a_lost_answer_costs_another_copy },
    };

    return unit_main("server/stage_in", cases, ARRAY_LEN(cases));
}
