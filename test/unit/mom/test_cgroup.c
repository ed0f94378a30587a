/* Unit tests of mom/shell/cgroup.c on a tree of plain files, in which the test does
 * what the kernel does: a new group has files, and one with processes does not go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/cgroup.h"

#include "../unit.h"
#include "lib/base/base.h"
#include "mom/shell/cpu_list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/hf-cgroup-XXXXXX";
static const char *missing_file; /* that the kernel of this test does not have */

static void put(const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *f;

    snprintf(full, sizeof(full), "%s/%s", root, path);
    f = fopen(full, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
}

/* The first line. */
static const char *get(const char *path)
{
    static char text[8192];
    char full[PATH_MAX];
    size_t n = 0;
    FILE *f;

    snprintf(full, sizeof(full), "%s/%s", root, path);
    f = fopen(full, "r");
    if (f) {
        n = fread(text, 1, sizeof(text) - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return f ? text : "(none)";
}

static const struct {
    const char *file, *text;
} fresh[] = {
    { "cgroup.procs", "" },
    { "cgroup.kill", "" },
    { "cgroup.freeze", "0\n" },
    { "memory.max", "" },
    { "memory.swap.max", "" },
    { "memory.oom.group", "" },
    { "memory.peak", "0\n" },
    { "memory.current", "0\n" },
    { "memory.events", "low 0\noom 0\noom_kill 0\n" },
    { "cpu.max", "" },
    { "cpu.stat", "usage_usec 0\nuser_usec 0\n" },
    { "cpuset.cpus", "" },
    { "pids.max", "" },
};

static int make(int root_fd, const char *name)
{
    char path[PATH_MAX];

    if (mkdirat(root_fd, name, 0755) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(fresh); i++) {
        if (missing_file && strcmp(missing_file, fresh[i].file) == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", name, fresh[i].file);
        put(path, fresh[i].text);
    }
    return 0;
}

static int take_away(int root_fd, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/cgroup.procs", name);
    if (*get(path) && strcmp(get(path), "(none)") != 0) {
        errno = EBUSY;
        return -1;
    }
    for (size_t i = 0; i < ARRAY_LEN(fresh); i++) {
        snprintf(path, sizeof(path), "%s/%s", name, fresh[i].file);
        (void)unlinkat(root_fd, path, 0);
    }
    return unlinkat(root_fd, name, AT_REMOVEDIR);
}

static char signalled[128];

/* The process 12 was making 13 when it was frozen. */
static int send_signal(pid_t pid, int signo)
{
    size_t len = strlen(signalled);

    snprintf(signalled + len, sizeof(signalled) - len, "%s%d:%d ",
             strcmp(get("n1:1.s/cgroup.freeze"), "1") == 0 ? "frozen " : "", (int)pid,
             signo);
    if (pid == 12)
        put("n1:1.s/cgroup.procs", "13\n");
    if (pid == 13)
        put("n1:1.s/cgroup.procs", "");
    return 0;
}

static const struct cgroup_kernel kernel = { make, take_away, send_signal };
static const struct cgroup_limits none = { CGROUP_NO_LIMIT, CGROUP_NO_LIMIT,
                                           CGROUP_NO_LIMIT, CGROUP_NO_LIMIT };

static struct cgroup_tree *opened(unsigned wanted, unsigned *ret_missing,
                                  struct diag *why)
{
    const struct cgroup_config cfg = {
        .root = root, .prefix = "n1:", .controllers = wanted, .kernel = &kernel
    };
    struct cgroup_tree *t;

    CU_ASSERT_EQUAL_FATAL(cgroup_open(&cfg, &t, ret_missing, why), 0);
    return t;
}

/* A directory of a kernel that has all controllers, and four processors. */
static struct cgroup_tree *begin(void)
{
    struct cgroup_tree *t;
    unsigned missing;
    struct diag why;

    missing_file = NULL;
    put("cgroup.controllers", "cpuset cpu io memory hugetlb pids\n");
    put("cgroup.subtree_control", "");
    put("cpuset.cpus.effective", "0-3\n");
    t = opened(CGROUP_ALL, &missing, &why);
    CU_ASSERT_EQUAL(missing, 0);
    return t;
}

static void end(struct cgroup_tree *t, const char *const *names)
{
    for (; *names; names++)
        CU_ASSERT_EQUAL(cgroup_remove(t, *names), 0);
    cgroup_close(t);
}

static void test_what_is_missing_is_told(void)
{
    static const struct cgroup_config cfgs[] = {
        { .root = "/nonexistent", .prefix = "n1:" },
        { .root = "/tmp", .prefix = "n1:" }, /* a directory, and not of cgroup v2 */
    };
    unsigned missing;
    struct cgroup_tree *t;
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(cfgs); i++) {
        CU_ASSERT_EQUAL(cgroup_open(&cfgs[i], &t, &missing, &why), PBSE_SYSTEM);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cfgs[i].root));
    }
    put("cgroup.controllers", "cpuset cpuacct memory\n");
    put("cgroup.subtree_control", "");
    t = opened(CGROUP_MEMORY | CGROUP_CPU, &missing, &why);
    /* "cpuset" and "cpuacct" are no "cpu". */
    CU_ASSERT_EQUAL(missing, CGROUP_CPU);
    CU_ASSERT_STRING_EQUAL(cgroup_controller_name(missing), "cpu");
    CU_ASSERT_STRING_EQUAL(get("cgroup.subtree_control"), "+memory");
    cgroup_close(t);
}

static void test_limits_are_the_kernels_words(void)
{
    static const struct {
        const char *story;
        struct cgroup_limits l;
        const char *mem, *swap, *cpu, *pids;
    } rows[] = {
        { "a job that asked for all",
          { 2048, 1024, 2, 64 },
          "2097152",
          "1048576",
          "200000 100000",
          "64" },
        { "one that asked for nothing",
          { CGROUP_NO_LIMIT, CGROUP_NO_LIMIT, CGROUP_NO_LIMIT, CGROUP_NO_LIMIT },
          "max",
          "max",
          "max 100000",
          "max" },
        { "no processor is no limit of processors",
          { 0, 0, 0, 1 },
          "0",
          "0",
          "max 100000",
          "1" },
        { "more than bytes can be counted",
          { INT64_MAX / 1024 + 1, 0, INT64_MAX - 1, 1 },
          "max",
          "0",
          "max 100000",
          "1" },
    };
    struct cgroup_tree *t = begin();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool shares;
        struct diag why;

        CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &rows[i].l, &shares, &why), 0);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/memory.max"), rows[i].mem);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/memory.swap.max"), rows[i].swap);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpu.max"), rows[i].cpu);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/pids.max"), rows[i].pids);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/memory.oom.group"), "1");
        CU_ASSERT_EQUAL(cgroup_remove(t, "1.s"), 0);
    }
    cgroup_close(t);
}

