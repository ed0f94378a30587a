/* test_array_depend.c - arrays that wait for others, and for which others wait; and
 * what an alteration makes of an array that has begun.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/job_phase.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static const char *add(struct rig *r, const char *attrs)
{
    const char *id = submit(r, RIG_USER, "", attrs, "true\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    return id;
}

static int64_t substate(const struct rig *r, const char *id)
{
    return obj_num(the_job(r, id), JOB_A_SUBSTATE, -1);
}

static int alter(struct rig *r, const char *id, const char *attr, const char *value)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, attr, NULL, value, WIRE_OP_SET);
    return rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static void hold(struct rig *r, uint32_t number, const char *id, const char *letters)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "Hold_Types", NULL, letters, WIRE_OP_SET);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, number, &body, NULL)->code, 0);
}

static void start(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
}

static void end(struct fake_mom *fm, const char *id, int32_t status)
{
    fake_obit(fm, id, 1, status);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

/* What happens to an array of two. */
enum how {
    BEGINS, /* one of them runs */
    ENDS_WELL,
    ENDS_BADLY, /* one of the two does */
    IS_CUT,     /* one ends well, the other one is deleted before it ran */
    IS_DELETED, /* before anything of it ran */
    IS_KILLED   /* while one runs */
};

static void let_happen(struct fake_mom *fm, enum how how)
{
    struct rig *r = fm->r;

    if (how != IS_DELETED)
        start(fm, "0[1].svr");
    if (how == ENDS_WELL || how == ENDS_BADLY)
        start(fm, "0[2].svr");
    if (how == IS_CUT)
        CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[2].svr", NULL), 0);
    if (how == ENDS_WELL || how == ENDS_BADLY)
        end(fm, "0[2].svr", how == ENDS_BADLY);
    if (how == ENDS_WELL || how == ENDS_BADLY || how == IS_CUT)
        end(fm, "0[1].svr", 0);
    if (how == IS_DELETED || how == IS_KILLED)
        CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, "0[].svr", "force"), 0);
    rig_settle(r);
}

/* What becomes of the job that waits: Q it is let go, H it waits on, - it is deleted.
 */
static void every_kind_with_every_end_of_an_array(void)
{
    static const struct {
        const char *type;
        const char *fates; /* by enum how */
    } cases[] = {
        { "after", "QQQQ-Q" },
        { "afterok", "HQ-Q--" },
        { "afternotok", "H-Q-QQ" },
        { "afterany", "HQQQQQ" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (enum how how = BEGINS; how <= IS_KILLED; how++) {
            struct fake_mom fm = fake_mom_new();
            struct rig *r = fm.r;
            char fate = cases[i].fates[how], got;

            add(r, "array_indices_submitted=1-2");
            add(r, arena_printf(r->arena, "depend=%s:0[].svr@svr", cases[i].type));
            CU_ASSERT_EQUAL(substate(r, "1.svr"), 22);
            let_happen(&fm, how);
            got = the_job(r, "1.svr") ? state_of(r, "1.svr") : '-';
            if (got != fate)
                printf("%s %d: %c\n", cases[i].type, (int)how, got);
            CU_ASSERT_EQUAL(got, fate);
            if (how != BEGINS)
                CU_ASSERT_PTR_NULL(the_job(r, "0[].svr"));
            CU_ASSERT_TRUE(rig_is_same(r));
            fake_mom_free(&fm);
        }
}

/* Nothing of it starts before its time. */
static void an_array_waits(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    add(r, "");
    add(r, "array_indices_submitted=1-2 depend=afterok:0.svr");
    CU_ASSERT_EQUAL(substate(r, "1[].svr"), 22);
    CU_ASSERT_EQUAL(run_job(r, "1[1].svr", "(n1:ncpus=1)"), PBSE_BADSTATE);
    /* It was cut, and a manager lets it go: it waits all the same. */
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "1[2].svr", NULL), 0);
    hold(r, BATCH_RELEASE_JOB, "1[].svr", "s");
    CU_ASSERT_EQUAL(substate(r, "1[].svr"), 22);
    CU_ASSERT_TRUE(rig_is_same(r));
    start(&fm, "0.svr");
    end(&fm, "0.svr", 0);
    CU_ASSERT_EQUAL(state_of(r, "1[].svr"), 'B');
    /* That it has begun is told with its first run. */
    CU_ASSERT_EQUAL(run_job(r, "1[1].svr", "(n1:ncpus=1)"), 0);
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'S', 0));
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    end(&fm, "1[1].svr", 0);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    fake_mom_free(&fm);
}

