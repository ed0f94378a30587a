/* test_array_life.c - a job array from its submission to its last accounting record,
 * with a MoM that is played by the test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/job_array.h"
#include "server/model/job_exit.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define CONTAINS(text, part) CU_ASSERT_PTR_NOT_NULL((text) ? strstr(text, part) : NULL)
#define SAME(got, expect)                                                              \
    do {                                                                               \
        const char *got_ = (got);                                                      \
        if (!got_ || strcmp(got_, expect) != 0)                                        \
            printf("%d: '%s', expected '%s'\n", __LINE__, got_ ? got_ : "(none)",      \
                   expect);                                                            \
        CU_ASSERT_TRUE(got_ &&strcmp(got_, expect) == 0);                              \
    } while (0)

static const char *value(struct rig *r, const char *id, const char *attr)
{
    return rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);
}

/* The ids of a status of jobs, with their types and states: "0[].svr/10/B ..." */
static const char *listed(struct rig *r, const char *id, const char *extend)
{
    struct body_status body = { .id = id };
    const struct wire_reply *reply;
    const char *text = "";

    wire_attrs_add(&body.wanted, r->arena, "job_state", NULL, "", 0);
    reply = rig_ask(r, RIG_USER, BATCH_STATUS_JOB, &body, extend);
    if (!reply || reply->code)
        return arena_printf(r->arena, "%d", reply ? (int)reply->code : -1);
    for (size_t i = 0; i < reply->objects.n; i++) {
        const struct wire_object *o = &reply->objects.v[i];

        text = arena_printf(r->arena, "%s%s%s/%u/%s", text, *text ? " " : "", o->name,
                            o->type, wire_attrs_value(&o->attrs, "job_state", NULL));
    }
    return text;
}

static const char *selected(struct rig *r, const char *states, const char *extend)
{
    struct body_select body = { 0 };
    const struct wire_reply *reply;
    const char *text = "";

    if (states)
        wire_attrs_add(&body.criteria, r->arena, "job_state", NULL, states, WIRE_OP_EQ);
    reply = rig_ask(r, RIG_USER, BATCH_SELECT_JOBS, &body, extend);
    for (size_t i = 0; reply && i < reply->ids.n; i++)
        text =
            arena_printf(r->arena, "%s%s%s", text, *text ? " " : "", reply->ids.v[i]);
    return text;
}