static void test_each_job_has_processors_of_its_own(void)
{
    static const struct {
        const char *name;
        int64_t ncpus;
        const char *cpus;
        bool shares;
    } rows[] = {
        { "1.s", 1, "0", false },    { "2.s", 2, "1-2", false },
        { "3.s", 2, "", true }, /* one is left: it may use all, as they all do */
        { "4[7].s", 1, "3", false }, { "5.s", 1, "", true },
    };
    static const char *const names[] = { "1.s", "2.s", "3.s", "4[7].s", "5.s", NULL };
    struct cgroup_limits l = none;
    struct cgroup_tree *t = begin();
    char path[64];
    struct diag why;
    bool shares;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        l.ncpus = rows[i].ncpus;
        CU_ASSERT_EQUAL(cgroup_make(t, rows[i].name, &l, &shares, &why), 0);
        CU_ASSERT_EQUAL(shares, rows[i].shares);
        snprintf(path, sizeof(path), "n1:%s/cpuset.cpus", rows[i].name);
        CU_ASSERT_STRING_EQUAL(get(path), rows[i].cpus);
    }
    /* What a job has given back is the next one's, and its own again is its own. */
    CU_ASSERT_EQUAL(cgroup_remove(t, "2.s"), 0);
    l.ncpus = 1;
    CU_ASSERT_EQUAL(cgroup_make(t, "4[7].s", &l, &shares, &why), 0);
    CU_ASSERT_STRING_EQUAL(get("n1:4[7].s/cpuset.cpus"), "1");
    end(t, names);
}

/* What a job has it keeps, so that none of its processes moves for nothing. */
static void test_limits_change_while_a_job_runs(void)
{
    static const struct {
        int64_t ncpus;
        const char *cpus, *quota;
        bool shares;
    } rows[] = {
        { 1, "1", "100000 100000", false },
        { 2, "1,3", "200000 100000", false }, /* 0 and 2 are others' */
        { 2, "1,3", "200000 100000", false },
        { 1, "1", "100000 100000", false },
        { 3, "", "300000 100000", true },
        { 2, "1,3", "200000 100000", false },
        { CGROUP_NO_LIMIT, "", "max 100000", false },
    };
    static const char *const names[] = { "0.s", "1.s", "2.s", NULL };
    struct cgroup_limits l = { 2048, 0, 1, 8 };
    struct cgroup_tree *t = begin();
    struct diag why;
    bool shares;

    for (size_t i = 0; names[i]; i++)
        CU_ASSERT_EQUAL(cgroup_make(t, names[i], &l, &shares, &why), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        l.ncpus = rows[i].ncpus;
        l.mem_kb = 1024 * (int64_t)(i + 1);
        CU_ASSERT_EQUAL(cgroup_limit(t, "1.s", &l, &shares, &why), 0);
        CU_ASSERT_EQUAL(shares, rows[i].shares);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpuset.cpus"), rows[i].cpus);
        CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpu.max"), rows[i].quota);
        CU_ASSERT_EQUAL(atoll(get("n1:1.s/memory.max")), (long long)(i + 1) << 20);
    }
    CU_ASSERT_STRING_EQUAL(get("n1:2.s/cpuset.cpus"), "2");
    CU_ASSERT_EQUAL(cgroup_limit(t, "3.s", &l, &shares, &why), PBSE_SYSTEM);
    CU_ASSERT_FALSE(cgroup_exists(t, "3.s"));
    end(t, names);
}

