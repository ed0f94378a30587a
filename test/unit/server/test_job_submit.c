/* test_job_submit.c - which jobs are let in, and what is made of them; how they are
 * altered, held, selected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static const char *value(struct rig *r, const char *id, const char *attr)
{
    const char *text = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return text ? text : "";
}

/* Refusals. */

struct refusal {
    const char *story;
    uint32_t type;      /* a setting made before: object type */
    const char *object; /* its name, NULL: no setting */
    const char *setting;
    const char *user;
    const char *queue;
    const char *attrs;
    int code;
    const char *text;
};

static const struct refusal refusals[] = {
    { "an unknown queue", 0, NULL, "", RIG_USER, "nosuch", "", 15018, "Unknown queue" },
    { "no queue and no default", OBJECT_SERVER, "", "default_queue=", RIG_USER, "", "",
      15037, NULL },
    { "another server", 0, NULL, "", RIG_USER, "workq@else", "", 15029, NULL },
    { "a queue that is not enabled", OBJECT_QUEUE, "workq", "enabled=False", RIG_USER,
      "", "", 15021, NULL },
    { "a full queue", OBJECT_QUEUE, "workq", "max_queuable=0", RIG_USER, "", "", 15046,
      NULL },
    { "a queue that is routed to", OBJECT_QUEUE, "workq", "from_route_only=True",
      RIG_USER, "", "", 15022, NULL },
    { "a user the queue does not know", OBJECT_QUEUE, "workq",
      "acl_users=bob acl_user_enable=True", RIG_USER, "", "", 15007,
      "Unauthorized Request " },
    { "a group the queue does not know", OBJECT_QUEUE, "workq",
      "acl_groups=staff acl_group_enable=True", RIG_USER, "", "", 15007, NULL },
    { "a host the queue does not know", OBJECT_QUEUE, "workq",
      "acl_hosts=other acl_host_enable=True", RIG_USER, "", "", 15008, NULL },
    { "a queue that wants a credential", OBJECT_QUEUE, "workq",
      "require_cred=aes require_cred_enable=True", RIG_USER, "", "", 15019, NULL },
    { "root", 0, NULL, "", RIG_ROOT, "", "", 15023, "Bad UID for job execution" },
    { "an unknown account", 0, NULL, "", "nobodyknows", "", "", 15023, NULL },
    { "somebody else's account", 0, NULL, "", RIG_USER, "", "User_List=bob", 15023,
      NULL },
    { "a group that is not the user's", 0, NULL, "", RIG_USER, "", "group_list=wheel",
      15045, NULL },
    { "an unknown attribute", 0, NULL, "", RIG_USER, "", "foo=bar", 15002,
      "Undefined attribute " },
    { "an account before an unknown attribute", 0, NULL, "", "nobodyknows", "",
      "foo=bar", 15023, NULL },
    { "a read-only attribute", 0, NULL, "", RIG_USER, "", "job_state=Q", 15003,
      "Cannot set attribute, read only or insufficient permission  job_state" },
    { "an unknown resource", 0, NULL, "", RIG_USER, "", "Resource_List.nosuch=3", 15035,
      "Unknown resource Resource_List.nosuch" },
    { "an unknown resource in a select", 0, NULL, "", RIG_USER, "",
      "Resource_List.select=1:nosuch=1", 15035, "Unknown resource: nosuch" },
    { "a bad value", 0, NULL, "", RIG_USER, "", "Resource_List.ncpus=abc", 15014,
      "Illegal attribute or resource value Resource_List.ncpus" },
    { "a bad select", 0, NULL, "", RIG_USER, "", "Resource_List.select=1:", 15014,
      "Illegal attribute or resource value Resource_List.select" },
    { "ncpus beside a select", 0, NULL, "", RIG_USER, "",
      "Resource_List.select=1:ncpus=1 Resource_List.ncpus=2", 15109, NULL },
    { "place without select", 0, NULL, "", RIG_USER, "", "Resource_List.place=pack",
      15111, NULL },
    { "more than the queue gives", OBJECT_QUEUE, "workq", "resources_max.ncpus=2",
      RIG_USER, "", "Resource_List.select=3:ncpus=1", 15036,
      "Job violates queue and/or server resource limits" },
    { "less than the queue wants", OBJECT_QUEUE, "workq", "resources_min.ncpus=4",
      RIG_USER, "", "Resource_List.select=3:ncpus=1", 15036, NULL },
    { "more than the server gives", OBJECT_SERVER, "", "resources_max.walltime=60",
      RIG_USER, "", "Resource_List.walltime=61", 15036, NULL },
    { "an operator's hold by a user", 0, NULL, "", RIG_USER, "", "Hold_Types=o", 15007,
      NULL },
    { "a most walltime without a least", 0, NULL, "", RIG_USER, "",
      "Resource_List.max_walltime=10", 15162,
      "Cannot have \"max_walltime\" without \"min_walltime\"" },
    { "a least walltime above the most", 0, NULL, "", RIG_USER, "",
      "Resource_List.min_walltime=10 Resource_List.max_walltime=5", 15163, NULL },
    { "an estimate for a job that may shrink", 0, NULL, "", RIG_ROOT, "",
      "Resource_List.soft_walltime=5 Resource_List.min_walltime=5", 15180, NULL },
    { "an estimate above the limit", 0, NULL, "", RIG_ROOT, "",
      "Resource_List.soft_walltime=6 Resource_List.walltime=5", 15014,
      "Illegal attribute or resource value" },
    { "a limit of subjobs without any", 0, NULL, "", RIG_USER, "", "max_run_subjobs=3",
      15231, "Attribute has to be set on an array job" },
    { "a terminal at the port of a service", 0, NULL, "", RIG_USER, "",
      "interactive=1023", 15014, "Illegal attribute or resource value" },
    { "a terminal at no port", 0, NULL, "", RIG_USER, "", "interactive=65536", 15014,
      "Illegal attribute or resource value" },
    { "somebody who waits at the port of a service", 0, NULL, "", RIG_USER, "",
      "block=22", 15014, "Illegal attribute or resource value" },
    { "a dependency", 0, NULL, "", RIG_USER, "", "depend=afterok:1", PBSE_BADATVAL,
      NULL },
    { "an array of one", 0, NULL, "", RIG_USER, "", "array_indices_submitted=1-1",
      15014, "Illegal attribute or resource value array_indices_submitted" },
    { "an array without a range", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=5", 15014, NULL },
    { "an array of several ranges", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-2,4-5", 15014, NULL },
    { "an array with a step of nothing", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-5:0", 15014, NULL },
    { "an array with a limit of nothing", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-5%", 15014, NULL },
    { "an array with a limit that is no number", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-5%-3", 15014, NULL },
    { "an array with two limits", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-5%3%3", 15014, NULL },
    { "an array to the end of numbers", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-9223372036854775807", 15144, NULL },
    { "an array that is too large", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-10001", 15107,
      "Array job exceeds server or queue size limit" },
    { "an array whose walltime may shrink", 0, NULL, "", RIG_USER, "",
      "array_indices_submitted=1-2 Resource_List.min_walltime=5", 15165,
      "\"min_walltime\" and \"max_walltime\" are not valid resources for a job array" },
    { "somebody who says that it is an array", 0, NULL, "", RIG_USER, "", "array=True",
      15003, NULL },
    { "an array that is too large for its queue", OBJECT_QUEUE, "workq",
      "max_array_size=2", RIG_USER, "", "array_indices_submitted=1-3", 15107, NULL },
    { "one whose queue is closed besides", OBJECT_QUEUE, "workq",
      "max_array_size=2 enabled=False", RIG_USER, "", "array_indices_submitted=1-3",
      15021, NULL },
    { "an interactive array", 0, NULL, "", RIG_USER, "",
      "interactive=1234 array_indices_submitted=1-2", 15029, NULL },
};

static void bad_jobs_are_refused(void)
{
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        const struct refusal *c = &refusals[i];
        struct rig *r = rig_new();
        int code;

        if (c->object)
            CU_ASSERT_EQUAL(
                rig_manager(r, RIG_ROOT, SET, c->type, c->object, c->setting), 0);
        code = submit_code(r, c->user, c->queue, c->attrs);
        if (code != c->code || (c->text && strcmp(rig_text(r), c->text) != 0))
            printf("%s: %d \"%s\"\n", c->story, code, rig_text(r));
        CU_ASSERT_EQUAL(code, c->code);
        if (c->text)
            CU_ASSERT_STRING_EQUAL(rig_text(r), c->text);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
        CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
        rig_free(r);
    }
}

/* Just inside what the refusals are about. */
static void good_jobs_are_let_in(void)
{
    static const struct refusal cases[] = {
        { "a listed root", OBJECT_SERVER, "", "acl_roots=root", RIG_ROOT, "", "", 0,
          "" },
        { "the queue by name and server", 0, NULL, "", RIG_USER, "workq@svr", "", 0,
          "" },
        { "as much as the queue gives", OBJECT_QUEUE, "workq", "resources_max.ncpus=3",
          RIG_USER, "", "Resource_List.select=3:ncpus=1", 0, "" },
        { "as much as the server gives", OBJECT_SERVER, "", "resources_max.walltime=60",
          RIG_USER, "", "Resource_List.walltime=60", 0, "" },
        { "a listed user", OBJECT_QUEUE, "workq", "acl_users=ann acl_user_enable=True",
          RIG_USER, "", "", 0, "" },
        { "the own account", 0, NULL, "", RIG_USER, "", "User_List=ann", 0, "" },
        { "the own group", 0, NULL, "", RIG_USER, "", "group_list=ann", 0, "" },
        { "a job that may shrink", 0, NULL, "", RIG_USER, "",
          "Resource_List.min_walltime=5 Resource_List.max_walltime=5", 0, "" },
        { "an own hold", 0, NULL, "", RIG_USER, "", "Hold_Types=u", 0, "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct refusal *c = &cases[i];
        struct rig *r = rig_new();

        if (c->object)
            CU_ASSERT_EQUAL(
                rig_manager(r, RIG_ROOT, SET, c->type, c->object, c->setting), 0);
        if (submit_code(r, c->user, c->queue, c->attrs) != 0) {
            printf("%s: \"%s\"\n", c->story, rig_text(r));
            CU_FAIL("refused");
        }
        CU_ASSERT_EQUAL(rig_reply(r, r->conn)->choice, REPLY_COMMIT);
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

/* Of a resource that the queue limits the server's limit does not count. */
static void the_queues_limit_goes_before_the_servers(void)
{
    static const struct {
        const char *attrs;
        int code;
    } cases[] = {
        { "Resource_List.ncpus=3", 0 },
        { "Resource_List.ncpus=5", PBSE_EXCQRESC },
        { "Resource_List.ncpus=4 Resource_List.walltime=60", 0 },
        { "Resource_List.ncpus=4 Resource_List.walltime=61", PBSE_EXCQRESC },
    };
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "resources_max.ncpus=2 resources_max.walltime=60"),
                    0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq", "resources_max.ncpus=4"),
        0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", cases[i].attrs), cases[i].code);
    rig_free(r);
}

/* A list is within a limit when it has all members of that one. */
static void lists_have_the_members_of_their_limits(void)
{
    static const struct {
        const char *value;
        int code;
    } cases[] = {
        { "b,a", 0 },
        { "z,a,y,b", 0 },
        { "a", PBSE_EXCQRESC },
        { "a,c", PBSE_EXCQRESC },
        { "aa,b", PBSE_EXCQRESC },
    };
    static const char *const sides[] = { "max", "min" };

    for (size_t side = 0; side < ARRAY_LEN(sides); side++) {
        struct rig *r = rig_new();
        char attrs[64];

        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "sa",
                                    "type=string_array"),
                        0);
        snprintf(attrs, sizeof(attrs), "resources_%s.sa=a,b", sides[side]);
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq", attrs), 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
            snprintf(attrs, sizeof(attrs), "Resource_List.sa=%s", cases[i].value);
            CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", attrs), cases[i].code);
        }
        rig_free(r);
    }
}

static void a_job_is_completed(void)
{
    static const struct {
        const char *attr, *value;
    } rows[] = {
        { "Job_Name", "none" },
        { "Job_Owner", "ann@svr.example" },
        { "job_state", "Q" },
        { "queue", "workq" },
        { "server", "svr" },
        { "euser", "ann" },
        { "egroup", "ann" },
        { "substate", "10" },
        { "hop_count", NULL },
        { "project", "_pbs_project_default" },
        { "schedselect", "2:ncpus=3" },
        { "Resource_List.ncpus", "6" },
        { "Resource_List.nodect", "2" },
        { "Resource_List.place", "free" },
        { "Error_Path", "sub.host:/work/none.e0" },
        { "Output_Path", "sub.host:/work/none.o0" },
        { "Variable_List",
          "PBS_O_WORKDIR=/work,PBS_O_QUEUE=workq,PBS_O_HOST=sub.host" },
        { "Rerunable", "True" },
        { "Hold_Types", "n" },
        { "etime", "1800000000" },
        { "hf_script", NULL },
    };
    struct rig *r = rig_new();

    CU_ASSERT_STRING_EQUAL(
        submit(r, RIG_USER, "",
               "Resource_List.select=2:ncpus=3 "
               "Variable_List=PBS_O_WORKDIR=/work,PBS_O_HOST=sub.host",
               NULL),
        "0.svr");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *got =
            rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, "0.svr", rows[i].attr);

        if (!str_same(got, rows[i].value)) {
            printf("%s: %s\n", rows[i].attr, got ? got : "unset");
            CU_FAIL("differs");
        }
    }
    rig_free(r);
}

/* Building. */

static void a_job_is_built_on_its_connection(void)
{
    struct rig *r = rig_new();
    struct body_queue queue = { .id = "", .destination = "" };
    struct body_script script = { .job_id = "", .data = { "a\0b\\c", 5 } };
    struct body_id commit = { .id = "0.svr" };

    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code,
                    PBSE_IVALREQ);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_QUEUE_JOB, &queue, NULL)->choice,
                    REPLY_QUEUE);
    CU_ASSERT_PTR_NULL(the_job(r, "0.svr")); /* nobody sees it yet */
    CU_ASSERT_STRING_EQUAL(
        rig_ask_on(r, 6, RIG_USER, BATCH_QUEUE_JOB, &queue, NULL)->text, "1.svr");
    CU_ASSERT_EQUAL(rig_ask_on(r, 6, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_UNKJOBID); /* that is the other one's */
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code,
                    0);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_COMMIT, &commit, NULL)->choice,
                    REPLY_COMMIT);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, "0.svr"), JOB_A_HF_SCRIPT, ""),
                           "a\\0b\\\\c");
    svr_client_gone(r->s, r->now_at, 6, &r->out);
    commit.id = "1.svr";
    CU_ASSERT_EQUAL(rig_ask_on(r, 6, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_UNKJOBID);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void a_script_that_is_too_large_ends_the_job(void)
{
    struct rig *r = rig_new();
    struct body_queue queue = { .id = "", .destination = "" };
    struct body_script script = { .job_id = "" };
    struct body_id commit = { .id = "0.svr" };

    script.data = (struct wire_bytes){ arena_zero(r->arena, 1024), 1024 };
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "jobscript_max_size=1kb"), 0);
    rig_ask_on(r, 5, RIG_USER, BATCH_QUEUE_JOB, &queue, NULL);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code,
                    0);
    script.data.len = 1;
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code,
                    PBSE_JOBSCRIPTMAXSIZE);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_UNKJOBID);
    rig_free(r);
}