static void an_array_that_has_begun_waits_for_nobody(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    add(r, "array_indices_submitted=1-3");
    add(r, "");
    start(&fm, "0[1].svr");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "depend", "afterok:1.svr"), PBSE_MODATRRUN);
    CU_ASSERT_STRING_EQUAL(rig_text(r),
                           "Cannot modify attribute while job running  depend");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "depend=before:0[].svr"),
                    PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'B');
    fake_mom_free(&fm);
}

static void one_of_a_set_is_an_array(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    add(r, "array_indices_submitted=1-2");
    add(r, "depend=runone:0[].svr");
    add(r, "array_indices_submitted=1-2 depend=runone:0[].svr");
    start(&fm, "2[1].svr");
    CU_ASSERT_EQUAL(substate(r, "0[].svr"), 22);
    CU_ASSERT_EQUAL(substate(r, "1.svr"), 22);
    CU_ASSERT_EQUAL(state_of(r, "2[].svr"), 'B');
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), PBSE_BADSTATE);
    /* It goes on to its end, whatever the others do. */
    start(&fm, "2[2].svr");
    end(&fm, "2[1].svr", 0);
    CU_ASSERT_EQUAL(substate(r, "1.svr"), 22);
    end(&fm, "2[2].svr", 0);
    rig_settle(r);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* What is left of it waits for its time, or for its hold to go, and goes on then. */
static void holds_and_times_of_an_array_that_has_begun(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    add(r, "array_indices_submitted=1-3");
    start(&fm, "0[1].svr");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Execution_Time",
                          arena_printf(r->arena, "%" PRId64, r->now_at + 100)),
                    0);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'W');
    CU_ASSERT_EQUAL(run_job(r, "0[2].svr", "(n1:ncpus=1)"), PBSE_BADSTATE);
    rig_advance(r, r->now_at + 100);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'B');
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Hold_Types", "u"), 0);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'H');
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Hold_Types", "n"), 0);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'B');
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Hold_Types", "n"), 0);
    CU_ASSERT_EQUAL(state_of(r, "0[].svr"), 'B');
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static const char *path(struct rig *r, const char *id)
{
    return rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, "Output_Path");
}

/* Subjobs do not write into one file, whoever names it (execution.md 13). */
static void every_subjob_has_its_file_after_an_alteration(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    add(r, "array_indices_submitted=1-3");
    start(&fm, "0[1].svr");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Output_Path", "svr:/a/out"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[].svr"), "svr:/a/out.^array_index^");
    CU_ASSERT_STRING_EQUAL(path(r, "0[2].svr"), "svr:/a/out.2");
    /* One that runs has the file that it was started with. */
    CU_ASSERT_PTR_NOT_NULL(strstr(path(r, "0[1].svr"), ".o0.1"));
    CU_ASSERT_EQUAL(
        alter(r, "0[].svr", "Output_Path", "svr:/^array_index^/o.^array_index^"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[3].svr"), "svr:/3/o.3");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Output_Path", "svr:/a/"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[].svr"), "svr:/a/");
    /* Nowhere has room for all of them. */
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Output_Path", "svr:/dev/null"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[2].svr"), "svr:/dev/null");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Output_Path", "/dev/null"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[2].svr"), "/dev/null");
    CU_ASSERT_EQUAL(alter(r, "0[].svr", "Output_Path", "svr:/dev/null2"), 0);
    CU_ASSERT_STRING_EQUAL(path(r, "0[2].svr"), "svr:/dev/null2.2");
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every kind with every end of an array",
          every_kind_with_every_end_of_an_array },
        { "an array waits", an_array_waits },
        { "an array that has begun waits for nobody",
          an_array_that_has_begun_waits_for_nobody },
        { "one of a set is an array", one_of_a_set_is_an_array },
        { "holds and times of an array that has begun",
          holds_and_times_of_an_array_that_has_begun },
        { "every subjob has its file after an alteration",
          every_subjob_has_its_file_after_an_alteration },
    };

    return unit_main("array depend", cases, ARRAY_LEN(cases));
}
