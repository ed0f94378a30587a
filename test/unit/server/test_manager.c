/* test_manager.c - what Manager requests may and may not do to queues, vnodes,
 * resources, schedulers and the server: the catalogue of attributes.md 20, and the
 * rules of its sections 4 to 6, 11, 12 and 17.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

#include <string.h>

enum {
    SERVER = 0,
    QUEUE = 1,
    NODE = 3,
    RESOURCE = 5,
    SCHED = 6
};

#define BAD_VALUE   "Illegal attribute or resource value"
#define UNKNOWN     "Unknown resource"
#define READ_ONLY   "Cannot set attribute, read only or insufficient permission "
#define BAD_HOST    "Access from host not allowed, or unknown host"
#define MIXED       "Cannot mix old and new style queue/run limit enforcement types"
#define NOT_IN_JOBS "Resource limits can not be set for the resource"
#define CHUNK_ONLY                                                                     \
    "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is"

struct row {
    const char *story;
    uint32_t command, type;
    const char *name, *attrs;
    int code;
    const char *text; /* NULL: the words do not matter here */
};

static void run_as(struct rig *r, const char *user, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *c = &rows[i];
        uint64_t seq = svr_model(r->s)->seq;
        int code = rig_manager(r, user, c->command, c->type, c->name, c->attrs);
        bool good = code == c->code && (!c->text || strcmp(rig_text(r), c->text) == 0);

        CU_ASSERT(good);
        if (!good)
            printf("%s: %d %s\n", c->story, code, rig_text(r));
        if (code)
            CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
    }
    CU_ASSERT(rig_is_same(r));
}

#define RUN(r, rows) run_as(r, RIG_ROOT, rows, ARRAY_LEN(rows))

static void check_shown(struct rig *r, uint32_t number, const char *id,
                        const char *attr, const char *want)
{
    const char *v = rig_value(r, RIG_ROOT, number, id, attr);

    CU_ASSERT(str_same(v, want));
    if (!str_same(v, want))
        printf("%s of %s is %s\n", attr, id, v ? v : "not shown");
}

