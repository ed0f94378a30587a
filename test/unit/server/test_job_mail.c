/* test_job_mail.c - which letters are written about a job and its end, and to whom
 * (operations.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/row.h"
#include "server/decide/job_letter.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* The texts of the letters among the effects, behind their two first lines and without
 * line ends: "Begun execution|", "" when there are none. */
static const char *letters(const struct rig *r)
{
    const char *all = "";

    for (size_t i = 0; i < rig_count(r, EFFECT_MAIL); i++) {
        const char *text = rig_effect(r, EFFECT_MAIL, i)->u.mail.text;
        char *copy;

        for (int line = 0; line < 2; line++)
            text = strchr(text, '\n') + 1;
        copy = arena_printf(r->arena, "%s%s", all, text);
        for (char *c = copy; *c; c++)
            if (*c == '\n')
                *c = '|';
        all = copy;
    }
    return all;
}

#define TOLD(r, expect)                                                                \
    do {                                                                               \
        const char *got_ = letters(r);                                                 \
        if (strcmp(got_, expect) != 0)                                                 \
            printf("%d: '%s', expected '%s'\n", __LINE__, got_, expect);               \
        CU_ASSERT_STRING_EQUAL(got_, expect);                                          \
    } while (0)

static void begin(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
}

/* The letters of the last steps are looked at by the caller. */
static void finish(struct fake_mom *fm, const char *id, int32_t status)
{
    fake_obit(fm, id, 1, status);
    if (fake_told(fm, BATCH_COPY_FILES, 0))
        fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

static void points_say_which_letters_are_written(void)
{
    static const struct {
        const char *points;
        const char *begun, *ended;
    } cases[] = {
        { "", "", "" },
        { "Mail_Points=a", "", "" },
        { "Mail_Points=n", "", "" },
        { "Mail_Points=b", "Begun execution|", "" },
        { "Mail_Points=be", "Begun execution|",
          "Execution terminated|Exit_status=3|resources_used.cput=00:00:01|"
          "resources_used.walltime=00:00:05|" },
        { "Mail_Points=e", "",
          "Execution terminated|Exit_status=3|resources_used.cput=00:00:01|"
          "resources_used.walltime=00:00:05|" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = submit(fm.r, RIG_USER, "", cases[i].points, "x\n");

        begin(&fm, id);
        TOLD(fm.r, cases[i].begun);
        fake_usage(&fm, id, 1, "4711", "00:00:05");
        finish(&fm, id, 3);
        TOLD(fm.r, cases[i].ended);
        fake_mom_free(&fm);
    }
}

/* Whatever is in a store: clients may set letters or n, and not both, and a job whose
 * points are unset is one that says "a" (attributes.md 14). */
static void points_are_read_one_by_one(void)
{
    static const struct {
        const char *points, *wanted; /* of b, e, a and what is always told (!) */
    } cases[] = {
        { NULL, "a!" },    { "a", "a!" }, { "n", "!" },  { "be", "be!" },
        { "abe", "bea!" }, { "nb", "!" }, { "en", "!" }, { "j", "!" },
    };
    static const struct {
        char letter;
        enum letter_point point;
    } points[] = { { 'b', LETTER_BEGIN },
                   { 'e', LETTER_END },
                   { 'a', LETTER_ABORT },
                   { '!', LETTER_ALWAYS } };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct object o = { .kind = OBJ_JOB };
        char got[8] = "";
        size_t n = 0;

        o.attrs = obj_attrs_blank(job_table.n, r->arena);
        if (cases[i].points)
            obj_attrs_view_put(
                &o.attrs, JOB_A_MAIL_POINTS,
                (struct attr_value){ .set = true, .u.str = (char *)cases[i].points },
                r->arena);
        for (size_t k = 0; k < ARRAY_LEN(points); k++)
            if (job_wants_letter(&o, points[k].point))
                got[n++] = points[k].letter;
        CU_ASSERT_STRING_EQUAL(got, cases[i].wanted);
    }
    rig_free(r);
}

static void a_letter_goes_to_who_is_named(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id[] = { submit(r, RIG_USER, "", "Mail_Points=b Job_Name=one", "x\n"),
                         submit(r, RIG_USER, "", "Mail_Points=b Mail_Users=a@b,c",
                                "x\n") };
    static const char *const to[] = { "ann@svr.example", "a@b,c" };

    for (size_t i = 0; i < ARRAY_LEN(id); i++) {
        begin(&fm, id[i]);
        CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_MAIL), 1);
        CU_ASSERT_STRING_EQUAL(rig_effect(r, EFFECT_MAIL, 0)->u.mail.to, to[i]);
    }
    fake_mom_free(&fm);
    fm = fake_mom_new();
    begin(&fm, submit(fm.r, RIG_USER, "", "Mail_Points=b Job_Name=one", "x\n"));
    CU_ASSERT_STRING_EQUAL(rig_effect(fm.r, EFFECT_MAIL, 0)->u.mail.subject,
                           "PBS JOB 0.svr");
    CU_ASSERT_STRING_EQUAL(rig_effect(fm.r, EFFECT_MAIL, 0)->u.mail.text,
                           "PBS Job Id: 0.svr\nJob Name:   one\nBegun execution\n");
    fake_mom_free(&fm);
}

