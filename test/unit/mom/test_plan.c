/* test_plan.c - what a MoM works out before a job is started: its arguments,
 * environment, node file and limits, also of a user who asks for as much as a job may
 * have (execution.md 11 to 15). Work that grew with the square of that took most of a
 * minute here, for which the MoM served nobody.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/plan.h"

#include "../unit.h"
#include "lib/base/buf.h"
#include "mom/shell/home.h"
#include "mom/shell/usecp.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "1.svr"

struct site {
    struct arena *arena;
    struct conf conf;
    struct config config;
    struct plan_host host;
    struct wire_attrs attrs;
    char home[32];
};

static void add(struct site *s, const char *name, const char *resource,
                const char *value)
{
    wire_attrs_add(&s->attrs, s->arena, name, resource, value, WIRE_OP_SET);
}

static void site_new(struct site *s)
{
    char aux[64];

    *s = (struct site){ .arena = arena_new(), .home = "/tmp/test_plan.XXXXXX" };
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s->home));
    snprintf(aux, sizeof(aux), "%s/aux", s->home);
    CU_ASSERT_EQUAL_FATAL(mkdir(aux, 0700), 0);
    s->conf.environment = "/nonexistent";
    s->host = (struct plan_host){ &s->conf, &s->config, s->home, "h1", 15003 };
    add(s, "euser", NULL, getpwuid(geteuid())->pw_name);
}

static void site_free(struct site *s)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/aux/" ID, s->home);
    unlink(path);
    snprintf(path, sizeof(path), "%s/aux", s->home);
    CU_ASSERT_EQUAL(rmdir(path), 0);
    CU_ASSERT_EQUAL(rmdir(s->home), 0);
    arena_free(s->arena);
}

static int make_at(struct site *s, const char *type, struct plan *ret)
{
    const struct plan_terminal terminal = { .type = type };
    struct diag why = { 0 };

    if (!wire_attrs_value(&s->attrs, "exec_vnode", NULL))
        add(s, "exec_vnode", NULL, "(h1:ncpus=1)");
    return plan_make(&s->host, ID, &s->attrs, type ? &terminal : NULL, s->arena, ret,
                     &why);
}

static int make(struct site *s, struct plan *ret)
{
    return make_at(s, NULL, ret);
}

static const char *value_of(const struct plan *p, const char *name)
{
    size_t len = strlen(name);

    for (char **v = p->envp; *v; v++)
        if (strncmp(*v, name, len) == 0 && (*v)[len] == '=')
            return *v + len + 1;
    return NULL;
}

static void test_arguments(void)
{
    enum {
        N = 23000
    };
    struct site s;
    struct plan p;
    struct buf xml = { 0 };

    site_new(&s);
    for (int i = 0; i < N; i++)
        buf_add_str(&xml,
                    i % 2 ? "<jsdl-hpcpa:Argument>a&amp;&lt;b&x</jsdl-hpcpa:Argument>"
                          : "<jsdl-hpcpa:Argument></jsdl-hpcpa:Argument>");
    add(&s, "executable", NULL, "/bin/echo");
    add(&s, "argument_list", NULL, xml.data);
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    CU_ASSERT_STRING_EQUAL(p.argv[0], "/bin/echo");
    for (int i = 0; i < N; i++)
        CU_ASSERT_STRING_EQUAL(p.argv[i + 1], i % 2 ? "a&<b&x" : "");
    CU_ASSERT_PTR_NULL(p.argv[N + 1]);
    buf_fini(&xml);
    site_free(&s);
}

/* What is no whole element is none. */
static void test_arguments_that_are_cut(void)
{
    static const char *const cut[] = { "",           "<Argument",
                                       "<Argument>", "<Argument>x",
                                       "Argument",   "x" };

    for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        add(&s, "executable", NULL, "/bin/echo");
        add(&s, "argument_list", NULL, cut[i]);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        CU_ASSERT_PTR_NULL(p.argv[1]);
        site_free(&s);
    }
}