/* HUP: what is not wanted any more limits nothing, and what is new does. */
static void test_controllers_change(void)
{
    static const char *const names[] = { "1.s", NULL };
    struct cgroup_limits l = { 2048, 0, 2, 8 };
    struct cgroup_tree *t = begin();
    unsigned missing;
    struct diag why;
    bool shares;

    cgroup_close(t);
    put("cgroup.controllers", "cpuset cpu memory\n");
    t = opened(CGROUP_MEMORY | CGROUP_CPUSET, &missing, &why);
    CU_ASSERT_STRING_EQUAL(cgroup_root(t), root);
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &l, &shares, &why), 0);
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpu.max"), "");
    cgroup_use_controllers(t, CGROUP_CPU | CGROUP_PIDS, &missing, &why);
    CU_ASSERT_EQUAL(missing, CGROUP_PIDS);
    CU_ASSERT_STRING_EQUAL(get("cgroup.subtree_control"), "+cpu");
    CU_ASSERT_EQUAL(cgroup_limit(t, "1.s", &l, &shares, &why), 0);
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/memory.max"), "max");
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpuset.cpus"), "");
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpu.max"), "200000 100000");
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/pids.max"), "");
    cgroup_use_controllers(t, CGROUP_MEMORY, &missing, &why);
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT_EQUAL(cgroup_limit(t, "1.s", &l, &shares, &why), 0);
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/memory.max"), "2097152");
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cpu.max"), "max 100000");
    end(t, names);
}

static void test_a_group_without_its_limits_is_none(void)
{
    struct cgroup_limits l = { 2048, 0, 1, 8 };
    struct cgroup_tree *t = begin();
    struct diag why;
    bool shares;

    missing_file = "memory.swap.max"; /* a host without swap */
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &l, &shares, &why), 0);
    CU_ASSERT_EQUAL(cgroup_remove(t, "1.s"), 0);
    missing_file = "memory.max";
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &l, &shares, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "cannot set a limit of the group n1:1.s"));
    CU_ASSERT_FALSE(cgroup_exists(t, "1.s"));
    CU_ASSERT_EQUAL(cgroup_make(t, "../1.s", &l, &shares, &why), PBSE_SYSTEM);
    cgroup_close(t);
}

static void test_what_the_kernel_counts(void)
{
    static const struct {
        const char *story, *stat, *peak, *current, *events;
        bool known;
        struct cgroup_use use;
    } rows[] = {
        { "all of it",
          "user_usec 9\nusage_usec 3999999\n",
          "4096\n",
          "1024\n",
          "oom 5\noom_kill 2\n",
          true,
          { 3, 4, 2 } },
        { "an old kernel has no peak",
          "usage_usec 1000000\n",
          "",
          "8192\n",
          "oom_kill 0\n",
          true,
          { 1, 8, 0 } },
        { "no controller of memory", "usage_usec 0\n", "", "", "", true, { 0, -1, 0 } },
        { "no such line", "user_usec 7\n", "1\n", "1\n", "", false, { 0, 0, 0 } },
        { "no number", "usage_usec seven\n", "1\n", "1\n", "", false, { 0, 0, 0 } },
    };
    static const char *const names[] = { "1.s", NULL };
    struct cgroup_tree *t = begin();
    struct cgroup_use use;
    struct diag why;
    bool shares;

    CU_ASSERT_FALSE(cgroup_read(t, "1.s", &use));
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &none, &shares, &why), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put("n1:1.s/cpu.stat", rows[i].stat);
        put("n1:1.s/memory.peak", rows[i].peak);
        put("n1:1.s/memory.current", rows[i].current);
        put("n1:1.s/memory.events", rows[i].events);
        CU_ASSERT_EQUAL(cgroup_read(t, "1.s", &use), rows[i].known);
        if (!rows[i].known)
            continue;
        CU_ASSERT_EQUAL(use.cput_s, rows[i].use.cput_s);
        CU_ASSERT_EQUAL(use.mem_kb, rows[i].use.mem_kb);
        CU_ASSERT_EQUAL(use.oom_kills, rows[i].use.oom_kills);
    }
    end(t, names);
}