static void test_the_server_answers_its_catalogue(void)
{
    static const struct row rows[] = {
        { "array size", SET, SERVER, "", "max_array_size=abc", 15014,
          BAD_VALUE " max_array_size" },
        { "computed", SET, SERVER, "", "total_jobs=3", 15003, READ_ONLY " total_jobs" },
        { "computed", UNSET, SERVER, "", "state_count", 15003,
          READ_ONLY " state_count" },
        { "no host", SET, SERVER, "", "managers=bob", 15008, BAD_HOST },
        { "unknown host", SET, SERVER, "", "managers=bob@no.such.host", 15008,
          BAD_HOST },
        { "no full name", SET, SERVER, "", "operators=bob@short", 15008, BAD_HOST },
        { "full name", SET, SERVER, "", "managers=bob@a.b", 0, "" },
        { "any host", SET, SERVER, "", "managers+=eve@*", 0, "" },
        { "twice", SET, SERVER, "", "managers+=eve@*", 15055,
          "Duplicate entry in list  managers" },
        { "type of a limit", SET, SERVER, "", "max_run_res.arch=[u:bob=3]", 15109,
          CHUNK_ONLY " max_run_res.arch" },
        { "unknown resource", SET, SERVER, "", "max_run_res.nosuch=[u:bob=3]", 15035,
          UNKNOWN " max_run_res.nosuch" },
        { "limit without resource", SET, SERVER, "", "max_run_res=[u:bob=3]", 15035,
          NULL },
        { "bad limit", SET, SERVER, "", "max_run=[u:bob=3x]", 15014,
          BAD_VALUE " max_run" },
        { "no string", SET, SERVER, "", "node_group_key=ncpus", 15100,
          "Resource is not of type string or array_of_strings" },
        { "unknown", SET, SERVER, "", "node_group_key=nosuch", 15035, UNKNOWN },
        { "unknown", SET, SERVER, "", "restrict_res_to_release_on_suspend=nosuch",
          15035, UNKNOWN },
        { "script size", SET, SERVER, "", "jobscript_max_size=3gb", 15176,
          "jobscript max size exceeds 2GB" },
        { "script size", SET, SERVER, "", "jobscript_max_size=0", 15014, BAD_VALUE },
        { "term delay", SET, SERVER, "", "resend_term_delay=2000", 15014, BAD_VALUE },
        { "backfill", SET, SERVER, "", "backfill_depth=-1", 15014, BAD_VALUE },
        { "requeue", SET, SERVER, "", "job_requeue_timeout=0", 15014, BAD_VALUE },
        { "credential", SET, SERVER, "", "require_cred=des", 15014, BAD_VALUE },
        { "sequence", SET, SERVER, "", "max_job_sequence_id=99", 15225,
          "Cannot set max_job_sequence_id < 9999999, or > 999999999999" },
        { "license", SET, SERVER, "", "pbs_license_min=-1", 15118, NULL },
        { "license", SET, SERVER, "", "pbs_license_min=5 pbs_license_max=4", 15118,
          NULL },
        { "license", SET, SERVER, "", "pbs_license_linger_time=0", 15120, NULL },
        { "not limited", SET, SERVER, "", "resources_max.max_walltime=5", 15166,
          NOT_IN_JOBS " resources_max.max_walltime" },
        { "nobody sets it", SET, SERVER, "", "power_provisioning=t", 15003,
          READ_ONLY " power_provisioning" },
        { "any case", SET, SERVER, "", "LOG_EVENTS=2047 Resources_Max.NCPUS=4", 0, "" },
        { "not set", UNSET, SERVER, "", "comment acl_hosts max_run", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    check_shown(r, SVR, "", "log_events", "2047");
    check_shown(r, SVR, "", "resources_max.ncpus", "4");
    check_shown(r, SVR, "", "managers", "bob@a.b,eve@*");
    rig_free(r);
}

static void test_queues_answer_their_catalogue(void)
{
    static const struct row rows[] = {
        { "name too long", CREATE, QUEUE, "sixteencharacter", "", 15028, NULL },
        { "name", CREATE, QUEUE, "a.b", "", 15172, "Invalid object name" },
        { "no type", CREATE, QUEUE, "q", "started=t", 0, "" },
        { "enabled without type", SET, QUEUE, "q", "enabled=t", 15030, NULL },
        { "type and more", SET, QUEUE, "q", "enabled=t queue_type=exec", 0, "" },
        { "limit of no limit", SET, QUEUE, "q", "resources_max.min_walltime=5", 15166,
          NOT_IN_JOBS " resources_max.min_walltime" },
        { "limit of no limit", SET, QUEUE, "q", "resources_min.max_walltime=5", 15166,
          NOT_IN_JOBS " resources_min.max_walltime" },
        { "chunk", SET, QUEUE, "q", "default_chunk.walltime=5", 15109,
          CHUNK_ONLY ": walltime" },
        { "priority", SET, QUEUE, "q", "Priority=1024", 15014, BAD_VALUE },
        { "computed", SET, QUEUE, "q", "hasnodes=t", 15003, READ_ONLY " hasnodes" },
        { "other type's", SET, QUEUE, "q", "route_destinations=workq", 15026,
          "Warning: type of queue q incompatible with attribute route_destinations" },
        { "route", CREATE, QUEUE, "r", "queue_type=R", 0, "" },
        { "route's partition", SET, QUEUE, "r", "partition=p", 15217,
          "Cannot assign a partition to route queue" },
        { "partition", SET, QUEUE, "q", "partition=p", 0, "" },
        { "default partition", SET, QUEUE, "q", "partition=pbs-default", 15228, NULL },
        { "partition stays", SET, QUEUE, "q", "queue_type=route", 15218,
          "Route queues are incompatible with the partition attribute" },
        { "vnode", CREATE, NODE, "n1", "", 0, "" },
        { "not in partition", SET, NODE, "n1", "partition=x", 0, "" },
        { "queue of another", SET, NODE, "n1", "queue=q", 15219,
          "Queue q is not part of partition for node" },
        { "same partition", SET, NODE, "n1", "partition=p queue=q", 0, "" },
        { "other partition", SET, NODE, "n1", "partition=x", 15220,
          "Partition x is not part of queue for node" },
        { "queue's partition", SET, QUEUE, "q", "partition=x", 15221,
          "Invalid partition in queue" },
        { "busy", DELETE, QUEUE, "q", "", 15027, "Cannot delete busy object" },
        { "no partition", UNSET, QUEUE, "q", "partition", 0, "" },
        { "has vnodes", SET, QUEUE, "q", "queue_type=route", 15026,
          "Incompatible type" },
        { "vnode leaves", UNSET, NODE, "n1", "queue", 0, "" },
        { "free again", SET, QUEUE, "q", "enabled=f", 0, "" },
        { "route now", SET, QUEUE, "q", "queue_type=route", 0, "" },
        { "gone", DELETE, QUEUE, "q", "", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    rig_free(r);
}

static void test_vnodes_answer_their_catalogue(void)
{
    static const struct row rows[] = {
        { "bad letter", CREATE, NODE, "a b", "", 15067, "Illegal value for node" },
        { "every letter", CREATE, NODE, "n-_@[1]#^/\\.x", "Mom=n1", 0, "" },
        { "vnode", CREATE, NODE, "n1", "resources_available.ncpus=4", 0, "" },
        { "attribute", SET, NODE, "n1", "foo=1", 15002, "Undefined attribute  foo" },
        { "environment", SET, NODE, "n1", "current_aoe=x", 15149,
          "Current AOE does not match with resources_available.aoe" },
        { "environment", SET, NODE, "n1", "current_aoe=x resources_available.aoe=w,x",
          0, "" },
        { "on the server's host", CREATE, NODE, "svr", "", 0, "" },
        { "provisions itself", SET, NODE, "svr", "provision_enable=t", 15145,
          "Cannot set provisioning attribute on host running PBS server and "
          "scheduler" },
        { "another does not", SET, NODE, "n1", "provision_enable=t", 0, "" },
        { "mutually exclusive", SET, NODE, "n1", "state=free,offline", 15068,
          "Mutually exclusive values for  state" },
        { "daemons' word", SET, NODE, "n1", "state=job-busy", 15067, NULL },
        { "read-only", SET, NODE, "n1", "sharing=force_excl", 15003,
          READ_ONLY " sharing" },
        { "pool", SET, NODE, "n1", "vnode_pool=3", 15004, NULL },
        { "no name of a host", SET, NODE, "n1", "resources_available.host=a/b", 15014,
          "Illegal attribute or resource value" },
        { "a name of a host", SET, NODE, "n1", "resources_available.host=a-B_9.c", 0,
          NULL },
        { "no licence is set", SET, NODE, "n1", "license=u", 15002,
          "Undefined attribute  license" },
        { "host stays", UNSET, NODE, "n1", "resources_available.host", 15067, NULL },
        { "all stay", UNSET, NODE, "n1", "resources_available", 15067, NULL },
        { "negative", SET, NODE, "n1", "resources_available.ncpus=-1", 15014, NULL },
        { "ncpus come back", UNSET, NODE, "n1", "resources_available.ncpus", 0, "" },
    };
    struct rig *r = rig_new();
    char name[300];

    RUN(r, rows);
    check_shown(r, NOD, "n1", "resources_available.ncpus", "1");
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, NODE, name, ""), 15065);
    rig_free(r);
}

static void test_a_name_that_is_empty_means_all(void)
{
    static const struct row rows[] = {
        { "second queue", CREATE, QUEUE, "q2", "queue_type=e", 0, "" },
        { "all queues", SET, QUEUE, "", "started=f", 0, "" },
        { "all queues of it", SET, QUEUE, "@svr", "comment=x", 0, "" },
        { "one cannot", CREATE, QUEUE, "r", "queue_type=r", 0, "" },
        { "so none does", SET, QUEUE, "", "enabled=t", 15030, NULL },
        { "vnodes", CREATE, NODE, "n1", "resources_available.aoe=a", 0, "" },
        { "vnodes", CREATE, NODE, "n2", "", 0, "" },
        { "vnodes", CREATE, NODE, "n3", "", 0, "" },
        { "all vnodes", SET, NODE, "", "comment=y", 0, "" },
        { "some cannot", SET, NODE, "@svr", "current_aoe=a", 15069,
          "Modification failed for n2, n3" },
        { "nobody knows it", SET, NODE, "", "foo=a", 15002,
          "Undefined attribute  foo" },
        { "nobody may", SET, NODE, "", "pcpus=3", 15003, READ_ONLY " pcpus" },
        { "created by name only", CREATE, QUEUE, "", "", 15172, NULL },
        { "deleted by name only", DELETE, QUEUE, "", "", 15018, NULL },
        { "but for vnodes", DELETE, NODE, "", "", 0, "" },
        { "that are there", DELETE, NODE, "@svr", "", 15062, "Unknown node " },
        { "vnodes again", CREATE, NODE, "n1", "resources_available.aoe=a", 0, "" },
        { "vnodes again", CREATE, NODE, "n2", "Mom=n1", 0, "" },
        { "vnodes again", CREATE, NODE, "n3", "", 0, "" },
        { "that lend and borrow", CREATE, RESOURCE, "lic", "type=long flag=hn", 0, "" },
        { "that lend and borrow", SET, NODE, "n3", "resources_available.lic=4", 0, "" },
        { "that lend and borrow", SET, NODE, "n1", "resources_available.lic=@n3", 0,
          "" },
        { "one that lends", DELETE, NODE, "n3", "", 15027, NULL },
        { "all of them", DELETE, NODE, "", "", 0, "" },
        { "vnodes", CREATE, NODE, "n1", "resources_available.aoe=a comment=y", 0, "" },
        { "vnodes", CREATE, NODE, "n3", "comment=y", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    check_shown(r, QUE, "workq", "started", "False");
    check_shown(r, QUE, "q2", "started", "False");
    check_shown(r, QUE, "q2", "comment", "x");
    check_shown(r, QUE, "q2", "enabled", NULL);
    check_shown(r, NOD, "n3", "comment", "y");
    check_shown(r, NOD, "n1", "current_aoe", NULL);
    rig_free(r);
}

static void test_resources_answer_their_catalogue(void)
{
    static const struct row rows[] = {
        { "name", CREATE, RESOURCE, "fo.o", "", 15014, NULL },
        { "type", CREATE, RESOURCE, "a", "type=int", 15014, NULL },
        { "flag", CREATE, RESOURCE, "a", "flag=z", 15014, NULL },
        { "attribute", CREATE, RESOURCE, "a", "foo=z", 15014, NULL },
        { "n and f", CREATE, RESOURCE, "a", "type=long flag=nf", 15014,
          "Erroneous to have flag 'n' and 'f' on resource \"a\"." },
        { "n without h", CREATE, RESOURCE, "a", "type=long flag=n", 15014,
          "Erroneous to have flag 'n' without 'h' on resource \"a\"." },
        { "i and r", CREATE, RESOURCE, "a", "type=long flag=ir", 15014,
          "Erroneous to have flag 'i' and 'r' on resource \"a\"." },
        { "counted text", CREATE, RESOURCE, "a", "flag=nh", 15014,
          "Erroneous to have flag 'n', 'f', or 'q' on resource \"a\" which is type "
          "string, string_array, or boolean." },
        { "made", CREATE, RESOURCE, "a", "type=long flag=nh", 0, "" },
        { "in another case", CREATE, RESOURCE, "A", "", 15055, NULL },
        { "type stays", UNSET, RESOURCE, "a", "type", 15004, NULL },
        { "flags go", UNSET, RESOURCE, "a", "flag", 0, "" },
        { "built in", SET, RESOURCE, "ncpus", "flag=h", 15004, NULL },
        { "unknown", SET, RESOURCE, "nosuch", "flag=h", 15035, NULL },
        { "on a queue", SET, QUEUE, "workq", "resources_max.a=3", 0, "" },
        { "type busy", SET, RESOURCE, "a", "type=size", 15174,
          "Resource busy on queue" },
        { "flags are not", SET, RESOURCE, "a", "flag=qh", 0, "" },
        { "on the server", SET, SERVER, "", "resources_available.a=3", 0, "" },
        { "queue first", UNSET, QUEUE, "workq", "resources_max.a", 0, "" },
        { "type busy", SET, RESOURCE, "a", "type=size", 15174,
          "Resource busy on server" },
        { "off the server", UNSET, SERVER, "", "resources_available.a", 0, "" },
        { "vnode", CREATE, NODE, "n1", "resources_available.a=5", 0, "" },
        { "type busy", SET, RESOURCE, "a", "type=size", 15174,
          "Resource busy on node" },
        { "named", SET, SERVER, "", "restrict_res_to_release_on_suspend=a", 0, "" },
        { "named", DELETE, RESOURCE, "a", "", 15174, "Resource busy on server" },
        { "not named", UNSET, SERVER, "", "restrict_res_to_release_on_suspend", 0, "" },
        { "limited", SET, SERVER, "", "max_run_res.a=[u:bob=3]", 0, "" },
        { "gone", DELETE, RESOURCE, "a", "", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    check_shown(r, NOD, "n1", "resources_available.a", NULL);
    check_shown(r, SVR, "", "max_run_res.a", NULL);
    rig_free(r);
}

static void test_a_resource_may_be_another_vnodes(void)
{
    static const struct row rows[] = {
        { "size", CREATE, RESOURCE, "sz", "type=size flag=nh", 0, "" },
        { "text", CREATE, RESOURCE, "st", "type=string flag=h", 0, "" },
        { "owner", CREATE, NODE, "w", "resources_available.sz=10gb", 0, "" },
        { "one", CREATE, NODE, "v", "resources_available.sz=1gb", 0, "" },
        { "another", CREATE, NODE, "u", "", 0, "" },
        { "unknown vnode", SET, NODE, "v", "resources_available.sz=@nosuch", 15062,
          "Unknown node " },
        { "unknown resource", SET, NODE, "v", "resources_available.nosuch=@w", 15035,
          UNKNOWN " resources_available.nosuch" },
        { "not there", SET, NODE, "v", "resources_available.st=@w", 15113,
          "indirect target undefined on node for resource: st" },
        { "itself", SET, NODE, "w", "resources_available.sz=@w", 15112,
          "invalid multi-level indirect reference for resource: sz" },
        { "refers", SET, NODE, "v", "resources_available.sz=@w", 0, "" },
        { "two steps", SET, NODE, "u", "resources_available.sz=@v", 15112,
          "invalid multi-level indirect reference for resource: sz" },
        { "two steps", SET, NODE, "w", "resources_available.sz=@u", 15113, NULL },
        { "stays where it is", UNSET, NODE, "w", "resources_available.sz", 15027,
          "Cannot delete busy object" },
        { "stays where it is", DELETE, NODE, "w", "", 15027, NULL },
    };
    static const struct row after[] = {
        { "own value again", SET, NODE, "v", "resources_available.sz=2gb", 0, "" },
        { "free to go", UNSET, NODE, "w", "resources_available.sz", 0, "" },
        { "free to go", DELETE, NODE, "w", "", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    check_shown(r, NOD, "v", "resources_available.sz", "@w");
    check_shown(r, NOD, "v", "resources_assigned.sz", "@w");
    check_shown(r, NOD, "w", "resources_assigned.sz", NULL); /* nobody has used it */
    rig_restart(r);
    check_shown(r, NOD, "v", "resources_available.sz", "@w");
    RUN(r, after);
    check_shown(r, NOD, "v", "resources_available.sz", "2gb");
    rig_free(r);
}

static void test_limits_of_two_styles_do_not_mix_anywhere(void)
{
    static const struct row rows[] = {
        { "new on a queue", SET, QUEUE, "workq", "max_queued=[o:PBS_ALL=5]", 0, "" },
        { "old on the server", SET, SERVER, "", "max_running=3", 15141, MIXED },
        { "old on the queue", SET, QUEUE, "workq", "max_queuable=3", 15141, MIXED },
        { "another queue", CREATE, QUEUE, "q2", "max_user_run=3", 15141, MIXED },
        { "new is new", SET, SERVER, "", "max_run=[u:PBS_GENERIC=3]", 0, "" },
        { "both in one", SET, SERVER, "", "max_run=[u:bob=3] max_user_run=3", 15141,
          MIXED },
        { "no limit of running", SET, SERVER, "", "max_queued_res.ncpus=[u:bob=3]", 0,
          "" },
        { "cleared", UNSET, QUEUE, "workq", "max_queued", 0, "" },
        { "cleared", UNSET, SERVER, "", "max_run", 0, "" },
        { "old", SET, SERVER, "", "max_user_res.ncpus=3", 0, "" },
        { "amounts in the queue", SET, QUEUE, "workq", "max_queued_res.mem=[u:bob=1gb]",
          0, "" },
        { "new", SET, QUEUE, "workq", "queued_jobs_threshold=[u:bob=1]", 15141, MIXED },
        { "anything else", SET, SERVER, "", "comment=x", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    rig_free(r);
}

/* Any old one forbids any new one, and any new one any old one, of the server and of
 * every queue; and what takes no part is allowed beside each. */
static void test_each_limit_of_one_style_forbids_each_of_the_other(void)
{
    static const struct {
        const char *name;
        bool of_server, is_old;
    } limits[] = {
        { "max_running", true, true },
        { "max_user_run", true, true },
        { "max_group_run", true, true },
        { "max_user_res.ncpus", true, true },
        { "max_group_res.ncpus", true, true },
        { "max_user_run_soft", true, true },
        { "max_group_run_soft", true, true },
        { "max_user_res_soft.ncpus", true, true },
        { "max_group_res_soft.ncpus", true, true },
        { "max_queuable", false, true },
        { "max_run", true, false },
        { "max_run_res.ncpus", true, false },
        { "max_run_soft", true, false },
        { "max_run_res_soft.ncpus", true, false },
        { "max_queued", false, false },
        { "queued_jobs_threshold", false, false },
    };
    static const uint32_t types[] = { SERVER, QUEUE };
    struct rig *r = rig_new();
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(limits) * ARRAY_LEN(types); i++)
        for (size_t k = 0; k < ARRAY_LEN(limits) * ARRAY_LEN(types); k++) {
            const size_t at[] = { i / ARRAY_LEN(types), k / ARRAY_LEN(types) };
            const uint32_t type[] = { types[i % ARRAY_LEN(types)],
                                      types[k % ARRAY_LEN(types)] };
            const char *set[2];

            if ((type[0] == SERVER && !limits[at[0]].of_server) ||
                (type[1] == SERVER && !limits[at[1]].of_server) ||
                limits[at[0]].is_old == limits[at[1]].is_old)
                continue;
            for (size_t j = 0; j < ARRAY_LEN(at); j++)
                set[j] = arena_printf(r->arena, "%s=%s", limits[at[j]].name,
                                      limits[at[j]].is_old ? "3" : "[u:bob=3]");
            CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, type[0],
                                        type[0] == QUEUE ? "workq" : "", set[0]),
                            0);
            CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, type[1],
                                        type[1] == QUEUE ? "workq" : "", set[1]),
                            15141);
            CU_ASSERT_STRING_EQUAL(rig_text(r), MIXED);
            CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, SERVER, "",
                                        "max_queued=[u:bob=9] "
                                        "queued_jobs_threshold_res.ncpus=[u:bob=9]"),
                            0);
            CU_ASSERT_EQUAL(
                rig_manager(r, RIG_ROOT, UNSET, type[0],
                            type[0] == QUEUE ? "workq" : "",
                            arena_strndup(r->arena, set[0], strcspn(set[0], "=."))),
                0);
            n++;
        }
    CU_ASSERT_EQUAL(n, 2 * 19 * 10);
    rig_free(r);
}

static void test_schedulers_answer_their_catalogue(void)
{
    static const struct row rows[] = {
        { "name too long", CREATE, SCHED, "sixteencharacter", "", 15212,
          "Scheduler name is too long" },
        { "made", CREATE, SCHED, "s1", "partition=p1", 0, "" },
        { "exists", CREATE, SCHED, "s1", "", 15211, NULL },
        { "partition taken", CREATE, SCHED, "s2", "partition=p1", 15224, NULL },
        { "made", CREATE, SCHED, "s2", "", 0, "" },
        { "default partition", SET, SCHED, "s2", "partition=pbs-default", 15228, NULL },
        { "directory taken", SET, SCHED, "s2", "sched_priv=sched_priv_s1", 15215,
          NULL },
        { "directory taken", SET, SCHED, "s2", "sched_log=sched_logs_s1", 15216, NULL },
        { "directory of the default", SET, SCHED, "default", "sched_log=x", 15223,
          NULL },
        { "unknown host", SET, SCHED, "s2", "sched_host=nosuchhost", 15014, BAD_VALUE },
        { "host", SET, SCHED, "s2", "sched_host=a.b", 0, "" },
        { "run wait", SET, SCHED, "s2", "job_run_wait=maybe", 15014, BAD_VALUE },
        { "fuzzy", SET, SCHED, "s2", "opt_backfill_fuzzy=x", 15014, BAD_VALUE },
        { "order", SET, SCHED, "s2", "preempt_order=SS", 15014, BAD_VALUE },
        { "levels", SET, SCHED, "s2", "preempt_prio=normal_jobs,foo", 15014,
          BAD_VALUE },
        { "levels", SET, SCHED, "s2", "preempt_prio=fairshare,", 15014, BAD_VALUE },
        { "levels", SET, SCHED, "s2",
          "preempt_prio=express_queue+fairshare,normal_jobs,server_softlimits", 0, "" },
        { "state", SET, SCHED, "s2", "state=idle", 15003, READ_ONLY " state" },
        { "gone", DELETE, SCHED, "s1", "", 0, "" },
        { "partition free", SET, SCHED, "s2", "partition=p1", 0, "" },
    };
    struct rig *r = rig_new();

    RUN(r, rows);
    rig_free(r);
    r = rig_new(); /* with one scheduler */
    rig_manager(r, RIG_ROOT, SET, SCHED, "", "job_run_wait=none");
    check_shown(r, SCH, "", "throughput_mode", NULL);
    check_shown(r, SCH, "", "job_run_wait", "none");
    rig_manager(r, RIG_ROOT, UNSET, SCHED, "", "job_run_wait");
    check_shown(r, SCH, "", "throughput_mode", "True");
    check_shown(r, SCH, "", "job_run_wait", "runjob_hook");
    rig_manager(r, RIG_ROOT, SET, SCHED, "", "throughput_mode=False");
    CU_ASSERT_TRUE(rig_logged(r, "'throughput_mode' is being deprecated, it is "
                                 "recommended to use 'job_run_wait'"));
    check_shown(r, SCH, "", "job_run_wait", "execjob_hook");
    rig_manager(r, RIG_ROOT, SET, SCHED, "", "job_run_wait=runjob_hook");
    CU_ASSERT_FALSE(rig_logged(r, "is being deprecated"));
    rig_free(r);
}

/* Tools unset all that a status shows, in one request, and expect the defaults back. */
static void test_what_is_unset_as_a_whole_has_its_defaults_again(void)
{
    static const char sched[] =
        "sched_cycle_length throughput_mode job_run_wait partition sched_priv "
        "sched_log "
        "scheduling scheduler_iteration preempt_queue_prio preempt_prio preempt_order "
        "preempt_sort log_events server_dyn_res_alarm comment opt_backfill_fuzzy";
    static const char server[] =
        "scheduling log_events mailer mail_from query_other_jobs "
        "resources_default.ncpus scheduler_iteration resv_enable max_array_size "
        "pbs_license_max pbs_license_linger_time eligible_time_enable "
        "job_history_enable max_concurrent_provision comment show_hidden_attribs "
        "clear_topjob_estimates_enable resv_answer_time holdfast_version";
    static const struct {
        uint32_t status, type;
        const char *id, *attrs, *change;
    } rows[] = {
        { SCH, SCHED, "default", sched,
          "sched_cycle_length=10 throughput_mode=f preempt_prio=fairshare "
          "preempt_queue_prio=1 preempt_order=R log_events=1 server_dyn_res_alarm=2 "
          "scheduling=f comment=x opt_backfill_fuzzy=high" },
        { SCH, SCHED, "", sched, "scheduling=f scheduler_iteration=5" },
        { SVR, SERVER, "", server,
          "scheduling=f log_events=1 mailer=x mail_from=x query_other_jobs=f "
          "resources_default.ncpus=4 scheduler_iteration=5 resv_enable=f "
          "max_array_size=4 pbs_license_max=5 pbs_license_linger_time=6 "
          "eligible_time_enable=t max_concurrent_provision=9 comment=x "
          "show_hidden_attribs=t clear_topjob_estimates_enable=t resv_answer_time=9" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct rig *r = rig_new();
        const struct wire_objects *was, *is;

        rig_manager(r, RIG_ROOT, UNSET, SERVER, "", "job_history_enable");
        was = rig_status(r, RIG_ROOT, rows[i].status, rows[i].id, "");
        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, SET, rows[i].type, rows[i].id, rows[i].change), 0);
        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, UNSET, rows[i].type, rows[i].id, rows[i].attrs),
            0);
        is = rig_status(r, RIG_ROOT, rows[i].status, rows[i].id, "");
        CU_ASSERT_EQUAL_FATAL(is->v[0].attrs.n, was->v[0].attrs.n);
        for (size_t k = 0; k < is->v[0].attrs.n; k++) {
            CU_ASSERT_STRING_EQUAL(is->v[0].attrs.v[k].name, was->v[0].attrs.v[k].name);
            CU_ASSERT_STRING_EQUAL(is->v[0].attrs.v[k].value,
                                   was->v[0].attrs.v[k].value);
        }
        rig_free(r);
    }
}

