/* test_catalogue.c - the examples of the data model's chapter (attributes.md 6.2, 6.4,
 * 7, 8, 10 and 20), each against a server's core of its own.
 *
 * A command is "create|delete|set|unset KIND NAME ATTRS" as in a Manager request, or
 * "submit QUEUE ATTRS", "alter JOB ATTRS", "run JOB VNODES"; "-" is the empty name.
 * Before it the commands of 'before' succeed, with ';' between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define BAD       "Illegal attribute or resource value"
#define UNKNOWN   "Unknown resource"
#define READ_ONLY "Cannot set attribute, read only or insufficient permission "
#define IN_SELECT "Resource invalid in \"select\" specification"
#define NOT_WITH                                                                       \
    "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is"

struct example {
    const char *before; /* NULL: nothing */
    const char *command;
    int code;
    const char *text;  /* NULL: the words do not matter here */
    const char *shown; /* "KIND NAME attr=value attr=value", "-" is not set */
};

/* What every rig has. */
static const char *const world[] = {
    "create resource foo type=long flag=hn",
    "create resource bo type=boolean flag=h",
    "create resource sa type=string flag=h",
    "create resource fl type=float flag=hn",
    "create resource ro type=long flag=hr",
    "create resource inv type=long flag=hi",
    "create resource lic type=long flag=q",
    "create resource seen type=long flag=r",
    "create resource sz type=size flag=hn",
    "create resource low type=string",
    "create node n1 resources_available.ncpus=4",
    "create node n2 resources_available.ncpus=4",
    "create queue q queue_type=e enabled=t started=t",
    "set server - managers=man@* operators=op@*",
};

static const struct {
    const char *word;
    uint32_t type, status;
} kinds[] = {
    { "server", OBJECT_SERVER, BATCH_STATUS_SERVER },
    { "queue", OBJECT_QUEUE, BATCH_STATUS_QUEUE },
    { "node", OBJECT_NODE, BATCH_STATUS_NODE },
    { "resource", OBJECT_RESOURCE, BATCH_STATUS_RESOURCE },
    { "sched", OBJECT_SCHED, BATCH_STATUS_SCHED },
    { "job", OBJECT_JOB, BATCH_STATUS_JOB },
};

static size_t kind_of(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].word, word) == 0)
            return i;
    CU_FAIL_FATAL("no such kind");
    return 0;
}

/* The next word; what is left behind it is in *rest. */
static const char *word(struct rig *r, const char **rest)
{
    size_t len = strcspn(*rest, " ");
    const char *w = arena_strndup(r->arena, *rest, len);

    *rest += len + strspn(*rest + len, " ");
    return strcmp(w, "-") == 0 ? "" : w;
}

static int alter(struct rig *r, const char *user, const char *id, const char *attrs)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    body.attrs = rig_attrs(r, attrs);
    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* "op:" or "ann:" before a command: by that user, else by root, jobs by ann. */
static int carry_out(struct rig *r, const char *command)
{
    static const char *const verbs[] = { "create", "delete", "set", "unset" };
    const char *user = NULL, *verb, *kind, *name;
    size_t len = strcspn(command, ": ");

    if (command[len] == ':') {
        user = arena_strndup(r->arena, command, len);
        command += len + 1;
    }
    verb = word(r, &command);
    kind = word(r, &command);
    if (strcmp(verb, "submit") == 0)
        return submit_code(r, user ? user : RIG_USER, kind, command);
    if (strcmp(verb, "alter") == 0)
        return alter(r, user ? user : RIG_USER, kind, command);
    if (strcmp(verb, "run") == 0)
        return run_job(r, kind, command);
    name = word(r, &command);
    for (uint32_t v = 0; v < ARRAY_LEN(verbs); v++)
        if (strcmp(verbs[v], verb) == 0)
            return rig_manager(r, user ? user : RIG_ROOT, v, kinds[kind_of(kind)].type,
                               name, command);
    CU_FAIL_FATAL("no such verb");
    return -1;
}

static void set_up(struct rig *r, const char *before)
{
    while (*before) {
        size_t len = strcspn(before, ";");
        const char *command = arena_strndup(r->arena, before, len);

        if (carry_out(r, command)) {
            printf("%s: %s\n", command, rig_text(r));
            CU_FAIL("not set up");
        }
        before += len + strspn(before + len, "; ");
    }
}