static const char *array_of(struct rig *r, const char *indices)
{
    const char *id = submit(
        r, RIG_USER, "",
        arena_printf(r->arena, "Job_Name=arr array_indices_submitted=%s", indices),
        "echo hello\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    return id;
}

/* A subjob runs: sent, taken, started. */
static void start(struct fake_mom *fm, const char *id)
{
    const struct object *o;

    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    o = the_job(fm->r, id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    fake_usage(fm, id, (int32_t)obj_num(o, JOB_A_RUN_VERSION, 0), "4711", "00:00:02");
}

/* Its run ends, its files are delivered, its MoM forgets it. */
static void end(struct fake_mom *fm, const char *id, int32_t status)
{
    fake_obit(fm, id, (int32_t)obj_num(the_job(fm->r, id), JOB_A_RUN_VERSION, 0),
              status);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

static void a_new_array_is_one_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    SAME(array_of(r, "0-8:2%3"), "0[].svr");
    CONTAINS(accounted(r, 'Q', 0),
             "etime=1800000000 array_indices=0-8:2 Resource_List.");
    SAME(value(r, "0[].svr", "job_state"), "Q");
    SAME(value(r, "0[].svr", "array"), "True");
    SAME(value(r, "0[].svr", "array_indices_submitted"), "0-8:2");
    SAME(value(r, "0[].svr", "array_indices_remaining"), "0-8:2");
    SAME(value(r, "0[].svr", "max_run_subjobs"), "3");
    SAME(value(r, "0[].svr", "array_state_count"),
         "Queued:5 Running:0 Exiting:0 Expired:0");
    SAME(value(r, "0[].svr", "Output_Path"), "svr.example:arr.o0.^array_index^");
    SAME(value(r, "0[4].svr", "Output_Path"), "svr.example:arr.o0.4");
    SAME(value(r, "0[4].svr", "array_id"), "0[].svr");
    SAME(value(r, "0[4].svr", "array_index"), "4");
    CU_ASSERT_PTR_NULL(value(r, "0[4].svr", "array"));
    CU_ASSERT_PTR_NULL(value(r, "0[4].svr", "Hold_Types"));
    SAME(rig_value(r, RIG_ROOT, QUE, "workq", "total_jobs"), "1");
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 1);
    /* The number is taken. */
    SAME(submit(r, RIG_USER, "", "", NULL), "1.svr");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void subjobs_are_shown_as_they_are_asked_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "1-4");
    submit(r, RIG_USER, "", "", NULL);
    start(&fm, "0[2].svr");
    SAME(listed(r, "", NULL), "0[].svr/2/B 1.svr/2/Q");
    SAME(listed(r, "", "t"), "0[].svr/10/B 0[2].svr/11/R 1.svr/2/Q");
    SAME(listed(r, "workq", "t"), "0[].svr/10/B 0[2].svr/11/R 1.svr/2/Q");
    SAME(listed(r, "workq", NULL), "0[].svr/2/B 1.svr/2/Q");
    SAME(listed(r, "0[].svr", NULL), "0[].svr/2/B");
    SAME(listed(r, "0[].svr", "t"), "0[].svr/10/B 0[2].svr/11/R");
    SAME(listed(r, "0[2].svr", NULL), "0[2].svr/11/R");
    SAME(listed(r, "0[3].svr", NULL), "0[3].svr/11/Q");
    SAME(listed(r, "0[1-3].svr", NULL), "0[1].svr/11/Q 0[2].svr/11/R 0[3].svr/11/Q");
    SAME(listed(r, "0[1-9:2].svr", NULL), "0[1].svr/11/Q 0[3].svr/11/Q");
    SAME(listed(r, "0[4,1-2].svr,1.svr", NULL),
         "0[4].svr/11/Q 0[1].svr/11/Q 0[2].svr/11/R 1.svr/2/Q");
    SAME(listed(r, "0[5].svr", NULL), "15001");
    SAME(listed(r, "0[5-9].svr", NULL), "15001");
    SAME(listed(r, "0[3-1].svr", NULL), "15001");
    SAME(listed(r, "1[].svr", NULL), "15001");
    SAME(listed(r, "1[1].svr", NULL), "15001");
    SAME(selected(r, NULL, NULL), "0[].svr 1.svr");
    SAME(selected(r, "R", NULL), "");
    SAME(selected(r, "B", NULL), "0[].svr");
    SAME(selected(r, NULL, "T"), "0[1].svr 0[2].svr 0[3].svr 0[4].svr 1.svr");
    SAME(selected(r, "R", "T"), "0[2].svr");
    SAME(selected(r, "Q", "T"), "0[1].svr 0[3].svr 0[4].svr 1.svr");
    SAME(selected(r, NULL, "S"), "0[].svr 0[2].svr 1.svr");
    SAME(value(r, "0[].svr", "array_indices_remaining"), "1,3-4");
    fake_mom_free(&fm);
}