static void test_environment(void)
{
    enum {
        N = 150000
    };
    struct site s;
    struct plan p;
    struct buf list = { 0 };
    size_t n = 0;

    site_new(&s);
    for (int i = 0; i < N; i++)
        buf_printf(&list, "V%d=,", i);
    buf_add_str(&list, "V7=a\\,b,V=,NOVALUE,=x,#C=y,PBS_JOBID=mine");
    add(&s, "Variable_List", NULL, list.data);
    add(&s, "cookie", NULL, "0123456789ABCDEF");
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    while (p.envp[n])
        n++;
    CU_ASSERT(n > N);
    CU_ASSERT_STRING_EQUAL(value_of(&p, "V7"), "a,b"); /* a later one replaces */
    CU_ASSERT_STRING_EQUAL(value_of(&p, "V"), "");
    CU_ASSERT_STRING_EQUAL(value_of(&p, "V149999"), "");
    CU_ASSERT_STRING_EQUAL(value_of(&p, "PBS_JOBID"), ID);
    CU_ASSERT_PTR_NULL(value_of(&p, "NOVALUE"));
    CU_ASSERT_PTR_NULL(value_of(&p, "#C"));
    CU_ASSERT_STRING_EQUAL(value_of(&p, "PBS_JOBCOOKIE"), "0123456789ABCDEF");
    CU_ASSERT_STRING_EQUAL(value_of(&p, "PBS_TASKNUM"), "1");
    buf_fini(&list);
    site_free(&s);
}

static void expect_nodefile(const struct plan *p, const char *expected)
{
    struct buf text = { 0 };

    CU_ASSERT_TRUE(home_read(p->nodefile, 1 << 20, &text));
    CU_ASSERT_STRING_EQUAL(text.data ? text.data : "", expected);
    buf_fini(&text);
}

static void test_nodefile(void)
{
    static const struct {
        const char *asked, *hosts, *placed, *expected;
    } cases[] = {
        { "2:ncpus=1+1:ncpus=1:mpiprocs=3", "a.x:1/0+b:1/0*2+c/1",
          "(a:ncpus=1)+(b:ncpus=1)+(c:ncpus=1)", "a\nb\nc\nc\nc\n" },
        { "1:mpiprocs=2+1:mpiprocs=0+1:mpiprocs=-5", "a/0+b/0+c/0", "(a)+(b)+(c)",
          "a\na\n" },
        { "1:ncpus=1", "", "(a:ncpus=1)", "h1\n" },
        { "1:ncpus=1", "a/0", "(a:ncpus=1)+(b:ncpus=1)", "a\nh1\n" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        add(&s, "schedselect", NULL, cases[i].asked);
        add(&s, "exec_host2", NULL, cases[i].hosts);
        add(&s, "exec_vnode", NULL, cases[i].placed);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        expect_nodefile(&p, cases[i].expected);
        site_free(&s);
    }
}

/* A word asks for gigabytes of lines; the job does not start. */
static void test_a_nodefile_without_end(void)
{
    static const char *const asked[] = { "1:mpiprocs=1000001",
                                         "1:mpiprocs=99999999999999999999",
                                         "2:mpiprocs=600000" };

    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        add(&s, "schedselect", NULL, asked[i]);
        add(&s, "exec_vnode", NULL, "(a)+(b)");
        CU_ASSERT_EQUAL(make(&s, &p), START_FAILED_EARLY);
        site_free(&s);
    }
}

static rlim_t limit_of(const struct plan *p, int resource)
{
    for (size_t i = 0; i < p->n_limits; i++)
        if (p->limits[i].resource == resource)
            return p->limits[i].value;
    return RLIM_INFINITY;
}

/* Of two that the kernel knows as one the lower counts, and the processor's clock is
 * that of the host (execution.md 18). */