static void check_shown(struct rig *r, const struct example *e)
{
    const char *rest = e->shown;
    const char *kind = word(r, &rest), *name = word(r, &rest);

    while (*rest) {
        const char *pair = word(r, &rest);
        size_t len = strcspn(pair, "=");
        const char *attr = arena_strndup(r->arena, pair, len);
        const char *want = strcmp(pair + len, "=-") == 0 ? NULL : pair + len + 1;
        const char *got =
            rig_value(r, RIG_ROOT, kinds[kind_of(kind)].status, name, attr);

        if (!str_same(got, want))
            printf("\n  %s: %s is %s\n", e->command, attr, got ? got : "not set");
        CU_ASSERT(str_same(got, want));
    }
}

static void run(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct example *e = &examples[i];
        struct rig *r = rig_new();
        uint64_t seq;
        int code;

        for (size_t k = 0; k < ARRAY_LEN(world); k++)
            set_up(r, world[k]);
        if (e->before)
            set_up(r, e->before);
        seq = svr_model(r->s)->seq;
        code = carry_out(r, e->command);
        if (code != e->code || (e->text && strcmp(rig_text(r), e->text) != 0))
            printf("\n  %s: %d \"%s\"\n", e->command, code, rig_text(r));
        CU_ASSERT_EQUAL(code, e->code);
        if (e->text)
            CU_ASSERT_STRING_EQUAL(rig_text(r), e->text);
        if (code) /* nothing is half changed */
            CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
        if (e->shown)
            check_shown(r, e);
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

#define RUN(examples) run(examples, ARRAY_LEN(examples))

static void test_section_20(void)
{
    static const struct example examples[] = {
        { NULL, "set server - foo=1", 15002, "Undefined attribute  foo", NULL },
        { NULL, "set server - scheduling=maybe", 15014, BAD " scheduling", NULL },
        { NULL, "set server - max_array_size=abc", 15014, BAD " max_array_size", NULL },
        { NULL, "set server - total_jobs=3", 15003, READ_ONLY " total_jobs", NULL },
        { NULL, "set server - default_queue=nosuch", 15018, "Unknown queue", NULL },
        { NULL, "set server - managers=bob", 15008, NULL, NULL },
        { "set server - managers=dup@a.b", "set server - managers+=dup@a.b", 15055,
          "Duplicate entry in list  managers", NULL },
        { NULL, "set server - resources_max.nosuch=3", 15035,
          UNKNOWN " resources_max.nosuch", NULL },
        { NULL, "set server - max_run_res.arch=[u:bob=3]", 15109,
          "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is "
          "max_run_res.arch",
          NULL },
        { NULL, "set server - node_group_key=ncpus", 15100, NULL, NULL },
        { NULL, "set server - node_group_key=nosuch", 15035, UNKNOWN, NULL },
        { NULL, "set server - jobscript_max_size=3gb", 15176, NULL, NULL },
        { NULL, "set server - job_sort_formula=ncpus*x", 15124, NULL, NULL },
        { NULL, "set server - job_sort_formula=1+(", 15123, NULL, NULL },
        { NULL, "set queue q queue_type=bogus", 15014, NULL, NULL },
        { "create queue p", "set queue p enabled=t", 15030, NULL, NULL },
        { "create queue p queue_type=r", "set queue p enabled=t", 15030, NULL, NULL },
        { NULL, "set queue q resources_max.min_walltime=5", 15166,
          "Resource limits can not be set for the resource resources_max.min_walltime",
          NULL },
        { NULL, "set queue q default_chunk.walltime=5", 15109, NOT_WITH ": walltime",
          NULL },
        { "create queue p queue_type=r", "set queue p partition=x", 15217, NULL, NULL },
        { NULL, "create queue q -", 15025, "Queue already exists", NULL },
        { NULL, "delete queue nosuch", 15018, "Unknown queue", NULL },
        { NULL, "set queue nosuch enabled=t", 15018, "Unknown queue", NULL },
        { NULL, "set node n1 foo=1", 15002, "Undefined attribute  foo", NULL },
        { NULL, "set node n1 queue=nosuch", 15018, "Unknown queue", NULL },
        { NULL, "set node nosuch state=free", 15062, "Unknown node ", NULL },
        { NULL, "create node n1", 15066, "Node name already exists", NULL },
        { NULL, "set node n1 current_aoe=x", 15149, NULL, NULL },
        { NULL, "submit - Resource_List.nosuch=3", 15035,
          UNKNOWN " Resource_List.nosuch", NULL },
        { NULL, "submit nosuch", 15018, "Unknown queue", NULL },
        { NULL, "submit - Resource_List.nodect=3", 15003,
          READ_ONLY " Resource_List.nodect", NULL },
        { NULL, "submit - Resource_List.energy=3", 15003, NULL, NULL },
        { NULL, "submit - Resource_List.cpupercent=3", 15003, NULL, NULL },
        { NULL, "submit - Resource_List.exec_vnode=(n1)", 15003, NULL, NULL },
        { NULL, "submit - Resource_List.soft_walltime=3", 15003, NULL, NULL },
        { NULL, "op:submit - Resource_List.soft_walltime=3", 15003, NULL, NULL },
        { NULL, "man:submit - Resource_List.soft_walltime=3", 0, NULL, NULL },
        { NULL, "submit - Resource_List.max_walltime=10", 15162, NULL, NULL },
        { NULL, "submit - Resource_List.min_walltime=10 Resource_List.max_walltime=5",
          15163, NULL, NULL },
        { NULL, "submit - comment=hi", 15003, READ_ONLY " comment", NULL },
        { NULL, "submit - sched_hint=2", 15003, READ_ONLY " sched_hint", NULL },
        { NULL, "submit - Exit_status=3", 15003, READ_ONLY " Exit_status", NULL },
        { NULL, "submit - foo=bar", 15002, NULL, NULL },
        { NULL, "submit - User_List=other", 15023, NULL, NULL },
        { NULL, "submit - group_list=nosuch", 15045, NULL, NULL },
        { NULL, "submit - Checkpoint=c=0", 15014, NULL, NULL },
        { NULL, "submit - project=a/b", 15014, BAD " project", NULL },
        { NULL, "submit - max_run_subjobs=3", 15231, NULL, NULL },
        { "submit -", "alter 0.svr Resource_List.nosuch=1", 15035,
          UNKNOWN " Resource_List.nosuch", NULL },
        { "submit -", "alter 0.svr Resource_List.:mem=1gb", 15035,
          UNKNOWN " Resource_List.:mem", NULL },
        { "submit -", "alter 0.svr Resource_List.nosuch=", 15035,
          UNKNOWN " Resource_List.nosuch", NULL },
        { NULL, "submit - Resource_List.:mem=1gb", 15014, BAD " Resource_List.:mem",
          NULL },
        { NULL, "submit - Resource_List.x$y=1", 15014, BAD " Resource_List.x$y", NULL },
        { NULL, "submit - Resource_List.1a=1", 15014, BAD " Resource_List.1a", NULL },
        { NULL, "submit - Resource_List.walltime=", 15014,
          BAD " Resource_List.walltime", NULL },
        { NULL, "submit - Resource_List.software=", 0, NULL, NULL },
        { NULL, "set server - resources_max.mem:=1", 15014,
          BAD " resources_max.mem:", NULL },
        { NULL, "set queue q resources_default.nosuch=1", 15035,
          UNKNOWN " resources_default.nosuch", NULL },
        { NULL, "unset server - resources_max.nosuch", 15035,
          UNKNOWN " resources_max.nosuch", NULL },
        { "submit -", "alter 0.svr Resource_List.nodect=2", 15003,
          READ_ONLY " Resource_List.nodect", NULL },
        { NULL, "alter 99999.svr Priority=1", 15001, "Unknown Job Id", NULL },
    };

    RUN(examples);
}

#define LIMITED "set server - resources_max.walltime=300; "

/* A resource that is unset gets what a new job would get (attributes.md 14.4). */
static void test_what_comes_back(void)
{
    static const struct example examples[] = {
        { "submit - Resource_List.walltime=100",
          "ann:alter 0.svr Resource_List.walltime=", 0, NULL,
          "job 0.svr Resource_List.walltime=-" },
        { LIMITED "submit - Resource_List.walltime=100",
          "ann:alter 0.svr Resource_List.walltime=", 0, NULL,
          "job 0.svr Resource_List.walltime=00:05:00" },
        { LIMITED "set server - resources_default.walltime=200; "
                  "submit - Resource_List.walltime=100",
          "ann:alter 0.svr Resource_List.walltime=", 0, NULL,
          "job 0.svr Resource_List.walltime=00:03:20" },
        { LIMITED "set server - resources_default.walltime=200; set queue q "
                  "resources_default.walltime=50; submit q Resource_List.walltime=100",
          "ann:alter 0.svr Resource_List.walltime=", 0, NULL,
          "job 0.svr Resource_List.walltime=00:00:50" },
        { "submit - Resource_List.ncpus=2 Resource_List.mem=1gb",
          "alter 0.svr Resource_List.mem=", 0, NULL,
          "job 0.svr Resource_List.mem=- Resource_List.select=1:ncpus=2" },
        { "submit -", "alter 0.svr Resource_List.select=", 15014,
          BAD " Resource_List.select", NULL },
        { "submit -", "alter 0.svr Resource_List.place=", 15014,
          BAD " Resource_List.place", NULL },
        { "submit - Resource_List.ncpus=2", "alter 0.svr Resource_List.ncpus=", 15014,
          BAD " Resource_List.ncpus", NULL },
        { "submit -", "alter 0.svr Resource_List.nodect=", 15014,
          BAD " Resource_List.nodect", NULL },
    };

    RUN(examples);
}

/* What a request may say of vnodes (attributes.md 11); qrun adds its own text to that
 * of an unknown one. What cannot be read is refused, also where it once was not. */
static void test_vnodes_to_run_on(void)
{
    static const struct example examples[] = {
        { "submit -", "run 0.svr nosuch", 15062, "Unknown node ", NULL },
        { "submit -", "run 0.svr (nosuch:ncpus=1)", 15062, "Unknown node ", NULL },
        { "submit -", "run 0.svr ()", 15062, "Unknown node ", NULL },
        { "submit - Resource_List.select=2:ncpus=1", "run 0.svr n1+nosuch", 15062,
          "Unknown node ", NULL },
        { "submit - Resource_List.select=1000000000:ncpus=1", "run 0.svr n1", 15089,
          "node(s) specification error", NULL },
        { "submit -", "run 0.svr n1:ncpus", 15014, BAD, NULL },
        { "submit -", "run 0.svr n1:", 15014, BAD, NULL },
        { "submit -", "run 0.svr :ncpus=1", 15014, BAD, NULL },
        { "submit -", "run 0.svr n1:nosuch=1", 15035, UNKNOWN ": nosuch", NULL },
        { "submit -", "run 0.svr +", 15089, "node(s) specification error", NULL },
        { "submit -", "run 0.svr -", 15004, "Invalid request", NULL },
        { "submit -", "run 0.svr (n1:ncpus=1)+", 15014, BAD, NULL },
        { "submit -", "run 0.svr (n1:ncpus=1", 15014, BAD, NULL },
        { "submit -", "run 0.svr n1:ncpus=x", 15014, BAD, NULL },
        { "submit -", "run 0.svr (n1:ncpus=1)(n1:ncpus=1)", 15014, BAD, NULL },
    };

    RUN(examples);
}

static void test_resources_keep_their_flags(void)
{
    static const struct example examples[] = {
        { NULL, "submit - Resource_List.seen=1", 15003, READ_ONLY " Resource_List.seen",
          NULL },
        { NULL, "op:submit - Resource_List.seen=1", 0, NULL, NULL },
        { NULL, "submit - Resource_List.inv=1", 15003, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=1:inv=1", 15108,
          IN_SELECT ": inv", NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=1+1:RO=1", 15108,
          IN_SELECT ": RO", NULL },
        { NULL, "man:submit - Resource_List.select=1:ncpus=1:ro=1", 0, NULL, NULL },
        { "submit -", "alter 0.svr Resource_List.select=1:ncpus=1:ro=1", 15108, NULL,
          NULL },
        { "man:submit - Resource_List.select=1:ncpus=1:ro=1",
          "man:alter 0.svr Resource_List.walltime=60", 0, NULL, NULL },
        { NULL, "op:set queue q resources_default.ro=1", 0, NULL, NULL },
        { NULL, "op:set queue q resources_default.nodect=1", 15003,
          READ_ONLY " resources_default.nodect", NULL },
        { NULL, "set queue q resources_default.nodect=1", 0, NULL, NULL },
        { "set queue q resources_default.ro=1", "submit q", 0, NULL,
          "job 0.svr Resource_List.ro=1 Resource_List.select=1:ncpus=1:ro=1" },
    };

    RUN(examples);
}

static void test_definitions_are_changed_only_where_nobody_counts_on_them(void)
{
    static const struct example examples[] = {
        { "set node n1 resources_available.sz=1gb; set node n2 "
          "resources_available.sz=@n1",
          "delete resource sz", 0, NULL,
          "node n2 resources_available.sz=- resources_assigned.sz=-" },
        { "set node n1 resources_available.sz=1gb; set node n2 "
          "resources_available.sz=@n1; unset node n2 resources_available.sz; set node "
          "n2 resources_available.sz=@n1; set node n1 comment=x",
          "set resource sz type=long", 15174, "Resource busy on node", NULL },
        { "submit - Resource_List.lic=3", "delete resource lic", 15174,
          "Resource busy on job", NULL },
        { "submit - Resource_List.select=1:ncpus=1:foo=3", "set resource foo flag=h",
          15174, "Resource busy on job", NULL },
        { "submit - Resource_List.select=1:ncpus=1:foo=3", "set resource foo flag=hnm",
          0, NULL, NULL },
        { "create resource a type=long; set server - resources_max.a=3; set server - "
          "default_chunk.foo=1; set queue q resources_min.a=1; set node n1 "
          "resources_available.a=4; set server - max_run_res.a=[u:bob=3]",
          "delete resource a", 0, NULL,
          "server - resources_max.a=- max_run_res.a=- default_chunk.foo=1" },
    };

    RUN(examples);
}

/* Sums of an ended job's resources do not outlive what they were counted by. */
static void test_a_definition_that_returns_starts_at_nothing(void)
{
    static const char *const again[] = {
        "set resource lic type=string flag=",
        "set resource lic type=string_array flag=h",
        "set resource lic type=size flag=q",
        "set resource lic type=boolean flag=h",
        "delete resource lic; create resource lic type=float flag=q",
        "delete resource lic; create resource lic type=string_array",
    };

    for (size_t i = 0; i < ARRAY_LEN(again); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id;

        set_up(fm.r, "create resource lic type=long flag=q; set server - "
                     "resources_default.lic=3");
        id = running_job(&fm);
        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        CU_ASSERT(str_same(rig_value(fm.r, RIG_ROOT, BATCH_STATUS_SERVER, "",
                                     "resources_assigned.lic"),
                           "3"));
        CU_ASSERT_EQUAL(carry_out(fm.r, "set resource lic type=size"), 15174);
        fake_obit(&fm, id, 1, 0);
        rig_advance(fm.r, fm.r->now_at + 1);
        delete_job(fm.r, RIG_ROOT, id, "force");
        set_up(fm.r, "unset server - resources_default.lic");
        set_up(fm.r, again[i]);
        CU_ASSERT_PTR_NULL(rig_value(fm.r, RIG_ROOT, BATCH_STATUS_SERVER, "",
                                     "resources_assigned.lic"));
        CU_ASSERT_PTR_NULL(rig_value(fm.r, RIG_ROOT, BATCH_STATUS_QUEUE, "workq",
                                     "resources_assigned.lic"));
        CU_ASSERT_TRUE(rig_is_same(fm.r));
        fake_mom_free(&fm);
    }
}

static void test_selects(void)
{
    static const struct example examples[] = {
        { NULL, "submit - Resource_List.select=1:", 15014, BAD " Resource_List.select",
          NULL },
        { NULL, "submit - Resource_List.select=1:ncpus", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=1+", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=+1", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=-1:ncpus=1", 15014,
          BAD " Resource_List.select", NULL },
        { NULL, "submit - Resource_List.select=0", 15014, BAD, NULL },
        { NULL, "submit - Resource_List.select=0:ncpus=1", 15014, BAD, NULL },
        { NULL, "submit - Resource_List.select=0:ncpus=1+1:ncpus=1", 0, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=x", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=-1", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:mem=5x", 15014, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:nosuch=1", 15035, UNKNOWN ": nosuch",
          NULL },
        { NULL, "submit - Resource_List.select=1:walltime=3", 15108,
          IN_SELECT ": walltime", NULL },
        { NULL, "submit - Resource_List.select=1:software=x", 15108,
          IN_SELECT ": software", NULL },
        { NULL, "submit - Resource_List.select=1:low=x", 15108, IN_SELECT ": low",
          NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=1:ncpus=2", 15116,
          "duplicated resource within a section of a select specification, resource "
          "is: ncpus",
          NULL },
        { NULL, "submit - Resource_List.select=1:bo=yes", 15014, BAD, NULL },
        { "unset server - default_chunk", "submit - Resource_List.select=2", 15108,
          IN_SELECT, NULL },
        { "unset server - default_chunk", "submit - Resource_List.select=2+1:ncpus=1",
          15108, IN_SELECT, NULL },
        { "unset server - default_chunk; set queue q default_chunk.mem=1mb",
          "submit q Resource_List.select=2", 0, NULL,
          "job 0.svr schedselect=2:mem=1mb Resource_List.mem=2mb" },
        { NULL, "submit - Resource_List.select=2", 0, NULL,
          "job 0.svr schedselect=2:ncpus=1 Resource_List.ncpus=2" },
        { NULL, "submit - Resource_List.select=1:ncpus=1:aoe=a+1:ncpus=1", 15155, NULL,
          NULL },
        { NULL, "submit - Resource_List.select=1:ncpus=1:host=a*b", 0, NULL, NULL },
        { NULL, "submit - Resource_List.select=1:NCPUS=1", 0, NULL,
          "job 0.svr Resource_List.select=1:NCPUS=1 schedselect=1:NCPUS=1 "
          "Resource_List.ncpus=1" },
        { NULL, "submit - Resource_List.NCPUS=3", 0, NULL,
          "job 0.svr Resource_List.ncpus=3" },
    };

    RUN(examples);
}

static void test_places_and_combinations(void)
{
#define S "Resource_List.select=1:ncpus=1 "
    static const struct example examples[] = {
        { NULL, "submit - " S "Resource_List.place=Scatter:EXCLHOST:group=sa", 0, NULL,
          "job 0.svr Resource_List.place=Scatter:EXCLHOST:group=sa" },
        { NULL, "submit - " S "Resource_List.place=scat", 15014,
          BAD " Resource_List.place", NULL },
        { NULL, "submit - " S "Resource_List.place=share", 15014, NULL, NULL },
        { NULL, "submit - " S "Resource_List.place=exclh", 15014, NULL, NULL },
        { NULL, "submit - " S "Resource_List.place=pack:free", 15014, NULL, NULL },
        { NULL, "submit - " S "Resource_List.place=excl:shared", 15014, NULL, NULL },
        { NULL, "submit - " S "Resource_List.place=pack:", 15014, NULL, NULL },
        { NULL, "submit - " S "Resource_List.place=group=nosuch", 15035,
          UNKNOWN " Resource_List.place", NULL },
        { NULL, "submit - " S "Resource_List.place=group=ncpus", 15100, NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=queue=nosuch", 15018,
          "Unknown queue Resource_List.preempt_targets", NULL },
        { NULL, "submit - Resource_List.preempt_targets=queue=q,queue=nosuch", 15018,
          NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=Resource_List.nosuch=1", 15035,
          NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=Resource_List.foo=x", 15014,
          NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=Resource_List.foo=", 15014,
          NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=Resource_List.foo", 15014, NULL,
          NULL },
        { NULL, "submit - Resource_List.preempt_targets=foo", 15014,
          BAD " Resource_List.preempt_targets", NULL },
        { NULL, "submit - Resource_List.preempt_targets=NONE,queue=q", 15014, NULL,
          NULL },
        { NULL, "submit - Resource_List.preempt_targets=none", 0, NULL, NULL },
        { NULL, "submit - Resource_List.preempt_targets=queue=q,Resource_List.foo=1", 0,
          NULL, "job 0.svr Resource_List.preempt_targets=queue=q,Resource_List.foo=1" },
        { "submit - Job_Name=one",
          "alter 0.svr Resource_List.preempt_targets=queue=nosuch", 15018, NULL,
          "job 0.svr Resource_List.preempt_targets=-" },
        { "create queue gone queue_type=e; submit - "
          "Resource_List.preempt_targets=queue=gone; delete queue gone",
          "alter 0.svr Priority=3", 0, NULL, "job 0.svr Priority=3" },
        { NULL, "submit - " S "Resource_List.ncpus=2", 15109, NOT_WITH ": ncpus",
          NULL },
        { NULL, "submit - " S "Resource_List.nodes=2", 15110,
          "Cannot be used with select or place: nodes", NULL },
        { NULL, "submit - Resource_List.place=free", 15111,
          "Cannot have \"place\" without \"select\"", NULL },
        { NULL, "submit - Resource_List.place=free Resource_List.ncpus=2", 15109, NULL,
          NULL },
        { NULL, "submit - " S "Resource_List.walltime=9 Resource_List.software=x", 0,
          NULL, "job 0.svr Resource_List.walltime=00:00:09" },
        { "submit - " S, "alter 0.svr Resource_List.ncpus=2", 15109, NOT_WITH ": ncpus",
          NULL },
    };
#undef S
    RUN(examples);
}

static void test_older_forms(void)
{
    static const struct example examples[] = {
        { NULL, "submit - Resource_List.ncpus=3 Resource_List.mem=2gb", 0, NULL,
          "job 0.svr Resource_List.select=1:mem=2gb:ncpus=3 Resource_List.place=pack" },
        { NULL, "submit - Resource_List.sa=a+b", 0, NULL,
          "job 0.svr Resource_List.select=1:ncpus=1:sa=\"a+b\"" },
        { NULL, "submit - Resource_List.sa=a\"b", 0, NULL,
          "job 0.svr Resource_List.select=1:ncpus=1:sa='a\"b'" },
        { NULL, "submit -", 0, NULL,
          "job 0.svr Resource_List.select=1:ncpus=1 Resource_List.place=pack "
          "Resource_List.nodect=1" },
        { NULL, "submit - Resource_List.nodes=2", 0, NULL,
          "job 0.svr Resource_List.nodes=2 Resource_List.select=2:ncpus=1 "
          "Resource_List.place=scatter Resource_List.nodect=2 Resource_List.ncpus=2 "
          "schedselect=2:ncpus=1" },
        { NULL, "submit - Resource_List.nodes=2:ppn=3", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=3:mpiprocs=3 "
          "Resource_List.mpiprocs=6 Resource_List.ncpus=6" },
        { NULL, "submit - Resource_List.nodes=2:ppn=2:cpp=2", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=4:mpiprocs=2" },
        { NULL, "submit - Resource_List.nodes=h1:ppn=2+2", 0, NULL,
          "job 0.svr "
          "Resource_List.select=1:ncpus=2:host=h1:mpiprocs=2+2:ncpus=1" },
        { NULL, "submit - Resource_List.nodes=2 Resource_List.ncpus=4", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=2 Resource_List.ncpus=4" },
        { NULL, "submit - Resource_List.nodes=2:ppn=2 Resource_List.ncpus=8", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=4:mpiprocs=2" },
        { NULL, "submit - Resource_List.nodes=2 Resource_List.ncpus=3", 15014, NULL,
          NULL },
        { NULL, "submit - Resource_List.nodes=2 Resource_List.mem=4gb", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=1:mem=2097152KB "
          "Resource_List.mem=4194304kb" },
        { NULL, "submit - Resource_List.nodes=2#excl", 0, NULL,
          "job 0.svr Resource_List.place=scatter:excl" },
        { NULL, "submit - Resource_List.nodes=2#shared", 0, NULL,
          "job 0.svr Resource_List.place=scatter:shared" },
        { NULL, "submit - Resource_List.nodes=2:bo", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=1:bo=True" },
        { NULL, "submit - Resource_List.nodes=2:foo", 15108, IN_SELECT ": foo", NULL },
        { NULL, "submit - Resource_List.nodes=1:mem=3gb", 15089,
          "node(s) specification error", NULL },
        { NULL, "submit - Resource_List.nodes=2:ppn=0", 15089, NULL, NULL },
        { NULL, "submit - Resource_List.nodes=-1", 15014, BAD " Resource_List.nodes",
          NULL },
        { NULL, "submit - Resource_List.nodes=2*", 15014, NULL, NULL },
        { "set queue q resources_default.nodes=2:ppn=2", "submit q", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=2:mpiprocs=2" },
        { "submit - Resource_List.ncpus=3 Resource_List.mem=2gb",
          "alter 0.svr Resource_List.ncpus=4", 0, NULL,
          "job 0.svr Resource_List.select=1:mem=2gb:ncpus=4 Resource_List.place=pack "
          "Resource_List.ncpus=4 Resource_List.nodect=1 "
          "schedselect=1:mem=2gb:ncpus=4" },
        { "submit -", "alter 0.svr Resource_List.mem=1gb Resource_List.walltime=9", 0,
          NULL, "job 0.svr Resource_List.select=1:mem=1gb:ncpus=1" },
        { "submit - Resource_List.ncpus=3 Resource_List.mem=2gb",
          "alter 0.svr Resource_List.mem=", 0, NULL,
          "job 0.svr Resource_List.select=1:ncpus=3 Resource_List.mem=-" },
        { "submit - Resource_List.ncpus=3",
          "alter 0.svr Resource_List.select=2:ncpus=2", 0, NULL,
          "job 0.svr schedselect=2:ncpus=2 Resource_List.ncpus=4 "
          "Resource_List.place=pack" },
        { "submit - Resource_List.ncpus=3; alter 0.svr Resource_List.select=2:ncpus=2",
          "alter 0.svr Resource_List.ncpus=5", 15109, NOT_WITH ": ncpus",
          "job 0.svr Resource_List.ncpus=4" },
        { "submit - Resource_List.ncpus=3",
          "alter 0.svr Resource_List.ncpus=5 Resource_List.place=scatter", 15109,
          NOT_WITH ": ncpus", NULL },
        { "submit - Resource_List.ncpus=3", "alter 0.svr Resource_List.walltime=60", 0,
          NULL, "job 0.svr Resource_List.select=1:ncpus=3" },
        { "submit - Resource_List.nodes=2 Resource_List.mem=4gb",
          "alter 0.svr Resource_List.ncpus=4", 0, NULL,
          "job 0.svr Resource_List.select=2:ncpus=2:mem=2097152KB" },
        { "submit - Resource_List.nodes=2", "alter 0.svr Resource_List.nodes=3:ppn=2",
          0, NULL,
          "job 0.svr Resource_List.nodes=3:ppn=2 "
          "Resource_List.select=3:ncpus=2:mpiprocs=2 Resource_List.ncpus=6 "
          "schedselect=3:ncpus=2:mpiprocs=2" },
    };

    RUN(examples);
}

static void test_defaults_and_sums(void)
{
    static const struct example examples[] = {
        { "set queue q resources_default.select=3:ncpus=2",
          "submit q Resource_List.ncpus=2", 0, NULL,
          "job 0.svr Resource_List.select=3:ncpus=2 Resource_List.ncpus=6" },
        { "set queue q resources_default.walltime=60; set server - "
          "resources_default.walltime=90; set queue q resources_max.walltime=70",
          "submit q", 0, NULL, "job 0.svr Resource_List.walltime=00:01:00" },
        { "set server - resources_max.walltime=90; set queue q "
          "resources_max.walltime=70",
          "submit q", 0, NULL, "job 0.svr Resource_List.walltime=00:01:10" },
        { "set queue q default_chunk.mem=100mb; set server - default_chunk.sa=x; set "
          "queue q default_chunk.nchunk=4",
          "submit q Resource_List.select=ncpus=1+2:ncpus=1", 0, NULL,
          "job 0.svr schedselect=4:ncpus=1:mem=100mb:sa=x+2:ncpus=1:mem=100mb:sa=x "
          "Resource_List.nodect=6 Resource_List.mem=600mb" },
        { NULL, "submit - Resource_List.select=1:mem=100m:bo=t+2:mem=5", 0, NULL,
          "job 0.svr "
          "schedselect=1:mem=100mb:bo=True:ncpus=1+2:mem=5b:ncpus=1" },
        { NULL, "submit - Resource_List.select=3:mem=100mb:fl=1.5", 0, NULL,
          "job 0.svr Resource_List.mem=300mb Resource_List.fl=4.5 "
          "Resource_List.nodect=3" },
        { "unset server - default_chunk", "submit - Resource_List.select=2:mem=1gb", 0,
          NULL, "job 0.svr Resource_List.ncpus=1 Resource_List.mem=2gb" },
        { NULL, "unset server - resources_default.ncpus", 0, NULL,
          "server - resources_default.ncpus=1" },
        { "create queue p queue_type=e enabled=t; set queue p "
          "resources_default.place=scatter",
          "submit p Resource_List.ncpus=2", 0, NULL,
          "job 0.svr Resource_List.place=scatter" },
    };

    RUN(examples);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the catalogue of bad inputs is answered to the letter", test_section_20 },
        { "users do not ask for what is kept from them",
          test_resources_keep_their_flags },
        { "definitions are changed only where nobody counts on them",
          test_definitions_are_changed_only_where_nobody_counts_on_them },
        { "a definition that returns starts at nothing",
          test_a_definition_that_returns_starts_at_nothing },
        { "what is unset gets its default back", test_what_comes_back },
        { "vnodes to run on are read as the table says", test_vnodes_to_run_on },
        { "selects are refused and completed as the table says", test_selects },
        { "places and combinations follow theirs", test_places_and_combinations },
        { "older forms become a select", test_older_forms },
        { "defaults fill in and sums win", test_defaults_and_sums },
    };

    return unit_main("catalogue", cases, ARRAY_LEN(cases));
}