static void an_array_runs_to_its_end(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct is_message *told;
    const struct body_queue *queue;

    array_of(r, "1-2");
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 0);
    CONTAINS(accounted(r, 'S', 0), "array_indices=1-2 Resource_List.");
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    SAME(value(r, "0[].svr", "job_state"), "B");
    SAME(value(r, "0[].svr", "comment"), "Job Array Began at Fri Jan 15 at 08:00");
    SAME(value(r, "0[].svr", "array_state_count"),
         "Queued:1 Running:1 Exiting:0 Expired:0");
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 15016);
    CU_ASSERT_EQUAL(run_job(r, "0[3].svr", "(n1:ncpus=1)"), 15001);
    CU_ASSERT_EQUAL(run_job(r, "0[].svr", "(n1:ncpus=1)"), 15004);
    CU_ASSERT_EQUAL(run_job(r, "0[2].svr", "(n1:ncpus=1)"), 0);
    /* The MoM is sent the subjob with the script of its array. */
    told = fake_told(&fm, BATCH_QUEUE_JOB, 0);
    queue = told->request.body;
    SAME(queue->id, "0[2].svr");
    SAME(wire_attrs_value(&queue->attrs, "array_id", NULL), "0[].svr");
    SAME(wire_attrs_value(&queue->attrs, "array_index", NULL), "2");
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_JOB_SCRIPT, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CONTAINS(accounted(r, 'S', 0), "exec_host=n1/1 exec_vnode=(n1:ncpus=1) ");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_advance(r, r->now_at + 1);
    end(&fm, "0[2].svr", 3);
    CONTAINS(accounted(r, 'E', 0), "Exit_status=3 ");
    SAME(value(r, "0[].svr", "array_state_count"),
         "Queued:0 Running:1 Exiting:0 Expired:1");
    SAME(value(r, "0[].svr", "array_indices_remaining"), "-");
    SAME(value(r, "0[2].svr", "job_state"), "X");
    SAME(value(r, "0[2].svr", "comment"), "Subjob failed");
    SAME(value(r, "0[2].svr", "Exit_status"), "3");
    CU_ASSERT_EQUAL(run_job(r, "0[2].svr", "(n1:ncpus=1)"), 15016);
    CU_ASSERT_TRUE(rig_is_same(r));
    end(&fm, "0[1].svr", 0);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    CONTAINS(accounted(r, 'E', 1),
             "start=1800000000 Resource_List.ncpus=1 Resource_List.nodect=1 "
             "Resource_List.place=pack Resource_List.select=1:ncpus=1 session=0 "
             "end=1800000001 Exit_status=1 run_count=0");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void subjobs_are_deleted_one_by_one(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "0-9");
    CU_ASSERT_EQUAL(delete_job(r, "bob", "0[1].svr", NULL), 15007);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[11].svr", NULL), 15001);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[6].svr", NULL), 0);
    SAME(accounted(r, 'D', 0), "requestor=ann@svr.example");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[0-2].svr", NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'D', 2));
    SAME(value(r, "0[].svr", "array_indices_remaining"), "3-5,7-9");
    SAME(value(r, "0[].svr", "job_state"), "Q");
    SAME(value(r, "0[1].svr", "job_state"), "X");
    SAME(value(r, "0[1].svr", "comment"), "Subjob terminated");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[1].svr", NULL), 15159);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[1-3].svr", NULL), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[4-9].svr", NULL), 0);
    /* Nothing is left of it. */
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    fake_mom_free(&fm);
}

static void one_request_may_name_a_subjob_twice(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[] = { "0[3].svr", "0[1-4].svr", "0[6].svr",
                          "1[1].svr", "1[].svr",    "1[2].svr" };
    struct body_list body = { .ids = { ARRAY_LEN(ids), ids } };
    const struct wire_reply *reply;

    array_of(r, "0-9");
    array_of(r, "1-3");
    start(&fm, "0[3].svr");
    reply = rig_ask(r, RIG_USER, BATCH_DELETE_JOB_LIST, &body, NULL);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_EQUAL(reply->deleted.n, 0);
    SAME(value(r, "0[].svr", "array_indices_remaining"), "0,5,7-9");
    CU_ASSERT_PTR_NULL(the_job(r, "1[].svr"));
    CU_ASSERT_PTR_NOT_NULL(the_job(r, "0[3].svr"));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void an_array_is_deleted_as_a_whole(void)
{
    struct fake_mom fm = fake_mom_new();
    const struct is_message *told[2];
    struct rig *r = fm.r;

    array_of(r, "1-5");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[].svr", NULL), 0);
    SAME(accounted(r, 'D', 0), "requestor=ann@svr.example");
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);

    array_of(r, "1-5");
    start(&fm, "1[3].svr");
    start(&fm, "1[4].svr");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "1[].svr", NULL), 0);
    told[0] = fake_told(&fm, BATCH_SIGNAL_JOB, 0);
    told[1] = fake_told(&fm, BATCH_SIGNAL_JOB, 1);
    fake_answer(&fm, told[0], 0, NULL);
    fake_answer(&fm, told[1], 0, NULL);
    SAME(value(r, "1[].svr", "array_state_count"),
         "Queued:0 Running:2 Exiting:0 Expired:3");
    CU_ASSERT_EQUAL(run_job(r, "1[1].svr", "(n1:ncpus=1)"), 15016);
    CU_ASSERT_TRUE(rig_is_same(r));
    end(&fm, "1[3].svr", 271);
    end(&fm, "1[4].svr", 271);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);

    array_of(r, "1-5");
    start(&fm, "2[3].svr");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "2[].svr", "force"), 0);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    fake_mom_free(&fm);
}

