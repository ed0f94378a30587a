/* test_mom_link.c - MoMs come, report, vanish and come back; the server is killed in
 * between. What is true stays true, and what is missing is said again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "server/model/node_life.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static const struct node *vnode(const struct rig *r, const char *name)
{
    return model_node(svr_model(r->s), name);
}

static const char *state_text(const struct rig *r, const char *name)
{
    return node_state_text(node_state(vnode(r, name)), r->arena);
}

static const char *available(struct rig *r, const char *name, const char *resource)
{
    const char *text = attr_value_member(
        &attr_resources, obj_attr(&vnode(r, name)->obj, NODE_A_RESOURCES_AVAILABLE),
        resource, r->arena);

    return text ? text : "";
}

/* Hello. */

static void a_known_mom_is_greeted(void)
{
    struct fake_mom fm = fake_mom_new();
    const struct is_message *hello;

    fake_hello(&fm);
    hello = fake_message(&fm, IS_REPLYHELLO);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hello);
    CU_ASSERT_EQUAL(hello->need_inventory, 1);
    CU_ASSERT_EQUAL(hello->n_ranges, 1);
    CU_ASSERT_EQUAL(hello->ranges[0].low_ip, 0x7f000001);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Hello from MoM on port=15002"));
    /* the stream before is closed */
    CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, fm.stream - 1);
    fake_mom_free(&fm);
}

static void strangers_are_closed(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_message hello = { .command = IS_HELLOSVR, .mom_port = 15002 };
    struct is_message obit = { .command = IS_JOBOBIT };
    struct effects out = { .arena = fm.r->arena };

    svr_mom_message(fm.r->s, fm.r->now_at, 99, "10.9.9.9", 15003, &hello, &out);
    fm.r->out = out;
    CU_ASSERT_TRUE(rig_logged(fm.r, "bad attempt to connect from 10.9.9.9:15003, "
                                    "reason=tfind2:pmom"));
    CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, 99);
    fm.stream = 100; /* nobody has said hello on it */
    fake_send(&fm, &obit);
    CU_ASSERT_TRUE(rig_logged(fm.r, "reason=unset"));
    CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, 100);
    fm.service_port = 17002; /* right host, port of no vnode */
    fake_hello(&fm);
    CU_ASSERT_TRUE(rig_logged(fm.r, "reason=tfind2:pmom"));
    fake_mom_free(&fm);
}

/* The port on the router network is one more than the service port (tpp.md 1): what
 * another leaf of that host says is not its MoM's word. */
static void a_mom_comes_from_its_own_port(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_message hello = { .command = IS_HELLOSVR, .mom_port = MOM_PORT };
    static const uint32_t ports[] = { MOM_PORT, MOM_PORT + 2, 1023, 0 };

    for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
        struct effects out = { .arena = fm.r->arena };

        svr_mom_message(fm.r->s, fm.r->now_at, 99, MOM_HOST, ports[i], &hello, &out);
        fm.r->out = out;
        CU_ASSERT_TRUE(rig_logged(fm.r, "reason=tfind2:pmom"));
        CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, 99);
    }
    fake_mom_free(&fm);
}

#define OTHER_HOST "10.0.0.2"

/* The MoM of another host, which runs no jobs. */
static void other_says(struct fake_mom *fm, const struct is_message *msg)
{
    struct effects out = { .arena = fm->r->arena };

    svr_mom_message(fm->r->s, fm->r->now_at, 500, OTHER_HOST, MOM_PORT + 1, msg, &out);
    fm->r->out = out;
}

static bool other_was_sent(const struct fake_mom *fm, enum is_command command)
{
    for (size_t i = 0; i < fm->r->out.n; i++) {
        const struct effect *e = &fm->r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE && e->u.mom.stream == 500 &&
            e->u.mom.msg.command == command)
            return true;
    }
    return false;
}