/* A job that was to be deleted does not go back to its queue: nobody has to mend
 * anything. */
static void who_deletes_a_job_mends_nothing(void)
{
    static const int32_t status[] = { -10, -13 };

    for (size_t i = 0; i < ARRAY_LEN(status); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = submit(fm.r, RIG_USER, "", "Mail_Points=n", "x\n");

        begin(&fm, id);
        CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
        fake_obit(&fm, id, 1, status[i]);
        TOLD(fm.r, "");
        fake_mom_free(&fm);
    }
}

/* What comes to another end than its own is told once, whatever the points are. */
static void what_went_wrong_is_told(void)
{
    static const struct {
        const char *attrs;
        int32_t status;
        const char *told;
    } cases[] = {
        { "Mail_Points=n", -29,
          "Aborted by PBS Server |Job exceeded resource walltime|"
          "See job standard error file|" },
        { "Mail_Points=be", -28,
          "Aborted by PBS Server |Job exceeded resource cput|"
          "See job standard error file|" },
        { "Mail_Points=e", -1,
          "Aborted by PBS Server |Job cannot be executed|See Administrator for help|" },
        { "Mail_Points=n", -2,
          "Aborted by PBS Server |Job cannot be executed|"
          "See job standard error file|" },
        { "Rerunable=n", -20,
          "Aborted by PBS Server |Non-rerunable job deleted on requeue|" },
        { "Rerunable=n Mail_Points=n", -20, "" },
        { "Mail_Points=abe", -20, "" }, /* it goes back to its queue */
        /* These go back, too; the owner has to mend what is wrong. */
        { "Mail_Points=n", -10, "Aborted by PBS Server |Bad UID for job execution|" },
        { "Mail_Points=n", -13,
          "Begun execution|job held due to bad password:job has bad password|" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = submit(fm.r, RIG_USER, "", cases[i].attrs, "x\n");

        begin(&fm, id);
        fake_obit(&fm, id, 1, cases[i].status);
        TOLD(fm.r, cases[i].told);
        /* And no second time at the end. */
        if (fake_told(&fm, BATCH_COPY_FILES, 0)) {
            fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
            TOLD(fm.r, "");
        }
        fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
        TOLD(fm.r, "");
        fake_mom_free(&fm);
    }
}

static void a_lost_node_is_told(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "Rerunable=n Mail_Points=n", "x\n");

    begin(&fm, id);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 400);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    TOLD(fm.r, "Aborted by PBS Server |Job deleted, execution node n1 down|");
    CU_ASSERT_PTR_NOT_NULL_FATAL(accounted(fm.r, 'D', 0));
    CU_ASSERT_STRING_EQUAL(accounted(fm.r, 'D', 0),
                           "Job deleted, execution node n1 down");
    fake_mom_free(&fm);
}

/* Its deletion is told once, when it is asked for, whatever then becomes of its node.
 */