static void test_limits_of_one_kind(void)
{
    static const struct {
        const char *name, *value;
    } asked[] = { { "cput", "00:02:00" }, { "pcput", "00:01:00" }, { "file", "1mb" },
                  { "vmem", "2gb" },      { "pvmem", "1gb" },      { "mem", "10kb" },
                  { "pmem", "20kb" },     { "nice", "7" } };
    struct site s;
    struct plan p;

    site_new(&s);
    s.config.cputmult = 2;
    for (size_t i = 0; i < ARRAY_LEN(asked); i++)
        add(&s, "Resource_List", asked[i].name, asked[i].value);
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    CU_ASSERT_EQUAL(p.n_limits, 4);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_CPU), 30);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_FSIZE), 1 << 20);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_AS), 1 << 30);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_RSS), 10 << 10);
    CU_ASSERT_EQUAL(p.nice, 7);
    site_free(&s);
}

/* What a job has of this host is less than what it has of all. */
static void test_the_share_of_a_host(void)
{
    const struct mom_share share = { INT64_MAX, 2048, 1024 },
                           all = { INT64_MAX, INT64_MAX, INT64_MAX };
    struct site s;
    struct plan p;

    site_new(&s);
    add(&s, "Resource_List", "vmem", "2gb");
    add(&s, "Resource_List", "mem", "1mb");
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    plan_share(&p, &all);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_AS), 2LL << 30);
    plan_share(&p, &share);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_AS), 1 << 20);
    CU_ASSERT_EQUAL(limit_of(&p, RLIMIT_RSS), 1 << 20); /* the list says less */
    site_free(&s);
}

/* $reject_root_scripts */
static void test_jobs_of_root_may_be_rejected(void)
{
    struct site s;
    struct plan p;
    struct diag why;

    site_new(&s);
    s.config.reject_root_scripts = true;
    CU_ASSERT_EQUAL(plan_make(&s.host, ID, &s.attrs, NULL, s.arena, &p, &why),
                    geteuid() == 0 ? START_BAD_USER : 0);
    site_free(&s);
}

/* A group of this host that the user is not in; NULL: there is none. */
static const char *group_of_others(const struct passwd *pw)
{
    gid_t gids[1024];
    int n = ARRAY_LEN(gids);
    struct group *gr;

    CU_ASSERT_FATAL(getgrouplist(pw->pw_name, pw->pw_gid, gids, &n) >= 0);
    setgrent();
    while ((gr = getgrent())) {
        int i = 0;

        while (i < n && gids[i] != gr->gr_gid)
            i++;
        if (i == n)
            break;
    }
    endgrent();
    return gr ? gr->gr_name : NULL;
}

/* A user may have left the group of a job that waited, and a primary group may be a
 * number only (execution.md 11). */
static void test_groups(void)
{
    const struct passwd *pw = getpwuid(geteuid());
    char number[24], beside[24];
    struct {
        const char *egroup, *words; /* words: of the refusal, NULL: it is taken */
    } rows[] = {
        { number, NULL },
        { beside, "No Group Entry for Group" },
        { "no-such-group", "No Group Entry for Group no-such-group" },
        { NULL, "user not in group" },
    };

    snprintf(number, sizeof(number), "%u", (unsigned)pw->pw_gid);
    snprintf(beside, sizeof(beside), "%u", (unsigned)pw->pw_gid + 1);
    rows[3].egroup = group_of_others(pw);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rows[3].egroup);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct diag why = { 0 };
        struct site s;
        struct plan p;

        site_new(&s);
        add(&s, "egroup", NULL, rows[i].egroup);
        add(&s, "exec_vnode", NULL, "(h1:ncpus=1)");
        CU_ASSERT_EQUAL(plan_make(&s.host, ID, &s.attrs, NULL, s.arena, &p, &why),
                        rows[i].words ? START_BAD_USER : 0);
        if (rows[i].words) {
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, rows[i].words));
        } else {
            CU_ASSERT_EQUAL(p.gid, pw->pw_gid);
        }
        site_free(&s);
    }
}

/* The host of an entry is the beginning of this host's full name, however long the name
 * is under which it serves jobs (execution.md 12). */
