/* test_depend.c - jobs that wait for others: every kind of dependency with every end,
 * who is refused at once, and what is shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/depend.h"
#include "server/model/job_phase.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static int64_t substate(const struct rig *r, const char *id)
{
    const struct object *o = the_job(r, id);

    return o ? obj_num(o, JOB_A_SUBSTATE, -1) : -1;
}

static const char *text_of(const struct rig *r, const char *id, int attr)
{
    const struct object *o = the_job(r, id);
    const char *text;

    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    text = attr_value_text(job_rows[attr].type, obj_attr(o, attr), r->arena);
    return text ? text : "";
}

/* "depend=type:job@svr" of a new job, in front of other attributes. */
static const char *after(struct rig *r, const char *user, const char *type,
                         const char *job, const char *attrs)
{
    return submit(r, user, "",
                  arena_printf(r->arena, "depend=%s:%s %s", type, job, attrs),
                  "true\n");
}

static void end_run(struct fake_mom *fm, const char *id, int32_t status)
{
    fake_obit(fm, id, 1, status);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

enum how {
    RUNS,
    ENDS_WELL,
    ENDS_BADLY,
    IS_DELETED,
    IS_KILLED
};

static void let_happen(struct fake_mom *fm, const char *id, enum how how)
{
    if (how == IS_DELETED) {
        CU_ASSERT_EQUAL(delete_job(fm->r, RIG_ROOT, id, NULL), 0);
        return;
    }
    CU_ASSERT_EQUAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    if (how == IS_KILLED) {
        CU_ASSERT_EQUAL(delete_job(fm->r, RIG_ROOT, id, "force"), 0);
    } else if (how != RUNS)
        end_run(fm, id, how == ENDS_WELL ? 0 : 1);
}

/* What becomes of the job that waits: Q it is let go, H it waits on, - it is deleted.
 */
static void every_kind_with_every_end(void)
{
    static const struct {
        const char *type;
        const char *fates; /* by enum how */
    } cases[] = {
        { "after", "QQQ-Q" },
        { "afterok", "HQ---" },
        { "afternotok", "H-QQQ" },
        { "afterany", "HQQQQ" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int history = 0; history < 2; history++)
            for (enum how how = RUNS; how <= IS_KILLED; how++) {
                struct fake_mom fm = fake_mom_new();
                struct rig *r = fm.r;
                const char *first, *second;
                char fate = cases[i].fates[how];

                CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                            history ? "job_history_enable=True"
                                                    : "job_history_enable=False"),
                                0);
                first = submit(r, RIG_USER, "", "", "true\n");
                second = after(r, RIG_USER, cases[i].type, "0.svr@svr", "");
                CU_ASSERT_PTR_NOT_NULL_FATAL(second);
                CU_ASSERT_EQUAL(state_of(r, second), 'H');
                CU_ASSERT_EQUAL(substate(r, second), 22);
                CU_ASSERT_STRING_EQUAL(text_of(r, second, JOB_A_HOLD_TYPES), "s");
                let_happen(&fm, first, how);
                if (fate == '-' && !history)
                    CU_ASSERT_PTR_NULL(the_job(r, second));
                if (fate == '-' && history)
                    CU_ASSERT_EQUAL(substate(r, second), 91);
                if (fate == '-')
                    CU_ASSERT_STRING_EQUAL(
                        accounted(r, 'A', 0),
                        "Job deleted as result of dependency on job 0.svr");
                if (fate != '-' && state_of(r, second) != fate)
                    printf("%s %d\n", cases[i].type, (int)how);
                if (fate != '-')
                    CU_ASSERT_EQUAL(state_of(r, second), fate);
                if (fate == 'Q')
                    CU_ASSERT_STRING_EQUAL(text_of(r, second, JOB_A_HOLD_TYPES), "n");
                /* Nothing of the first one is left where nothing is kept. */
                if (!history && how != RUNS)
                    CU_ASSERT_PTR_NULL(the_job(r, first));
                CU_ASSERT_TRUE(rig_is_same(r));
                fake_mom_free(&fm);
            }
}