/* Whoever is refused keeps nothing, whatever the reason. */
static void a_job_that_cannot_be_saved_is_not_built(void)
{
    struct rig *r = rig_new();
    struct body_queue queue = { .id = "", .destination = "" };
    struct body_script script = { .job_id = "", .data = { "a", 1 } };
    struct body_id commit = { .id = "0.svr" };

    svr_set_store_failed(r->s, true);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_QUEUE_JOB, &queue, NULL)->code,
                    PBSE_SAVE_ERR);
    CU_ASSERT_EQUAL(svr_kept_bytes(r->s, 5), 0);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code,
                    PBSE_IVALREQ);
    svr_set_store_failed(r->s, false);
    rig_ask_on(r, 5, RIG_USER, BATCH_QUEUE_JOB, &queue, NULL);
    svr_set_store_failed(r->s, true);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_SAVE_ERR);
    svr_set_store_failed(r->s, false);
    CU_ASSERT_EQUAL(rig_ask_on(r, 5, RIG_USER, BATCH_COMMIT, &commit, NULL)->code,
                    PBSE_UNKJOBID); /* whoever is refused begins anew */
    CU_ASSERT_EQUAL(svr_kept_bytes(r->s, 5), 0);
    rig_free(r);
}

/* Holds and alterations. */

