/* test_route.c - routing queues: where a job goes, when it is tried, and what becomes
 * of one that nobody takes (attributes.md 12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(struct rig *r, const char *id, const char *attr)
{
    const char *text = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return text ? text : "";
}

static void set(struct rig *r, const char *name, const char *attrs)
{
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, name, attrs), 0);
}

static void a_job_goes_to_the_first_queue_that_takes_it(void)
{
    struct rig *r = rig_new();
    const char *id;

    new_queue(r, "small", "resources_max.ncpus=2");
    new_queue(r, "large", "resources_default.walltime=01:00:00");
    new_router(r, "in", "small,large",
               "started=true resources_default.walltime=00:01:00");
    id = submit(r, RIG_USER, "in", "Resource_List.select=1:ncpus=1", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_TRUE(rig_logged(r, "enqueuing into in, state Q hop 1"));
    CU_ASSERT_TRUE(rig_logged(r, "dequeuing from in, state Q"));
    CU_ASSERT_TRUE(rig_logged(r, "enqueuing into small, state Q hop 2"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(accounted(r, 'Q', 1));
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'Q', 0), " queue=in "));
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'Q', 0), " etime=0 "));
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'Q', 1), " queue=small "));
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'Q', 1), " etime=1800000000 "));
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "small");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue_type"), "E");
    /* The defaults are those of the queue that has it, not of the way there. */
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "");
    id = submit(r, RIG_USER, "in", "Resource_List.select=1:ncpus=3", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "large");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "01:00:00");
    CU_ASSERT_PTR_NOT_NULL(strstr(text_of(r, id, "Variable_List"), "PBS_O_QUEUE=in"));
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* What q is like, and what becomes of ann's job (2 cpus) that is sent to "in": refused
 * at once, waiting, or in q. */
static const struct door {
    const char *story, *attrs;
    char fate; /* 'x' refused, 'w' waits, 'q' is in q */
} doors[] = {
    { "an open queue", "", 'q' },
    { "one that takes only routed jobs", "from_route_only=true", 'q' },
    { "one that is disabled", "enabled=false", 'w' },
    { "one that is full", "max_queuable=0", 'w' },
    { "one where she has enough jobs", "max_queued=[u:ann=0]", 'w' },
    { "one where others have", "max_queued=[u:bob=0]", 'q' },
    { "one where she has enough cpus", "max_queued_res.ncpus=[u:ann=1]", 'w' },
    { "one of others", "acl_user_enable=true acl_users=bob", 'x' },
    { "one of hers", "acl_user_enable=true acl_users=ann", 'q' },
    { "one of another group", "acl_group_enable=true acl_groups=bob", 'x' },
    { "one of another host", "acl_host_enable=true acl_hosts=elsewhere", 'x' },
    { "one for smaller jobs", "resources_max.ncpus=1", 'x' },
    { "one for larger jobs", "resources_min.ncpus=3", 'x' },
};

static char fate_of(struct rig *r)
{
    struct body_queue body = { .id = "", .destination = "in" };
    const struct wire_reply *reply;
    const char *id;

    body.attrs = rig_attrs(r, "Resource_List.select=1:ncpus=2");
    reply = rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:");
    if (reply->code) {
        CU_ASSERT_EQUAL(reply->code, PBSE_ROUTEREJ);
        CU_ASSERT_STRING_EQUAL(rig_text(r),
                               "Job rejected by all possible destinations");
        return 'x';
    }
    id = arena_strdup(r->arena, reply->text);
    return strcmp(text_of(r, id, "queue"), "q") == 0 ? 'q' : 'w';
}