static void what_cannot_be_is_refused_at_once(void)
{
    static const struct {
        const char *story, *depend;
        int code;
    } cases[] = {
        { "nobody has that number", "afterok:99.svr@svr", PBSE_BADDEPEND },
        { "a set over two servers", "runone:0.svr@elsewhere", PBSE_BADDEPEND },
        { "the second is not there", "afterok:0.svr:99.svr", PBSE_BADDEPEND },
        { "an id without a server", "afterok:0", PBSE_BADATVAL },
        { "no kind", "foo:0.svr", PBSE_BADATVAL },
        { "no job", "afterok", PBSE_BADATVAL },
        { "an empty job", "afterok:", PBSE_BADATVAL },
        { "an empty entry", "afterok:0.svr,", PBSE_BADATVAL },
        { "a subjob", "afterok:0[3].svr", PBSE_BADATVAL },
        { "no number", "on:x", PBSE_BADATVAL },
        { "a number of nothing", "on:0", PBSE_BADATVAL },
        { "a number beyond all", "on:99999999999999999999", PBSE_BADATVAL },
        { "not served", "synccount:2", PBSE_BADATVAL },
    };
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_PTR_NOT_NULL(submit(fm.r, RIG_USER, "", "", "true\n"));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int code = submit_code(fm.r, RIG_USER, "",
                               arena_printf(fm.r->arena, "depend=%s", cases[i].depend));

        if (code != cases[i].code)
            printf("%s: %d\n", cases[i].story, code);
        CU_ASSERT_EQUAL(code, cases[i].code);
    }
    CU_ASSERT_EQUAL(svr_model(fm.r->s)->kinds[OBJ_JOB].n, 1);
    fake_mom_free(&fm);
}

/* What one more job would have it wait for is refused, and nothing that it waits for is
 * forgotten. */
static void a_job_waits_for_so_many_and_no_more(void)
{
    struct fake_mom fm = fake_mom_new();
    struct depend_list list;

    CU_ASSERT_PTR_NOT_NULL(submit(fm.r, RIG_USER, "", "", "true\n"));
    for (int i = 0; i < DEPEND_MAX_ENTRIES; i++)
        CU_ASSERT_EQUAL(submit_code(fm.r, RIG_USER, "", "depend=before:0.svr"), 0);
    CU_ASSERT_EQUAL(submit_code(fm.r, RIG_USER, "", "depend=before:0.svr"),
                    PBSE_BADDEPEND);
    CU_ASSERT_TRUE(depend_parse(obj_str(the_job(fm.r, "0.svr"), JOB_A_DEPEND, ""),
                                fm.r->arena, &list));
    CU_ASSERT_EQUAL(list.n, DEPEND_MAX_ENTRIES);
    CU_ASSERT_EQUAL(state_of(fm.r, "0.svr"), 'H');
    fake_mom_free(&fm);
}

static int alter(struct rig *r, const char *user, const char *id, const char *depend)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "depend", NULL, depend, WIRE_OP_SET);
    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static void nobody_waits_in_a_circle(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = after(r, RIG_USER, "afterok", a, "");
    const char *c = after(r, RIG_USER, "afterany", b, "");

    CU_ASSERT_EQUAL(alter(r, RIG_USER, a, "afterok:0.svr"), PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, a, "after:2.svr"), PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, c, "afterany:1.svr,beforeok:0.svr"),
                    PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "depend=after:2.svr,before:0.svr"),
                    PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(state_of(r, a), 'Q');
    /* The other way round is no circle. */
    CU_ASSERT_EQUAL(alter(r, RIG_USER, c, "afterok:0.svr"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, c, JOB_A_DEPEND), "afterok:0.svr@svr");
    fake_mom_free(&fm);
}

/* Each ends because of the one before it: that is as much as follows from one request,
 * one thing after the other, and takes more than one turn. */
static void a_long_chain_goes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *first = submit(r, RIG_USER, "", "", "true\n"), *last = first;

    for (int i = 1; i < 1500; i++)
        last = after(r, RIG_USER, "afterok", last, "");
    CU_ASSERT_EQUAL(substate(r, last), 22);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, first, NULL), 0);
    rig_settle(r);
    CU_ASSERT_PTR_NULL(the_job(r, last));
    CU_ASSERT_PTR_NULL(the_job(r, "750.svr"));
    fake_mom_free(&fm);
}

static const char *shown(struct rig *r, const char *id)
{
    const struct body_status body = { .id = id };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_STATUS_JOB, &body, NULL);

    while (!reply && rig_count(r, EFFECT_REPLY) == 0)
        reply = rig_go_on(r, r->conn);
    (void)reply;
    return rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "depend");
}