static int hold(struct rig *r, const char *user, uint32_t number, const char *id,
                const char *letters)
{
    struct body_manage body = { .command = SET, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "Hold_Types", NULL, letters, 0);
    return rig_ask(r, user, number, &body, NULL)->code;
}

/* Nobody will run what comes there (scheduling.md 8). */
static void a_partition_without_scheduler_is_told(void)
{
    static const char words[] =
        "svr_enquejob, Unable to reach scheduler associated with job ";
    static const struct {
        const char *partition;
        bool told;
    } cases[] = { { "", false }, { "p2", true }, { "p3", false } };
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_SCHED, "s3", "partition=p3"), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char attr[32];

        snprintf(attr, sizeof(attr), "partition=%s", cases[i].partition);
        if (*cases[i].partition)
            CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq", attr),
                            0);
        (void)submit(r, RIG_USER, "", "", NULL);
        CU_ASSERT_EQUAL(rig_logged(r, words), cases[i].told);
    }
    rig_free(r);
}

static void holds_come_and_go(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", NULL);

    CU_ASSERT_EQUAL(hold(r, "eve", BATCH_HOLD_JOB, id, "u"), PBSE_PERM);
    CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, id, "o"), PBSE_PERM);
    CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, id, "z"), PBSE_BADATVAL);
    CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, id, "u"), 0);
    CU_ASSERT_EQUAL(hold(r, RIG_ROOT, BATCH_HOLD_JOB, id, "os"), 0);
    CU_ASSERT_STRING_EQUAL(value(r, id, "Hold_Types"), "sou");
    CU_ASSERT_EQUAL(state_of(r, id), 'H');
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_ETIME));
    CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_RELEASE_JOB, id, "uos"), PBSE_PERM);
    CU_ASSERT_EQUAL(hold(r, RIG_ROOT, BATCH_RELEASE_JOB, id, "uo"), 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'H');
    CU_ASSERT_EQUAL(hold(r, RIG_ROOT, BATCH_RELEASE_JOB, id, "s"), 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_STRING_EQUAL(value(r, id, "comment"), "");
    CU_ASSERT_EQUAL(run_job(r, id, "(nosuch:ncpus=1)"), PBSE_UNKNODE);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "Unknown node ");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* Setting and releasing take the same rights: u the owner's, o an operator's, s a
 * manager's, n and p none; several letters take the most. */