static void every_refusal_is_for_now_or_for_good(void)
{
    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        struct rig *r = rig_new();
        char fate;

        new_queue(r, "q", "");
        set(r, "q", *doors[i].attrs ? doors[i].attrs : "Priority=0");
        new_router(r, "in", "q", "started=true");
        fate = fate_of(r);
        if (fate != doors[i].fate)
            printf("%s: %c\n", doors[i].story, fate);
        CU_ASSERT_EQUAL(fate, doors[i].fate);
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

static void who_is_refused_for_now_is_tried_again(void)
{
    struct rig *r = rig_new();
    const char *id, *other;

    new_queue(r, "q", "enabled=false");
    new_router(r, "in", "q", "started=true route_retry_time=20");
    id = submit(r, RIG_USER, "in", "", NULL);
    r->now_at += 5;
    other = submit(r, "bob", "in", "", NULL);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue_type"), "R");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "etime"), "");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    /* Nothing happens before the time, and nothing at it while q is closed. */
    rig_advance(r, RIG_START_AT + 19);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    rig_advance(r, RIG_START_AT + 20);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 1);
    set(r, "q", "enabled=true");
    rig_restart(r);
    rig_advance(r, RIG_START_AT + 39);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "in");
    rig_advance(r, RIG_START_AT + 40);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "q");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "qtime"), "1800000040");
    CU_ASSERT_STRING_EQUAL(text_of(r, other, "queue"), "q");
    /* With nobody left to try the queue has no time either. */
    rig_advance(r, RIG_START_AT + 1000);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void a_pass_takes_many_jobs_in_steps(void)
{
    struct rig *r = rig_new();
    size_t n = 0;

    new_queue(r, "q", "max_queuable=10");
    new_router(r, "in", "q", "started=true");
    for (int i = 0; i < 700; i++)
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(r, RIG_USER, "in", "", NULL));
    CU_ASSERT_EQUAL(model_queue(svr_model(r->s), "q")->n_jobs, 10);
    set(r, "q", "max_queuable=500");
    rig_advance(r, RIG_START_AT + 30);
    rig_settle(r);
    CU_ASSERT_EQUAL(model_queue(svr_model(r->s), "q")->n_jobs, 500);
    /* Who came first went first. */
    QUEUE_EACH_JOB (model_queue(svr_model(r->s), "in"), j)
        n += atoi(j->obj.id) < 500;
    CU_ASSERT_EQUAL(n, 0);
    rig_free(r);
}

/* "in" sends to "q"; what a job that asks so has of walltime there, '-': it is nowhere.
 */
static const struct on_the_way {
    const char *story, *in, *q, *job, *walltime;
} on_the_way[] = {
    { "a default of the way does not count", "resources_default.walltime=00:01:00",
      "resources_min.walltime=00:10:00", "", "" },
    { "a default of the destination does", "", "resources_default.walltime=00:20:00",
      "", "00:20:00" },
    { "... against its least", "",
      "resources_default.walltime=00:01:00 resources_min.walltime=00:10:00", "", "-" },
    { "... and its most", "",
      "resources_default.walltime=00:20:00 resources_max.walltime=00:10:00", "", "-" },
    { "a limit is a default where there is none", "", "resources_max.walltime=00:10:00",
      "", "00:10:00" },
    { "one of the way is not", "resources_max.walltime=00:10:00", "", "", "" },
    { "what was asked for stays", "resources_default.walltime=00:01:00",
      "resources_default.walltime=00:20:00", "Resource_List.walltime=100", "00:01:40" },
    { "... and is held against the limits", "", "resources_max.walltime=00:01:00",
      "Resource_List.walltime=100", "-" },
    { "a limit of the way counts at its door", "resources_max.walltime=00:01:00", "",
      "Resource_List.walltime=100", "-" },
};

