/* test_svr.c - the engine: requests in, effects out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

#include "server/react/react.h"

#include <string.h>

static void test_first_start_makes_the_defaults(void)
{
    static const struct {
        uint32_t number;
        const char *id, *attr, *value;
    } rows[] = {
        { SVR, "", "server_state", "Active" },
        { SVR, "", "server_host", RIG_HOST },
        { SVR, "", "scheduling", "True" },
        { SVR, "", "default_queue", "workq" },
        { SVR, "", "log_events", "511" },
        { SVR, "", "resources_default.ncpus", "1" },
        { SVR, "", "default_chunk.ncpus", "1" },
        { SVR, "", "node_fail_requeue", "310" },
        { SVR, "", "max_job_sequence_id", "9999999" },
        { SVR, "", "pbs_version", "23.06.06" },
        { SVR, "", "total_jobs", "0" },
        { SVR, "", "state_count",
          "Transit:0 Queued:0 Held:0 Waiting:0 Running:0 Exiting:0 Begun:0 " },
        { SVR, "", "reserve_retry_time", NULL },
        { QUE, "workq", "queue_type", "Execution" },
        { QUE, "workq", "enabled", "True" },
        { QUE, "workq", "started", "True" },
        { SCH, "", "partition", "pbs-default" },
        { SCH, "", "state", "idle" },
        { SCH, "", "scheduling", "True" },
        { SCH, "", "scheduler_iteration", "600" },
    };
    struct rig *r = rig_new();

    CU_ASSERT(rig_count(r, EFFECT_RECORD) >= 3);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *v =
            rig_value(r, RIG_ROOT, rows[i].number, rows[i].id, rows[i].attr);

        CU_ASSERT(str_same(v, rows[i].value));
        if (!str_same(v, rows[i].value))
            printf("%s is %s\n", rows[i].attr, v ? v : "not shown");
    }
    CU_ASSERT(rig_is_same(r));
    rig_free(r);
}

struct manager_case {
    const char *story;
    const char *user;
    uint32_t command, type;
    const char *name, *attrs;
    int code;
    const char *text;
};

static void run_manager_cases(struct rig *r, const struct manager_case *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct manager_case *c = &rows[i];
        uint64_t seq = svr_model(r->s)->seq;
        int code = rig_manager(r, c->user, c->command, c->type, c->name, c->attrs);

        CU_ASSERT_EQUAL(code, c->code);
        CU_ASSERT_STRING_EQUAL(rig_text(r), c->text);
        if (code != c->code || strcmp(rig_text(r), c->text) != 0)
            printf("%s: %d %s\n", c->story, code, rig_text(r));
        if (code)
            CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
    }
    CU_ASSERT(rig_is_same(r));
}

static void test_manager_answers_the_catalogue(void)
{
    static const struct manager_case rows[] = {
        { "users may nothing", RIG_USER, SET, 0, "", "scheduling=True", 15007,
          "Unauthorized Request " },
        { "jobs are no objects", RIG_ROOT, SET, 2, "x", "a=b", 15004,
          "Invalid request" },
        { "unknown command", RIG_ROOT, 4, 0, "", "a=b", 15004, "Invalid request" },
        { "servers are not created", RIG_ROOT, CREATE, 0, "x", "", 15004,
          "Invalid request" },
        { "unknown attribute", RIG_ROOT, SET, 0, "", "foo=1", 15002,
          "Undefined attribute  foo" },
        { "read-only attribute", RIG_ROOT, SET, 0, "", "total_jobs=3", 15003,
          "Cannot set attribute, read only or insufficient permission  total_jobs" },
        { "bad value", RIG_ROOT, SET, 0, "", "scheduling=maybe", 15014,
          "Illegal attribute or resource value scheduling" },
        { "unknown resource", RIG_ROOT, SET, 0, "", "resources_max.nosuch=3", 15035,
          "Unknown resource resources_max.nosuch" },
        { "unknown default queue", RIG_ROOT, SET, 0, "", "default_queue=nosuch", 15018,
          "Unknown queue" },
        { "zero retry time", RIG_ROOT, SET, 0, "", "reserve_retry_time=0", 15014,
          "Illegal attribute or resource value" },
        { "negative retry time", RIG_ROOT, SET, 0, "", "reserve_retry_init=-3", 15014,
          "Illegal attribute or resource value" },
        { "chunk default without h", RIG_ROOT, SET, 0, "", "default_chunk.walltime=5",
          15109,
          "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is: "
          "walltime" },
        { "all or nothing", RIG_ROOT, SET, 0, "", "comment=x scheduling=maybe", 15014,
          "Illegal attribute or resource value scheduling" },
        { "obsolete but accepted", RIG_ROOT, SET, 0, "", "reserve_retry_cutoff=3", 0,
          "" },

        { "queue exists", RIG_ROOT, CREATE, 1, "workq", "", 15025,
          "Queue already exists" },
        { "queue unknown", RIG_ROOT, SET, 1, "nosuch", "enabled=t", 15018,
          "Unknown queue" },
        { "unknown queue deleted", RIG_ROOT, DELETE, 1, "nosuch", "", 15018,
          "Unknown queue" },
        { "bad type", RIG_ROOT, CREATE, 1, "q", "queue_type=bogus", 15014,
          "Illegal attribute or resource value" },
        { "enabled without type", RIG_ROOT, CREATE, 1, "q", "enabled=t", 15030,
          "Cannot enable queue, incomplete definition" },
        { "route without destinations", RIG_ROOT, CREATE, 1, "q",
          "enabled=t queue_type=r", 15030,
          "Cannot enable queue, incomplete definition" },
        { "queue made", RIG_ROOT, CREATE, 1, "q", "started=t enabled=t queue_type=e", 0,
          "" },
        { "type unset", RIG_ROOT, UNSET, 1, "q", "queue_type", 15137,
          "Queue type must be set" },
        { "queue deleted", RIG_ROOT, DELETE, 1, "q", "", 0, "" },

        { "host unknown", RIG_ROOT, CREATE, 3, "nosuchhost", "", 15062,
          "Unknown node " },
        { "vnode made", RIG_ROOT, CREATE, 3, "n1", "resources_available.ncpus=4", 0,
          "" },
        { "vnode exists", RIG_ROOT, CREATE, 3, "n1", "", 15066,
          "Node name already exists" },
        { "vnode unknown", RIG_ROOT, SET, 3, "nosuch", "state=free", 15062,
          "Unknown node " },
        { "bad state", RIG_ROOT, SET, 3, "n1", "state=bogus", 15067,
          "Illegal value for node state" },
        { "Mom is for creation", RIG_ROOT, SET, 3, "n1", "Mom=x", 15003,
          "Cannot set attribute, read only or insufficient permission  Mom" },
        { "queue of a vnode", RIG_ROOT, SET, 3, "n1", "queue=nosuch", 15018,
          "Unknown queue" },
        { "state is not unset", RIG_ROOT, UNSET, 3, "n1", "state", 15067,
          "Illegal value for node state" },
        { "unknown host", RIG_ROOT, SET, 7, "nosuch", "state+=offline", 15062,
          "Unknown node " },

        { "resource made", RIG_ROOT, CREATE, 5, "foo", "type=long flag=nh", 0, "" },
        { "resource exists", RIG_ROOT, CREATE, 5, "foo", "type=long", 15055,
          "Duplicate entry in list " },
        { "built in", RIG_ROOT, DELETE, 5, "ncpus", "", 15004, "Invalid request" },
        { "unknown", RIG_ROOT, DELETE, 5, "nosuch", "", 15035, "Unknown resource" },
        { "used", RIG_ROOT, SET, 3, "n1", "resources_available.foo=3", 0, "" },
        { "deleted with its values", RIG_ROOT, DELETE, 5, "foo", "", 0, "" },

        { "default sched's partition", RIG_ROOT, SET, 6, "default", "partition=p",
          15223, "Operation is not permitted on default scheduler" },
        { "default sched stays", RIG_ROOT, DELETE, 6, "default", "", 15214,
          "Can not delete Scheduler" },
        { "unknown sched", RIG_ROOT, SET, 6, "nosuch", "comment=x", 15213,
          "Unknown Scheduler" },
        { "hooks are root's", RIG_USER, CREATE, 8, "h", "", 15136,
          "ann@svr.example is unauthorized to access hooks data from server svr" },
    };
    struct rig *r = rig_new();

    run_manager_cases(r, rows, ARRAY_LEN(rows));
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, SVR, "", "comment"));
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, NOD, "n1", "resources_available.foo"));
    rig_free(r);
}

static void test_unknown_requests_are_refused(void)
{
    struct rig *r = rig_new();
    const struct wire_reply *reply = rig_ask(r, RIG_ROOT, 77, NULL, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 15005);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 1);
    CU_ASSERT(rig_logged(r, "Reject reply code=15005"));
    rig_free(r);
}

static void test_retry_times_are_a_pair(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, 0, "", "reserve_retry_init=30");
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "reserve_retry_time"), "30"));
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "reserve_retry_init"), "30"));
    rig_manager(r, RIG_ROOT, SET, 0, "", "reserve_retry_time=5");
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "reserve_retry_time"), "5"));
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_USER, SVR, "", "reserve_retry_init"));
    rig_manager(r, RIG_ROOT, UNSET, 0, "", "reserve_retry_time");
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_USER, SVR, "", "reserve_retry_time"));
    rig_free(r);
}

static void test_unset_brings_defaults_back(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, 0, "",
                "log_events=2047 node_fail_requeue=3 resources_default.ncpus=4");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, UNSET, 0, "",
                                "log_events node_fail_requeue resources_default.ncpus"),
                    0);
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, SVR, "", "log_events"), "511"));
    CU_ASSERT(
        str_same(rig_value(r, RIG_ROOT, SVR, "", "resources_default.ncpus"), "1"));
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, SVR, "", "node_fail_requeue"));
    rig_free(r);
}

static void test_operators_may_less_than_managers(void)
{
    static const struct manager_case rows[] = {
        { "manager", RIG_ROOT, SET, 0, "", "managers+=bob@* operators+=eve@*", 0, "" },
        { "managers create", "bob", CREATE, 1, "q2", "", 0, "" },
        { "operators do not", "eve", CREATE, 1, "q3", "", 15007,
          "Unauthorized Request " },
        { "operators set", "eve", SET, 0, "", "comment=x", 0, "" },
        { "not everything", "eve", SET, 0, "", "flatuid=t", 15003,
          "Cannot set attribute, read only or insufficient permission  flatuid" },
        { "acl_roots are root's", "bob", SET, 0, "", "acl_roots=bob", 15003,
          "Cannot set attribute, read only or insufficient permission " },
        { "so is what the server runs", "bob", SET, 0, "", "mailer=/tmp/bob", 15003,
          "Cannot set attribute, read only or insufficient permission " },
        { "and from where a scheduler comes", "bob", CREATE, OBJECT_SCHED, "s1",
          "sched_host=b.c", 15003,
          "Cannot set attribute, read only or insufficient permission " },
        { "this host is no news", "bob", CREATE, OBJECT_SCHED, "s1",
          "sched_host=" RIG_HOST, 0, "" },
        { "root says another", RIG_ROOT, SET, OBJECT_SCHED, "s1", "sched_host=b.c", 0,
          "" },
        { "what is so is no news", "bob", SET, OBJECT_SCHED, "s1", "sched_host=b.c", 0,
          "" },
        { "away from it neither", "bob", SET, OBJECT_SCHED, "s1", "sched_host=c.d",
          15003, "Cannot set attribute, read only or insufficient permission " },
        { "root sets it", RIG_ROOT, SET, 0, "", "mailer=/usr/lib/sendmail", 0, "" },
        { "twice", RIG_ROOT, SET, 0, "", "managers+=bob@*", 15055,
          "Duplicate entry in list  managers" },
        { "resources are managers'", "eve", SET, 5, "ncpus", "flag=h", 15007,
          "Unauthorized Request " },
    };
    struct rig *r = rig_new();

    run_manager_cases(r, rows, ARRAY_LEN(rows));
    rig_free(r);
}

static void test_status_has_the_order_asked_for(void)
{
    struct rig *r = rig_new();
    const struct wire_objects *o;

    rig_manager(r, RIG_ROOT, CREATE, 3, "n1", "comment=hi");
    o = rig_status(r, RIG_ROOT, NOD, "n1", "resv_enable Mom state");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL_FATAL(o->n, 1);
    CU_ASSERT_EQUAL_FATAL(o->v[0].attrs.n, 3);
    CU_ASSERT_STRING_EQUAL(o->v[0].attrs.v[0].name, "resv_enable");
    CU_ASSERT_STRING_EQUAL(o->v[0].attrs.v[1].name, "Mom");
    CU_ASSERT_STRING_EQUAL(o->v[0].attrs.v[2].name, "state");
    CU_ASSERT_STRING_EQUAL(o->v[0].attrs.v[2].value, "state-unknown,down");
    o = rig_status(r, RIG_USER, NOD, "", "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_PTR_NULL(wire_attrs_find(&o->v[0].attrs, "Port", NULL));
    CU_ASSERT_PTR_NULL(wire_attrs_find(&o->v[0].attrs, "hf_state", NULL));
    CU_ASSERT(
        str_same(wire_attrs_value(&o->v[0].attrs, "resources_assigned", "mem"), "0kb"));
    CU_ASSERT(
        str_same(wire_attrs_value(&o->v[0].attrs, "resources_assigned", "ncpus"), "0"));
    CU_ASSERT(str_same(wire_attrs_value(&o->v[0].attrs, "resources_available", "host"),
                       "n1"));
    rig_free(r);
}

static void test_status_refuses_unknown_names(void)
{
    static const struct {
        uint32_t number;
        const char *id, *wanted;
        int code;
        const char *text;
    } rows[] = {
        { NOD, "nosuch", "", 15062, "Unknown node " },
        { QUE, "nosuch", "", 15018, "Unknown queue" },
        { QUE, "workq,workq", "", 15018, "Unknown queue" },
        { BATCH_STATUS_RESV, "R9.svr", "", 15084, "Unknown Reservation Id" },
        { BATCH_STATUS_JOB, "9.svr", "", 15001, "Unknown Job Id" },
        { BATCH_STATUS_JOB, "nosuch", "", 15018, "Unknown queue" },
        { BATCH_STATUS_RESOURCE, "nosuch", "", 15035, "Unknown resource" },
        { SVR, "", "foo", 15002, "Undefined attribute  foo" },
        { SCH, "", "foo", 15002, "Undefined attribute  foo" },
        { SVR, "", "hf_next_number", 15002, "Undefined attribute  hf_next_number" },
    };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_PTR_NULL(
            rig_status(r, RIG_ROOT, rows[i].number, rows[i].id, rows[i].wanted));
        CU_ASSERT_EQUAL(rig_reply(r, r->conn)->code, rows[i].code);
        CU_ASSERT_STRING_EQUAL(rig_text(r), rows[i].text);
    }
    CU_ASSERT_EQUAL(rig_status(r, RIG_ROOT, BATCH_STATUS_JOB, "", "")->n, 0);
    CU_ASSERT_EQUAL(rig_status(r, RIG_ROOT, BATCH_STATUS_RESV, "@", "")->n, 0);
    rig_free(r);
}

static void test_hosts_go_offline_as_a_whole(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, 3, "a0", "Mom=hosta");
    rig_manager(r, RIG_ROOT, CREATE, 3, "a1", "Mom=hosta");
    rig_manager(r, RIG_ROOT, CREATE, 3, "b0", "Mom=hostb");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, 7, "hosta", "state+=offline comment=x"), 0);
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, NOD, "a0", "state"),
                       "state-unknown,down,offline"));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, NOD, "a1", "state"),
                       "state-unknown,down,offline"));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, NOD, "a1", "comment"), "x"));
    CU_ASSERT(
        str_same(rig_value(r, RIG_ROOT, NOD, "b0", "state"), "state-unknown,down"));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, NOD, "a0", "in_multivnode_host"), "1"));
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, NOD, "b0", "in_multivnode_host"));
    rig_manager(r, RIG_ROOT, SET, 7, "hosta", "state-=offline");
    CU_ASSERT(
        str_same(rig_value(r, RIG_ROOT, NOD, "a0", "state"), "state-unknown,down"));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, 3, "a1", ""), 0);
    CU_ASSERT(rig_is_same(r));
    rig_free(r);
}

/* What the scheduler was sent by the last input, as "6 9 ". */
static const char *commands(struct rig *r)
{
    static char text[100];
    size_t n = rig_count(r, EFFECT_SCHED_COMMAND);

    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ",
                 rig_effect(r, EFFECT_SCHED_COMMAND, i)->u.sched.command);
    return text;
}