static void each_letter_of_a_hold_has_its_right(void)
{
    static const struct {
        const char *letters;
        int owner, operator, manager;
    } cases[] = {
        { "u", 0, 0, 0 },
        { "n", 0, 0, 0 },
        { "o", PBSE_PERM, 0, 0 },
        { "s", PBSE_PERM, PBSE_PERM, 0 },
        { "p", 0, 0, 0 },
        { "uo", PBSE_PERM, 0, 0 },
        { "uos", PBSE_PERM, PBSE_PERM, 0 },
    };
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", "x\n");

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=op@* managers=man@*");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static const uint32_t numbers[] = { BATCH_HOLD_JOB, BATCH_RELEASE_JOB };

        for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
            CU_ASSERT_EQUAL(hold(r, RIG_USER, numbers[k], id, cases[i].letters),
                            cases[i].owner);
            CU_ASSERT_EQUAL(hold(r, "op", numbers[k], id, cases[i].letters),
                            cases[i].operator);
            CU_ASSERT_EQUAL(hold(r, "man", numbers[k], id, cases[i].letters),
                            cases[i].manager);
        }
    }
    rig_free(r);
}

static void a_waiting_job_becomes_queued_in_time(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "Execution_Time=1800000100", NULL);

    CU_ASSERT_EQUAL(state_of(r, id), 'W');
    rig_advance(r, 1800000099);
    CU_ASSERT_EQUAL(state_of(r, id), 'W');
    rig_advance(r, 1800000100);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_ETIME, 0), 1800000100);
    rig_free(r);
}

static int modify(struct rig *r, const char *user, const char *id, const char *attrs)
{
    struct body_manage body = { .command = SET,
                                .object_type = 2,
                                .object_name = id,
                                .attrs = rig_attrs(r, attrs) };

    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* A time that has come is gone: of a job that waits, of one that is held then, and of
 * one that asked for it when it had passed. */
static void a_time_that_has_come_is_not_shown(void)
{
    struct rig *r = rig_new();
    const char *waits = submit(r, RIG_USER, "", "Execution_Time=1800000100", NULL);
    const char *held =
        submit(r, RIG_USER, "", "Execution_Time=1800000100 Hold_Types=u", NULL);
    const char *passed = submit(r, RIG_USER, "", "Execution_Time=1000000000", NULL);
    const char *both =
        submit(r, RIG_USER, "", "Execution_Time=1000000000 Hold_Types=u", NULL);

    CU_ASSERT_EQUAL(state_of(r, waits), 'W');
    CU_ASSERT_EQUAL(state_of(r, passed), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(r, passed), JOB_A_EXECUTION_TIME));
    CU_ASSERT_FALSE(obj_is_set(the_job(r, both), JOB_A_EXECUTION_TIME));
    rig_advance(r, 1800000099);
    CU_ASSERT_TRUE(obj_is_set(the_job(r, waits), JOB_A_EXECUTION_TIME));
    CU_ASSERT_TRUE(obj_is_set(the_job(r, held), JOB_A_EXECUTION_TIME));
    rig_advance(r, 1800000100);
    CU_ASSERT_FALSE(obj_is_set(the_job(r, waits), JOB_A_EXECUTION_TIME));
    CU_ASSERT_FALSE(obj_is_set(the_job(r, held), JOB_A_EXECUTION_TIME));
    CU_ASSERT_EQUAL(state_of(r, held), 'H');
    CU_ASSERT_EQUAL(modify(r, RIG_USER, waits, "Execution_Time=1000000000"), 0);
    CU_ASSERT_EQUAL(state_of(r, waits), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(r, waits), JOB_A_EXECUTION_TIME));
    rig_free(r);
}