static void add_name(void *arg, const char *name)
{
    size_t len = strlen(arg);

    snprintf((char *)arg + len, 64 - len, "%s ", name);
}

static void test_who_is_in_it(void)
{
    static const char *const names[] = { "1.s", NULL };
    struct cgroup_tree *t = begin();
    char found[64] = "", another[64];
    struct diag why;
    bool shares;
    int door;

    CU_ASSERT_EQUAL(cgroup_door(t, "1.s"), -1);
    CU_ASSERT_FALSE(cgroup_kill(t, "1.s"));
    CU_ASSERT_EQUAL(cgroup_remove(t, "1.s"), 0); /* one that is not there is gone */
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &none, &shares, &why), 0);
    snprintf(another, sizeof(another), "%s/n2:9.s", root); /* another MoM's */
    CU_ASSERT_EQUAL(mkdir(another, 0755), 0);
    cgroup_each(t, add_name, found);
    CU_ASSERT_STRING_EQUAL(found, "1.s ");
    CU_ASSERT_EQUAL(rmdir(another), 0);
    door = cgroup_door(t, "1.s");
    CU_ASSERT_EQUAL(write(door, "0", 1), 1);
    close(door);
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cgroup.procs"), "0");
    CU_ASSERT_TRUE(cgroup_take(t, "1.s", 4711));
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cgroup.procs"), "4711");
    CU_ASSERT_EQUAL(cgroup_remove(t, "1.s"), EBUSY);
    CU_ASSERT_TRUE(cgroup_exists(t, "1.s"));
    CU_ASSERT_TRUE(cgroup_kill(t, "1.s"));
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cgroup.kill"), "1");
    put("n1:1.s/cgroup.procs", "");
    end(t, names);
}

/* Before Linux 5.14 there is no cgroup.kill. */
static void test_killing_on_an_old_kernel(void)
{
    static const char *const names[] = { "1.s", NULL };
    struct cgroup_tree *t = begin();
    struct diag why;
    bool shares;

    missing_file = "cgroup.kill";
    signalled[0] = '\0';
    CU_ASSERT_EQUAL(cgroup_make(t, "1.s", &none, &shares, &why), 0);
    /* 0 is a process that this one cannot name. */
    put("n1:1.s/cgroup.procs", "11\n0\n12\n");
    CU_ASSERT_TRUE(cgroup_kill(t, "1.s"));
    CU_ASSERT_STRING_EQUAL(signalled, "frozen 11:9 frozen 12:9 frozen 13:9 ");
    CU_ASSERT_STRING_EQUAL(get("n1:1.s/cgroup.freeze"), "0");
    CU_ASSERT_FALSE(cgroup_kill(t, "2.s")); /* which is not there */
    end(t, names);
    missing_file = NULL;
}

static void test_lists_of_processors(void)
{
    static const struct {
        const char *text;
        bool taken;
        const char *printed;
    } rows[] = {
        { "", true, "" },         { "\n", true, "" },
        { "0", true, "0" },       { "0-3,8\n", true, "0-3,8" },
        { "3,2,1", true, "1-3" }, { "63-64", true, "63-64" },
        { "8191", true, "8191" }, { "8192", false, "" },
        { "3-1", false, "" },     { "-1", false, "" },
        { "1-", false, "" },      { "1,", false, "" },
        { "1 2", false, "" },     { "0-99999999999999999999", false, "" },
    };
    char text[8192];
    struct cpu_list l;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(cpu_list_parse(rows[i].text, &l), rows[i].taken);
        if (!rows[i].taken)
            continue;
        CU_ASSERT_TRUE(cpu_list_print(&l, text, sizeof(text)));
        CU_ASSERT_STRING_EQUAL(text, rows[i].printed);
        CU_ASSERT_EQUAL(cpu_list_print(&l, text, 4), strlen(rows[i].printed) < 4);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is missing is told", test_what_is_missing_is_told },
        { "limits are the kernel's words", test_limits_are_the_kernels_words },
        { "each job has processors of its own",
          test_each_job_has_processors_of_its_own },
        { "the limits of a job change while it runs",
          test_limits_change_while_a_job_runs },
        { "controllers come and go", test_controllers_change },
        { "a group without its limits is none",
          test_a_group_without_its_limits_is_none },
        { "what the kernel counts is read", test_what_the_kernel_counts },
        { "groups are entered, killed and removed", test_who_is_in_it },
        { "all are killed where the kernel cannot do it by itself",
          test_killing_on_an_old_kernel },
        { "lists of processors are read and printed", test_lists_of_processors },
    };
    char command[128];
    int rc;

    if (!mkdtemp(root))
        return 1;
    rc = unit_main("mom/cgroup", cases, ARRAY_LEN(cases));
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? rc : 1;
}