static void defaults_and_limits_are_those_of_the_destination(void)
{
    for (size_t i = 0; i < ARRAY_LEN(on_the_way); i++) {
        const struct on_the_way *w = &on_the_way[i];
        struct rig *r = rig_new();
        const char *id, *got = "-";

        new_queue(r, "q", w->q);
        new_router(r, "mid", "q", "started=true resources_default.walltime=7200");
        new_router(r, "in", "mid", "started=true");
        if (*w->in)
            set(r, "in", w->in);
        id = submit(r, RIG_USER, "in", w->job, NULL);
        if (id && the_job(r, id) && strcmp(text_of(r, id, "queue"), "q") == 0)
            got = text_of(r, id, "Resource_List.walltime");
        if (strcmp(got, w->walltime) != 0)
            printf("%s: '%s'\n", w->story, got);
        CU_ASSERT_STRING_EQUAL(got, w->walltime);
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

/* Records of a pass at that time: of the queue, and of jobs. */
static void pass(struct rig *r, int64_t at, size_t *n_queue, size_t *n_jobs)
{
    *n_queue = *n_jobs = 0;
    rig_advance(r, at);
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_RECORD) {
            *n_queue += r->out.v[i].u.record->kind == OBJ_QUEUE;
            *n_jobs += r->out.v[i].u.record->kind == OBJ_JOB;
        }
}

/* However many wait, a pass writes of those that go; and it asks for each user. */
static void a_pass_costs_what_goes(void)
{
    struct rig *r = rig_new();
    size_t n_queue, n_jobs;

    new_queue(r, "q", "max_queued=[u:PBS_GENERIC=2]");
    new_router(r, "in", "q", "started=true");
    for (int i = 0; i < 600; i++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(r, RIG_USER, "in", "", NULL));
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(r, "bob", "in", "", NULL));
    }
    CU_ASSERT_EQUAL(model_queue(svr_model(r->s), "q")->n_jobs, 4);
    CU_ASSERT_EQUAL(model_queue(svr_model(r->s), "in")->n_classes, 2);
    pass(r, RIG_START_AT + 30, &n_queue, &n_jobs);
    CU_ASSERT_EQUAL(n_queue, 1);
    CU_ASSERT_EQUAL(n_jobs, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    /* Room for three of one user and for one of the other. */
    set(r, "q", "max_queued=[u:PBS_GENERIC=3]");
    set(r, "q", "max_queued+=[u:" RIG_USER "=5]");
    pass(r, RIG_START_AT + 60, &n_queue, &n_jobs);
    CU_ASSERT_EQUAL(n_queue, 1);
    CU_ASSERT_EQUAL(n_jobs, 2 * 4); /* the mark goes, and the job */
    CU_ASSERT_EQUAL(model_queue(svr_model(r->s), "q")->n_jobs, 8);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* Who asks for too much is passed over, and those behind it are not. */
static void a_large_job_stops_nobody(void)
{
    struct rig *r = rig_new();
    const char *large[300], *small;

    new_queue(r, "q", "max_queued_res.ncpus=[u:PBS_GENERIC=2]");
    new_router(r, "in", "q", "started=true");
    for (size_t i = 0; i < ARRAY_LEN(large); i++)
        large[i] = submit(r, RIG_USER, "in", "Resource_List.ncpus=3", NULL);
    set(r, "q", "enabled=false");
    small = submit(r, RIG_USER, "in", "Resource_List.ncpus=1", NULL);
    set(r, "q", "enabled=true");
    rig_advance(r, RIG_START_AT + 30);
    rig_settle(r);
    CU_ASSERT_STRING_EQUAL(text_of(r, small, "queue"), "q");
    for (size_t i = 0; i < ARRAY_LEN(large); i++)
        CU_ASSERT_STRING_EQUAL(text_of(r, large[i], "queue"), "in");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void held_and_waiting_jobs_go_where_that_is_wanted(void)
{
    static const struct {
        const char *queue, *job;
        bool goes;
    } cases[] = {
        { "", "Hold_Types=u", false },
        { "route_held_jobs=true", "Hold_Types=u", true },
        { "route_waiting_jobs=true", "Hold_Types=u", false },
        { "", "Execution_Time=1800000100", false },
        { "route_waiting_jobs=true", "Execution_Time=1800000100", true },
        { "route_held_jobs=true", "Execution_Time=1800000100", false },
        { "started=false", "", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig *r = rig_new();
        const char *id;

        new_queue(r, "q", "");
        new_router(r, "in", "q", "started=true");
        if (*cases[i].queue)
            set(r, "in", cases[i].queue);
        id = submit(r, RIG_USER, "in", cases[i].job, NULL);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), cases[i].goes ? "q" : "in");
        /* When nothing keeps it there any longer it goes at once. */
        if (*cases[i].queue)
            set(r, "in", "started=true");
        if (strstr(cases[i].job, "Hold"))
            CU_ASSERT_EQUAL(
                rig_ask(r, RIG_ROOT, BATCH_RELEASE_JOB,
                        &(struct body_manage){ .object_type = OBJECT_JOB,
                                               .object_name = id,
                                               .attrs = rig_attrs(r, "Hold_Types=u") },
                        NULL)
                    ->code,
                0);
        if (strstr(cases[i].job, "Exec"))
            rig_advance(r, 1800000100);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "q");
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
        CU_ASSERT_STRING_NOT_EQUAL(text_of(r, id, "etime"), "");
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

static bool aborted(struct rig *r, const char *id, const char *why)
{
    const struct effect *mail = rig_effect(r, EFFECT_MAIL, 0);
    const char *text = arena_printf(r->arena, "Aborted by PBS Server \n%s\n", why);

    return !the_job(r, id) && accounted(r, 'A', 0) &&
           strcmp(accounted(r, 'A', 0), why) == 0 && mail &&
           strstr(mail->u.mail.text, text) && rig_logged(r, why);
}

static void who_nobody_takes_any_more_is_aborted(void)
{
    struct rig *r = rig_new();
    const char *id, *late;

    new_queue(r, "q", "enabled=false");
    new_router(r, "in", "q", "started=true");
    id = submit(r, RIG_USER, "in", "", NULL);
    set(r, "q", "enabled=true resources_min.ncpus=3");
    rig_advance(r, RIG_START_AT + 30);
    CU_ASSERT_TRUE(aborted(r, id, "Job rejected by all possible destinations"));
    /* Whatever it waits for, a job does not stay longer than the queue says. */
    set(r, "in", "started=false route_lifetime=100");
    r->now_at = RIG_START_AT + 50;
    late = submit(r, RIG_USER, "in", "Hold_Types=u", NULL);
    rig_advance(r, RIG_START_AT + 149);
    CU_ASSERT_PTR_NOT_NULL(the_job(r, late));
    rig_advance(r, RIG_START_AT + 150);
    CU_ASSERT_TRUE(aborted(r, late, "Job was in its routing queue for too long"));
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void a_circle_has_an_end(void)
{
    struct rig *r = rig_new();
    const char *id;

    new_router(r, "self", "self", "started=true");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "self", ""), PBSE_ROUTEREJ);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "self", "Hold_Types=u"), 0);
    new_router(r, "a", "b", "started=true");
    new_router(r, "b", "a", "started=true");
    id = submit(r, RIG_USER, "a", "", NULL);
    CU_ASSERT_TRUE(rig_logged(r, "enqueuing into b, state Q hop 10"));
    CU_ASSERT_FALSE(rig_logged(r, "enqueuing into a, state Q hop 11"));
    CU_ASSERT_TRUE(aborted(r, id, "Job rejected by all possible destinations"));
    rig_free(r);
}