/* A job that is held or waits for its time is not eligible, whatever it was before. */
static void the_time_of_eligibility_goes(void)
{
    static const char *const why[] = { "Execution_Time=1900000000", "Hold_Types=u" };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(why); i++) {
        const char *id = submit(r, RIG_USER, "", "", "x\n");

        CU_ASSERT_TRUE(obj_is_set(the_job(r, id), JOB_A_ETIME));
        CU_ASSERT_EQUAL(modify(r, RIG_USER, id, why[i]), 0);
        CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_ETIME));
    }
    /* In a routing queue no job is. */
    new_router(r, "route", "workq", "");
    for (size_t i = 0; i < ARRAY_LEN(why); i++) {
        const char *id = submit(r, RIG_USER, "route", why[i], "x\n");

        CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Hold_Types=n Execution_Time="), 0);
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
        CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_ETIME));
    }
    rig_free(r);
}

/* An alteration puts its letters in the place of those that are there, so it takes the
 * right of each letter that comes and of each that goes. */
static void altered_holds_take_the_right_of_what_goes(void)
{
    static const struct {
        const char *held, *altered;
        int owner, operator, manager;
    } cases[] = {
        { "n", "u", 0, 0, 0 },
        { "u", "n", 0, 0, 0 },
        { "u", "", 0, 0, 0 },
        { "u", "p", 0, 0, 0 },
        { "u", "o", PBSE_PERM, 0, 0 },
        { "uo", "n", PBSE_PERM, 0, 0 },
        { "uo", "", PBSE_PERM, 0, 0 },
        { "uo", "u", PBSE_PERM, 0, 0 },
        { "uo", "o", PBSE_PERM, 0, 0 },
        { "us", "n", PBSE_PERM, PBSE_PERM, 0 },
        { "us", "", PBSE_PERM, PBSE_PERM, 0 },
        { "us", "u", PBSE_PERM, PBSE_PERM, 0 },
        { "os", "o", PBSE_PERM, PBSE_PERM, 0 },
    };
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", "x\n");

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=op@* managers=man@*");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *const who[] = { RIG_USER, "op", "man" };
        const int codes[] = { cases[i].owner, cases[i].operator, cases[i].manager };
        const char *text = arena_printf(r->arena, "Hold_Types=%s", cases[i].altered);

        for (size_t k = 0; k < ARRAY_LEN(who); k++) {
            const char *before;

            CU_ASSERT_EQUAL(
                modify(r, RIG_ROOT, id,
                       arena_printf(r->arena, "Hold_Types=%s", cases[i].held)),
                0);
            before = arena_strdup(r->arena, value(r, id, "Hold_Types"));
            CU_ASSERT_EQUAL(modify(r, who[k], id, text), codes[k]);
            if (codes[k])
                CU_ASSERT_STRING_EQUAL(value(r, id, "Hold_Types"), before);
        }
    }
    rig_free(r);
}

static void queued_jobs_are_altered(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "Resource_List.select=2:ncpus=1", NULL);

    CU_ASSERT_EQUAL(modify(r, "eve", id, "Priority=5"), PBSE_PERM);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "comment=x"), PBSE_ATTRRO);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "cred=aes"), PBSE_ATTRRO);
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "gui=True"), PBSE_ATTRRO);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.ncpus=4"),
                    PBSE_INVALJOBRESC);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.nosuch=1"), PBSE_UNKRESC);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "max_run_subjobs=3"), PBSE_NOTARRAY_ATTR);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.max_walltime=9"),
                    PBSE_MAX_NO_MINWT);
    CU_ASSERT_EQUAL(
        modify(r, RIG_USER, id, "Account_Name=acct2 Resource_List.walltime=99"), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0),
                           "Account_Name=acct2 Resource_List.walltime=00:01:39");
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.select=3:ncpus=2"), 0);
    CU_ASSERT_STRING_EQUAL(value(r, id, "Resource_List.ncpus"), "6");
    CU_ASSERT_STRING_EQUAL(value(r, id, "Resource_List.nodect"), "3");
    CU_ASSERT_STRING_EQUAL(value(r, id, "schedselect"), "3:ncpus=2");
    CU_ASSERT_STRING_EQUAL(value(r, id, "Resource_List.walltime"), "00:01:39");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq",
                                "resources_max.walltime=100"),
                    0);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.walltime=101"),
                    PBSE_EXCQRESC);
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "Resource_List.walltime=101"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* The lists decide whose process it will be: a changed one is checked as at submission,
 * for the owner of the job and not for who asks. */
/* What the nodes before had brought goes with them. */
static void other_nodes_bring_other_tasks(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "Resource_List.nodes=2:ppn=2", NULL);

    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "Resource_List.mpiprocs"), "4");
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Resource_List.nodes=3"), 0);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "Resource_List.select"),
        "3:ncpus=1");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "Resource_List.ncpus"), "3");
    CU_ASSERT_PTR_NULL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "Resource_List.mpiprocs"));
    rig_free(r);
}

