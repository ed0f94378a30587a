/* test_preempt.c - PreemptJobs: jobs leave by the first method that works, the reply
 * names it, and what was begun stands whoever goes in between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/wire/sched_command.h"
#include "server/engine/parked.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define SAME(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

/* Effects go with the next input, so what the MoM was told is noted here. */
#define TOLD_MAX             16
static const struct is_message *told[TOLD_MAX];
static size_t n_told;
static char last_log[256];

static void note(const struct rig *r)
{
    for (size_t i = 0; i < r->out.n; i++) {
        const struct effect *e = &r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE && n_told < TOLD_MAX &&
            (e->u.mom.msg.request.number == BATCH_SIGNAL_JOB ||
             e->u.mom.msg.request.number == BATCH_HOLD_JOB))
            told[n_told++] = &e->u.mom.msg;
        if (e->kind == EFFECT_LOG && strstr(e->u.log.text, "preemption method "))
            snprintf(last_log, sizeof(last_log), "%s", e->u.log.text);
    }
}

/* What the server does by itself; the reply to 'conn', NULL: it waits. */
static const struct wire_reply *go_on(struct rig *r, uint64_t conn)
{
    const struct wire_reply *reply = NULL;

    note(r);
    for (int i = 0; i < 1000 && !reply && svr_has_work(r->s); i++) {
        reply = rig_go_on(r, conn);
        note(r);
    }
    return reply;
}

static const struct wire_reply *preempt_as(struct rig *r, uint64_t conn,
                                           const char *const *ids, size_t n)
{
    struct body_list body = { .ids = { n, ARENA_ARRAY(r->arena, const char *, n) } };
    const struct wire_reply *reply;

    n_told = 0;
    *last_log = '\0';
    for (size_t i = 0; i < n; i++)
        body.ids.v[i] = ids[i];
    reply = rig_ask_on(r, conn, RIG_ROOT, BATCH_PREEMPT_JOBS, &body, NULL);
    return reply ? reply : go_on(r, conn);
}

static const struct wire_reply *preempt_one(struct rig *r, uint64_t conn,
                                            const char *id)
{
    return preempt_as(r, conn, &id, 1);
}

/* "3.svr S, 2.svr 000", with the code before it when that is not 0. */
static const char *said(struct rig *r, const struct wire_reply *reply)
{
    const char *text = "";

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->choice, REPLY_PREEMPT);
    if (reply->code)
        text = arena_printf(r->arena, "%d: ", reply->code);
    for (size_t i = 0; i < reply->deleted.n; i++)
        text = arena_printf(r->arena, "%s%s%s %s", text, i ? ", " : "",
                            reply->deleted.v[i].id, reply->deleted.v[i].order);
    return text;
}

/* The MoM answers the i-th signal; the reply that 'conn' hears in the end. */
static const struct wire_reply *mom_answers(struct fake_mom *fm, uint64_t conn,
                                            size_t i, int code)
{
    const struct wire_reply *reply;

    CU_ASSERT_FATAL(i < n_told);
    fake_answer(fm, told[i], code, code ? "no" : NULL);
    reply = rig_reply(fm->r, conn);
    return reply ? reply : go_on(fm->r, conn);
}

static const char *word_told(size_t i)
{
    CU_ASSERT_FATAL(i < n_told);
    if (told[i]->request.number == BATCH_HOLD_JOB)
        return "checkpoint";
    return ((const struct body_signal *)told[i]->request.body)->signal;
}

/* The value may have blanks, which rig_attrs() takes for the end of it. */
static void set_order(struct rig *r, const char *order)
{
    struct body_manage body = { .command = SET,
                                .object_type = OBJECT_SCHED,
                                .object_name = "default" };

    wire_attrs_add(&body.attrs, r->arena, "preempt_order", NULL, order, WIRE_OP_SET);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MANAGER, &body, NULL)->code, 0);
    rig_sched_done(r);
}

static uint64_t scheduler_of(struct rig *r, const char *order)
{
    uint64_t conn = rig_attach_sched(r);

    for (int i = 0; i < 3; i++) /* what it is told at first */
        rig_sched_done(r);
    set_order(r, order);
    return conn;
}

static const char *shown(struct rig *r, const char *id, const char *attr)
{
    const char *v = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return v ? v : "(none)";
}

static int64_t preempted_at(const struct rig *r, const char *id)
{
    return obj_num(the_job(r, id), JOB_A_PTIME, 0);
}

/* Its processes have ended, and its MoM does all that follows from that. */
static void job_ends(struct fake_mom *fm, const char *id, int status)
{
    static const uint32_t last[] = { BATCH_COPY_FILES, BATCH_DELETE_JOB };

    fake_obit(fm, id, 1, status);
    for (size_t i = 0; i < ARRAY_LEN(last); i++)
        if (fake_told(fm, last[i], 0))
            fake_answer(fm, fake_told(fm, last[i], 0), 0, NULL);
}