static void test_schedulers_are_greeted_and_commands_merged(void)
{
    struct rig *r = rig_new();

    rig_attach_sched(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    CU_ASSERT(rig_logged(r, "scheduler connected"));
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "9 ");
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "server_state"), "Scheduling"));
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "state"), "scheduling"));

    /* During the cycle: a queue is started, scheduling set, a scheduler changed. */
    rig_manager(r, RIG_ROOT, SET, 1, "workq", "started=f");
    rig_manager(r, RIG_ROOT, SET, 1, "workq", "started=t");
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t");
    rig_manager(r, RIG_ROOT, SET, 6, "default", "comment=x");
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "5 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "state"), "idle"));
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "server_state"), "Active"));
    rig_free(r);
}

/* A server that was started again with scheduling off, its scheduler attached and
 * configured. */
static struct rig *started_with_scheduling_off(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=f");
    rig_restart(r);
    rig_attach_sched(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "server_state"), "Idle"));
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "state"), "idle"));
    return r;
}

static void test_the_first_cycle_waits_for_scheduling(void)
{
    struct rig *r = started_with_scheduling_off();

    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t");
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "9 ");
    rig_sched_done(r);
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t");
    CU_ASSERT_STRING_EQUAL(commands(r), "5 ");
    rig_free(r);
}