/* Root of one host has nothing to say about the jobs of another. */
static void a_mom_speaks_of_its_own_jobs(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);
    struct is_message hello = { .command = IS_HELLOSVR, .mom_port = MOM_PORT };
    struct is_job_update u = { .job_id = id, .run_version = 1, .status = 0 };
    struct is_running listed = {
        .job_id = id, .substate = 42, .run_version = 1, .exec_vnode = "(n1:ncpus=1)"
    };
    struct is_message msg = { .n_updates = 1, .updates = &u };

    CU_ASSERT_EQUAL_FATAL(
        rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n2", "Mom=" OTHER_HOST), 0);
    other_says(&fm, &hello);
    CU_ASSERT_TRUE(other_was_sent(&fm, IS_REPLYHELLO));

    msg.command = IS_RESCUSED;
    wire_attrs_add(&u.attrs, fm.r->arena, "resources_used", "walltime", "09:00:00", 0);
    other_says(&fm, &msg);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    CU_ASSERT_TRUE(rig_logged(fm.r, "is not the MoM of this job"));

    msg.command = IS_JOBOBIT;
    other_says(&fm, &msg);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    CU_ASSERT_TRUE(other_was_sent(&fm, IS_OBITREPLY));
    CU_ASSERT_TRUE(rig_logged(fm.r, "is not the MoM of this job"));

    msg = (struct is_message){ .command = IS_REGISTERMOM,
                               .n_running = 1,
                               .running = &listed };
    other_says(&fm, &msg);
    CU_ASSERT_TRUE(other_was_sent(&fm, IS_DISCARD_JOB));
    delete_job(fm.r, RIG_USER, id, NULL); /* asked of its own MoM */
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_SIGNAL_JOB, 0));
    fake_obit(&fm, id, 1, 271);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_mom_free(&fm);
}

static void a_report_makes_a_vnode_free(void)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "free");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "ncpus"), "4");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "mem"), "1000000kb");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "arch"), "linux");
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_PBS_VERSION, ""),
                           "0.1");
    fake_register(&fm, 0, NULL); /* the same again changes nothing */
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    fake_mom_free(&fm);
}

/* Vnodes. */

static struct is_message update(struct is_vnode *vnodes, size_t n, int64_t modtime)
{
    return (struct is_message){
        .command = IS_UPDATE2,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = modtime,
                   .n_vnodes = n,
                   .vnodes = vnodes },
    };
}

static void vnodes_come_and_go_with_the_list(void)
{
    static struct is_vnode_attr cpus[] = { { "resources_available.ncpus", "2", 0, 0 } };
    static struct is_vnode both[] = { { "n1", 1, cpus }, { "n1[0]", 1, cpus } };
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = update(both, 2, 1000);

    fake_send(&fm, &msg); /* same modtime: unknown names are skipped */
    CU_ASSERT_PTR_NULL(vnode(fm.r, "n1[0]"));
    CU_ASSERT_TRUE(rig_logged(fm.r, "Unknown node  (15062) in update2, n1[0] reported "
                                    "in UPDATE2 message from Mom on localhost"));
    msg = update(both, 2, 1001);
    fake_send(&fm, &msg);
    CU_ASSERT_PTR_NOT_NULL_FATAL(vnode(fm.r, "n1[0]"));
    CU_ASSERT_TRUE(rig_logged(fm.r, "autocreated vnode n1[0]"));
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1[0]"), "free");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "ncpus"), "2");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "vnode"), "n1[0]");
    msg = update(both, 1, 1002);
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1[0]"), "Stale");
    CU_ASSERT_TRUE(rig_logged(fm.r, "vnode n1[0] is stale"));
    CU_ASSERT_FALSE(node_is_usable(vnode(fm.r, "n1[0]")));
    msg = update(both, 2, 900); /* an old list is not believed */
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1[0]"), "Stale");
    msg = (struct is_message){ .command = IS_UPDATE, .state = msg.state };
    msg.state.has_vnodes = false; /* and what is no list says nothing of it */
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1[0]"), "Stale");
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "free");
    fake_mom_free(&fm);
}

