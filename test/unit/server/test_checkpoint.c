/* test_checkpoint.c - the server and images of jobs: who asks for one, what the end of
 * a run says of it, where its job runs next (doc/design/066).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/model/job_state.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define AT         "(n1:ncpus=1)"
#define HELD       20
#define CKPT_ENDED (-12)

static const struct wire_reply *ask(struct rig *r, uint32_t number, const char *id)
{
    const struct body_manage body = { .command = 2,
                                      .object_type = OBJECT_JOB,
                                      .object_name = id,
                                      .attrs = rig_attrs(r, "Hold_Types=u") };

    return rig_ask(r, RIG_ROOT, number, &body, NULL);
}

static const struct wire_reply *hold(struct fake_mom *fm, const char *id)
{
    return ask(fm->r, BATCH_HOLD_JOB, id);
}

static const struct is_message *image_wanted(const struct fake_mom *fm)
{
    return fake_told(fm, BATCH_HOLD_JOB, 0);
}

static const char *value(const struct rig *r, const char *id, int attr)
{
    return obj_str(the_job(r, id), attr, "");
}

/* Its end is stored, and its MoM has forgotten the run. */
static void ends(struct fake_mom *fm, const char *id, int32_t run, int32_t status)
{
    fake_obit(fm, id, run, status);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), PBSE_UNKJOBID, NULL);
}

/* Held, with an image of its first run. */
static const char *resting_job(struct fake_mom *fm)
{
    const char *id = running_job_of(fm, "", AT);

    CU_ASSERT_PTR_NULL(hold(fm, id));
    fake_answer(fm, image_wanted(fm), 0, NULL);
    ends(fm, id, 1, CKPT_ENDED);
    CU_ASSERT_EQUAL_FATAL(state_of(fm->r, id), 'H');
    return id;
}

static void release(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL(ask(fm->r, BATCH_RELEASE_JOB, id)->code, 0);
}

static void test_a_held_job_waits_with_its_image(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job_of(&fm, "", AT);
    const struct is_message *told;
    uint64_t conn;

    CU_ASSERT_PTR_NULL(hold(&fm, id));
    conn = r->conn;
    CU_ASSERT_PTR_NOT_NULL_FATAL(told = image_wanted(&fm));
    CU_ASSERT_STRING_EQUAL(
        ((const struct body_manage *)told->request.body)->object_name, id);
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NULL(rig_reply(r, conn)); /* the end says that there is one */
    fake_obit(&fm, id, 1, CKPT_ENDED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL(rig_reply(r, conn)->code, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(accounted(r, 'C', 0));
    CU_ASSERT_STRING_EQUAL(accounted(r, 'C', 0), "");
    CU_ASSERT_PTR_NULL(accounted(r, 'R', 0));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_UNKJOBID, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'H');
    CU_ASSERT_STRING_EQUAL(value(r, id, JOB_A_EXEC_VNODE), AT);
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_HF_IMAGE, 0), 1);
    CU_ASSERT_PTR_NULL(fake_message(&fm, IS_DISCARD_JOB));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* What the MoM says decides; the hold is set in any case. */
static void test_a_job_without_an_image_runs_on(void)
{
    static const struct {
        int32_t code;
        const char *text;
        int expect;
    } rows[] = { { PBSE_NOSUP, "No support for requested service", 0 },
                 { PBSE_CKPBSY, "Checkpoint busy, may retry", PBSE_CKPBSY },
                 { PBSE_SYSTEM, "checkpoint failed: errno=7", PBSE_SYSTEM } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = running_job_of(&fm, "", AT);
        uint64_t conn;

        CU_ASSERT_PTR_NULL(hold(&fm, id));
        conn = r->conn;
        fake_answer(&fm, image_wanted(&fm), rows[i].code, rows[i].text);
        CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
        CU_ASSERT_EQUAL(rig_reply(r, conn)->code, rows[i].expect);
        CU_ASSERT_EQUAL(state_of(r, id), 'R');
        CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_HF_CHECKPOINT));
        /* It is back in its queue later, and held there. */
        ends(&fm, id, 1, -11);
        CU_ASSERT_EQUAL(state_of(r, id), 'H');
        CU_ASSERT_PTR_NULL(accounted(r, 'C', 0));
        fake_mom_free(&fm);
    }
}

static void test_who_has_said_no_is_not_asked_about(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job_of(&fm, "Checkpoint=n", AT);

    CU_ASSERT_EQUAL(hold(&fm, id)->code, 0);
    CU_ASSERT_PTR_NULL(image_wanted(&fm));
    fake_mom_free(&fm);
}