static void test_what_is_odd_is_said(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, QUEUE, "r", "queue_type=r");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, QUEUE, "r",
                                "route_destinations=workq,nosuch,far@other"),
                    0);
    CU_ASSERT(rig_logged(r, "there is no queue nosuch to route to"));
    CU_ASSERT_FALSE(rig_logged(r, "there is no queue workq"));
    CU_ASSERT_FALSE(rig_logged(r, "there is no queue far"));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, SCHED, "default", "sched_user=nobodyknows"), 0);
    CU_ASSERT(rig_logged(r, "sched_user nobodyknows is no account of this host"));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, SCHED, "default", "sched_user=ann"),
                    0);
    CU_ASSERT_FALSE(rig_logged(r, "sched_user ann"));
    rig_free(r);
}

static void test_some_changes_have_log_lines_of_their_own(void)
{
    static const struct {
        const char *attrs, *line;
    } rows[] = {
        { "node_fail_requeue=300", "node_fail_requeue value changed to 300" },
        { "job_history_duration=100", "svr_history_duration set to val 100" },
        { "rpp_retry=3", "rpp_retry is deprecated and has no effect" },
        { "comment=hello", "attributes set: comment = hello" },
        { "comment=hello", "attributes set:  at request of root@svr.example" },
        { "resources_max.ncpus+=2", "attributes set: resources_max.ncpus += 2" },
    };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, SERVER, "", rows[i].attrs), 0);
        CU_ASSERT(rig_logged(r, rows[i].line));
    }
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, UNSET, SERVER, "", "comment"), 0);
    CU_ASSERT(rig_logged(r, "attributes unset:  at request of root@svr.example"));
    rig_free(r);
}