static void a_name_that_no_manager_could_give_is_passed_over(void)
{
    static struct is_vnode bad[] = { { "n1", 0, NULL },
                                     { "a\x1b[2J", 0, NULL },
                                     { "a;b", 0, NULL },
                                     { "a b", 0, NULL },
                                     { "", 0, NULL } };
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = update(bad, 5, 1001);

    fake_send(&fm, &msg);
    CU_ASSERT_EQUAL(svr_model(fm.r->s)->kinds[OBJ_NODE].n, 1);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Unknown node  (15062) in update2, a;b reported"));
    fake_mom_free(&fm);
}

static void a_deleted_vnode_stays_away_until_a_newer_list(void)
{
    static struct is_vnode three[] = { { "n1[0]", 0, NULL },
                                       { "n1[1]", 0, NULL },
                                       { "n1", 0, NULL } };
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = update(three, 3, 1001);

    fake_send(&fm, &msg);
    msg = update(three, 2, 1002); /* n1 itself is left out: it is as old as this list */
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "Stale");
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(
            rig_manager(fm.r, RIG_ROOT, DELETE, OBJECT_NODE, three[i].name, ""), 0);
        CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_MOM_CLOSE), 0);
        fake_send(&fm, &msg);
        CU_ASSERT_PTR_NULL(vnode(fm.r, three[i].name));
    }
    fake_connect(&fm, 0, NULL);
    fake_send(&fm, &msg);
    CU_ASSERT_PTR_NULL(vnode(fm.r, "n1[0]"));
    msg = update(three, 3, 1003);
    fake_send(&fm, &msg);
    CU_ASSERT_PTR_NOT_NULL(vnode(fm.r, "n1[0]"));
    fake_mom_free(&fm);
}

static void a_mom_without_vnodes_is_not_known_any_more(void)
{
    struct fake_mom fm = fake_mom_new();
    uint64_t stream = fm.stream;

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, DELETE, OBJECT_NODE, "n1", ""), 0);
    CU_ASSERT_EQUAL_FATAL(rig_count(fm.r, EFFECT_MOM_CLOSE), 1);
    CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, stream);
    fm.modtime++;
    fake_register(&fm, 0, NULL); /* was on its way */
    CU_ASSERT_PTR_NULL(vnode(fm.r, "n1"));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_TRUE(rig_logged(fm.r, "reason=tfind2:pmom"));
    CU_ASSERT_PTR_NULL(vnode(fm.r, "n1"));
    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, CREATE, OBJECT_NODE, "n1", "Mom=localhost"), 0);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "free");
    fake_mom_free(&fm);
}

/* The list counts from the first report on, and the default comes back without it. */
static void a_vnode_is_where_its_list_says(void)
{
    static struct is_vnode_attr other[] = { { "resources_available.host", "other", 0,
                                              0 } };
    static struct is_vnode with[] = { { "n1", 1, other }, { "n1[0]", 1, other } };
    static struct is_vnode without[] = { { "n1", 0, NULL }, { "n1[0]", 0, NULL } };
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = update(with, 2, 1001);

    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "host"), "localhost");
    for (int i = 0; i < 2; i++) { /* made by the first one */
        fake_send(&fm, &msg);
        CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "host"), "other");
        CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "vnode"), "n1[0]");
        CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "host"), "other");
    }
    msg = update(without, 2, 1002);
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "host"), "localhost");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "vnode"), "n1");
    rig_manager(fm.r, RIG_ROOT, SET, OBJECT_NODE, "n1",
                "resources_available.host=mine");
    msg = update(with, 2, 1003);
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "host"), "mine");
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1[0]", "host"), "other");
    fake_mom_free(&fm);
}