static void a_subjob_that_is_run_again_waits_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_id body = { .id = "0[2].svr" };
    struct body_move move = { .job_id = "0[].svr", .destination = "other" };

    array_of(r, "1-3");
    start(&fm, "0[2].svr");
    SAME(value(r, "0[2].svr", "comment"),
         "Job run at Fri Jan 15 at 08:00 on (n1:ncpus=1)");
    rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force");
    CU_ASSERT_PTR_NULL(value(r, "0[2].svr", "comment"));
    SAME(value(r, "0[].svr", "array_indices_remaining"), "1-3");
    SAME(value(r, "0[].svr", "job_state"), "B");
    SAME(value(r, "0[].svr", "array_state_count"),
         "Queued:3 Running:0 Exiting:0 Expired:0");
    CU_ASSERT_TRUE(rig_is_same(r));
    SAME(listed(r, "", "t"), "0[].svr/10/B");
    SAME(selected(r, NULL, "S"), "0[].svr");
    /* Its array may not go without it, though nothing of it runs. */
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MOVE_JOB, &move, NULL)->code, 15016);
    start(&fm, "0[2].svr");
    CU_ASSERT_EQUAL(obj_num(the_job(r, "0[2].svr"), JOB_A_RUN_COUNT, 0), 2);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* Of a range what can go back does, and the answer says why the rest does not. */
static void a_part_of_a_range_is_run_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_id body = { .id = "0[1-2].svr" };
    const struct wire_reply *reply;

    array_of(r, "1-3");
    start(&fm, "0[1].svr");
    start(&fm, "0[2].svr");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[1].svr", NULL), 0);
    reply = rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force");
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(reply->choice, REPLY_TEXT);
    SAME(reply->text, pbse_text(PBSE_BADSTATE));
    SAME(value(r, "0[1].svr", "job_state"), "R");
    SAME(value(r, "0[2].svr", "job_state"), "Q");
    fake_mom_free(&fm);
}

/* What a comment says of a hold is gone with the hold; an operator's words stay. */
static void a_released_array_says_when_it_began(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_id body = { .id = "0[2].svr" };
    struct body_manage holds = { .object_type = OBJECT_JOB, .object_name = "0[].svr" };
    struct body_manage own = { .object_type = OBJECT_JOB, .object_name = "0[].svr" };

    holds.attrs = rig_attrs(r, "Hold_Types=s");
    own.attrs = rig_attrs(r, "Hold_Types=u");
    array_of(r, "1-3");
    for (int i = 0; i <= JOB_MAX_RUNS; i++) {
        start(&fm, "0[2].svr");
        if (i == JOB_MAX_RUNS) /* its owner's hold stays beside that of the server */
            CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_HOLD_JOB, &own, NULL)->code, 0);
        rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force");
    }
    SAME(value(r, "0[].svr", "Hold_Types"), "su");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_RELEASE_JOB, &own, NULL)->code, 0);
    SAME(value(r, "0[].svr", "Hold_Types"), "s");
    SAME(value(r, "0[].svr", "comment"),
         "Job Array Held, too many failed attempts to run subjob 0[2].svr");
    rig_advance(r, r->now_at + 120);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RELEASE_JOB, &holds, NULL)->code, 0);
    SAME(value(r, "0[].svr", "Hold_Types"), "n");
    SAME(value(r, "0[].svr", "comment"), "Job Array Began at Fri Jan 15 at 08:00");
    fake_mom_free(&fm);
}

/* 200 subjobs end with two different outcomes in turn; the array has few objects all
 * the while, and is the same after a restart. */