static void jobs_are_suspended_together(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[] = { running_job(&fm), running_job(&fm), "99.svr" };
    const char *waiting = submit(r, RIG_USER, "", "", "x\n");
    uint64_t sched = scheduler_of(r, "SCR");
    const char *all[] = { ids[0], ids[1], ids[0], "99.svr", waiting };

    CU_ASSERT_PTR_NULL(preempt_as(r, sched, all, ARRAY_LEN(all)));
    CU_ASSERT_EQUAL(n_told, 2); /* a name that is given twice is one job */
    SAME(word_told(0), "suspend");
    CU_ASSERT_EQUAL(preempted_at(r, ids[0]), 0);
    r->now_at += 3;
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 1, 0));
    CU_ASSERT_PTR_NOT_NULL(the_job(r, ids[1]));
    /* In the order in which it was known what became of them. */
    SAME(said(r, mom_answers(&fm, sched, 0, 0)),
         arena_printf(r->arena, "99.svr D, %s Q, %s S, %s S", waiting, ids[0], ids[1]));
    SAME(shown(r, ids[0], "job_state"), "S");
    SAME(shown(r, ids[0], "substate"), "45");
    CU_ASSERT_EQUAL(preempted_at(r, ids[0]), r->now_at);
    /* Who has gone on was not preempted any more. */
    rig_ask_on(r, sched, RIG_ROOT, BATCH_SIGNAL_JOB,
               &(struct body_signal){ .job_id = ids[0], .signal = "resume" }, NULL);
    CU_ASSERT_EQUAL(preempted_at(r, ids[0]), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void only_a_scheduler_may_ask(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(preempt_one(fm.r, 77, id)->code, PBSE_INTERNAL);
    CU_ASSERT_EQUAL(n_told, 0);
    fake_mom_free(&fm);
}

static void what_fails_is_tried_by_the_next_method(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "SCRD");

    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    /* The MoM will not suspend it, and makes no image of it. */
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 0, PBSE_SYSTEM));
    SAME(last_log, "preemption method suspend failed for job (15041)");
    CU_ASSERT_EQUAL_FATAL(n_told, 2);
    SAME(word_told(1), "checkpoint");
    CU_ASSERT_EQUAL(preempted_at(r, id), 0);
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 1, PBSE_NOSUP));
    SAME(last_log, "preemption method checkpoint failed for job (15041)");
    CU_ASSERT_EQUAL(preempted_at(r, id), r->now_at);
    CU_ASSERT_EQUAL_FATAL(n_told, 3);
    SAME(word_told(2), "Rerun");
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 2, 0));
    job_ends(&fm, id, -11);
    SAME(said(r, go_on(r, sched)), arena_printf(r->arena, "%s Q", id));
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(preempted_at(r, id), r->now_at);
    /* It runs again, and nobody owes it anything. */
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(preempted_at(r, id), 0);
    fake_mom_free(&fm);
}

static void a_job_leaves_with_its_image(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "CR");

    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    CU_ASSERT_EQUAL_FATAL(n_told, 1);
    SAME(word_told(0), "checkpoint");
    /* The end of its run says that there is one. */
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 0, 0));
    CU_ASSERT_EQUAL(preempted_at(r, id), 0);
    job_ends(&fm, id, -12);
    SAME(said(r, go_on(r, sched)), arena_printf(r->arena, "%s C", id));
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    SAME(shown(r, id, "exec_vnode"), "(n1:ncpus=1)");
    CU_ASSERT_EQUAL(preempted_at(r, id), r->now_at);
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(preempted_at(r, id), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_job_that_cannot_leave_is_named(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;
    uint64_t sched = scheduler_of(r, "R");
    const char *array = submit(r, RIG_USER, "", "array_indices_submitted=1-3", "x\n");

    id = running_job_of(&fm, "Rerunable=n", "(n1:ncpus=1)");
    SAME(said(r, preempt_one(r, sched, id)), arena_printf(r->arena, "1: %s 000", id));
    SAME(last_log, "preemption method requeue failed for job (15038)");
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    SAME(said(r, preempt_one(r, sched, array)),
         arena_printf(r->arena, "1: %s 000", array));
    fake_mom_free(&fm);
}

static void a_scheduler_deletes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "D");

    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    SAME(shown(r, id, "job_state"), "R");
    CU_ASSERT_EQUAL_FATAL(n_told, 1);
    fake_answer(&fm, told[0], 0, NULL);
    job_ends(&fm, id, 271);
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'E', 0));
    SAME(said(r, go_on(r, sched)), arena_printf(r->arena, "%s D", id));
    fake_mom_free(&fm);
}

