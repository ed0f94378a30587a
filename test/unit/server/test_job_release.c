/* test_job_release.c - a running job gives vnodes back: what is asked for, what its MoM
 * is told, and what is recorded, counted and accounted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define CONTAINS(text, part) CU_ASSERT_PTR_NOT_NULL((text) ? strstr(text, part) : NULL)

#define WHERE                                                                          \
    "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)+(n3:ncpus=1:mem=50kb)+(n3a:ncpus=1)"
#define SELECT "ncpus=2:mem=100kb+2:ncpus=1:mem=50kb+1:ncpus=1"

static void register_host(struct fake_mom *fm, const char *vnode)
{
    fake_register_as(fm, vnode, 0, NULL);
}

/* n1 has the MoM that the test plays; n2, and n3 with n3a, have others. */
static struct fake_mom three_hosts(void)
{
    struct fake_mom fm = fake_mom_new(), other = fm;

    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n2", "Mom=localhost Port=16002"),
        0);
    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n3", "Mom=localhost Port=17002"),
        0);
    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n3a", "Mom=localhost Port=17002"),
        0);
    other.stream = 20;
    other.service_port = 16002;
    register_host(&other, "n2");
    other.stream = 30;
    other.service_port = 17002;
    register_host(&other, "n3");
    register_host(&other, "n3a");
    register_host(&other, "n3");
    return fm;
}

static const char *wide_job(struct fake_mom *fm)
{
    const char *id = submit(fm->r, RIG_USER, "", "Resource_List.select=" SELECT, "x\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, WHERE), 0);
    fake_answer(fm, fake_told(fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:10");
    return id;
}

/* The code of the reply; -1: it waits. */
static int release_as(struct rig *r, const char *user, const char *id,
                      const char *vnodes, const char *extend)
{
    const struct body_release_nodes body = { .job_id = id, .vnodes = vnodes };
    const struct wire_reply *reply =
        rig_ask(r, user, BATCH_RELEASE_NODES, &body, extend);

    return reply ? reply->code : -1;
}

static int release(struct rig *r, const char *id, const char *vnodes,
                   const char *extend)
{
    return release_as(r, RIG_USER, id, vnodes, extend);
}

static const char *shown(struct rig *r, const char *id, const char *attr)
{
    const char *v = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return v ? v : "(not shown)";
}

static const char *in_use(struct rig *r, const char *vnode)
{
    const char *v = rig_value(r, RIG_ROOT, NOD, vnode, "resources_assigned.ncpus");

    return v ? v : "0";
}

static const struct is_message *told_mom(const struct fake_mom *fm)
{
    const struct is_message *told = fake_told(fm, BATCH_MODIFY_JOB, 0);

    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    return told;
}

static void its_mom_is_told_and_then_they_are_free(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = wide_job(&fm);
    const struct is_message *told;
    const struct body_manage *body;
    uint64_t waits;

    rig_attach_sched(r);
    for (int i = 0; i < 3; i++) /* what it is told at first */
        rig_sched_done(r);
    CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_host"), "n1/0*2+n2/0+n3/0+n3/1");
    CU_ASSERT_EQUAL(release(r, id, "n2+n3a", NULL), -1);
    waits = r->conn;
    told = told_mom(&fm);
    body = told->request.body;
    CU_ASSERT_STRING_EQUAL(body->object_name, id);
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "exec_vnode", NULL),
                           "(n1:ncpus=2:mem=100kb)+(n3:ncpus=1:mem=50kb)");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "exec_host2", NULL),
                           "localhost:15002/0*2+localhost:17002/0");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "exec_host", NULL),
                           "n1/0*2+n3/0");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&body->attrs, "Resource_List", "ncpus"),
                           "3");
    CU_ASSERT_PTR_NULL(wire_attrs_value(&body->attrs, "Resource_List", "select"));

    /* Until the MoM has let them go they are the job's, and nothing else is asked. */
    CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), "1");
    CU_ASSERT_EQUAL(release(r, id, "n3", NULL), PBSE_BADSTATE);

    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, waits));
    CU_ASSERT_EQUAL(rig_reply(r, waits)->code, 0);
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.command,
                    2 /* something has become free */);
    CU_ASSERT_TRUE(rig_logged(r, "vnodes released"));
    CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_host"), "n1/0*2+n3/0");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "schedselect"),
                           "1:mem=100kb:ncpus=2+1:mem=50kb:ncpus=1");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.select"),
                           "1:mem=100kb:ncpus=2+1:mem=50kb:ncpus=1");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.ncpus"), "3");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.mem"), "150kb");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.nodect"), "2");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), "0");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n3"), "1");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n3a"), "0");
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    fake_mom_free(&fm);
}