/* Who takes a path or the project away gets what a new job has. */
static void what_a_job_cannot_be_without_comes_back(void)
{
    static const char *const attrs[] = { "Output_Path", "Error_Path", "project" };
    static const char *const kinds[] = { "", "array_indices_submitted=1-3" };

    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        struct rig *r = rig_new();
        const char *id = submit(r, RIG_USER, "", kinds[k], NULL);
        char before[3][200];

        for (size_t i = 0; i < ARRAY_LEN(attrs); i++)
            snprintf(before[i], sizeof(before[i]), "%s",
                     rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, attrs[i]));
        CU_ASSERT_EQUAL(
            modify(r, RIG_USER, id, "Output_Path=h:/x Error_Path=h:/y project=p"), 0);
        CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Output_Path= Error_Path= project="),
                        0);
        for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
            const char *now = rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, attrs[i]);

            CU_ASSERT_PTR_NOT_NULL_FATAL(now);
            CU_ASSERT_STRING_EQUAL(now, before[i]);
        }
        rig_free(r);
    }
}

static void altered_lists_make_another_account(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", NULL);

    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "User_List=root"), PBSE_BADUSER);
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "User_List=root"), PBSE_BADUSER);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "User_List=eve"), PBSE_BADUSER);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "group_list=root"), PBSE_BADGRP);
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "group_list=root"), PBSE_BADGRP);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "User_List=root@elsewhere"), 0);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "group_list=" RIG_USER), 0);
    CU_ASSERT_STRING_EQUAL(value(r, id, "euser"), RIG_USER);
    CU_ASSERT_STRING_EQUAL(value(r, id, "egroup"), RIG_USER);

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "acl_roots=root@*"), 0);
    id = submit(r, RIG_ROOT, "", "", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "User_List=root"), 0);
    rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "", "acl_roots");
    CU_ASSERT_EQUAL(modify(r, RIG_ROOT, id, "User_List=root@*,root"), PBSE_BADUSER);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void letters_go_to_no_control_character(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "Mail_Users=a@b,c", NULL);

    CU_ASSERT_PTR_NOT_NULL(id);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Mail_Users=a@b\rBcc:eve"), PBSE_BADATVAL);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Mail_Users=a\x1b"), PBSE_BADATVAL);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "Mail_Users=a\x7f"), PBSE_BADATVAL);
    CU_ASSERT_EQUAL(modify(r, RIG_USER, id, "Mail_Users=J\xc3\xbcrgen"), 0);
    rig_free(r);
}

static void running_jobs_are_altered_a_little(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "Resource_List.walltime=60", "x\n");

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_EQUAL(modify(fm.r, RIG_USER, id, "Exit_status=3"), PBSE_MODATRRUN);
    CU_ASSERT_STRING_EQUAL(rig_text(fm.r),
                           "Cannot modify attribute while job running  Exit_status");
    CU_ASSERT_EQUAL(modify(fm.r, RIG_USER, id, "Resource_List.ncpus=2"),
                    PBSE_MODATRRUN);
    CU_ASSERT_EQUAL(modify(fm.r, RIG_USER, id, "Resource_List.walltime=61"), PBSE_PERM);
    CU_ASSERT_EQUAL(modify(fm.r, RIG_USER, id, "Resource_List.walltime=59"), 0);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_MODIFY_JOB, 0));
    CU_ASSERT_EQUAL(modify(fm.r, RIG_USER, id, "Resource_List.cput=100"), 0);
    CU_ASSERT_EQUAL(modify(fm.r, RIG_ROOT, id, "Resource_List.walltime=3600"), 0);
    fake_mom_free(&fm);
}

/* Selection. */

struct criterion {
    const char *name, *resource, *value;
    uint32_t op;
    int code;
    const char *ids; /* with a blank behind each */
};