/* An epilogue may take long: the job is asked for one image, and its end is waited for.
 */
static void test_an_image_is_asked_for_once(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job_of(&fm, "", AT);

    CU_ASSERT_PTR_NULL(hold(&fm, id));
    fake_answer(&fm, image_wanted(&fm), 0, NULL);
    CU_ASSERT_PTR_NULL(image_wanted(&fm));
    rig_advance(fm.r, fm.r->now_at + 60);
    CU_ASSERT_PTR_NULL(image_wanted(&fm));
    ends(&fm, id, 1, CKPT_ENDED);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'H');
    fake_mom_free(&fm);
}

/* An image may take an hour: a deletion does not wait for it. */
static void test_a_deletion_overtakes_the_image(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job_of(&fm, "", AT);

    CU_ASSERT_PTR_NULL(hold(&fm, id));
    CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, id, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_SIGNAL_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, id, 1, CKPT_ENDED); /* it was faster, and that helps nobody */
    CU_ASSERT_FALSE(obj_num(the_job(r, id), JOB_A_HF_REQUEUE, 0));
    fake_mom_free(&fm);
}

/* A MoM that is lost is not waited for; what it has made is in the obituary. */
static void test_a_lost_mom_is_not_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job_of(&fm, "", AT);
    struct is_running here = {
        .job_id = id, .substate = 42, .run_version = 1, .exec_vnode = AT
    };
    uint64_t conn;

    CU_ASSERT_PTR_NULL(hold(&fm, id));
    conn = r->conn;
    fake_lose(&fm);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL(rig_reply(r, conn)->code, PBSE_NORELYMOM);
    fake_connect(&fm, 1, &here);
    CU_ASSERT_PTR_NULL(image_wanted(&fm));
    ends(&fm, id, 1, CKPT_ENDED);
    CU_ASSERT_EQUAL(state_of(r, id), 'H');
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_HF_IMAGE, 0), 1);
    fake_mom_free(&fm);
}

static void test_the_next_run_is_where_the_image_lies(void)
{
    static const char *const places[] = { AT, "-" };

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = resting_job(&fm);

        release(&fm, id);
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
        CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=2)"), PBSE_EXECTHERE);
        CU_ASSERT_EQUAL(run_job(r, id, places[i]), 0);
        CU_ASSERT_PTR_NULL(fake_message(&fm, IS_DISCARD_JOB));
        fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(accounted(r, 'T', 0));
        CU_ASSERT_STRING_EQUAL(accounted(r, 'T', 0), "");
        CU_ASSERT_PTR_NULL(accounted(r, 'S', 0));
        fake_mom_free(&fm);
    }
}

/* -3 and -7 say nothing of the image; qrerun begins anew. */
static void test_what_an_end_says_of_the_image(void)
{
    static const struct {
        int32_t status;
        int64_t image; /* the run that the MoM has it under */
    } rows[] = { { -3, 2 }, { -7, 2 }, { -5, 2 }, { -12, 2 }, { -15, 2 }, { -11, 0 } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = resting_job(&fm);

        release(&fm, id);
        CU_ASSERT_EQUAL_FATAL(run_job(r, id, AT), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
        ends(&fm, id, 2, rows[i].status);
        CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_HF_IMAGE, 0), rows[i].image);
        CU_ASSERT_EQUAL(obj_is_set(the_job(r, id), JOB_A_EXEC_VNODE),
                        rows[i].image != 0);
        fake_mom_free(&fm);
    }
}

/* Where nobody can be asked for the image, the job begins anew, wherever it is sent. */
static void test_a_job_begins_anew_without_its_mom(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = resting_job(&fm);
    struct is_running here = { .job_id = id, .substate = HELD, .run_version = 1 };

    release(&fm, id);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, AT), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 2, "4712", "00:00:02");
    fake_lose(&fm);
    rig_advance(r, r->now_at + 310);
    CU_ASSERT_EQUAL_FATAL(state_of(r, id), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_EXEC_VNODE));
    fake_connect(&fm, 1, &here); /* which has not heard of the second run */
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&fm, IS_DISCARD_JOB));
    CU_ASSERT_EQUAL(fake_message(&fm, IS_DISCARD_JOB)->run_version, 1);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=2)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'S', 0));
    CU_ASSERT_PTR_NULL(accounted(r, 'T', 0));
    fake_mom_free(&fm);
}

static void test_an_image_goes_with_its_job(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = resting_job(&fm);

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_ROOT, id, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&fm, IS_DISCARD_JOB));
    CU_ASSERT_EQUAL(fake_message(&fm, IS_DISCARD_JOB)->run_version, 1);
    fake_mom_free(&fm);
}