static void test_nothing_is_asked_while_scheduling_is_off(void)
{
    struct rig *r = rig_new();
    uint64_t primary = rig_attach_sched(r);

    rig_sched_done(r);
    rig_sched_done(r); /* the first cycle runs */
    rig_manager(r, RIG_ROOT, SET, 1, "workq", "started=f");
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t"); /* waits for its end */
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=f");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");

    /* A scheduler that comes back is configured, and no cycle is started. */
    svr_client_gone(r->s, r->now_at, primary, &r->out);
    rig_attach_sched(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_free(r);
}

static void test_cycles_come_by_the_clock(void)
{
    struct rig *r = rig_new();

    rig_attach_sched(r);
    for (int i = 0; i < 3; i++)
        rig_sched_done(r);
    CU_ASSERT_EQUAL(svr_next_deadline(r->s), r->now_at + 600);
    rig_advance(r, r->now_at + 599);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_STRING_EQUAL(commands(r), "3 ");
    rig_sched_done(r);
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=f");
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_EQUAL(svr_next_deadline(r->s), INT64_MAX);
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SVR, "", "server_state"), "Idle"));
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "scheduling"), "False"));
    rig_free(r);
}

static void test_a_period_beyond_all_time_never_comes(void)
{
    struct rig *r = rig_new();

    rig_attach_sched(r);
    for (int i = 0; i < 3; i++)
        rig_sched_done(r);
    rig_manager(r, RIG_ROOT, SET, OBJECT_SCHED, "default",
                "scheduler_iteration=9223372036854775807");
    rig_sched_done(r);
    CU_ASSERT_EQUAL(svr_next_deadline(r->s), INT64_MAX);
    rig_advance(r, r->now_at + 1000);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_free(r);
}