static void jobs_are_selected(void)
{
    static const struct criterion cases[] = {
        { "destination", NULL, "workq", WIRE_OP_EQ, 0, "0.svr 1.svr 2.svr " },
        { "destination", NULL, "", WIRE_OP_EQ, 0, "0.svr 1.svr 2.svr " },
        { "destination", NULL, "nosuch", WIRE_OP_EQ, 15018, "" },
        { "job_state", NULL, "Q", WIRE_OP_EQ, 0, "0.svr 2.svr " },
        { "job_state", NULL, "HQ", WIRE_OP_EQ, 0, "0.svr 1.svr 2.svr " },
        { "job_state", NULL, "Q", WIRE_OP_NE, 0, "1.svr " },
        { "User_List", NULL, "bob", WIRE_OP_EQ, 0, "2.svr " },
        { "User_List", NULL, "bob@elsewhere", WIRE_OP_EQ, 0, "" },
        { "User_List", NULL, "bob,bob", WIRE_OP_EQ, 0, "2.svr " },
        { "User_List", NULL, "zoe,bob,zoe", WIRE_OP_NE, 0, "0.svr 1.svr " },
        { "Resource_List", "ncpus", "2", WIRE_OP_GE, 0, "1.svr 2.svr " },
        { "Resource_List", "ncpus", "2", WIRE_OP_LT, 0, "0.svr " },
        { "Resource_List", "nosuch", "2", WIRE_OP_EQ, 15035, "" },
        { "Job_Name", NULL, "two", WIRE_OP_EQ, 0, "2.svr " },
        { "Job_Name", NULL, "two", WIRE_OP_NE, 0, "0.svr 1.svr " },
        { "Job_Name", NULL, "two", 99, 0, "" },
        { "Account_Name", NULL, "x", WIRE_OP_GT, 15004, "" },
        { "Account_Name", NULL, "x", WIRE_OP_GE, 15004, "" },
        { "Account_Name", NULL, "x", WIRE_OP_LT, 15004, "" },
        { "Account_Name", NULL, "x", WIRE_OP_LE, 15004, "" },
        /* What is unset differs from every value. */
        { "Account_Name", NULL, "x", WIRE_OP_NE, 0, "0.svr 1.svr 2.svr " },
        { "Account_Name", NULL, "x", WIRE_OP_EQ, 0, "" },
        /* States have no order. */
        { "job_state", NULL, "Q", WIRE_OP_GT, 0, "" },
        { "job_state", NULL, "Q", WIRE_OP_LT, 0, "" },
        { "job_state", NULL, "Q", WIRE_OP_GE, 0, "" },
        /* never, after so many minutes, and not said */
        { "Checkpoint", NULL, "u", WIRE_OP_EQ, 0, "0.svr " },
        { "Checkpoint", NULL, "c=5", WIRE_OP_GE, 0, "1.svr 2.svr " },
        { "Checkpoint", NULL, "c=5", WIRE_OP_GT, 0, "2.svr " },
        { "Checkpoint", NULL, "c=10", WIRE_OP_GE, 0, "2.svr " },
        { "Checkpoint", NULL, "w=5", WIRE_OP_EQ, 0, "" },
        { "Checkpoint", NULL, "c", WIRE_OP_LT, 0, "0.svr " },
        { "Checkpoint", NULL, "s", WIRE_OP_LE, 0, "0.svr 1.svr " },
        { "Checkpoint", NULL, "s", WIRE_OP_GT, 0, "2.svr " },
        { "estimated", "start_time", "1000", WIRE_OP_EQ, 0, "1.svr " },
        { "estimated", "start_time", "1000", WIRE_OP_GT, 0, "" },
        { "estimated", "start_time", "999", WIRE_OP_GT, 0, "1.svr " },
        { "estimated", NULL, "999", WIRE_OP_GT, 15004, "" },
        /* An empty name may be asked for, and no job has it (cli.md 2). */
        { "Job_Name", NULL, "", WIRE_OP_EQ, 0, "" },
        { "Job_Name", NULL, "", WIRE_OP_NE, 0, "0.svr 1.svr 2.svr " },
        { "Job_Name", NULL, "a b", WIRE_OP_EQ, 15014, "" },
        { "foo", NULL, "x", WIRE_OP_EQ, 15002, "" },
    };
    struct rig *r = rig_new();

    submit(r, RIG_USER, "", "Job_Name=nil", NULL);
    submit(r, RIG_USER, "",
           "Job_Name=one Hold_Types=u Checkpoint=c=5 Resource_List.ncpus=2", NULL);
    submit(r, "bob", "", "Job_Name=two Checkpoint=n Resource_List.ncpus=4", NULL);
    modify(r, RIG_ROOT, "1.svr", "estimated.start_time=1000");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct criterion *c = &cases[i];
        struct body_select body = { 0 };
        const struct wire_reply *reply;
        struct buf got = { 0 };

        wire_attrs_add(&body.criteria, r->arena, c->name, c->resource, c->value, c->op);
        reply = rig_ask(r, RIG_ROOT, BATCH_SELECT_JOBS, &body, NULL);
        buf_add_str(&got, "");
        for (size_t k = 0; k < reply->ids.n; k++)
            buf_printf(&got, "%s ", reply->ids.v[k]);
        if (reply->code != c->code || strcmp(got.data, c->ids) != 0)
            printf("case %zu: %d %s\n", i, reply->code, got.data);
        CU_ASSERT_EQUAL(reply->code, c->code);
        CU_ASSERT_STRING_EQUAL(got.data, c->ids);
        buf_fini(&got);
    }
    rig_free(r);
}

/* The ids that a user selects by one criterion, with a blank behind each. */
static const char *selected_by(struct rig *r, const char *user, const char *name,
                               const char *value, const char *extend)
{
    struct body_select body = { 0 };
    const struct wire_reply *reply;
    const char *ids = "";

    wire_attrs_add(&body.criteria, r->arena, name, NULL, value, WIRE_OP_EQ);
    reply = rig_ask(r, user, BATCH_SELECT_JOBS, &body, extend);
    for (size_t k = 0; k < reply->ids.n; k++)
        ids = arena_printf(r->arena, "%s%s ", ids, reply->ids.v[k]);
    return ids;
}

static void others_jobs_are_selected_where_they_may_be_seen(void)
{
    struct rig *r = rig_new();

    submit(r, RIG_USER, "", "", NULL);
    submit(r, "bob", "", "", NULL);
    CU_ASSERT_STRING_EQUAL(selected_by(r, "bob", "job_state", "Q", NULL),
                           "0.svr 1.svr ");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "query_other_jobs=False"), 0);
    CU_ASSERT_STRING_EQUAL(selected_by(r, "bob", "job_state", "Q", NULL), "1.svr ");
    CU_ASSERT_STRING_EQUAL(selected_by(r, RIG_ROOT, "job_state", "Q", NULL),
                           "0.svr 1.svr ");
    rig_free(r);
}

/* History is in no queue any more, and tells the name of its last one. */
static void history_is_selected_by_its_last_queue(void)
{
    struct rig *r = rig_new();
    const char *const queues[] = { "workq", "q2" };

    new_queue(r, "q2", "");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "job_history_enable=True"), 0);
    for (size_t i = 0; i < ARRAY_LEN(queues); i++) {
        const char *id = submit(r, RIG_USER, queues[i], "", NULL);

        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    }
    CU_ASSERT_STRING_EQUAL(selected_by(r, RIG_ROOT, "destination", "q2", "x"),
                           "1.svr ");
    CU_ASSERT_STRING_EQUAL(selected_by(r, RIG_ROOT, "destination", "workq", "x"),
                           "0.svr ");
    CU_ASSERT_STRING_EQUAL(selected_by(r, RIG_ROOT, "destination", "@svr", "x"),
                           "0.svr 1.svr ");
    rig_free(r);
}