/* Ten thousand entries in one request: each is said, and none costs what all before it
 * did. */
static void test_a_long_request_is_said_line_by_line(void)
{
    enum {
        N = 10000
    };
    struct rig *r = rig_new();
    struct body_manage body = { .command = SET, .object_type = SERVER };

    body.object_name = "";
    for (int i = 0; i < N; i++)
        wire_attrs_add(&body.attrs, r->arena, "acl_users", NULL,
                       arena_printf(r->arena, "u%05d@*", i), WIRE_OP_INCR);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MANAGER, &body, NULL)->code, 0);
    CU_ASSERT_TRUE(rig_count(r, EFFECT_LOG) > N);
    CU_ASSERT(rig_logged(r, "attributes set: acl_users += u09999@*"));
    CU_ASSERT_EQUAL(obj_attr(svr_model(r->s)->server, SERVER_A_ACL_USERS)->u.list.n, N);
    rig_free(r);
}

/* Who may talk to the server. */

static const struct wire_reply *ask_as(struct rig *r, const struct requester *who)
{
    struct body_status body = { .id = "" };
    struct wire_request rq = { .number = SVR, .user = who->user, .body = &body };

    r->out = (struct effects){ .arena = r->arena };
    svr_request(r->s, r->now_at, who, &rq, &r->out);
    return rig_reply(r, who->conn);
}