static void test_registration_is_checked(void)
{
    struct rig *r = rig_new();
    struct body_id known = { .id = "default" };
    struct body_id unknown = { .id = "nosuch" };
    uint64_t primary;

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_REGISTER_SCHED, &known, NULL)->code,
                    15007);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 1);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_REGISTER_SCHED, &unknown, NULL)->code,
                    15213);
    CU_ASSERT_EQUAL(
        rig_ask_on(r, 7, RIG_ROOT, BATCH_REGISTER_SCHED, &known, NULL)->code, 0);
    CU_ASSERT_EQUAL(
        rig_ask_on(r, 7, RIG_ROOT, BATCH_REGISTER_SCHED, &known, NULL)->code, 15004);
    svr_client_gone(r->s, r->now_at, 7, &r->out);
    primary = rig_attach_sched(r);
    rig_sched_done(r);
    rig_sched_done(r);
    rig_sched_done(r);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_REGISTER_SCHED, &known, NULL)->code,
                    15230);
    r->out.n = 0;
    svr_client_gone(r->s, r->now_at, primary + 1, &r->out);
    CU_ASSERT(rig_logged(r, "scheduler disconnected"));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_CLOSE, 0)->u.close_conn, primary);
    CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "state"), "down"));
    /* Whoever comes back finds a configure and a cycle. */
    rig_attach_sched(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "6 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "1 ");
    rig_free(r);
}

