/* test_job_stands.c - jobs that their busy host has stopped (IDLE): what clients see,
 * what the jobs keep, and what a restart, a request or their end makes of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/job_suspend.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define SAME(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

static const char *shown(struct rig *r, uint32_t number, const char *id,
                         const char *attr)
{
    const char *v = rig_value(r, RIG_ROOT, number, id, attr);

    return v ? v : "(none)";
}

/* "R 42" */
static const char *seen(struct rig *r, const char *id)
{
    return arena_printf(r->arena, "%s %s", shown(r, BATCH_STATUS_JOB, id, "job_state"),
                        shown(r, BATCH_STATUS_JOB, id, "substate"));
}

static const char *in_use(struct rig *r, const char *resource)
{
    return shown(r, NOD, "n1",
                 arena_printf(r->arena, "resources_assigned.%s", resource));
}

static void say(struct fake_mom *fm, const char *id, uint32_t stands)
{
    fake_send(
        fm, &(struct is_message){ .command = IS_IDLE, .stands = stands, .job_id = id });
}

static const char *job_of(struct fake_mom *fm)
{
    return running_job_of(fm, "Resource_List.ncpus=2 Resource_List.walltime=100",
                          "(n1:ncpus=2)");
}

static size_t n_accounted(const struct rig *r, char type)
{
    size_t n = 0;

    while (accounted(r, type, n))
        n++;
    return n;
}

/* How many jobs are found by the letters. */
static size_t n_selected(struct rig *r, const char *letters)
{
    struct body_select body = { 0 };
    const struct wire_reply *reply;

    wire_attrs_add(&body.criteria, r->arena, "job_state", NULL, letters, WIRE_OP_EQ);
    reply = rig_ask(r, RIG_ROOT, BATCH_SELECT_JOBS, &body, NULL);
    return reply && reply->code == 0 ? reply->ids.n : SIZE_MAX;
}

static void it_is_in_state_u_and_keeps_what_it_has(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm);
    int64_t began_at = r->now_at;

    SAME(seen(r, id), "R 42");
    r->now_at += 10;
    say(&fm, id, 1);
    CU_ASSERT_EQUAL(n_accounted(r, 'z'), 1);
    CU_ASSERT_TRUE(rig_logged(r, "job suspended, its host is busy"));
    SAME(seen(r, id), "U 43");
    SAME(in_use(r, "ncpus"), "2");
    SAME(shown(r, BATCH_STATUS_JOB, id, "exec_vnode_kept"), "(none)");
    SAME(shown(r, BATCH_STATUS_QUEUE, "workq", "state_count"),
         "Transit:0 Queued:0 Held:0 Waiting:0 Running:1 Exiting:0 Begun:0 ");
    CU_ASSERT_EQUAL(n_selected(r, "U"), 1);
    CU_ASSERT_EQUAL(n_selected(r, "QU"), 1);
    CU_ASSERT_EQUAL(n_selected(r, "SR"), 0);
    CU_ASSERT_EQUAL(n_selected(r, "R"), 0);
    /* Said twice it is no news. */
    say(&fm, id, 1);
    CU_ASSERT_EQUAL(n_accounted(r, 'z'), 0);

    r->now_at += 1000;
    /* It may go on at once, and never before. */
    CU_ASSERT_EQUAL(job_ends_at(TO_JOB(the_job(r, id)), r->now_at), r->now_at + 90);
    say(&fm, id, 0);
    CU_ASSERT_EQUAL(n_accounted(r, 'r'), 1);
    SAME(seen(r, id), "R 42");
    CU_ASSERT_EQUAL(n_selected(r, "U"), 0);
    CU_ASSERT_EQUAL(n_selected(r, "R"), 1);
    /* The time in which it stood does not count. */
    CU_ASSERT_EQUAL(job_ends_at(TO_JOB(the_job(r, id)), r->now_at),
                    began_at + 100 + 1000);
    CU_ASSERT_EQUAL(job_ran_s(TO_JOB(the_job(r, id)), r->now_at + 5), 15);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void who_has_it_not_is_not_believed(void)
{
    struct fake_mom fm = fake_mom_new(), other = { .r = fm.r, .stream = 77 };
    struct rig *r = fm.r;
    const char *id = job_of(&fm);
    const char *waits = submit(r, RIG_USER, "", "", "x\n");

    say(&fm, "99.svr", 1);
    say(&fm, waits, 1);
    SAME(seen(r, waits), "Q 10");
    say(&other, id, 1);
    SAME(seen(r, id), "R 42");
    say(&fm, id, 7); /* anything but 0 */
    SAME(seen(r, id), "U 43");
    fake_mom_free(&fm);
}

/* Either of the two keeps it from running, and what it has run is counted once. */
static void it_is_suspended_as_well(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm);
    const struct body_signal body = { .job_id = id, .signal = "admin-suspend" };
    const struct body_signal back = { .job_id = id, .signal = "admin-resume" };

    r->now_at += 10;
    say(&fm, id, 1);
    r->now_at += 10;
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_SIGNAL_JOB, &body, NULL));
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    SAME(seen(r, id), "S 43");
    CU_ASSERT_EQUAL(n_selected(r, "U"), 0);
    r->now_at += 10;
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_SIGNAL_JOB, &back, NULL));
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    SAME(seen(r, id), "U 43");
    CU_ASSERT_EQUAL(job_ran_s(TO_JOB(the_job(r, id)), r->now_at), 10);
    r->now_at += 10;
    say(&fm, id, 0);
    SAME(seen(r, id), "R 42");
    CU_ASSERT_EQUAL(job_ran_s(TO_JOB(the_job(r, id)), r->now_at + 1), 11);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The MoM says at a registration how it is; until then it is as it was. */
static void a_restart_forgets_nothing(void)
{
    for (uint32_t substate = 42; substate <= 43; substate++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = job_of(&fm);
        struct is_running listed = { .job_id = id,
                                     .substate = (int32_t)substate,
                                     .run_version = 1 };

        say(&fm, id, 1);
        rig_restart(r);
        SAME(seen(r, id), "U 43");
        fake_connect(&fm, 1, &listed);
        /* A MoM that lists 43 was told of a suspension that the server has forgotten.
         */
        CU_ASSERT_EQUAL(fake_told(&fm, BATCH_SIGNAL_JOB, 0) != NULL, substate == 43);
        SAME(seen(r, id), "U 43");
        say(&fm, id, 0);
        SAME(seen(r, id), "R 42");
        fake_mom_free(&fm);
    }
}

static void its_next_run_does_not_stand(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm);
    const struct body_id body = { .id = id };

    say(&fm, id, 1);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force")->code, 0);
    SAME(seen(r, id), "Q 10");
    say(&fm, id, 1); /* of the run that is over */
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=2)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    SAME(seen(r, id), "R 41");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void it_can_be_deleted(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm);

    say(&fm, id, 1);
    CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, id, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_SIGNAL_JOB, 0));
    fake_obit(&fm, id, 1, 271);
    CU_ASSERT_NOT_EQUAL(state_of(r, id), 'R');
    say(&fm, id, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "it is in state U and keeps what it has",
          it_is_in_state_u_and_keeps_what_it_has },
        { "who has it not is not believed", who_has_it_not_is_not_believed },
        { "it is suspended as well", it_is_suspended_as_well },
        { "a restart forgets nothing", a_restart_forgets_nothing },
        { "its next run does not stand", its_next_run_does_not_stand },
        { "it can be deleted", it_can_be_deleted },
    };

    return unit_main("job_stands", cases, ARRAY_LEN(cases));
}