static void accounting_has_its_phases(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = wide_job(&fm);

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "eligible_time_enable=t");
    fake_alt_id(&fm, id, 1, "alt_12");
    CU_ASSERT_EQUAL(release(r, id, "n2", NULL), -1);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    CONTAINS(accounted(r, 'u', 0), "exec_host=n1/0*2+n2/0+n3/0+n3/1 exec_vnode=" WHERE
                                   " Resource_List.mem=200kb Resource_List.ncpus=5 ");
    CONTAINS(accounted(r, 'u', 0),
             " session=4711 alt_id=alt_12 eligible_time=00:00:00 run_count=1 "
             "resources_used.walltime=00:00:10");
    CONTAINS(accounted(r, 'c', 0), "exec_host=n1/0*2+n3/0+n3/1 ");
    CONTAINS(accounted(r, 'c', 0), "resource_assigned.ncpus=4 ");

    fake_usage(&fm, id, 1, NULL, "00:00:25");
    CU_ASSERT_EQUAL(release(r, id, "", NULL), -1);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    CONTAINS(accounted(r, 'u', 0), "exec_host=n1/0*2+n3/0+n3/1 ");
    CONTAINS(accounted(r, 'u', 0), "resources_used.walltime=00:00:15");
    CONTAINS(accounted(r, 'c', 0), "exec_host=n1/0*2 ");

    fake_usage(&fm, id, 1, NULL, "00:00:30");
    fake_obit(&fm, id, 1, 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CONTAINS(accounted(r, 'e', 0), "exec_host=n1/0*2 ");
    CONTAINS(accounted(r, 'e', 0),
             " session=4711 alt_id=alt_12 eligible_time=00:00:00 run_count=1 "
             "resources_used.cput=00:00:01 resources_used.walltime=00:00:05");
    CONTAINS(accounted(r, 'E', 0), "exec_host=n1/0*2+n2/0+n3/0+n3/1 exec_vnode=" WHERE
                                   " Resource_List.mem=200kb Resource_List.ncpus=5 ");
    CONTAINS(accounted(r, 'E', 0), "resources_used.walltime=00:00:30");
    fake_mom_free(&fm);
}