static void test_changes_wait_for_a_working_store(void)
{
    struct rig *r = rig_new();

    svr_set_store_failed(r->s, true);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, 0, "", "comment=x"), 15161);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    for (size_t i = 0; i < r->out.n; i++)
        CU_ASSERT_EQUAL(r->out.v[i].seq, 0); /* it does not wait for the store */
    CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    CU_ASSERT_NOT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, 0); /* a status does */
    svr_set_store_failed(r->s, false);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, 0, "", "comment=x"), 0);
    rig_free(r);
}

/* What a shell that gives up may say of a reply: has the request changed anything? */
static void test_replies_tell_who_only_looks(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, 0, "", "comment=x");
    CU_ASSERT_FALSE(rig_effect(r, EFFECT_REPLY, 0)->u.reply.reads_only);
    rig_manager(r, RIG_USER, SET, 0, "", "comment=y"); /* refused */
    CU_ASSERT_TRUE(rig_effect(r, EFFECT_REPLY, 0)->u.reply.reads_only);
    rig_status(r, RIG_USER, SVR, "", "");
    CU_ASSERT_TRUE(rig_effect(r, EFFECT_REPLY, 0)->u.reply.reads_only);
    rig_free(r);
}

static void test_records_say_what_was_before(void)
{
    struct rig *r = rig_new();
    const struct record *rec;

    rig_manager(r, RIG_ROOT, SET, 0, "", "comment=one resources_max.ncpus=3");
    rig_manager(r, RIG_ROOT, SET, 0, "", "comment=two resources_max=");
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_RECORD), 1);
    rec = rig_effect(r, EFFECT_RECORD, 0)->u.record;
    CU_ASSERT_EQUAL_FATAL(rec->n_changes, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct change *c = &rec->changes[i];

        if (c->attr == SERVER_A_COMMENT) {
            CU_ASSERT(str_same(c->before, "one") && str_same(c->after, "two"));
        } else {
            CU_ASSERT(str_same(c->resource, "ncpus") && str_same(c->before, "3"));
            CU_ASSERT_PTR_NULL(c->after);
        }
    }
    CU_ASSERT_EQUAL(rec->seq, svr_model(r->s)->seq);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, rec->seq);
    CU_ASSERT_STRING_EQUAL(rec->actor, "root@svr.example");
    rig_free(r);
}