static void managers_values_stay(void)
{
    struct fake_mom fm = fake_mom_new();
    static struct is_vnode_attr nothing[] = { { "sharing", "default_excl", 0, 0 } };
    static struct is_vnode list[] = { { "n1", 1, nothing } };
    struct is_message msg = update(list, 1, 1001);

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, 2, OBJECT_NODE, "n1",
                                "resources_available.vmem=5gb"),
                    0);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "vmem"), "5gb");
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(available(fm.r, "n1", "vmem"), "5gb");
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_SHARING, ""),
                           "default_excl");
    fake_mom_free(&fm);
}

static void states_follow_the_mom(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = { .command = IS_UPDATE, .state = { .state = 0x80 } };

    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "busy");
    CU_ASSERT_TRUE(node_is_usable(vnode(fm.r, "n1")));
    msg.state.state = 0x02;
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "down");
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_COMMENT, ""),
                           "node down: by mom");
    msg.state.state = 0;
    fake_send(&fm, &msg);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "free");
    CU_ASSERT_FALSE(obj_is_set(&vnode(fm.r, "n1")->obj, NODE_A_COMMENT));
    fake_mom_free(&fm);
}

static void a_lost_stream_is_a_down_vnode(void)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, 2, OBJECT_NODE, "n1", "state=offline"),
                    0);
    fake_lose(&fm);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "down,offline");
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_COMMENT, ""),
                           "node down: communication closed");
    CU_ASSERT_TRUE(rig_logged(fm.r, "stream_eof, localhost down"));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "offline");
    CU_ASSERT_TRUE(rig_logged(fm.r, "node up"));
    fake_mom_free(&fm);
}

static void a_managers_comment_stays(void)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, 2, OBJECT_NODE, "n1", "comment=mine"),
                    0);
    fake_lose(&fm);
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_COMMENT, ""),
                           "mine");
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_STRING_EQUAL(obj_str(&vnode(fm.r, "n1")->obj, NODE_A_COMMENT, ""),
                           "mine");
    fake_mom_free(&fm);
}

static void a_vnode_made_behind_its_mom_is_asked_for(void)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n2", "Mom=localhost"),
                    0);
    CU_ASSERT_PTR_NOT_NULL(fake_message(&fm, IS_REPLYHELLO));
    fake_mom_free(&fm);
}

static void the_last_known_availability_holds(void)
{
    struct fake_mom fm = fake_mom_new();
    int64_t at;

    rig_restart(fm.r);
    at = fm.r->now_at;
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "state-unknown");
    CU_ASSERT_TRUE(node_is_usable(vnode(fm.r, "n1")));
    rig_advance(fm.r, at + NODE_WAIT_S - 1);
    CU_ASSERT_TRUE(node_is_usable(vnode(fm.r, "n1")));
    rig_advance(fm.r, at + NODE_WAIT_S);
    CU_ASSERT_FALSE(node_is_usable(vnode(fm.r, "n1")));
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_TRUE(node_is_usable(vnode(fm.r, "n1")));
    svr_router_lost(fm.r->s, fm.r->now_at, &fm.r->out);
    CU_ASSERT_TRUE(rig_logged(fm.r, "marking all nodes unknown"));
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "state-unknown");
    CU_ASSERT_TRUE(node_is_usable(vnode(fm.r, "n1")));
    fake_mom_free(&fm);
}

/* Reconciliation. */

struct row {
    const char *story;
    bool restart;    /* the server dies in between */
    const char *job; /* reported; NULL: none */
    int32_t substate;
    int64_t run_version;
    char state; /* of the job afterwards */
    bool discarded;
    int32_t version; /* in DISCARD_JOB */
};