static void an_array_takes_over_its_subjobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct job *array;

    array_of(r, "1-200");
    for (int i = 1; i < 200; i++) {
        const char *id = arena_printf(r->arena, "0[%d].svr", i);

        start(&fm, id);
        end(&fm, id, i % 2);
        rig_settle(r);
        CU_ASSERT(svr_model(r->s)->kinds[OBJ_JOB].n <= 66);
    }
    SAME(value(r, "0[].svr", "array_state_count"),
         "Queued:1 Running:0 Exiting:0 Expired:199");
    SAME(value(r, "0[7].svr", "Exit_status"), "1");
    SAME(value(r, "0[8].svr", "Exit_status"), "0");
    SAME(value(r, "0[8].svr", "run_count"), "1");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_restart(r);
    array = model_job(svr_model(r->s), "0[].svr");
    CU_ASSERT_PTR_NOT_NULL_FATAL(array);
    SAME(array_state_count(array, r->arena),
         "Queued:1 Running:0 Exiting:0 Expired:199");
    fake_mom_free(&fm);
}

static void a_held_array_goes_on_where_it_was(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_manage body = { .object_type = OBJECT_JOB, .object_name = "0[].svr" };
    struct body_manage one = { .object_type = OBJECT_JOB, .object_name = "0[1].svr" };

    array_of(r, "1-3");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_HOLD_JOB, &one, NULL)->code, 15004);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_HOLD_JOB, &body, NULL)->code, 0);
    SAME(value(r, "0[].svr", "job_state"), "H");
    CU_ASSERT_EQUAL(run_job(r, "0[1].svr", "(n1:ncpus=1)"), 15016);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_RELEASE_JOB, &body, NULL)->code, 0);
    SAME(value(r, "0[].svr", "job_state"), "Q");
    CU_ASSERT_PTR_NULL(value(r, "0[].svr", "comment"));
    start(&fm, "0[1].svr");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_HOLD_JOB, &body, NULL)->code, 0);
    SAME(value(r, "0[].svr", "job_state"), "H");
    SAME(value(r, "0[1].svr", "job_state"), "R");
    CONTAINS(value(r, "0[].svr", "comment"), "Job held by ann on Fri Jan 15 08:00:");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_RELEASE_JOB, &body, NULL)->code, 0);
    SAME(value(r, "0[].svr", "job_state"), "B");
    SAME(value(r, "0[].svr", "comment"), "Job Array Began at Fri Jan 15 at 08:00");
    fake_mom_free(&fm);
}

/* The code of a request whose body begins with the job's id; -1: it waits. */
static int asked(struct rig *r, const char *user, uint32_t number, const char *id)
{
    struct body_signal signal = { .job_id = id, .signal = "SIGUSR1" };
    struct body_message message = { .job_id = id, .text = "hello" };
    struct body_id one = { .id = id };
    const void *body = number == BATCH_SIGNAL_JOB    ? (const void *)&signal
                       : number == BATCH_MESSAGE_JOB ? (const void *)&message
                                                     : (const void *)&one;
    const struct wire_reply *reply = rig_ask(r, user, number, body, NULL);

    return reply ? (int)reply->code : -1;
}

/* The ids under which MoMs are told of signals, in order. */
static const char *signalled(const struct fake_mom *fm)
{
    const struct is_message *told;
    const char *text = "";

    for (size_t i = 0; (told = fake_told(fm, BATCH_SIGNAL_JOB, i)); i++)
        text = arena_printf(fm->r->arena, "%s%s%s", text, *text ? " " : "",
                            ((const struct body_signal *)told->request.body)->job_id);
    return text;
}