static void test_a_restart_knows_everything(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, 1, "q2", "queue_type=e");
    /* A resource may be younger than what uses it. */
    rig_manager(r, RIG_ROOT, CREATE, 5, "lic", "type=long flag=q");
    rig_manager(r, RIG_ROOT, SET, 1, "q2", "resources_max.lic=3");
    rig_manager(r, RIG_ROOT, CREATE, 3, "n1", "resources_available.ncpus=4 queue=q2");
    rig_manager(r, RIG_ROOT, SET, 0, "", "max_run=[u:PBS_GENERIC=3] comment=x");
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->code, 0);
    CU_ASSERT(rig_is_same(r));
    rig_restart(r);
    CU_ASSERT(rig_is_same(r));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, QUE, "q2", "resources_max.lic"), "3"));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, QUE, "q2", "hasnodes"), "True"));
    CU_ASSERT(str_same(rig_value(r, RIG_ROOT, SVR, "", "comment"), "x"));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, 1, "q2", ""), 15027);
    rig_free(r);
}

/* A reservation that waits for its answer on connection 'conn'. */
static const struct wire_reply *submit(struct rig *r, uint64_t conn, const char *more)
{
    const char *attrs = arena_printf(r->arena,
                                     "reserve_start=%d Resource_List.walltime=600 "
                                     "Resource_List.select=1:ncpus=1 %s",
                                     RIG_START_AT + 3600, more);
    struct body_queue body = { .id = "", .destination = "" };

    body.attrs = rig_attrs(r, attrs);
    return rig_ask_on(r, conn, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL);
}

static void test_replies_wait_for_a_time(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_PTR_NULL(submit(r, 7, "interactive=10"));
    CU_ASSERT(rig_count(r, EFFECT_RECORD) > 0);
    rig_advance(r, r->now_at + 9);
    CU_ASSERT_PTR_NULL(rig_reply(r, 7));
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, 7));
    CU_ASSERT_STRING_EQUAL(rig_reply(r, 7)->text, "R0.svr UNCONFIRMED");
    CU_ASSERT_PTR_NOT_NULL(model_resv(svr_model(r->s), "R0"));
    rig_free(r);
}

static void test_replies_wait_for_an_answer(void)
{
    struct rig *r = rig_new();
    struct body_run no = { .object_id = "R0.svr", .vnodes = "null" };
    uint64_t sched = rig_attach_sched(r);

    CU_ASSERT_PTR_NULL(submit(r, 7, "interactive=10"));
    rig_ask_on(r, sched, RIG_ROOT, BATCH_CONFIRM_RESV, &no, "PBS_RESV_CONFIRM_FAIL");
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, 7));
    CU_ASSERT_STRING_EQUAL(rig_reply(r, 7)->text, "R0.svr DENIED");
    CU_ASSERT_PTR_NULL(model_resv(svr_model(r->s), "R0"));
    CU_ASSERT(rig_is_same(r));
    rig_free(r);
}

/* The store is lost: who waits for what follows from something that it does not have is
 * told so; who began to wait before goes on. */
static void test_nobody_waits_for_an_answer_to_what_is_not_saved(void)
{
    struct rig *r = rig_new();
    uint64_t durable_seq;

    submit(r, 7, "interactive=10");
    durable_seq = svr_model(r->s)->seq;
    submit(r, 8, "interactive=10");
    svr_set_store_failed(r->s, true);
    CU_ASSERT_EQUAL(submit(r, 9, "interactive=10")->code, 15161);
    r->out.n = 0;
    svr_give_up(r->s, r->now_at, durable_seq, &r->out);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, 8));
    CU_ASSERT_EQUAL(rig_reply(r, 8)->code, 15161);
    CU_ASSERT_STRING_EQUAL(rig_reply(r, 8)->text, SVR_IN_DOUBT);
    rig_advance(r, r->now_at + 11);
    CU_ASSERT_PTR_NOT_NULL(rig_reply(r, 7));
    CU_ASSERT_PTR_NULL(rig_reply(r, 8));
    rig_free(r);
}

static void test_nobody_is_answered_who_has_gone(void)
{
    struct rig *r = rig_new();

    submit(r, 7, "interactive=10");
    r->out.n = 0;
    svr_client_gone(r->s, r->now_at, 7, &r->out);
    rig_advance(r, r->now_at + 100);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 0);
    rig_free(r);
}