/* A list may be in any order, and have its names in any case. */
static void what_is_not_in_the_list_is_missed(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_running listed[] = {
        { "3.svr", 42, 1, 0, "(n1:ncpus=1)" },
        { "0.SVR", 42, 1, 0, "(n1:ncpus=1)" },
        { "2.svr", 42, 1, 0, "(n1:ncpus=1)" },
    };

    for (int i = 0; i < 4; i++)
        running_job(&fm);
    fake_lose(&fm);
    fake_connect(&fm, ARRAY_LEN(listed), listed);
    rig_advance(fm.r, fm.r->now_at + 61);
    CU_ASSERT_NOT_EQUAL(state_of(fm.r, "1.svr"), 'R');
    for (size_t i = 0; i < ARRAY_LEN(listed); i++)
        CU_ASSERT_EQUAL(
            state_of(fm.r, arena_printf(fm.r->arena, "%c.svr", listed[i].job_id[0])),
            'R');
    fake_mom_free(&fm);
}

static void reports_are_reconciled(void)
{
    static const struct row rows[] = {
        { "the run that is known", false, "0.svr", 42, 1, 'R', false, 0 },
        { "the run that is known, after a restart", true, "0.svr", 42, 1, 'R', false,
          0 },
        { "a job that nobody knows", false, "77.svr", 42, 1, 'R', true, -1 },
        { "an older run", false, "0.svr", 42, 7, 'R', true, 7 },
        { "a job that ends there", false, "0.svr", 58, 1, 'R', false, 0 },
        { "a queued job", false, "1.svr", 42, 0, 'R', true, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        struct is_running r = { .job_id = rows[i].job,
                                .substate = rows[i].substate,
                                .run_version = rows[i].run_version,
                                .exec_vnode = "(n1:ncpus=1)" };
        const char *id = running_job(&fm);
        const struct is_message *told;

        submit(fm.r, RIG_USER, "", "", NULL);
        if (rows[i].restart)
            rig_restart(fm.r);
        fake_connect(&fm, 1, &r);
        told = fake_message(&fm, IS_DISCARD_JOB);
        CU_ASSERT_EQUAL(told != NULL, rows[i].discarded);
        if (told) {
            CU_ASSERT_EQUAL(told->run_version, rows[i].version);
            CU_ASSERT_STRING_EQUAL(told->job_id, rows[i].job);
            CU_ASSERT_TRUE(rig_logged(fm.r, "Discard running job, "));
        }
        CU_ASSERT_EQUAL(state_of(fm.r, id), rows[i].state);
        CU_ASSERT_EQUAL(state_of(fm.r, "1.svr"), 'Q');
        fake_mom_free(&fm);
    }
}

static void a_missing_job_is_waited_for_and_given_up(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    fake_connect(&fm, 0, NULL);
    rig_advance(fm.r, fm.r->now_at + 59);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_usage(&fm, id, 1, NULL, "00:00:05"); /* it is there after all */
    rig_advance(fm.r, fm.r->now_at + 100);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_connect(&fm, 0, NULL);
    rig_advance(fm.r, fm.r->now_at + 60);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_UNKJOBID, "Unknown");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    fake_mom_free(&fm);
}

/* Run, killed before or after the MoM heard of it: the same run is sent again. */
static void a_job_on_its_way_survives_the_server(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");
    struct is_running r = { .job_id = id, .substate = 41, .run_version = 1 };

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    rig_restart(fm.r);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_JOB_SCRIPT, 0));
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, id), JOB_A_RUN_VERSION, 0), 1);
    rig_restart(fm.r);
    fake_connect(&fm, 1, &r); /* it had taken it */
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'S', 0));
    CU_ASSERT_TRUE(obj_num(the_job(fm.r, id), JOB_A_HF_SENT, 0));
    fake_mom_free(&fm);
}

static void the_end_of_a_job_survives_the_server(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);
    struct is_running r = { .job_id = id, .substate = 58, .run_version = 1 };

    fake_obit(&fm, id, 1, 0);
    rig_restart(fm.r);
    fake_connect(&fm, 1, &r);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_COPY_FILES, 0));
    fake_obit(&fm, id, 1, 0); /* told again: acknowledged, nothing begins anew */
    CU_ASSERT_EQUAL(fake_message(&fm, IS_OBITREPLY)->acks.n, 1);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    fake_connect(&fm, 1, &r);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    rig_restart(fm.r);
    fake_connect(&fm, 1, &r);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'E', 0));
    fake_mom_free(&fm);
}