static void signals_go_to_what_runs(void)
{
    struct fake_mom fm = fake_mom_new();
    const struct is_message *told[2];
    struct rig *r = fm.r;
    uint64_t conn;

    array_of(r, "1-8");
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[].svr"), 15016);
    start(&fm, "0[2].svr");
    start(&fm, "0[5].svr");
    start(&fm, "0[6].svr");
    end(&fm, "0[6].svr", 0);
    CU_ASSERT_EQUAL(asked(r, "bob", BATCH_SIGNAL_JOB, "0[].svr"), 15007);
    CU_ASSERT_EQUAL(asked(r, "bob", BATCH_SIGNAL_JOB, "0[2].svr"), 15007);
    CU_ASSERT_EQUAL(asked(r, "bob", BATCH_SIGNAL_JOB, "0[9].svr"), 15001);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[1].svr"), 15016);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[6].svr"), 15159);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[6-8].svr"), 15016);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[2].svr"), -1);
    SAME(signalled(&fm), "0[2].svr");
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[3-8].svr"), -1);
    SAME(signalled(&fm), "0[5].svr");
    /* The client waits for all of them, and hears of the one that failed. */
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[].svr"), -1);
    SAME(signalled(&fm), "0[2].svr 0[5].svr");
    conn = r->conn;
    for (size_t i = 0; i < 2; i++)
        told[i] = fake_told(&fm, BATCH_SIGNAL_JOB, i);
    fake_answer(&fm, told[0], PBSE_UNKSIG, "bad");
    CU_ASSERT_PTR_NULL(rig_reply(r, conn));
    fake_answer(&fm, told[1], 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL(rig_reply(r, conn)->code, PBSE_UNKSIG);
    /* The stream ends while they wait. */
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[].svr"), -1);
    conn = r->conn;
    fake_lose(&fm);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL(rig_reply(r, conn)->code, PBSE_NORELYMOM);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_SIGNAL_JOB, "0[].svr"), PBSE_NORELYMOM);
    fake_mom_free(&fm);
}

static void a_server_ends_while_signals_are_unanswered(void)
{
    struct fake_mom fm = fake_mom_new();

    array_of(fm.r, "1-3");
    start(&fm, "0[1].svr");
    start(&fm, "0[2].svr");
    CU_ASSERT_EQUAL(asked(fm.r, RIG_USER, BATCH_SIGNAL_JOB, "0[].svr"), -1);
    fake_mom_free(&fm); /* what they wait with is freed once: the sanitizers look */
}

static void arrays_get_no_messages(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "1-3");
    start(&fm, "0[1].svr");
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_MESSAGE_JOB, "0[].svr"), 15029);
    SAME(rig_text(r), "not supported for Array Jobs");
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_MESSAGE_JOB, "0[1].svr"), 15029);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_MESSAGE_JOB, "0[1-2].svr"), 15029);
    CU_ASSERT_EQUAL(asked(r, "bob", BATCH_MESSAGE_JOB, "0[1-2].svr"), 15007);
    fake_mom_free(&fm);
}

static void what_runs_of_an_array_is_run_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t conn;

    array_of(r, "1-6");
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[].svr"), 15016);
    for (int i = 1; i < 5; i++)
        start(&fm, arena_printf(r->arena, "0[%d].svr", i));
    end(&fm, "0[4].svr", 0);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_RERUN, "0[].svr"), 15007);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_RERUN, "0[1].svr"), 15007);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[5].svr"), 15016);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[4].svr"), 15159);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[7].svr"), 15001);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[2-6].svr"), -1);
    rig_go_on(r, 0); /* it waits for their ends */
    SAME(signalled(&fm), "0[2].svr 0[3].svr");
    CU_ASSERT_FALSE(obj_is_set(the_job(r, "0[1].svr"), JOB_A_HF_REQUEUE));
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, "0[2].svr", 1, -11);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    SAME(value(r, "0[].svr", "array_indices_remaining"), "2,5-6");
    /* One of them is being deleted, and does not come back. */
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, "0[1].svr", NULL), 0);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[1].svr"), 15016);
    CU_ASSERT_EQUAL(asked(r, RIG_ROOT, BATCH_RERUN, "0[].svr"), -1);
    conn = r->conn;
    rig_go_on(r, conn);
    CU_ASSERT_FALSE(obj_is_set(the_job(r, "0[1].svr"), JOB_A_HF_REQUEUE));
    /* The other one is waited for. */
    while (svr_has_work(r->s))
        rig_go_on(r, conn);
    CU_ASSERT_PTR_NULL(rig_reply(r, conn));
    rig_advance(r, r->now_at + 45);
    while (!rig_reply(r, conn) && svr_has_work(r->s))
        rig_go_on(r, conn);
    CU_ASSERT_PTR_NOT_NULL(rig_reply(r, conn));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_range_is_started_on_the_same_vnodes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "1-6");
    CU_ASSERT_EQUAL(run_job(r, "0[].svr", "(n1:ncpus=1)"), 15004);
    CU_ASSERT_EQUAL(run_job(r, "0[7-9].svr", "(n1:ncpus=1)"), 15001);
    CU_ASSERT_EQUAL(run_job(r, "0[2-3].svr", "(nosuch:ncpus=1)"), 15062);
    SAME(value(r, "0[].svr", "job_state"), "Q");
    CU_ASSERT_EQUAL(run_job(r, "0[2-3].svr", "(n1:ncpus=1)"), 0);
    SAME(value(r, "0[].svr", "array_indices_remaining"), "1,4-6");
    CU_ASSERT_EQUAL(run_job(r, "0[2-3].svr", "(n1:ncpus=1)"), 15016);
    CU_ASSERT_EQUAL(run_job(r, "0[3-5:2].svr", "(n1:ncpus=1)"), 0);
    SAME(value(r, "0[].svr", "array_indices_remaining"), "1,4,6");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The scheduler is asked for subjobs that are no objects, and says no. */