static void test_numbers_are_taken_by_what_is_made(void)
{
    struct rig *r = rig_new();
    const struct wire_reply *reply;

    reply = submit(r, 7, "reserve_end=1"); /* refused */
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_NOT_EQUAL(reply->code, 0);
    reply = submit(r, 7, "");
    CU_ASSERT_STRING_EQUAL(reply->text, "R0.svr UNCONFIRMED");
    rig_restart(r);
    reply = submit(r, 7, "");
    CU_ASSERT_STRING_EQUAL(reply->text, "R1.svr UNCONFIRMED");
    rig_free(r);
}

static const char *queue_job(struct rig *r)
{
    struct body_queue body = { .id = "", .destination = "workq" };
    const struct wire_reply *reply;

    body.attrs = rig_attrs(r, "Job_Name=j");
    reply = rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:");
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->code, 0);
    return reply->text;
}

static void finish_cycles(struct rig *r)
{
    for (int i = 0; i < 5; i++)
        rig_sched_done(r);
}

static void test_deferred_runs_are_answered_by_the_scheduler(void)
{
    struct rig *r = rig_new();
    uint64_t sched = rig_attach_sched(r);
    const char *id = queue_job(r);
    struct body_run run = { .object_id = id, .vnodes = "" };
    struct body_sched_reply no = {
        .command = 11, .job_id = id, .error = 15044, .text = "Not enough"
    };

    finish_cycles(r);
    CU_ASSERT_PTR_NULL(rig_ask_on(r, 7, RIG_ROOT, BATCH_RUN_JOB, &run, NULL));
    CU_ASSERT_STRING_EQUAL(commands(r), "11 ");
    CU_ASSERT_STRING_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.job_id, id);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_DEF_SCHED_REPLY, &no, NULL)->code,
                    15004);
    CU_ASSERT_EQUAL(
        rig_ask_on(r, sched, RIG_ROOT, BATCH_DEF_SCHED_REPLY, &no, NULL)->code, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, 7));
    CU_ASSERT_EQUAL(rig_reply(r, 7)->code, 15044);
    CU_ASSERT_STRING_EQUAL(rig_reply(r, 7)->text, "Not enough");
    rig_free(r);
}

static void test_a_deferred_run_takes_the_place_of_the_first_cycle(void)
{
    struct rig *r = started_with_scheduling_off();
    struct body_run run = { .vnodes = "", .object_id = queue_job(r) };

    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_ask_on(r, 7, RIG_ROOT, BATCH_RUN_JOB, &run, NULL);
    CU_ASSERT_STRING_EQUAL(commands(r), "11 ");
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t");
    rig_sched_done(r); /* configured */
    CU_ASSERT_STRING_EQUAL(commands(r), "5 ");
    rig_free(r);
}

/* "qrun -a" leaves at once; the scheduler runs the job all the same. */
static void test_a_quiet_deferred_run_is_waited_for_by_nobody(void)
{
    struct rig *r = rig_new();
    uint64_t sched = rig_attach_sched(r);
    const char *id = queue_job(r);
    struct body_run run = { .object_id = id, .vnodes = "" };
    struct body_sched_reply done = { .command = 11, .job_id = id };

    finish_cycles(r);
    CU_ASSERT_PTR_NULL(rig_ask_on(r, 7, RIG_ROOT, BATCH_ASYRUN_JOB, &run, NULL));
    svr_client_gone(r->s, r->now_at, 7, &r->out);
    CU_ASSERT_STRING_EQUAL(commands(r), "11 ");
    CU_ASSERT_EQUAL(
        rig_ask_on(r, sched, RIG_ROOT, BATCH_DEF_SCHED_REPLY, &done, NULL)->code, 0);
    CU_ASSERT_PTR_NULL(rig_reply(r, 7));
    rig_sched_done(r);
    CU_ASSERT_EQUAL(rig_ask_on(r, 8, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &run, NULL)->code,
                    0);
    CU_ASSERT_STRING_EQUAL(commands(r), "11 ");
    rig_sched_done(r);
    CU_ASSERT_PTR_NULL(rig_reply(r, 8));
    rig_free(r);
}

static void test_deferred_runs_end_with_the_cycle(void)
{
    struct rig *r = rig_new();
    const char *id;
    struct body_run run = { .vnodes = "" };

    rig_attach_sched(r);
    run.object_id = id = queue_job(r);
    finish_cycles(r);
    rig_ask_on(r, 7, RIG_ROOT, BATCH_RUN_JOB, &run, NULL);
    rig_sched_done(r);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, 7));
    CU_ASSERT_EQUAL(rig_reply(r, 7)->code, 15011);
    CU_ASSERT(rig_logged(r, "deferred qrun request to scheduler failed"));

    /* Who leaves before the command is sent is forgotten. */
    rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=t");
    CU_ASSERT_STRING_EQUAL(commands(r), "5 ");
    rig_ask_on(r, 8, RIG_ROOT, BATCH_RUN_JOB, &run, NULL);
    svr_client_gone(r->s, r->now_at, 8, &r->out);
    rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(commands(r), "");
    (void)id;
    rig_free(r);
}