static void an_obituary_of_another_run_is_rejected(void)
{
    static const struct {
        const char *id;
        int32_t run_version;
    } rows[] = { { "0.svr", 2 }, { "1.svr", 1 }, { "99.svr", 1 } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = running_job(&fm);

        submit(fm.r, RIG_USER, "", "", NULL);
        fake_obit(&fm, rows[i].id, rows[i].run_version, 0);
        CU_ASSERT_EQUAL(fake_message(&fm, IS_OBITREPLY)->acks.n, 0);
        CU_ASSERT_STRING_EQUAL(fake_message(&fm, IS_OBITREPLY)->rejects.v[0],
                               rows[i].id);
        CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
        fake_mom_free(&fm);
    }
}

/* The answer to an obituary has seen the record of the end. */
static void an_obituary_is_answered_when_it_is_stored(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    fake_obit(&fm, id, 1, 0);
    for (size_t i = 0; i < fm.r->out.n; i++) {
        const struct effect *e = &fm.r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE)
            CU_ASSERT_EQUAL(e->seq, svr_model(fm.r->s)->seq);
    }
    CU_ASSERT_TRUE(rig_count(fm.r, EFFECT_RECORD) > 0);
    fake_mom_free(&fm);
}

/* Silence. */

static void an_unanswered_send_closes_the_stream(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    rig_advance(fm.r, fm.r->now_at + 59);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_MOM_CLOSE), 0);
    rig_advance(fm.r, fm.r->now_at + 1);
    CU_ASSERT_EQUAL(rig_effect(fm.r, EFFECT_MOM_CLOSE, 0)->u.mom.stream, fm.stream);
    CU_ASSERT_STRING_EQUAL(state_text(fm.r, "n1"), "down");
    /* It may have it: the job waits for the MoM, and then it is sent again. */
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    fake_mom_free(&fm);
}

static void a_forwarded_signal_is_answered_by_the_mom(void)
{
    struct fake_mom fm = fake_mom_new();
    struct body_signal body = { .job_id = running_job(&fm), .signal = "SIGUSR1" };
    uint64_t conn;

    CU_ASSERT_PTR_NULL(rig_ask(fm.r, RIG_USER, BATCH_SIGNAL_JOB, &body, NULL));
    conn = fm.r->conn;
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), PBSE_UNKSIG, "bad");
    CU_ASSERT_EQUAL(rig_reply(fm.r, conn)->code, PBSE_UNKSIG);
    CU_ASSERT_PTR_NULL(rig_ask(fm.r, RIG_USER, BATCH_SIGNAL_JOB, &body, NULL));
    fake_lose(&fm);
    CU_ASSERT_EQUAL(rig_reply(fm.r, fm.r->conn)->code, PBSE_NORELYMOM);
    CU_ASSERT_EQUAL(rig_ask(fm.r, RIG_USER, BATCH_SIGNAL_JOB, &body, NULL)->code,
                    PBSE_NORELYMOM);
    fake_mom_free(&fm);
}