static void what_cannot_be_released_is_refused(void)
{
    static const struct {
        const char *story, *user, *vnodes, *extend;
        int code;
        const char *text;
    } cases[] = {
        { "the first host has the script", RIG_USER, "n1", NULL, PBSE_SYSTEM,
          "Can't free 'n1' since it's on a primary execution host" },
        { "also beside one that could go", RIG_USER, "n2+n1", NULL, PBSE_SYSTEM,
          "Can't free 'n1' since it's on a primary execution host" },
        { "not of the job", RIG_USER, "n2+nosuch", NULL, PBSE_SYSTEM,
          "node(s) requested to be released not part of the job: nosuch" },
        { "no select", RIG_USER, "", "select=:", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.select" },
        { "a resource that nobody knows", RIG_USER, "", "select=bogus", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.select" },
        { "more than it has", RIG_USER, "", "select=1+5:ncpus=1", 15183,
          "New select must be made up of a subset of the original chunks" },
        { "larger than it has", RIG_USER, "", "select=1:ncpus=3", 15183,
          "New select must be made up of a subset of the original chunks" },
        { "another word", RIG_USER, "", "place=x", PBSE_IVALREQ, "Invalid request" },
        { "somebody else's", "eve", "n2", NULL, PBSE_PERM, "Unauthorized Request " },
    };
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = wide_job(&fm), *waiting;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int code = release_as(r, cases[i].user, id, cases[i].vnodes, cases[i].extend);

        if (code != cases[i].code || strcmp(rig_text(r), cases[i].text) != 0)
            fprintf(stderr, "%s: %d %s\n", cases[i].story, code, rig_text(r));
        CU_ASSERT_EQUAL(code, cases[i].code);
        CU_ASSERT_STRING_EQUAL(rig_text(r), cases[i].text);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    }
    waiting = submit(r, RIG_USER, "", "", "x\n");
    CU_ASSERT_EQUAL(release(r, waiting, "n2", NULL), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(release(r, "99.svr", "n2", NULL), PBSE_UNKJOBID);
    fake_mom_free(&fm);
}

/* What stays, by a select: the first host always, and chunks in their order. */
static void a_select_says_what_stays(void)
{
    static const struct {
        const char *extend, *left;
    } cases[] = {
        { "select=1", "(n1:ncpus=2:mem=100kb)" },
        { "select=2", "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)" },
        { "select=ncpus=2+mem=50kb+ncpus=1",
          "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)+(n3:ncpus=1:mem=50kb)" },
        { "select=2:mem=50kb", "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = three_hosts();
        const char *id = wide_job(&fm);

        CU_ASSERT_EQUAL(release(fm.r, id, "", cases[i].extend), -1);
        fake_answer(&fm, told_mom(&fm), 0, NULL);
        CU_ASSERT_STRING_EQUAL(shown(fm.r, id, "exec_vnode"), cases[i].left);
        fake_mom_free(&fm);
    }
}

static void keeping_all_is_no_release(void)
{
    struct fake_mom fm = three_hosts();
    const char *id = wide_job(&fm);

    CU_ASSERT_EQUAL(release(fm.r, id, "", "select=3"), 0);
    CU_ASSERT_STRING_EQUAL(rig_text(fm.r), "select=3");
    CU_ASSERT_EQUAL(rig_count(fm.r, EFFECT_RECORD), 0);
    fake_mom_free(&fm);
}

static void a_mom_that_will_not_keeps_all(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = wide_job(&fm);
    uint64_t waits;

    CU_ASSERT_EQUAL(release(r, id, "n2", NULL), -1);
    waits = r->conn;
    fake_answer(&fm, told_mom(&fm), PBSE_BADSTATE, "not now");
    CU_ASSERT_EQUAL(rig_reply(r, waits)->code, PBSE_BADSTATE);
    CU_ASSERT_STRING_EQUAL(rig_reply(r, waits)->text, "not now");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_vnode"), WHERE);
    CU_ASSERT_PTR_NULL(accounted(r, 'u', 0));
    CU_ASSERT_EQUAL(release(r, id, "n2", NULL), -1); /* it may be asked again */
    fake_mom_free(&fm);
}

/* The server dies while the MoM lets the host go. */
static void a_restart_asks_the_mom_again(void)
{
    struct fake_mom fm = three_hosts();
    struct is_running running = { .substate = 42, .run_version = 1 };
    const char *id = wide_job(&fm);

    CU_ASSERT_EQUAL(release(fm.r, id, "n2", NULL), -1);
    rig_restart(fm.r);
    running.job_id = id;
    fake_connect(&fm, 1, &running);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    CU_ASSERT_STRING_EQUAL(shown(fm.r, id, "exec_host"), "n1/0*2+n3/0+n3/1");
    fake_mom_free(&fm);
}

/* The MoM says where the job lies: in its first report, or later. */
static void says_where(struct fake_mom *fm, const char *id, const char *where,
                       bool starts)
{
    struct is_job_update u = { .job_id = id, .run_version = 1 };
    const struct is_message msg = { .command = IS_RESCUSED,
                                    .n_updates = 1,
                                    .updates = &u };

    if (starts)
        wire_attrs_add(&u.attrs, fm->r->arena, "session_id", NULL, "4711", WIRE_OP_SET);
    wire_attrs_add(&u.attrs, fm->r->arena, "exec_vnode", NULL, where, WIRE_OP_SET);
    fake_send(fm, &msg);
}

static const char *tolerant_job(struct fake_mom *fm, const char *word)
{
    const char *id = submit(
        fm->r, RIG_USER, "",
        arena_printf(fm->r->arena,
                     "Resource_List.select=" SELECT " tolerate_node_failures=%s", word),
        "x\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, WHERE), 0);
    fake_answer(fm, fake_told(fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    return id;
}

static void hosts_that_fail_at_the_start_are_free(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = tolerant_job(&fm, "job_start");

    CONTAINS(accounted(r, 'S', 0), "exec_host=n1/0*2+n2/0+n3/0+n3/1 ");
    says_where(&fm, id, "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)", true);
    CONTAINS(accounted(r, 's', 0), "exec_host=n1/0*2+n2/0 ");
    CONTAINS(accounted(r, 's', 0), "resource_assigned.ncpus=3");
    CU_ASSERT_PTR_NULL(accounted(r, 'u', 0));
    CU_ASSERT_TRUE(rig_logged(r, "pruned from exec_vnode=" WHERE));
    CU_ASSERT_TRUE(rig_logged(
        r, "pruned to exec_vnode=(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)"));
    CU_ASSERT_STRING_EQUAL(shown(r, id, "substate"), "42");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.select"),
                           "1:mem=100kb:ncpus=2+1:mem=50kb:ncpus=1");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), "1");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n3"), "0");
    /* The same once more says nothing. */
    says_where(&fm, id, "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)", true);
    CU_ASSERT_PTR_NULL(accounted(r, 's', 0));
    CU_ASSERT_PTR_NULL(accounted(r, 'u', 0));
    says_where(&fm, id, "(n1:ncpus=2:mem=100kb)", true);
    CONTAINS(accounted(r, 'u', 0), "exec_host=n1/0*2+n2/0 ");
    CONTAINS(accounted(r, 'c', 0), "exec_host=n1/0*2 ");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), "0");
    fake_mom_free(&fm);
}

/* Its owner has not said so, or it is no part of what the job has. */
static void a_mom_takes_nothing_away_by_its_own_will(void)
{
    static const struct {
        const char *word, *where;
    } rows[] = {
        { "none", "(n1:ncpus=2:mem=100kb)" },
        { "all", "(n2:ncpus=1:mem=50kb)" },
        { "all", "(n1:ncpus=2:mem=100kb)+(n1:ncpus=2:mem=100kb)" },
        { "all", "(n1:ncpus=1:mem=100kb)" },
        { "all", "(n1:ncpus=2:mem=100kb)+(nosuch:ncpus=1)" },
        { "all", "(n1:ncpus=2:mem=100kb)+(n3:ncpus=1:mem=50kb)+(n2:ncpus=1:mem=50kb)" },
        { "all", "((" },
        { "all", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = three_hosts();
        const char *id = tolerant_job(&fm, rows[i].word);

        says_where(&fm, id, rows[i].where, true);
        CU_ASSERT_PTR_NULL(accounted(fm.r, 's', 0));
        CU_ASSERT_STRING_EQUAL(shown(fm.r, id, "exec_vnode"), WHERE);
        CU_ASSERT_STRING_EQUAL(shown(fm.r, id, "substate"), "42");
        CU_ASSERT_STRING_EQUAL(in_use(fm.r, "n3"), "1");
        fake_mom_free(&fm);
    }
}

/* Hosts fail while the MoM is asked to let another one go: each is done for itself. */
static void a_release_goes_on_when_hosts_fail(void)
{
    for (int refuses = 0; refuses < 2; refuses++) {
        struct fake_mom fm = three_hosts();
        struct rig *r = fm.r;
        const char *id = tolerant_job(&fm, "all");
        char msgid[64];
        const struct is_message told = { .msgid = msgid };
        uint64_t waits;

        says_where(&fm, id, WHERE, true);
        CU_ASSERT_EQUAL(release(r, id, "n2", NULL), -1);
        waits = r->conn;
        snprintf(msgid, sizeof(msgid), "%s", told_mom(&fm)->msgid);
        says_where(&fm, id, "(n1:ncpus=2:mem=100kb)+(n2:ncpus=1:mem=50kb)", true);
        CU_ASSERT_PTR_NULL(rig_reply(r, waits));
        CU_ASSERT_EQUAL(release(r, id, "n2", NULL), PBSE_BADSTATE);
        fake_answer(&fm, &told, refuses ? PBSE_BADSTATE : 0, NULL);
        CU_ASSERT_EQUAL(rig_reply(r, waits)->code, refuses ? PBSE_BADSTATE : 0);
        CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_host"),
                               refuses ? "n1/0*2+n2/0" : "n1/0*2");
        fake_mom_free(&fm);
    }
}

static void a_subjob_releases_its_own(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *array = submit(r, RIG_USER, "",
                               "array_indices_submitted=1-3 Resource_List.select="
                               "2:ncpus=1",
                               "x\n");
    const char *id = "0[2].svr";

    CU_ASSERT_STRING_EQUAL_FATAL(array, "0[].svr");
    CU_ASSERT_EQUAL(release(r, id, "n2", NULL), PBSE_BADSTATE); /* it waits */
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)+(n2:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:10");
    CU_ASSERT_EQUAL(release(r, array, "n2", NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(release(r, "0[9].svr", "n2", NULL), PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(release_as(r, "eve", id, "n2", NULL), PBSE_PERM);
    CU_ASSERT_EQUAL(release(r, id, "n2", NULL), -1);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_host"), "n1/0");
    CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), "0");
    fake_mom_free(&fm);
}

/* What a job with release_nodes_on_stageout has on other hosts is free when its run is
 * over, before its files are delivered. */
static void other_hosts_are_free_before_files_are_copied(void)
{
    for (int asked = 0; asked <= 1; asked++) {
        struct fake_mom fm = three_hosts();
        struct rig *r = fm.r;
        const char *id = submit(r, RIG_USER, "",
                                asked ? "Resource_List.select=" SELECT
                                        " release_nodes_on_stageout=True"
                                      : "Resource_List.select=" SELECT,
                                "x\n");

        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        CU_ASSERT_EQUAL_FATAL(run_job(r, id, WHERE), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), 0, NULL);
        fake_usage(&fm, id, 1, "4711", "00:00:10");
        fake_obit(&fm, id, 1, 0);
        CU_ASSERT_EQUAL(state_of(r, id), 'E');
        CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
        CU_ASSERT_STRING_EQUAL(in_use(r, "n1"), "2");
        CU_ASSERT_STRING_EQUAL(in_use(r, "n2"), asked ? "0" : "1");
        CU_ASSERT_STRING_EQUAL(shown(r, id, "exec_host"),
                               asked ? "n1/0*2" : "n1/0*2+n2/0+n3/0+n3/1");
        fake_mom_free(&fm);
    }
}

/* The host of the mother superior is lost for ever: she tells nobody that the run is
 * over, so the server does. */
static void the_other_hosts_let_a_run_go_whose_first_host_is_lost(void)
{
    struct fake_mom fm = three_hosts(), other = fm;
    const char *id = wide_job(&fm);
    struct is_running part = {
        .job_id = id, .substate = 41, .run_version = 1, .node_id = 1
    };

    other.stream = 40;
    other.service_port = 16002;
    fake_register_as(&other, "n2", 1, &part);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 309);
    CU_ASSERT_PTR_NULL(fake_message(&other, IS_DISCARD_JOB));
    rig_advance(fm.r, fm.r->now_at + 1);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&other, IS_DISCARD_JOB));
    CU_ASSERT_EQUAL(fake_message(&other, IS_DISCARD_JOB)->run_version, 1);
    fake_mom_free(&fm);
}