static void test_without_a_scheduler_nobody_is_asked(void)
{
    struct rig *r = rig_new();
    struct body_run run = { .object_id = queue_job(r), .vnodes = "" };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RUN_JOB, &run, NULL)->code, 15099);
    rig_free(r);
}

static void test_long_job_lists_come_in_parts(void)
{
    struct rig *r = rig_new();
    const struct wire_reply *first;

    for (int i = 0; i < 501; i++)
        queue_job(r);
    rig_status(r, RIG_ROOT, BATCH_STATUS_JOB, "", "Job_Name");
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_REPLY), 2);
    first = &rig_effect(r, EFFECT_REPLY, 0)->u.reply.reply;
    CU_ASSERT(first->more);
    CU_ASSERT_EQUAL(first->objects.n, 500);
    CU_ASSERT_FALSE(rig_effect(r, EFFECT_REPLY, 1)->u.reply.reply.more);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 1)->u.reply.reply.objects.n, 1);
    rig_free(r);
}

static void test_shutdown_ends_after_the_reply(void)
{
    struct rig *r = rig_new();
    struct body_number quick = { .value = 0x12 };

    rig_attach_sched(r);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SHUTDOWN, &quick, NULL)->code, 15007);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_EXIT), 0);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_SHUTDOWN, &quick, NULL)->code, 0);
    CU_ASSERT_STRING_EQUAL(commands(r), "7 ");
    CU_ASSERT_EQUAL(r->out.v[r->out.n - 1].kind, EFFECT_EXIT);
    CU_ASSERT(rig_logged(r, "Starting to shutdown the server, type is Quick"));
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "a first start makes the default objects", test_first_start_makes_the_defaults },
    { "Manager answers as the catalogue says", test_manager_answers_the_catalogue },
    { "unknown requests are refused and closed", test_unknown_requests_are_refused },
    { "the two retry times are a pair", test_retry_times_are_a_pair },
    { "unset brings defaults back", test_unset_brings_defaults_back },
    { "operators may less than managers", test_operators_may_less_than_managers },
    { "status has the order asked for and filters",
      test_status_has_the_order_asked_for },
    { "status refuses unknown names", test_status_refuses_unknown_names },
    { "a host goes offline as a whole", test_hosts_go_offline_as_a_whole },
    { "schedulers are greeted, commands merged",
      test_schedulers_are_greeted_and_commands_merged },
    { "the first cycle waits for scheduling",
      test_the_first_cycle_waits_for_scheduling },
    { "nothing is asked while scheduling is off",
      test_nothing_is_asked_while_scheduling_is_off },
    { "cycles come by the clock", test_cycles_come_by_the_clock },
    { "a period beyond all time never comes",
      test_a_period_beyond_all_time_never_comes },
    { "registration is checked", test_registration_is_checked },
    { "changes wait for a working store", test_changes_wait_for_a_working_store },
    { "records say what was before", test_records_say_what_was_before },
    { "a restart knows everything", test_a_restart_knows_everything },
    { "a held reply waits for its time", test_replies_wait_for_a_time },
    { "a held reply waits for an answer", test_replies_wait_for_an_answer },
    { "replies tell who only looks", test_replies_tell_who_only_looks },
    { "nobody waits for an answer to what is not saved",
      test_nobody_waits_for_an_answer_to_what_is_not_saved },
    { "nobody is answered who has gone", test_nobody_is_answered_who_has_gone },
    { "numbers are taken by what is made", test_numbers_are_taken_by_what_is_made },
    { "the scheduler answers a deferred run",
      test_deferred_runs_are_answered_by_the_scheduler },
    { "a quiet deferred run is waited for by nobody",
      test_a_quiet_deferred_run_is_waited_for_by_nobody },
    { "a deferred run ends with the cycle", test_deferred_runs_end_with_the_cycle },
    { "a deferred run takes the place of the first cycle",
      test_a_deferred_run_takes_the_place_of_the_first_cycle },
    { "without a scheduler nobody is asked", test_without_a_scheduler_nobody_is_asked },
    { "long job lists come in parts", test_long_job_lists_come_in_parts },
    { "shutdown ends after the reply", test_shutdown_ends_after_the_reply },
};

int main(void)
{
    return unit_main("server engine", cases, ARRAY_LEN(cases));
}
