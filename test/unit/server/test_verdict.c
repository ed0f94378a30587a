/* test_verdict.c - the door for hooks, with verdicts of a script: a job waits for what
 * its queuejob hooks say, and is decided afresh with it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"

#include "../unit.h"

#include <string.h>

#define CONN 900 /* of the request that waits */

/* A server that runs hooks, with one for that event. */
static struct rig *rig_with_hook(const char *event)
{
    struct rig *r;

    rig_runs_hooks = true;
    r = rig_new();
    rig_runs_hooks = false;
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_HOOK, "h1",
                                arena_printf(r->arena, "event=%s", event)),
                    0);
    return r;
}

static struct rig *hooked_rig(void)
{
    return rig_with_hook("queuejob");
}

static const struct wire_reply *queue_job(struct rig *r, uint64_t conn,
                                          const char *attrs)
{
    const struct body_queue body = { .id = "",
                                     .destination = "",
                                     .attrs = rig_attrs(r, attrs) };

    return rig_ask_on(r, conn, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:");
}

static const struct wire_reply *submit_resv(struct rig *r)
{
    const struct body_queue body = {
        .id = "",
        .destination = "",
        .attrs = rig_attrs(r, arena_printf(r->arena,
                                           "Reserve_Name=mine "
                                           "Resource_List.select=1:ncpus=1 "
                                           "reserve_start=%lld reserve_end=%lld",
                                           (long long)r->now_at + 100,
                                           (long long)r->now_at + 200)),
    };

    return rig_ask_on(r, CONN, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL);
}

static const struct wire_reply *judge_event(struct rig *r, const char *event,
                                            const struct finding *verdict)
{
    const struct effect *e = rig_effect(r, EFFECT_FIND_OUT, 0);
    struct effects none = { .arena = r->arena };

    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    CU_ASSERT_EQUAL(e->u.need.kind, NEED_VERDICT);
    CU_ASSERT_STRING_EQUAL(e->u.need.name, event);
    svr_learned(r->s, r->now_at, &e->u.need, verdict, &none);
    CU_ASSERT_TRUE_FATAL(svr_has_work(r->s));
    return rig_go_on(r, CONN);
}

static const struct wire_reply *judge(struct rig *r, const struct finding *verdict)
{
    return judge_event(r, "queuejob", verdict);
}

static const char *job_value(struct rig *r, const char *id, const char *attr)
{
    const char *v = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return v ? v : "";
}

static void accepted_jobs_are_queued(void)
{
    static const struct finding accept = { .found = true };
    struct rig *r = hooked_rig();
    const struct wire_reply *reply;

    CU_ASSERT_PTR_NULL(queue_job(r, CONN, "Priority=3"));
    reply = judge(r, &accept);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_STRING_EQUAL(job_value(r, reply->text, "Priority"), "3");
    rig_free(r);
}

static void what_hooks_set_is_what_the_job_has(void)
{
    struct rig *r = hooked_rig();
    const struct finding change = {
        .found = true,
        .changes = rig_attrs(r, "Priority=7 Resource_List.ncpus=2 Account_Name="),
    };
    const struct wire_reply *reply;
    const char *id;

    CU_ASSERT_PTR_NULL(
        queue_job(r, CONN, "Priority=3 Account_Name=a Resource_List.mem=1gb"));
    reply = judge(r, &change);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->code, 0);
    id = reply->text;
    CU_ASSERT_STRING_EQUAL(job_value(r, id, "Priority"), "7");
    CU_ASSERT_STRING_EQUAL(job_value(r, id, "Resource_List.ncpus"), "2");
    CU_ASSERT_STRING_EQUAL(job_value(r, id, "Resource_List.mem"), "1gb");
    CU_ASSERT_STRING_EQUAL(job_value(r, id, "Account_Name"), "");
    rig_free(r);
}

static void a_rejection_has_the_hooks_words(void)
{
    static const struct finding reject = { .words = "not on a Monday" };
    struct rig *r = hooked_rig();
    uint64_t seq = svr_model(r->s)->seq;

    CU_ASSERT_PTR_NULL(queue_job(r, CONN, ""));
    CU_ASSERT_PTR_NOT_NULL_FATAL(judge(r, &reject));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_HOOKERROR);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "not on a Monday");
    CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
    rig_free(r);
}

/* What a hook sets is checked as if the user had set it. */
static void hooks_set_nothing_that_is_wrong(void)
{
    struct rig *r = hooked_rig();
    const struct finding change = { .found = true,
                                    .changes = rig_attrs(r, "Priority=many") };

    CU_ASSERT_PTR_NULL(queue_job(r, CONN, ""));
    CU_ASSERT_PTR_NOT_NULL_FATAL(judge(r, &change));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_BADATVAL);
    rig_free(r);
}