/* The deletion came when the image was made already, or before the run failed that
 * began with it: its MoM has the job rest, and nobody wants it any more. */
static void test_a_deleted_job_leaves_no_image(void)
{
    static const int32_t ends_with[] = { -3, -7, -5, CKPT_ENDED, -15 };

    for (size_t i = 0; i < ARRAY_LEN(ends_with); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = resting_job(&fm);

        release(&fm, id);
        CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, AT), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
        CU_ASSERT_EQUAL(delete_job(fm.r, RIG_ROOT, id, NULL), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
        fake_obit(&fm, id, 2, ends_with[i]);
        fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
        fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_UNKJOBID, NULL);
        CU_ASSERT_PTR_NULL(model_job(svr_model(fm.r->s), id));
        CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&fm, IS_DISCARD_JOB));
        CU_ASSERT_EQUAL(fake_message(&fm, IS_DISCARD_JOB)->run_version, 2);
        fake_mom_free(&fm);
    }
}

/* Whichever of the two was away: the server says at the next registration whether it
 * counts on what rests there. */
static void test_a_registration_settles_what_rests(void)
{
    static const struct {
        int32_t run;
        bool deleted, discarded;
    } rows[] = { { 1, false, false }, { 7, false, true }, { 1, true, true } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = resting_job(&fm);
        struct is_running rests = {
            .job_id = id, .substate = HELD, .run_version = rows[i].run, .exec_vnode = ""
        };

        fake_lose(&fm);
        if (rows[i].deleted)
            CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, id, NULL), 0);
        rig_restart(r);
        fake_connect(&fm, 1, &rests);
        CU_ASSERT_EQUAL(fake_message(&fm, IS_DISCARD_JOB) != NULL, rows[i].discarded);
        if (!rows[i].discarded) { /* and it is told when that changes */
            CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, id, NULL), 0);
            CU_ASSERT_PTR_NOT_NULL(fake_message(&fm, IS_DISCARD_JOB));
        }
        fake_mom_free(&fm);
    }
}

/* The job began anew elsewhere while that host was away, and has an image there: what
 * the host has is of no use to anybody. */
static void test_what_rests_where_the_image_does_not_lie_is_discarded(void)
{
    static const char *const places[] = { AT "+(n2:ncpus=1)", AT };

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        struct fake_mom fm = fake_mom_new(), other = fm;
        struct rig *r = fm.r;
        struct is_running rests = {
            .substate = HELD, .run_version = 1, .node_id = 1, .exec_vnode = ""
        };

        CU_ASSERT_EQUAL_FATAL(
            rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "n2", "Mom=localhost Port=16002"),
            0);
        other.stream = 77;
        other.service_port = 16002;
        fake_register_as(&other, "n2", 0, NULL);
        rests.job_id = running_job_of(&fm, "", places[i]);
        CU_ASSERT_PTR_NULL(hold(&fm, rests.job_id));
        fake_answer(&fm, image_wanted(&fm), 0, NULL);
        ends(&fm, rests.job_id, 1, CKPT_ENDED);
        fake_register_as(&other, "n2", 1, &rests);
        CU_ASSERT_EQUAL(fake_message(&other, IS_DISCARD_JOB) != NULL, i == 1);
        fake_mom_free(&fm);
    }
}

/* The MoM was killed before it had on disk that its obituary was answered. */
static void test_an_end_that_is_told_again_keeps_the_image(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = resting_job(&fm);
    struct is_running ended = {
        .job_id = id, .substate = 58, .run_version = 1, .exec_vnode = AT
    };
    const struct is_message *told;

    fake_lose(&fm);
    fake_connect(&fm, 1, &ended);
    CU_ASSERT_PTR_NULL(fake_message(&fm, IS_DISCARD_JOB));
    fake_obit(&fm, id, 1, CKPT_ENDED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told = fake_message(&fm, IS_OBITREPLY));
    CU_ASSERT_EQUAL(told->acks.n, 1);
    CU_ASSERT_EQUAL(told->rejects.n, 0);
    fake_mom_free(&fm);
}

static uint64_t shut_down(struct rig *r, uint32_t how)
{
    struct body_number body = { .value = how };

    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_SHUTDOWN, &body, NULL));
    return r->conn;
}

/* Immediate (0) or delayed (1): only its MoM knows whether it has a script. */
static void test_jobs_are_checkpointed_at_the_end(void)
{
    for (uint32_t how = 0; how <= 1; how++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = running_job_of(&fm, "", AT);

        (void)shut_down(r, how);
        fake_answer(&fm, image_wanted(&fm), 0, NULL);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
        ends(&fm, id, 1, CKPT_ENDED);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 1);
        CU_ASSERT_EQUAL(state_of(r, id), 'H');
        CU_ASSERT_STRING_EQUAL(
            rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, "Hold_Types"), "s");
        fake_mom_free(&fm);
    }
}