static void test_the_shell_of_this_host(void)
{
    static const struct {
        const char *list, *shell; /* NULL: that of the account */
    } rows[] = {
        { "/bin/a", "/bin/a" },           { "/bin/a@h1.site.org,/bin/b", "/bin/a" },
        { "/bin/a@h2,/bin/b", "/bin/b" }, { "/bin/a@h1.sit", "/bin/a" },
        { "/bin/a@h1", "/bin/a" },        { "/bin/a@h1.site.organic,/bin/b", "/bin/b" },
        { "/bin/a@site.org", NULL },      { NULL, NULL },
    };
    const char *login = getpwuid(geteuid())->pw_shell;

    login = login && login[0] ? login : "/bin/sh";
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        s.host.full_name = "h1.site.org";
        if (rows[i].list)
            add(&s, "Shell_Path_List", NULL, rows[i].list);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        CU_ASSERT_STRING_EQUAL(p.program, rows[i].shell ? rows[i].shell : login);
        CU_ASSERT_STRING_EQUAL(value_of(&p, "SHELL"), p.program);
        site_free(&s);
    }
}

/* Servers take any number for a mask: one that is none opens no file to others. */
static void test_masks(void)
{
    static const struct {
        const char *asked;
        mode_t mask;
    } rows[] = { { NULL, 077 },   { "22", 022 },  { "0", 0 },    { "777", 0777 },
                 { "1022", 022 }, { "999", 077 }, { "28", 077 }, { "-1", 077 } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        if (rows[i].asked)
            add(&s, "umask", NULL, rows[i].asked);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        CU_ASSERT_EQUAL(p.umask, rows[i].mask);
        site_free(&s);
    }
}

/* The user is told only of a file that he wanted to have written at its destination
 * (execution.md 13). */
static void test_who_is_told_of_no_direct_file(void)
{
    static const struct {
        const char *keep, *output, *error;
        bool told;
    } rows[] = {
        { "oed", "h1:/tmp/o", "h1:/tmp/e", false },
        { "oed", "h1:/tmp/o", "far:/tmp/e", true },
        { "od", "h1:/tmp/o", "far:/tmp/e", false },
        { "od", "far:/tmp/o", "h1:/tmp/e", true },
        { "oe", "far:/tmp/o", "far:/tmp/e", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct site s;
        struct plan p;

        site_new(&s);
        add(&s, "Keep_Files", NULL, rows[i].keep);
        add(&s, "Output_Path", NULL, rows[i].output);
        add(&s, "Error_Path", NULL, rows[i].error);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        CU_ASSERT_EQUAL(p.remark != NULL, rows[i].told);
        site_free(&s);
    }
}

/* Tasks of the first host have no node file in their environment, those of other hosts
 * have, unless $gen_nodefile_on_sister_mom forbids it (execution.md 15). */
static void test_who_finds_the_node_file(void)
{
    static const struct {
        uint32_t ip;
        bool on_sisters, finds;
    } rows[] = { { 0, true, false },
                 { 0x7f000002, true, true },
                 { 0x7f000002, false, false } };
    static const char *args[] = { "/bin/true" };
    const struct wire_strings program = { 1, args }, none = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct plan_task task = { .number = 2, .args = &program, .env = &none };
        struct diag why = { 0 };
        struct site s;
        struct plan p;

        site_new(&s);
        CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
        CU_ASSERT_PTR_NOT_NULL(value_of(&p, "PBS_NODEFILE"));
        task.remote.ip = rows[i].ip;
        s.config.nodefile_on_sisters = rows[i].on_sisters;
        CU_ASSERT_EQUAL_FATAL(
            plan_make_task(&s.host, ID, &s.attrs, &task, s.arena, &p, &why), 0);
        CU_ASSERT_EQUAL(value_of(&p, "PBS_NODEFILE") != NULL, rows[i].finds);
        site_free(&s);
    }
}