static void nobody_runs_a_job_that_is_not_yet_routed(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;

    new_router(r, "in", "workq", "");
    rig_attach_sched(r);
    while (rig_count(r, EFFECT_SCHED_COMMAND) > 0)
        rig_sched_done(r);
    id = submit(r, RIG_USER, "in", "", "x\n");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
    CU_ASSERT_EQUAL(run_job(r, id, "n1"), PBSE_IVALREQ);
    /* Its queue cannot become another one around it. */
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "in", "queue_type=e"),
                    PBSE_OBJBUSY);
    set(r, "in", "started=true");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "workq");
    CU_ASSERT_EQUAL(run_job(r, id, "n1"), 0);
    fake_mom_free(&fm);
}

static void groups_may_have_to_be_found_out(void)
{
    struct rig *r = rig_new();
    const char *id;

    new_queue(r, "q", "acl_group_enable=true acl_groups=ann");
    new_router(r, "in", "q", "");
    id = submit(r, RIG_USER, "in", "", NULL);
    rig_hides_groups = true;
    set(r, "in", "started=true");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 1);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "in");
    rig_hides_groups = false;
    /* After a restart it asks anew. */
    rig_restart(r);
    set(r, "in", "Priority=1");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "q");
    rig_free(r);
}

/* It would wait for the queue of another kind that is not enabled. */
static void a_reservation_is_no_destination(void)
{
    struct rig *r = rig_new();

    ask_for_a_reservation(r, 99);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, BATCH_STATUS_QUEUE, "R0", "enabled"),
                           "False");
    new_router(r, "in", "R0", "started=true");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "in", ""), PBSE_ROUTEREJ);
    rig_free(r);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a job goes to the first queue that takes it",
          a_job_goes_to_the_first_queue_that_takes_it },
        { "every refusal is for now or for good",
          every_refusal_is_for_now_or_for_good },
        { "who is refused for now is tried again",
          who_is_refused_for_now_is_tried_again },
        { "a pass takes many jobs in steps", a_pass_takes_many_jobs_in_steps },
        { "defaults and limits are those of the destination",
          defaults_and_limits_are_those_of_the_destination },
        { "a pass costs what goes", a_pass_costs_what_goes },
        { "a large job stops nobody", a_large_job_stops_nobody },
        { "held and waiting jobs go where that is wanted",
          held_and_waiting_jobs_go_where_that_is_wanted },
        { "who nobody takes any more is aborted",
          who_nobody_takes_any_more_is_aborted },
        { "a circle has an end", a_circle_has_an_end },
        { "nobody runs a job that is not yet routed",
          nobody_runs_a_job_that_is_not_yet_routed },
        { "groups may have to be found out", groups_may_have_to_be_found_out },
        { "a reservation is no destination", a_reservation_is_no_destination },
    };

    return unit_main("routing queues", cases, ARRAY_LEN(cases));
}