static void test_others_go_their_way_at_the_end(void)
{
    static const struct {
        const char *attrs;
        uint32_t how;
        const char *signal, *logged;
    } rows[] = {
        { "", 0, "Rerun", "Requeued in queue: workq on Server shutdown" },
        { "", 1, "Rerun", "Requeued in queue: workq on Server shutdown" },
        { "Rerunable=False", 0, "SIGKILL", NULL },
        { "Rerunable=False", 1, NULL,
          "job running on at Server shutdown on Server shutdown" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        const struct is_message *told;

        (void)running_job_of(&fm, rows[i].attrs, AT);
        (void)shut_down(fm.r, rows[i].how);
        fake_answer(&fm, image_wanted(&fm), PBSE_NOSUP, "no");
        told = fake_told(&fm, BATCH_SIGNAL_JOB, 0);
        CU_ASSERT_EQUAL(told != NULL, rows[i].signal != NULL);
        if (told)
            CU_ASSERT_STRING_EQUAL(
                ((const struct body_signal *)told->request.body)->signal,
                rows[i].signal);
        if (rows[i].logged)
            CU_ASSERT_TRUE(rig_logged(fm.r, rows[i].logged));
        fake_mom_free(&fm);
    }
}

/* checkpoint_min raises what is asked for more often, where the job comes in and where
 * it is altered; its MoM hears of the raised one. */
static void test_periods_are_raised(void)
{
    static const struct {
        const char *asked, *has;
    } rows[] = { { "c=5", "c=30" }, { "w=29", "w=30" }, { "w=31", "w=31" },
                 { "c", "c=30" },   { "w", "w=30" },    { "s", "s" },
                 { "n", "n" },      { "u", "u" } };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct is_message *told;
    const char *id;

    new_queue(r, "q30", "checkpoint_min=30");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        id = submit(r, RIG_USER, "q30",
                    arena_printf(r->arena, "Checkpoint=%s", rows[i].asked), "x\n");
        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        CU_ASSERT_STRING_EQUAL(value(r, id, JOB_A_CHECKPOINT), rows[i].has);
    }
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, AT), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    const struct body_manage body = { .command = 2,
                                      .object_type = OBJECT_JOB,
                                      .object_name = id,
                                      .attrs = rig_attrs(r, "Checkpoint=w=2") };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code, 0);
    CU_ASSERT_STRING_EQUAL(value(r, id, JOB_A_CHECKPOINT), "w=30");
    CU_ASSERT_PTR_NOT_NULL_FATAL(told = fake_told(&fm, BATCH_MODIFY_JOB, 0));
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(&((const struct body_manage *)told->request.body)->attrs,
                         "Checkpoint", NULL),
        "w=30");
    fake_mom_free(&fm);
}

static const struct unit_case cases[] = {
    { "a held job waits with its image", test_a_held_job_waits_with_its_image },
    { "a job without an image runs on", test_a_job_without_an_image_runs_on },
    { "who has said no is not asked about", test_who_has_said_no_is_not_asked_about },
    { "an image is asked for once", test_an_image_is_asked_for_once },
    { "a deletion overtakes the image", test_a_deletion_overtakes_the_image },
    { "a lost MoM is not waited for", test_a_lost_mom_is_not_waited_for },
    { "the next run is where the image lies",
      test_the_next_run_is_where_the_image_lies },
    { "the end of a run says what becomes of the image",
      test_what_an_end_says_of_the_image },
    { "a job begins anew when its MoM cannot be asked",
      test_a_job_begins_anew_without_its_mom },
    { "an image goes with its job", test_an_image_goes_with_its_job },
    { "a registration settles what rests", test_a_registration_settles_what_rests },
    { "a deleted job leaves no image", test_a_deleted_job_leaves_no_image },
    { "what rests where the image does not lie is discarded",
      test_what_rests_where_the_image_does_not_lie_is_discarded },
    { "an end that is told again keeps the image",
      test_an_end_that_is_told_again_keeps_the_image },
    { "jobs are checkpointed at the end of the server",
      test_jobs_are_checkpointed_at_the_end },
    { "others go their way at the end", test_others_go_their_way_at_the_end },
    { "periods are raised to what the queue allows", test_periods_are_raised },
};

int main(void)
{
    return unit_main("server/checkpoint", cases, ARRAY_LEN(cases));
}