/* A host was away while it was given back: what it still has of the job ends. */
static void a_host_that_was_given_back_is_told(void)
{
    struct fake_mom fm = three_hosts(), other = fm;
    const char *id = wide_job(&fm);
    struct is_running part = {
        .job_id = id, .substate = 41, .run_version = 1, .node_id = 1
    };

    other.stream = 40;
    other.service_port = 16002;
    fake_register_as(&other, "n2", 1, &part);
    CU_ASSERT_PTR_NULL(fake_message(&other, IS_DISCARD_JOB));
    CU_ASSERT_EQUAL(release(fm.r, id, "n2", NULL), -1);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    fake_register_as(&other, "n2", 1, &part);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&other, IS_DISCARD_JOB));
    CU_ASSERT_EQUAL(fake_message(&other, IS_DISCARD_JOB)->run_version, 1);
    fake_mom_free(&fm);
}

static void a_job_that_comes_back_wants_all_again(void)
{
    struct fake_mom fm = three_hosts();
    struct rig *r = fm.r;
    const char *id = wide_job(&fm);

    CU_ASSERT_EQUAL(release(r, id, "", NULL), -1);
    fake_answer(&fm, told_mom(&fm), 0, NULL);
    fake_obit(&fm, id, 1, -11);
    CONTAINS(accounted(r, 'R', 0), "exec_host=n1/0*2+n2/0+n3/0+n3/1 ");
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.ncpus"), "5");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "Resource_List.nodect"), "4");
    CU_ASSERT_STRING_EQUAL(shown(r, id, "schedselect"),
                           "1:ncpus=2:mem=100kb+2:ncpus=1:mem=50kb+1:ncpus=1");
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_EXEC_VNODE_ORIG));
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_RESOURCE_LIST_ACCT));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "its MoM is told, and then they are free",
          its_mom_is_told_and_then_they_are_free },
        { "accounting has its phases", accounting_has_its_phases },
        { "what cannot be released is refused", what_cannot_be_released_is_refused },
        { "a select says what stays", a_select_says_what_stays },
        { "keeping all is no release", keeping_all_is_no_release },
        { "a MoM that will not keeps all", a_mom_that_will_not_keeps_all },
        { "hosts that fail at the start are free",
          hosts_that_fail_at_the_start_are_free },
        { "a MoM takes nothing away by its own will",
          a_mom_takes_nothing_away_by_its_own_will },
        { "a release goes on when hosts fail", a_release_goes_on_when_hosts_fail },
        { "a restart asks the MoM again", a_restart_asks_the_mom_again },
        { "a subjob releases its own", a_subjob_releases_its_own },
        { "other hosts are free before files are copied",
          other_hosts_are_free_before_files_are_copied },
        { "the other hosts let a run go whose first host is lost",
          the_other_hosts_let_a_run_go_whose_first_host_is_lost },
        { "a host that was given back is told", a_host_that_was_given_back_is_told },
        { "a job that comes back wants all again",
          a_job_that_comes_back_wants_all_again },
    };

    return unit_main("job release", cases, ARRAY_LEN(cases));
}