static const struct wire_reply *ask_from(struct rig *r, const char *user,
                                         const char *host, bool server_uid)
{
    const struct requester who = {
        .user = user, .host = host, .server_uid = server_uid, .conn = ++r->conn
    };

    return ask_as(r, &who);
}

static int set_from(struct rig *r, const char *host, const char *attrs)
{
    struct body_manage body = { .command = SET, .object_type = SERVER };
    struct requester who = { .user = "man", .host = host, .conn = ++r->conn };
    struct wire_request rq = { .number = BATCH_MANAGER, .user = "man", .body = &body };

    body.object_name = "";
    body.attrs = rig_attrs(r, attrs);
    r->out = (struct effects){ .arena = r->arena };
    svr_request(r->s, r->now_at, &who, &rq, &r->out);
    return rig_reply(r, r->conn)->code;
}

static void test_a_formula_is_set_on_the_servers_host(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, SERVER, "", "managers=man@*");
    CU_ASSERT_EQUAL(set_from(r, "far.example", "job_sort_formula=ncpus*2"), 15007);
    CU_ASSERT_EQUAL(set_from(r, "far.example", "comment=x"), 0);
    CU_ASSERT_EQUAL(set_from(r, RIG_HOST, "job_sort_formula=ncpus*2"), 0);
    CU_ASSERT_EQUAL(set_from(r, "far.example", "job_sort_formula="), 0);
    rig_free(r);
}