/* A MoM of another make says these again behind each hello until they are. */
static void what_hooks_ask_for_is_acknowledged(void)
{
    struct is_job_action actions[] = { { "4.svr", 11, 1, IS_ACTION_DEALLOCATE, 0 },
                                       { "5.svr", 12, 1, IS_ACTION_REQUEUE, 0 } };
    const struct {
        struct is_message said;
        int32_t type;
        size_t n;
    } rows[] = {
        { { .command = IS_HOOK_JOB_ACTION, .n_actions = 2, .actions = actions },
          17,
          2 },
        { { .command = IS_UPDATE_FROM_HOOK, .action_id = 11 }, 15, 1 },
        { { .command = IS_UPDATE_FROM_HOOK2, .action_id = 11 }, 15, 1 },
    };
    struct fake_mom fm = fake_mom_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct is_message *ack;

        fake_send(&fm, &rows[i].said);
        ack = fake_message(&fm, IS_HOOK_ACTION_ACK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(ack);
        CU_ASSERT_EQUAL(ack->acked_type, rows[i].type);
        CU_ASSERT_EQUAL_FATAL(ack->n_acked, rows[i].n);
        CU_ASSERT_EQUAL(ack->acked[0].id, 11);
        CU_ASSERT_TRUE(rig_logged(fm.r, "which is not done: this server gives MoMs"));
    }
    fake_mom_free(&fm);
}

static void the_end_of_a_discard_is_logged(void)
{
    const struct is_message done = { .command = IS_DISCARD_DONE,
                                     .job_id = "77.svr",
                                     .run_version = -1 };
    struct fake_mom fm = fake_mom_new();

    fake_send(&fm, &done);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Discard done for job 77.svr"));
    fake_mom_free(&fm);
}

static void answers_to_nothing_are_ignored(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_message odd = { .command = IS_CMD_REPLY, .msgid = "1:1" };
    struct is_message unknown = { .command = (enum is_command)77 };

    fake_send(&fm, &odd);
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    fake_send(&fm, &unknown);
    CU_ASSERT_EQUAL(fm.r->out.n, 0);
    fake_mom_free(&fm);
}

static const struct unit_case cases[] = {
    { "a known MoM is greeted", a_known_mom_is_greeted },
    { "strangers are closed", strangers_are_closed },
    { "a MoM comes from its own port", a_mom_comes_from_its_own_port },
    { "a MoM speaks of its own jobs", a_mom_speaks_of_its_own_jobs },
    { "a report makes a vnode free", a_report_makes_a_vnode_free },
    { "vnodes come and go with the list", vnodes_come_and_go_with_the_list },
    { "a name that no manager could give is passed over",
      a_name_that_no_manager_could_give_is_passed_over },
    { "a deleted vnode stays away until a newer list",
      a_deleted_vnode_stays_away_until_a_newer_list },
    { "a MoM without vnodes is not known any more",
      a_mom_without_vnodes_is_not_known_any_more },
    { "a vnode is where its list says", a_vnode_is_where_its_list_says },
    { "a manager's values stay", managers_values_stay },
    { "states follow the MoM", states_follow_the_mom },
    { "a lost stream is a down vnode", a_lost_stream_is_a_down_vnode },
    { "a manager's comment stays", a_managers_comment_stays },
    { "a vnode made behind its MoM is asked for",
      a_vnode_made_behind_its_mom_is_asked_for },
    { "the last known availability holds", the_last_known_availability_holds },
    { "what is not in the list is missed", what_is_not_in_the_list_is_missed },
    { "reports are reconciled", reports_are_reconciled },
    { "a missing job is waited for and given up",
      a_missing_job_is_waited_for_and_given_up },
    { "a job on its way survives the server", a_job_on_its_way_survives_the_server },
    { "the end of a job survives the server", the_end_of_a_job_survives_the_server },
    { "an obituary of another run is rejected",
      an_obituary_of_another_run_is_rejected },
    { "an obituary is answered when it is stored",
      an_obituary_is_answered_when_it_is_stored },
    { "an unanswered send closes the stream", an_unanswered_send_closes_the_stream },
    { "a forwarded signal is answered by the MoM",
      a_forwarded_signal_is_answered_by_the_mom },
    { "what hooks ask for is acknowledged", what_hooks_ask_for_is_acknowledged },
    { "the end of a discard is logged", the_end_of_a_discard_is_logged },
    { "answers to nothing are ignored", answers_to_nothing_are_ignored },
};

int main(void)
{
    return unit_main("MoM links", cases, ARRAY_LEN(cases));
}