static void a_scheduler_is_asked_for_subjobs(void)
{
    static const char *const ids[] = { "0[4].svr", "0[2-3].svr", "0[1-6:2].svr" };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "1-6");
    rig_attach_sched(r);
    rig_sched_done(r);
    rig_sched_done(r);
    rig_sched_done(r);
    CU_ASSERT_EQUAL(run_job(r, "0[].svr", ""), 15004);
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        struct body_run run = { .object_id = ids[i], .vnodes = "" };
        struct body_sched_reply no = {
            .command = 11, .job_id = ids[i], .error = 15044, .text = "no room"
        };
        uint64_t conn;

        CU_ASSERT_PTR_NULL(rig_ask(r, RIG_ROOT, BATCH_RUN_JOB, &run, NULL));
        conn = r->conn;
        CU_ASSERT_PTR_NOT_NULL_FATAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0));
        SAME(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.job_id, ids[i]);
        rig_ask_on(r, r->sched_conn - 1, RIG_ROOT, BATCH_DEF_SCHED_REPLY, &no, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
        CU_ASSERT_EQUAL(rig_reply(r, conn)->code, 15044);
        rig_sched_done(r);
    }
    SAME(value(r, "0[].svr", "job_state"), "Q");
    fake_mom_free(&fm);
}

static void a_waiting_subjob_is_located(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    array_of(r, "1-6");
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_LOCATE_JOB, "0[3].svr"), 0);
    CU_ASSERT_EQUAL(asked(r, RIG_USER, BATCH_LOCATE_JOB, "1[3].svr"), 15001);
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a new array is one job", a_new_array_is_one_job },
        { "subjobs are shown as they are asked for",
          subjobs_are_shown_as_they_are_asked_for },
        { "an array runs to its end", an_array_runs_to_its_end },
        { "subjobs are deleted one by one", subjobs_are_deleted_one_by_one },
        { "one request may name a subjob twice", one_request_may_name_a_subjob_twice },
        { "an array is deleted as a whole", an_array_is_deleted_as_a_whole },
        { "a subjob that is run again waits again",
          a_subjob_that_is_run_again_waits_again },
        { "a part of a range is run again", a_part_of_a_range_is_run_again },
        { "a released array says when it began", a_released_array_says_when_it_began },
        { "an array takes over its subjobs", an_array_takes_over_its_subjobs },
        { "a held array goes on where it was", a_held_array_goes_on_where_it_was },
        { "signals go to what runs", signals_go_to_what_runs },
        { "a server ends while signals are unanswered",
          a_server_ends_while_signals_are_unanswered },
        { "arrays get no messages", arrays_get_no_messages },
        { "what runs of an array is run again", what_runs_of_an_array_is_run_again },
        { "a range is started on the same vnodes",
          a_range_is_started_on_the_same_vnodes },
        { "a scheduler is asked for subjobs", a_scheduler_is_asked_for_subjobs },
        { "a waiting subjob is located", a_waiting_subjob_is_located },
    };

    return unit_main("array life", cases, ARRAY_LEN(cases));
}