static void both_sides_are_shown(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = after(r, RIG_USER, "afterok", a, "");
    const char *c = after(r, RIG_USER, "afterok", b, "");
    const char *d = after(r, RIG_USER, "afterany", "0.svr:1.svr", "");

    CU_ASSERT_STRING_EQUAL(shown(r, a), "beforeok:1.svr@svr,beforeany:3.svr@svr");
    CU_ASSERT_STRING_EQUAL(shown(r, b),
                           "afterok:0.svr@svr,beforeok:2.svr@svr,beforeany:3.svr@svr");
    CU_ASSERT_STRING_EQUAL(shown(r, d), "afterany:0.svr@svr:1.svr@svr");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, c, NULL), 0);
    CU_ASSERT_STRING_EQUAL(shown(r, b), "afterok:0.svr@svr,beforeany:3.svr@svr");
    /* A job of two waits until both are over. */
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    rig_settle(r);
    CU_ASSERT_PTR_NULL(the_job(r, b));
    CU_ASSERT_EQUAL(state_of(r, d), 'Q');
    CU_ASSERT_STRING_EQUAL(text_of(r, d, JOB_A_DEPEND), "");
    fake_mom_free(&fm);
}

/* Two jobs that a third one waits for are deleted with one request. */
static void ends_that_come_together_are_all_seen(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[] = { submit(r, RIG_USER, "", "", "true\n"),
                          submit(r, RIG_USER, "", "", "true\n"), NULL };
    const char *c = after(r, RIG_USER, "afterany", "0.svr:1.svr", "");
    const char *d = after(r, RIG_USER, "afterok", "0.svr", "");
    struct body_list list = { .ids = { 3, ids } };

    ids[2] = d;
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_DELETE_JOB_LIST, &list, NULL)->code, 0);
    rig_settle(r);
    CU_ASSERT_EQUAL(state_of(r, c), 'Q');
    CU_ASSERT_PTR_NULL(the_job(r, d));
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 1);
    fake_mom_free(&fm);
}

static void hold(struct rig *r, uint32_t number, const char *id, const char *letters)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "Hold_Types", NULL, letters, WIRE_OP_SET);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, number, &body, NULL)->code, 0);
}

static void other_holds_are_left_alone(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = after(r, RIG_USER, "afterany", a, "Hold_Types=u");
    const char *c = after(r, RIG_USER, "afterany", a, "");
    const char *d = after(r, RIG_USER, "afterany", a, "");

    CU_ASSERT_STRING_EQUAL(text_of(r, b, JOB_A_HOLD_TYPES), "su");
    CU_ASSERT_EQUAL(substate(r, b), 22);
    hold(r, BATCH_HOLD_JOB, c, "s");
    /* A dependency is not released by hand. */
    hold(r, BATCH_RELEASE_JOB, d, "s");
    CU_ASSERT_EQUAL(state_of(r, d), 'H');
    CU_ASSERT_EQUAL(substate(r, d), 22);
    CU_ASSERT_EQUAL(run_job(r, d, "(n1:ncpus=1)"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, JOB_A_HOLD_TYPES), "u");
    CU_ASSERT_EQUAL(substate(r, b), 20);
    CU_ASSERT_STRING_EQUAL(text_of(r, c, JOB_A_HOLD_TYPES), "s");
    CU_ASSERT_EQUAL(substate(r, c), 20);
    CU_ASSERT_EQUAL(state_of(r, d), 'Q');
    fake_mom_free(&fm);
}

static void a_count_goes_down_by_name(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "depend=on:2", "true\n");
    const char *b, *c;

    CU_ASSERT_EQUAL(state_of(r, a), 'H');
    b = after(r, RIG_USER, "beforeok", a, "");
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_STRING_EQUAL(text_of(r, a, JOB_A_DEPEND), "on:1,afterok:1.svr@svr");
    CU_ASSERT_STRING_EQUAL(shown(r, b), "beforeok:0.svr@svr");
    /* A job of somebody else is not made to wait. */
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", "depend=beforeany:0.svr"),
                    PBSE_BADDEPEND);
    c = after(r, RIG_USER, "beforeany", a, "");
    CU_ASSERT_STRING_EQUAL(text_of(r, a, JOB_A_DEPEND),
                           "afterok:1.svr@svr,afterany:2.svr@svr");
    let_happen(&fm, b, ENDS_WELL);
    CU_ASSERT_EQUAL(state_of(r, a), 'H');
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, c, NULL), 0);
    CU_ASSERT_EQUAL(state_of(r, a), 'Q');
    fake_mom_free(&fm);
}

static void all_that_is_said_of_one_job_counts(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "depend=on:2", "true\n");

    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "depend=beforeany:0.svr:0.svr,before:0.svr", "true\n"));
    CU_ASSERT_STRING_EQUAL(text_of(r, a, JOB_A_DEPEND),
                           "after:1.svr@svr,afterany:1.svr@svr");
    fake_mom_free(&fm);
}