static void a_deleted_job_on_a_lost_node_is_told_once(void)
{
    static const struct {
        const char *user, *extend, *told;
    } cases[] = {
        { RIG_USER, NULL, "" },
        { RIG_ROOT, NULL, "Job to be deleted at request of root@svr.example|" },
        { RIG_ROOT, "nomail", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = submit(fm.r, RIG_USER, "", "Mail_Points=n", "x\n");

        begin(&fm, id);
        CU_ASSERT_EQUAL(delete_job(fm.r, cases[i].user, id, cases[i].extend), 0);
        TOLD(fm.r, cases[i].told);
        fake_lose(&fm);
        rig_advance(fm.r, fm.r->now_at + 400);
        CU_ASSERT_PTR_NULL(the_job(fm.r, id));
        TOLD(fm.r, "");
        fake_mom_free(&fm);
    }
}

/* Who deletes jobs of others tells them, unless told not to. */
static void a_deletion_is_told_to_the_owner(void)
{
    static const struct {
        const char *user, *extend, *told;
    } cases[] = {
        { RIG_USER, NULL, "" },
        { RIG_USER, "force", "" },
        { RIG_ROOT, NULL, "Job to be deleted at request of root@svr.example|" },
        { RIG_ROOT, "nomail", "" },
        { RIG_ROOT, "nomailforce", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *waits = submit(r, RIG_USER, "", "Mail_Points=n", "x\n");
        const char *runs = submit(r, RIG_USER, "", "Mail_Points=n", "x\n");
        const char *array =
            submit(r, RIG_USER, "", "array_indices_submitted=1-4", "x\n");

        begin(&fm, runs);
        begin(&fm, "2[2].svr");
        CU_ASSERT_EQUAL(delete_job(r, cases[i].user, waits, cases[i].extend), 0);
        TOLD(r, cases[i].told);
        CU_ASSERT_EQUAL(delete_job(r, cases[i].user, runs, cases[i].extend), 0);
        TOLD(r, cases[i].told);
        /* Its subjobs have no letters of their own. */
        CU_ASSERT_EQUAL(delete_job(r, cases[i].user, array, cases[i].extend), 0);
        TOLD(r, cases[i].told);
        fake_mom_free(&fm);
    }
}

/* The server ends the array then, which is nobody's request. */
static void an_array_without_subjobs_ends_silently(void)
{
    struct fake_mom fm = fake_mom_new();

    submit(fm.r, RIG_USER, "", "array_indices_submitted=1-4", "x\n");
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, "0[1-4].svr", NULL), 0);
    TOLD(fm.r, "");
    CU_ASSERT_PTR_NULL(the_job(fm.r, "0[].svr"));
    fake_mom_free(&fm);
}

static void an_array_has_its_letters(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    submit(r, RIG_USER, "", "array_indices_submitted=1-2 Mail_Points=be", "x\n");
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    TOLD(r, "Begun execution|");
    CU_ASSERT_STRING_EQUAL(rig_effect(r, EFFECT_MAIL, 0)->u.mail.subject,
                           "PBS JOB 0[].svr");
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    TOLD(r, "");
    begin(&fm, "0[2].svr");
    TOLD(r, "");
    finish(&fm, "0[1].svr", 3);
    TOLD(r, "");
    finish(&fm, "0[2].svr", 0);
    TOLD(r, "Execution terminated|Exit_status=1|");
    fake_mom_free(&fm);
}

static void subjobs_have_letters_with_the_letter_j(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    submit(r, RIG_USER, "", "array_indices_submitted=1-2 Mail_Points=bej", "x\n");
    begin(&fm, "0[1].svr");
    TOLD(r, "Begun execution|");
    CU_ASSERT_STRING_EQUAL(rig_effect(r, EFFECT_MAIL, 0)->u.mail.subject,
                           "PBS JOB 0[1].svr");
    finish(&fm, "0[1].svr", 3);
    TOLD(r, "Execution terminated|Exit_status=3|resources_used.cput=00:00:01|");
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "points say which letters are written",
          points_say_which_letters_are_written },
        { "points are read one by one", points_are_read_one_by_one },
        { "a letter goes to who is named", a_letter_goes_to_who_is_named },
        { "what went wrong is told", what_went_wrong_is_told },
        { "who deletes a job mends nothing", who_deletes_a_job_mends_nothing },
        { "a lost node is told", a_lost_node_is_told },
        { "a deleted job on a lost node is told once",
          a_deleted_job_on_a_lost_node_is_told_once },
        { "a deletion is told to the owner", a_deletion_is_told_to_the_owner },
        { "an array without subjobs ends silently",
          an_array_without_subjobs_ends_silently },
        { "an array has its letters", an_array_has_its_letters },
        { "subjobs have letters with the letter j",
          subjobs_have_letters_with_the_letter_j },
    };

    return unit_main("job mail", cases, ARRAY_LEN(cases));
}