static void a_selection_has_a_status(void)
{
    struct rig *r = rig_new();
    struct body_select body = { 0 };
    const struct wire_reply *reply;

    submit(r, RIG_USER, "", "Job_Name=nil", NULL);
    wire_attrs_add(&body.criteria, r->arena, "job_state", NULL, "Q", WIRE_OP_EQ);
    wire_attrs_add(&body.wanted, r->arena, "Job_Name", NULL, "", 0);
    reply = rig_ask(r, RIG_USER, BATCH_SELECT_STATUS, &body, "S");
    CU_ASSERT_EQUAL(reply->choice, REPLY_STATUS);
    CU_ASSERT_EQUAL(reply->objects.n, 1);
    CU_ASSERT_EQUAL(reply->objects.v[0].attrs.n, 1);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SELECT_STATUS, &body, "x")->code,
                    PBSE_JOBHISTNOTSET);
    rig_free(r);
}

static int select_with(struct rig *r, size_t n, const char *user)
{
    struct body_select body = { 0 };
    const struct wire_reply *reply;

    for (size_t i = 0; i < n; i++)
        wire_attrs_add(&body.criteria, r->arena, "User_List", NULL, user, WIRE_OP_NE);
    reply = rig_ask(r, RIG_USER, BATCH_SELECT_JOBS, &body, NULL);
    while (!reply && svr_has_work(r->s))
        reply = rig_go_on(r, r->conn);
    return reply ? reply->code : -1;
}

static const char *long_name(struct rig *r, size_t len)
{
    char *name = arena_zero(r->arena, len + 1);

    return memset(name, 'x', len);
}

/* All criteria are held against all jobs. */
static void a_selection_has_an_end(void)
{
    struct rig *r = rig_new();
    size_t before;

    for (int i = 0; i < 200; i++)
        submit(r, RIG_USER, "", "Job_Name=x", NULL);
    before = arena_used_bytes(r->arena);
    CU_ASSERT_EQUAL(select_with(r, 1000, "bob"), 0);
    CU_ASSERT_EQUAL(r->out.arena, r->arena);
    CU_ASSERT_TRUE(arena_used_bytes(r->arena) - before < 300000);
    CU_ASSERT_EQUAL(select_with(r, 1001, "bob"), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(select_with(r, 1, long_name(r, 1 << 20)), 0);
    CU_ASSERT_EQUAL(select_with(r, 1, long_name(r, (1 << 20) + 1)), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(select_with(r, 3, long_name(r, 500000)), PBSE_IVALREQ);
    rig_free(r);
}

/* The letters n and p are accepted and change nothing: no comment, no time of change.
 */
static void some_letters_hold_nothing(void)
{
    static const char *const letters[] = { "n", "p" };
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", "x\n");

    for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
        CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, id, letters[i]), 0);
        CU_ASSERT_FALSE(rig_logged(r, "Holds"));
        CU_ASSERT_EQUAL(hold(r, "eve", BATCH_HOLD_JOB, id, letters[i]), PBSE_PERM);
        CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, "99.x", letters[i]),
                        PBSE_UNKJOBID);
        CU_ASSERT_STRING_EQUAL(value(r, id, "comment"), "");
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    }
    /* Beside others the p is left out. */
    CU_ASSERT_EQUAL(hold(r, RIG_USER, BATCH_HOLD_JOB, id, "pu"), 0);
    CU_ASSERT_STRING_EQUAL(value(r, id, "Hold_Types"), "u");
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "bad jobs are refused", bad_jobs_are_refused },
    { "good jobs are let in", good_jobs_are_let_in },
    { "the queue's limit goes before the server's",
      the_queues_limit_goes_before_the_servers },
    { "lists have the members of their limits",
      lists_have_the_members_of_their_limits },
    { "a job is completed", a_job_is_completed },
    { "a job is built on its connection", a_job_is_built_on_its_connection },
    { "a job that cannot be saved is not built",
      a_job_that_cannot_be_saved_is_not_built },
    { "a script that is too large ends the job",
      a_script_that_is_too_large_ends_the_job },
    { "a partition without scheduler is told", a_partition_without_scheduler_is_told },
    { "holds come and go", holds_come_and_go },
    { "each letter of a hold has its right", each_letter_of_a_hold_has_its_right },
    { "some letters hold nothing", some_letters_hold_nothing },
    { "a waiting job becomes queued in time", a_waiting_job_becomes_queued_in_time },
    { "a time that has come is not shown", a_time_that_has_come_is_not_shown },
    { "altered holds take the right of what goes",
      altered_holds_take_the_right_of_what_goes },
    { "the time of eligibility goes", the_time_of_eligibility_goes },
    { "queued jobs are altered", queued_jobs_are_altered },
    { "other nodes bring other tasks", other_nodes_bring_other_tasks },
    { "what a job cannot be without comes back",
      what_a_job_cannot_be_without_comes_back },
    { "altered lists make another account", altered_lists_make_another_account },
    { "letters go to no control character", letters_go_to_no_control_character },
    { "running jobs are altered a little", running_jobs_are_altered_a_little },
    { "jobs are selected", jobs_are_selected },
    { "others' jobs are selected where they may be seen",
      others_jobs_are_selected_where_they_may_be_seen },
    { "history is selected by its last queue", history_is_selected_by_its_last_queue },
    { "a selection has a status", a_selection_has_a_status },
    { "a selection has an end", a_selection_has_an_end },
};

int main(void)
{
    return unit_main("job submission", cases, ARRAY_LEN(cases));
}