static void one_of_a_set_runs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = after(r, RIG_USER, "runone", a, "");
    const char *c = after(r, RIG_USER, "runone", b, "");

    CU_ASSERT_EQUAL(state_of(r, a), 'Q');
    CU_ASSERT_EQUAL(state_of(r, c), 'Q');
    CU_ASSERT_STRING_EQUAL(text_of(r, a, JOB_A_DEPEND), "runone:1.svr@svr:2.svr@svr");
    CU_ASSERT_EQUAL(run_job(r, b, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(state_of(r, a), 'H');
    CU_ASSERT_EQUAL(state_of(r, c), 'H');
    /* Its MoM refuses it: each may be the one again. */
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_SYSTEM, NULL);
    CU_ASSERT_EQUAL(state_of(r, a), 'Q');
    CU_ASSERT_EQUAL(state_of(r, c), 'Q');
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_EQUAL(run_job(r, c, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    end_run(&fm, c, 1);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* What is satisfied already does not hold; what never will be is refused. */
static void jobs_of_the_past_count(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a, *b;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "job_history_enable=True"), 0);
    a = submit(r, RIG_USER, "", "", "true\n");
    let_happen(&fm, a, ENDS_WELL);
    b = after(r, RIG_USER, "afterok", a, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_STRING_EQUAL(text_of(r, b, JOB_A_DEPEND), "");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "depend=afternotok:0.svr"),
                    PBSE_HISTDEPEND);
    fake_mom_free(&fm);
}

static void alterations_hold_and_let_go(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = submit(r, RIG_USER, "", "", "true\n");

    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "afterok:99.svr"), PBSE_BADDEPEND);
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "afterok:0.svr"), 0);
    CU_ASSERT_EQUAL(substate(r, b), 22);
    rig_restart(r);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, ""), 0);
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_PTR_NOT_NULL(the_job(r, a));
    fake_mom_free(&fm);
}

static int alter_holds(struct rig *r, const char *user, const char *id,
                       const char *letters)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "Hold_Types", NULL, letters, WIRE_OP_SET);
    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* qalter -h puts other letters in the place of all: the owner changes his own, and the
 * dependency's stays. One that a manager sets stays behind it. */
static void altered_holds_are_not_its_own(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = after(r, RIG_USER, "afterany", a, "");
    const char *c = after(r, RIG_USER, "afterany", a, "");

    CU_ASSERT_EQUAL(alter_holds(r, RIG_USER, b, "u"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, JOB_A_HOLD_TYPES), "su");
    CU_ASSERT_EQUAL(alter_holds(r, RIG_USER, b, "n"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, JOB_A_HOLD_TYPES), "s");
    CU_ASSERT_EQUAL(alter_holds(r, RIG_USER, b, "s"), PBSE_PERM);
    CU_ASSERT_EQUAL(alter_holds(r, RIG_ROOT, c, "s"), 0);
    CU_ASSERT_EQUAL(alter_holds(r, RIG_USER, c, "n"), PBSE_PERM);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    CU_ASSERT_EQUAL(state_of(r, b), 'Q');
    CU_ASSERT_STRING_EQUAL(text_of(r, c, JOB_A_HOLD_TYPES), "s");
    CU_ASSERT_EQUAL(substate(r, c), 20);
    fake_mom_free(&fm);
}

static void accounting_tells_of_it(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *line;

    CU_ASSERT_PTR_NOT_NULL(submit(fm.r, RIG_USER, "", "", "true\n"));
    CU_ASSERT_PTR_NOT_NULL(after(fm.r, RIG_USER, "afterok", "0.svr@svr", ""));
    line = accounted(fm.r, 'Q', 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(line);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(line, " etime=0 depend=afterok:0.svr@svr Resource_List.ncpus=1 "));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every kind with every end", every_kind_with_every_end },
        { "what cannot be is refused at once", what_cannot_be_is_refused_at_once },
        { "a job waits for so many and no more", a_job_waits_for_so_many_and_no_more },
        { "a long chain goes", a_long_chain_goes },
        { "nobody waits in a circle", nobody_waits_in_a_circle },
        { "both sides are shown", both_sides_are_shown },
        { "ends that come together are all seen",
          ends_that_come_together_are_all_seen },
        { "other holds are left alone", other_holds_are_left_alone },
        { "a count goes down by name", a_count_goes_down_by_name },
        { "all that is said of one job counts", all_that_is_said_of_one_job_counts },
        { "one of a set runs", one_of_a_set_runs },
        { "jobs of the past count", jobs_of_the_past_count },
        { "alterations hold and let go", alterations_hold_and_let_go },
        { "altered holds are not its own", altered_holds_are_not_its_own },
        { "accounting tells of it", accounting_tells_of_it },
    };

    return unit_main("depend", cases, ARRAY_LEN(cases));
}