static void hooks_that_never_answer_have_not_accepted(void)
{
    struct rig *r = hooked_rig();

    CU_ASSERT_PTR_NULL(queue_job(r, CONN, ""));
    rig_advance(r, r->now_at + 30);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_HOOKERROR);
    rig_free(r);
}

static void hooks_of_other_events_and_disabled_ones_are_not_asked(void)
{
    struct rig *r = hooked_rig();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_HOOK, "h1", "enabled=f"), 0);
    CU_ASSERT_PTR_NOT_NULL(queue_job(r, CONN, ""));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_HOOK, "h1", "enabled=t event=resvsub"), 0);
    CU_ASSERT_PTR_NOT_NULL(queue_job(r, CONN + 1, ""));
    rig_free(r);
}

static void a_reservation_has_what_its_hooks_set(void)
{
    struct rig *r = rig_with_hook("resvsub");
    const struct finding change = { .found = true,
                                    .changes = rig_attrs(r, "Reserve_Name=theirs") };
    const struct wire_reply *reply;
    const char *id, *name;

    CU_ASSERT_PTR_NULL_FATAL(submit_resv(r));
    reply = judge_event(r, "resvsub", &change);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->code, 0);
    id = arena_strndup(r->arena, reply->text, strcspn(reply->text, " "));
    name = rig_value(r, RIG_ROOT, BATCH_STATUS_RESV, id, "Reserve_Name");
    CU_ASSERT_PTR_NOT_NULL_FATAL(name);
    CU_ASSERT_STRING_EQUAL(name, "theirs");
    rig_free(r);
}

static int modify_resv(struct rig *r, const char *id, const char *select)
{
    const struct body_modify_resv body = {
        .object_type = OBJECT_RESV,
        .resv_id = id,
        .attrs =
            rig_attrs(r, arena_printf(r->arena, "Resource_List.select=%s", select)),
    };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_MODIFY_RESV, &body, NULL);

    return reply ? reply->code : -1;
}

/* Chunks are counted from those that a hook has set and a status shows, and not from
 * those that were submitted. */
static void its_select_is_the_one_that_hooks_set(void)
{
    struct rig *r = rig_with_hook("resvsub");
    const struct finding change = {
        .found = true,
        .changes = rig_attrs(r, "Resource_List.select=3:ncpus=2"),
    };
    const struct wire_reply *reply;
    const char *id, *select;

    CU_ASSERT_PTR_NULL_FATAL(submit_resv(r)); /* with select=1:ncpus=1 */
    reply = judge_event(r, "resvsub", &change);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->code, 0);
    id = arena_strndup(r->arena, reply->text, strcspn(reply->text, " "));
    select = rig_value(r, RIG_ROOT, BATCH_STATUS_RESV, id, "Resource_List.select");
    CU_ASSERT_PTR_NOT_NULL_FATAL(select);
    CU_ASSERT_STRING_EQUAL(select, "3:ncpus=2");
    CU_ASSERT_EQUAL(modify_resv(r, id, "1:ncpus=1"), PBSE_SELECT_NOT_SUBSET);
    CU_ASSERT_EQUAL(modify_resv(r, id, "4:ncpus=2"), PBSE_SELECT_NOT_SUBSET);
    CU_ASSERT_EQUAL(modify_resv(r, id, "2:ncpus=2"), 0);
    rig_free(r);
}

static void a_rejected_reservation_leaves_nothing(void)
{
    static const struct finding reject = { .words = "no way" };
    struct rig *r = rig_with_hook("resvsub");
    uint64_t seq = svr_model(r->s)->seq;

    CU_ASSERT_PTR_NULL_FATAL(submit_resv(r));
    CU_ASSERT_PTR_NOT_NULL_FATAL(judge_event(r, "resvsub", &reject));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_HOOKERROR);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "no way");
    CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "accepted jobs are queued", accepted_jobs_are_queued },
    { "what hooks set is what the job has", what_hooks_set_is_what_the_job_has },
    { "a rejection has the hooks' words", a_rejection_has_the_hooks_words },
    { "hooks set nothing that is wrong", hooks_set_nothing_that_is_wrong },
    { "hooks that never answer have not accepted",
      hooks_that_never_answer_have_not_accepted },
    { "hooks of other events and disabled ones are not asked",
      hooks_of_other_events_and_disabled_ones_are_not_asked },
    { "a reservation has what its hooks set", a_reservation_has_what_its_hooks_set },
    { "its select is the one that hooks set", its_select_is_the_one_that_hooks_set },
    { "a rejected reservation leaves nothing", a_rejected_reservation_leaves_nothing },
};

int main(void)
{
    return unit_main("verdicts of hooks", cases, ARRAY_LEN(cases));
}