static void methods_go_by_the_time_that_is_left(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job_of(&fm, "Resource_List.walltime=100", "(n1:ncpus=1)");
    uint64_t sched = scheduler_of(r, "R");

    set_order(r, "D 50 S");
    r->now_at += 50;
    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    SAME(word_told(0), "suspend");
    fake_mom_free(&fm);
}

static void a_scheduler_that_goes_leaves_what_it_began(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "SR");

    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    /* Requests of those that have gone do not pile up. */
    for (int i = 0; i < PARKED_MAX_OF_USER + 1; i++) {
        svr_client_gone(r->s, r->now_at, sched, &r->out);
        go_on(r, sched);
        fake_answer(&fm, told[0], PBSE_SYSTEM, "no");
        sched = rig_attach_sched(r);
        CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
        CU_ASSERT_EQUAL_FATAL(n_told, 1);
    }
    svr_client_gone(r->s, r->now_at, sched, &r->out);
    go_on(r, sched);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    /* What it began is done, and nothing else is begun. */
    fake_answer(&fm, told[0], 0, NULL);
    SAME(shown(r, id, "substate"), "45");
    fake_mom_free(&fm);
}

static void a_mom_that_says_nothing_ends_the_wait(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "R");

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "job_requeue_timeout=20");
    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 0, 0));
    rig_advance(r, r->now_at + 19);
    CU_ASSERT_PTR_NULL(go_on(r, sched));
    rig_advance(r, r->now_at + 1);
    SAME(said(r, go_on(r, sched)), arena_printf(r->arena, "1: %s 000", id));
    fake_mom_free(&fm);
}

/* One whose cycles may be cut short, in a cycle. */
static uint64_t our_scheduler(struct rig *r, const char *order)
{
    struct body_id body = { .id = "default" };
    uint64_t conn = r->conn + 1;

    for (int i = 0; i < 2; i++)
        rig_ask_on(r, conn + (uint64_t)i, RIG_ROOT, BATCH_REGISTER_SCHED, &body,
                   REGISTER_MAY_CUT);
    r->sched_conn = conn + 1;
    for (int i = 0; i < 3; i++)
        rig_sched_done(r);
    set_order(r, order);
    submit(r, RIG_USER, "", "", "x\n");
    return conn;
}

/* The scheduler comes to the question at once, and the job leaves all the same. */
static void a_question_is_not_kept_waiting(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[] = { running_job(&fm), running_job_of(&fm, "", "(n1:ncpus=1)") };
    uint64_t sched = our_scheduler(r, "R");

    CU_ASSERT_PTR_NULL(preempt_as(r, sched, ids, ARRAY_LEN(ids)));
    CU_ASSERT_EQUAL_FATAL(n_told, 2);
    CU_ASSERT_PTR_NULL(mom_answers(&fm, sched, 0, 0));
    job_ends(&fm, ids[0], -11);
    CU_ASSERT_PTR_NULL(go_on(r, sched));
    ask_for_a_reservation(r, 99);
    SAME(said(r, go_on(r, sched)),
         arena_printf(r->arena, "1: %s Q, %s 000", ids[0], ids[1]));
    /* While the cycle is being cut nothing is begun. */
    SAME(said(r, preempt_one(r, sched, ids[1])),
         arena_printf(r->arena, "1: %s 000", ids[1]));
    CU_ASSERT_EQUAL(n_told, 0);
    fake_mom_free(&fm);
}

static void what_leaves_anyhow_is_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    uint64_t sched = scheduler_of(r, "S");

    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    CU_ASSERT_PTR_NULL(preempt_one(r, sched, id));
    CU_ASSERT_EQUAL(n_told, 0);
    job_ends(&fm, id, 271);
    SAME(said(r, go_on(r, sched)), arena_printf(r->arena, "%s D", id));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "jobs are suspended together", jobs_are_suspended_together },
        { "only a scheduler may ask", only_a_scheduler_may_ask },
        { "what fails is tried by the next method",
          what_fails_is_tried_by_the_next_method },
        { "a job leaves with its image", a_job_leaves_with_its_image },
        { "a job that cannot leave is named", a_job_that_cannot_leave_is_named },
        { "a scheduler deletes", a_scheduler_deletes },
        { "methods go by the time that is left", methods_go_by_the_time_that_is_left },
        { "a scheduler that goes leaves what it began",
          a_scheduler_that_goes_leaves_what_it_began },
        { "a MoM that says nothing ends the wait",
          a_mom_that_says_nothing_ends_the_wait },
        { "a question is not kept waiting", a_question_is_not_kept_waiting },
        { "what leaves anyhow is waited for", what_leaves_anyhow_is_waited_for },
    };

    return unit_main("preempt", cases, ARRAY_LEN(cases));
}