static void test_hosts_that_are_not_listed_are_sent_away(void)
{
    static const struct {
        const char *story, *acl, *host;
        int code;
    } rows[] = {
        { "none but its own", "", "far.example", 15008 },
        { "its own", "", RIG_HOST, 0 },
        { "named", "far.example", "FAR.example", 0 },
        { "a domain", "*.example", "far.example", 0 },
        { "another domain", "*.org", "far.example", 15008 },
        { "denied first", "-bad.example,*.example", "bad.example", 15008 },
        { "everybody", "+", "far.example", 0 },
        { "subnet", "127.0.0.0/8", "far.example", 0 },
        { "subnet by mask", "127.0.0.0/255.0.0.0", "far.example", 0 },
        { "other subnet", "10.0.0.0/8", "far.example", 15008 },
    };
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(ask_from(r, "ann", "far.example", false)->code, 0);
    rig_manager(r, RIG_ROOT, SET, SERVER, "", "acl_host_enable=t");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int code;

        rig_manager(r, RIG_ROOT, SET, SERVER, "",
                    arena_printf(r->arena, "acl_hosts=%s", rows[i].acl));
        code = ask_from(r, "ann", rows[i].host, false)->code;
        CU_ASSERT_EQUAL(code, rows[i].code);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), rows[i].code ? 1 : 0);
        if (code != rows[i].code)
            printf("%s: %d\n", rows[i].story, code);
    }
    CU_ASSERT_EQUAL(ask_from(r, "root", "far.example", true)->code, 0);
    rig_manager(r, RIG_ROOT, CREATE, NODE, "far.example", "");
    CU_ASSERT_EQUAL(ask_from(r, "ann", "far.example", false)->code, 15008);
    CU_ASSERT(rig_logged(r, BAD_HOST " far.example"));
    rig_manager(r, RIG_ROOT, SET, SERVER, "", "acl_host_moms_enable=t");
    CU_ASSERT_EQUAL(ask_from(r, "ann", "far.example", false)->code, 0);
    CU_ASSERT_EQUAL(ask_from(r, "ann", "its-other-name.example", false)->code, 0);
    CU_ASSERT_EQUAL(ask_from(r, "ann", "elsewhere.example", false)->code, 15008);
    rig_free(r);
}