static void test_limits(void)
{
    struct site s;
    struct plan p;

    site_new(&s);
    add(&s, "Resource_List", "cput", "00:01:00");
    add(&s, "Resource_List", "file", "2kb");
    add(&s, "Resource_List", "vmem", "9007199254740993kb"); /* more bytes than count */
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    CU_ASSERT_EQUAL_FATAL(p.n_limits, 2);
    CU_ASSERT_EQUAL(p.limits[0].value, 60);
    CU_ASSERT_EQUAL(p.limits[1].value, 2048);
    site_free(&s);
}

/* Whoever is at a terminal types the commands: no script is given to the shell. */
static void test_a_terminal(void)
{
    struct site s;
    struct plan p;

    site_new(&s);
    add(&s, "Shell_Path_List", NULL, "/bin/dash");
    CU_ASSERT_EQUAL_FATAL(make(&s, &p), 0);
    CU_ASSERT_PTR_NOT_NULL(p.input);
    CU_ASSERT_STRING_EQUAL(value_of(&p, "PBS_ENVIRONMENT"), "PBS_BATCH");
    CU_ASSERT_STRING_EQUAL(value_of(&p, "ENVIRONMENT"), "BATCH");
    add(&s, "Variable_List", NULL, "TERM=of-the-user");
    CU_ASSERT_EQUAL_FATAL(make_at(&s, "xterm", &p), 0);
    CU_ASSERT_PTR_NULL(p.input);
    CU_ASSERT_PTR_NULL(p.script);
    CU_ASSERT_STRING_EQUAL(p.program, "/bin/dash");
    CU_ASSERT_STRING_EQUAL(p.argv[0], "-dash");
    CU_ASSERT_STRING_EQUAL(value_of(&p, "PBS_ENVIRONMENT"), "PBS_INTERACTIVE");
    CU_ASSERT_PTR_NULL(value_of(&p, "ENVIRONMENT"));
    CU_ASSERT_STRING_EQUAL(value_of(&p, "TERM"), "xterm");
    site_free(&s);
}

/* Names that end in "localhost" lead to this host whatever the resolver knows, and
 * those that end in "invalid" nowhere. */
static void test_whose_paths_are_here(void)
{
    static const struct {
        const char *remote, *local;
    } cases[] = {
        { "/plain", "/plain" },
        { "h1:/short", "/short" },
        { "user@H1:/short", "/short" },
        { "localhost:/own", "/own" },
        { "h1.our.invalid:/full", "/full" },
        { "h1.other.invalid:/alike", NULL },
        { "h2:/other", "/usecp" },
        { "alias.localhost:/alias", "/alias" },
        { "192.0.2.1:/nobody", NULL },
    };
    struct usecp line = { .host = "h2", .from = "/other", .to = "/usecp" };
    struct site s;

    site_new(&s);
    s.host.full_name = "h1.our.invalid";
    s.config.usecp = &line;
    s.config.n_usecp = 1;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *local = usecp_path(&s.host, cases[i].remote, s.arena);

        CU_ASSERT_EQUAL(!local, !cases[i].local);
        if (local && cases[i].local)
            CU_ASSERT_STRING_EQUAL(local, cases[i].local);
    }
    site_free(&s);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "arguments", test_arguments },
        { "arguments that are cut", test_arguments_that_are_cut },
        { "environment", test_environment },
        { "node file", test_nodefile },
        { "a node file without end", test_a_nodefile_without_end },
        { "who is told of no direct file", test_who_is_told_of_no_direct_file },
        { "the shell of this host", test_the_shell_of_this_host },
        { "masks", test_masks },
        { "who finds the node file", test_who_finds_the_node_file },
        { "limits", test_limits },
        { "limits of one kind are one", test_limits_of_one_kind },
        { "a host's share limits its processes", test_the_share_of_a_host },
        { "jobs of root may be rejected", test_jobs_of_root_may_be_rejected },
        { "groups", test_groups },
        { "a terminal", test_a_terminal },
        { "only paths of this host's names are here", test_whose_paths_are_here },
    };

    return unit_main("plan", cases, sizeof(cases) / sizeof(*cases));
}