/* Lists are for clients: a scheduler that has registered is none, wherever it is. */
static void test_no_list_keeps_a_scheduler_out(void)
{
    static const char *const lists[] = { "acl_host_enable=t acl_hosts=svr.example",
                                         "acl_user_enable=t acl_users=bob" };
    struct rig *r = rig_new();
    const struct requester sched = { .user = "ann",
                                     .host = "far.example",
                                     .conn = rig_attach_sched(r) };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        rig_manager(r, RIG_ROOT, SET, SERVER, "", lists[i]);
        CU_ASSERT_NOT_EQUAL(ask_from(r, "ann", "far.example", false)->code, 0);
        CU_ASSERT_EQUAL(ask_as(r, &sched)->code, 0);
    }
    rig_free(r);
}

static void test_users_that_are_not_listed_are_refused(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, SET, SERVER, "",
                "acl_user_enable=t operators=op@* managers=man@*");
    CU_ASSERT_EQUAL(ask_from(r, "ann", RIG_HOST, false)->code, 15007);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 0);
    CU_ASSERT_EQUAL(ask_from(r, "op", RIG_HOST, false)->code, 0);
    CU_ASSERT_EQUAL(ask_from(r, "man", RIG_HOST, false)->code, 0);
    CU_ASSERT_EQUAL(ask_from(r, "root", RIG_HOST, true)->code, 0);
    rig_manager(r, RIG_ROOT, SET, SERVER, "", "acl_users=ann@*.example,-bob,+");
    CU_ASSERT_EQUAL(ask_from(r, "ann", "far.example", false)->code, 0);
    CU_ASSERT_EQUAL(ask_from(r, "bob", "far.example", false)->code, 15007);
    CU_ASSERT_EQUAL(ask_from(r, "eve", "far.example", false)->code, 0);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "the server answers its catalogue", test_the_server_answers_its_catalogue },
    { "queues answer their catalogue", test_queues_answer_their_catalogue },
    { "vnodes answer their catalogue", test_vnodes_answer_their_catalogue },
    { "a name that is empty means all", test_a_name_that_is_empty_means_all },
    { "resources answer their catalogue", test_resources_answer_their_catalogue },
    { "a resource may be another vnode's", test_a_resource_may_be_another_vnodes },
    { "limits of two styles do not mix anywhere",
      test_limits_of_two_styles_do_not_mix_anywhere },
    { "each limit of one style forbids each of the other",
      test_each_limit_of_one_style_forbids_each_of_the_other },
    { "schedulers answer their catalogue", test_schedulers_answer_their_catalogue },
    { "what is unset as a whole has its defaults again",
      test_what_is_unset_as_a_whole_has_its_defaults_again },
    { "what is odd is said", test_what_is_odd_is_said },
    { "some changes have log lines of their own",
      test_some_changes_have_log_lines_of_their_own },
    { "a long request is said line by line", test_a_long_request_is_said_line_by_line },
    { "a formula is set on the server's host",
      test_a_formula_is_set_on_the_servers_host },
    { "hosts that are not listed are sent away",
      test_hosts_that_are_not_listed_are_sent_away },
    { "no list keeps a scheduler out", test_no_list_keeps_a_scheduler_out },
    { "users that are not listed are refused",
      test_users_that_are_not_listed_are_refused },
};

int main(void)
{
    return unit_main("Manager", cases, ARRAY_LEN(cases));
}
