/* test_copy.c - copies of a job's files: several pairs, patterns, directories, other
 * hosts through the programs of pbs.conf, and what is said of what cannot be copied
 * (execution.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/copy.h"

#include "../unit.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/tree.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct site {
    struct arena *arena;
    struct conf conf;
    struct config config;
    struct plan_host host;
    char dir[32], before[512];
    struct buf report;
};

static void site_new(struct site *s)
{
    *s = (struct site){ .arena = arena_new(), .dir = "/tmp/hf-copy-XXXXXX" };
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s->dir));
    CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(s->before, sizeof(s->before)));
    CU_ASSERT_EQUAL_FATAL(chdir(s->dir), 0);
    CU_ASSERT_EQUAL_FATAL(mkdir("spool", 01777) | mkdir("out", 0755), 0);
    s->conf.cp = "/bin/cp";
    s->conf.exec = "/nonexistent";
    s->host = (struct plan_host){ &s->conf, &s->config, s->dir, "h1", 15003 };
}

static void site_free(struct site *s)
{
    CU_ASSERT_EQUAL(chdir(s->before), 0);
    CU_ASSERT(tree_remove(AT_FDCWD, s->dir));
    buf_fini(&s->report);
    arena_free(s->arena);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    CU_ASSERT_EQUAL(chmod(path, mode), 0);
}

static bool holds(const char *path, const char *text)
{
    char got[256] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(got, 1, sizeof(got) - 1, f) : 0;

    if (f)
        fclose(f);
    return f && n == strlen(text) && strcmp(got, text) == 0;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool copy(struct site *s, uint32_t direction, bool remove, size_t n,
                 struct wire_file_pair *pairs)
{
    const struct body_files body = { .job_id = "7.svr",
                                     .owner = "joe",
                                     .user = "joe",
                                     .group = "",
                                     .direction = direction,
                                     .n_pairs = n,
                                     .pairs = pairs };
    const struct copy_work work = { .host = &s->host, .body = &body, .remove = remove };
    bool ok;

    buf_clear(&s->report);
    ok = copy_run(&work, &s->report);
    buf_add_char(&s->report, '\0');
    return ok;
}

static bool says(const struct site *s, const char *words)
{
    if (strstr(s->report.data, words))
        return true;
    fprintf(stderr, "%s\n", s->report.data);
    return false;
}

/* How many pairs were copied, and the words for the user. */
static size_t read_report(struct site *s, char *words, size_t size)
{
    const char *at = s->report.data;
    struct copy_line line;
    size_t n_done = 0;

    words[0] = '\0';
    while (*at) {
        at = copy_line(at, &line, s->arena);
        if (line.words)
            snprintf(words + strlen(words), size - strlen(words), "%s", line.words);
        else if (!line.event)
            n_done = line.n_done;
    }
    return n_done;
}

static void test_several_files_go_out(void)
{
    struct site s;
    char words[1024];

    site_new(&s);
    s.host.full_name = "h1.site";
    write_file("spool/7.svr.OU", "out", 0600);
    write_file("a.dat", "a", 0640);
    write_file("b.dat", "b", 0600);
    write_file(".c.dat", "c", 0600);
    CU_ASSERT_EQUAL(mkdir("d", 0700) | mkdir("d/e", 0700), 0);
    write_file("d/e/f", "deep", 0600);
    write_file("x,y", "comma", 0600);
    struct wire_file_pair pairs[] = {
        { 1, "7.svr.OU", arena_printf(s.arena, "h1:%s/out/o", s.dir) },
        { 3, "missing", arena_printf(s.arena, "h1:%s/out/m", s.dir) },
        { 3, "*.dat", arena_printf(s.arena, "localhost:%s/out", s.dir) },
        { 3, "?.none", arena_printf(s.arena, "h1:%s/out", s.dir) },
        { 3, "d", arena_printf(s.arena, "h1:%s/out/tree", s.dir) },
        { 3, "x\\,y", arena_printf(s.arena, "h1.site:%s/out/v\\,w", s.dir) },
    };

    CU_ASSERT_FALSE(copy(&s, COPY_OUT, false, ARRAY_LEN(pairs), pairs));
    CU_ASSERT(holds("out/o", "out") && !is_there("spool/7.svr.OU"));
    CU_ASSERT(holds("out/a.dat", "a") && holds("out/b.dat", "b"));
    CU_ASSERT(!is_there("a.dat") && !is_there("out/.c.dat") && is_there(".c.dat"));
    CU_ASSERT(holds("out/tree/e/f", "deep") && !is_there("d"));
    CU_ASSERT(holds("out/v,w", "comma"));
    CU_ASSERT_EQUAL(read_report(&s, words, sizeof(words)), 4);
    CU_ASSERT(strstr(words, "Unable to copy file missing to h1:") != NULL);
    CU_ASSERT(strstr(words, "Unable to copy file ?.none to h1:") != NULL);
    CU_ASSERT(strstr(words, ">>> error from copy\nmissing: No such file") != NULL);
    CU_ASSERT(says(&s, "copy_file Job 7.svr: sys_copy failed, return value=1\n"));
    site_free(&s);
}

static void test_files_that_came_in_go_when_one_does_not(void)
{
    struct site s;

    site_new(&s);
    write_file("out/src", "in", 0600);
    struct wire_file_pair pairs[] = {
        { 3, "one", arena_printf(s.arena, "h1:%s/out/src", s.dir) },
        { 3, "tree", arena_printf(s.arena, "h1:%s/out", s.dir) },
        { 3, "two", "h1:/no/file" },
    };

    CU_ASSERT(copy(&s, 0, false, 2, pairs));
    CU_ASSERT(holds("one", "in") && holds("tree/src", "in"));
    CU_ASSERT(copy(&s, 0, true, 3, pairs)); /* DelFiles, of one that is not there too */
    CU_ASSERT(!is_there("one") && !is_there("tree"));
    CU_ASSERT_FALSE(copy(&s, 0, false, 3, pairs));
    CU_ASSERT(!is_there("one") && !is_there("tree"));
    CU_ASSERT(
        says(&s, "Unable to copy file two from h1:/no/file\n>>> error from copy\n"));
    CU_ASSERT(says(&s,
                   "stage_file Job 7.svr: no wildcards:local stagein failed for joe "
                   "from h1:/no/file to two\n"));
    site_free(&s);
}

/* What the user had before stays, whatever is asked to be removed. */
static void test_only_what_came_in_goes(void)
{
    struct site s;

    site_new(&s);
    write_file("out/src", "in", 0600);
    CU_ASSERT_EQUAL(mkdir("out/d", 0700) | mkdir("mine", 0700) | mkdir("mine/d", 0700),
                    0);
    write_file("out/d/new", "in", 0600);
    write_file("mine/old", "mine", 0600);
    write_file("mine/d/old", "mine", 0600);
    struct wire_file_pair pairs[] = {
        { 3, "mine", arena_printf(s.arena, "h1:%s/out/src", s.dir) },
        { 3, "mine", arena_printf(s.arena, "h1:%s/out/d", s.dir) },
        { 3, "tree", arena_printf(s.arena, "h1:%s/out/d", s.dir) },
        { 3, "two", "h1:/no/file" },
    };

    CU_ASSERT(copy(&s, 0, false, 3, pairs));
    CU_ASSERT(holds("mine/src", "in") && holds("tree/new", "in"));
    CU_ASSERT(
        copy(&s, 0, false, 3, pairs)); /* the answer was lost, and it comes again */
    CU_ASSERT(holds("tree/new", "in") && !is_there("tree/d"));
    CU_ASSERT(copy(&s, 0, true, 3, pairs));
    CU_ASSERT(!is_there("mine/src") && !is_there("tree"));
    CU_ASSERT(holds("mine/old", "mine") && holds("mine/d/old", "mine"));
    /* The job has removed it itself: the directory is the user's all the same. */
    CU_ASSERT(copy(&s, 0, true, 3, pairs));
    CU_ASSERT(holds("mine/old", "mine"));
    CU_ASSERT_FALSE(copy(&s, 0, false, 4, pairs));
    CU_ASSERT(!is_there("mine/src") && !is_there("tree"));
    CU_ASSERT(holds("mine/old", "mine") && holds("mine/d/old", "mine"));
    site_free(&s);
}

/* A program in the place of scp: it notes its arguments and copies to a local path; it
 * fails as many times as the file "fail" says. */
static const char fake_scp[] = "#!/bin/sh\n"
                               "echo \"$0 $*\" >> calls\n"
                               "n=$(cat fail)\n"
                               "if [ $n -gt 0 ]; then echo $((n - 1)) > fail; "
                               "echo 'no route' >&2; exit 3; fi\n"
                               "[ -e lazy ] && exit 0\n"
                               "eval from=\\${$(($# - 1))}\neval to=\\${$#}\n"
                               "cp -r \"${from#*:}\" \"${to#*:}\"\n";

static void make_scp(struct site *s, const char *fail)
{
    write_file("scp", fake_scp, 0700);
    write_file("rcp", fake_scp, 0700);
    write_file("fail", fail, 0600);
    (void)unlink("calls");
    setenv("PATH", "/bin:/usr/bin", 1);
    s->conf.scp = arena_printf(s->arena, "%s/scp", s->dir);
    s->conf.rcp = arena_printf(s->arena, "%s/rcp", s->dir);
}

static void test_other_hosts_are_reached_by_programs(void)
{
    static const struct {
        const char *story, *fail, *args;
        bool ok;
        size_t n_calls;
    } rows[] = {
        { "at once", "0", NULL, true, 1 },
        { "with arguments of the site", "0", "-B -q", true, 1 },
        { "scp, rcp, scp", "2", NULL, true, 3 },
        { "four tries", "9", NULL, false, 4 },
    };
    struct site s;

    site_new(&s);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct wire_file_pair pair = { 3, "-a b",
                                       arena_printf(s.arena, "far:%s/out/got", s.dir) };
        char calls[2048] = "", first[512], *at = calls;
        size_t n = 0;
        FILE *f;

        make_scp(&s, rows[i].fail);
        s.conf.scp_args = rows[i].args;
        write_file("-a b", "far", 0600);
        CU_ASSERT_EQUAL(copy(&s, COPY_OUT, false, 1, &pair), rows[i].ok);
        f = fopen("calls", "r");
        CU_ASSERT_PTR_NOT_NULL_FATAL(f);
        calls[fread(calls, 1, sizeof(calls) - 1, f)] = '\0';
        fclose(f);
        snprintf(first, sizeof(first), "%s/scp %s ./-a b joe@far:%s/out/got\n", s.dir,
                 rows[i].args ? rows[i].args : "-Brvp", s.dir);
        if (strncmp(calls, first, strlen(first)) != 0)
            fprintf(stderr, "%s: %s", rows[i].story, calls);
        CU_ASSERT_EQUAL(strncmp(calls, first, strlen(first)), 0);
        for (; (at = strchr(at, '\n')); at++)
            n++;
        CU_ASSERT_EQUAL(n, rows[i].n_calls);
        if (n > 1)
            CU_ASSERT_PTR_NOT_NULL(strstr(calls, "/rcp -rp ./-a b"));
        CU_ASSERT_EQUAL(is_there("-a b"), !rows[i].ok);
    }
    CU_ASSERT(says(&s, "sys_copy command: "));
    CU_ASSERT(says(&s, " status=3, try=4\n"));
    CU_ASSERT(says(&s, "copy_file Job 7.svr: sys_copy failed, return value=3\n"));
    CU_ASSERT(says(&s, ">>> error from copy\nno route\n>>> end error output\n"));
    site_free(&s);
}

/* The longest name that there is, of a destination that is new or there already. */
static void test_a_name_may_be_as_long_as_the_system_allows(void)
{
    char name[NAME_MAX + 1];
    struct site s;

    site_new(&s);
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    for (int i = 0; i < 2; i++) {
        struct wire_file_pair pair = {
            1, "7.svr.OU", arena_printf(s.arena, "h1:%s/out/%s", s.dir, name)
        };

        write_file("spool/7.svr.OU", i ? "second" : "first", 0600);
        CU_ASSERT(copy(&s, COPY_OUT, false, 1, &pair));
        CU_ASSERT(holds(arena_printf(s.arena, "out/%s", name), i ? "second" : "first"));
        CU_ASSERT_FALSE(is_there("spool/7.svr.OU"));
    }
    site_free(&s);
}

/* A program that says "done" and has made nothing has failed. */
static void test_a_file_has_to_be_there_afterwards(void)
{
    struct site s;

    site_new(&s);
    make_scp(&s, "0");
    write_file("out/src", "x", 0600);
    struct wire_file_pair pair = { 3, "in",
                                   arena_printf(s.arena, "far:%s/out/src", s.dir) };

    CU_ASSERT(copy(&s, 0, false, 1, &pair) && holds("in", "x"));
    CU_ASSERT(copy(&s, 0, true, 1, &pair) && !is_there("in"));
    write_file("lazy", "", 0600);
    CU_ASSERT_FALSE(copy(&s, 0, false, 1, &pair));
    CU_ASSERT(says(&s, "remote stagein failed for joe"));
    site_free(&s);
}

/* What a program writes may hold anything; it does not become a line of the log. */
static void test_words_are_no_lines_of_the_log(void)
{
    struct site s;
    char words[1024];

    site_new(&s);
    make_scp(&s, "0");
    write_file("scp", "#!/bin/sh\nprintf '\\0011 x forged\\n\\00299\\n'\nexit 1\n",
               0700);
    s.conf.rcp = s.conf.scp;
    write_file("f\001\n\0029", "x", 0600);
    struct wire_file_pair pair = { 3, "f\001\n\0029", "far:/x" };

    CU_ASSERT_FALSE(copy(&s, COPY_OUT, false, 1, &pair));
    CU_ASSERT_EQUAL(read_report(&s, words, sizeof(words)), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(words, "?1 x forged\n?99\n"));
    site_free(&s);
}

/* Files of such a job lie in a directory of its own, which a later removal takes back.
 */
static void test_a_sandbox_has_the_files(void)
{
    struct site s;
    const char *box;

    site_new(&s);
    CU_ASSERT_EQUAL(mkdir("root", 0777), 0);
    s.config.jobdir_root = arena_printf(s.arena, "%s/root", s.dir);
    box = sandbox_path(&s.config, "7.svr", "/home/x", s.arena);
    CU_ASSERT_STRING_EQUAL(box, arena_printf(s.arena, "%s/root/pbs.7.svr.x8z", s.dir));
    write_file("out/src", "in", 0600);
    struct wire_file_pair in = { 3, "f",
                                 arena_printf(s.arena, "h1:%s/out/src", s.dir) };
    struct wire_file_pair out = { 1, "7.svr.OU",
                                  arena_printf(s.arena, "h1:%s/out/o", s.dir) };

    CU_ASSERT(copy(&s, COPY_SANDBOX, false, 1, &in));
    CU_ASSERT(holds("f", "in")); /* it works there now */
    CU_ASSERT_EQUAL(chdir(s.dir), 0);
    CU_ASSERT(holds("root/pbs.7.svr.x8z/f", "in"));
    write_file("root/pbs.7.svr.x8z/7.svr.OU", "said", 0600);
    CU_ASSERT(copy(&s, COPY_OUT | COPY_SANDBOX, false, 1, &out));
    CU_ASSERT_EQUAL(chdir(s.dir), 0);
    CU_ASSERT(holds("out/o", "said") && is_there("root/pbs.7.svr.x8z/7.svr.OU"));
    CU_ASSERT_EQUAL(unlink("root/pbs.7.svr.x8z/7.svr.OU"), 0);
    CU_ASSERT(copy(&s, COPY_SANDBOX, true, 1, &in));
    CU_ASSERT_EQUAL(chdir(s.dir), 0);
    CU_ASSERT(!is_there("root/pbs.7.svr.x8z"));
    write_file("f", "of the user", 0600);
    CU_ASSERT(copy(&s, COPY_SANDBOX, true, 1, &in)); /* nothing is there any more */
    CU_ASSERT_EQUAL(chdir(s.dir), 0);
    CU_ASSERT(holds("f", "of the user"));
    CU_ASSERT_FALSE(copy(&s, COPY_OUT | COPY_SANDBOX, false, 1, &out));
    CU_ASSERT_EQUAL(chdir(s.dir), 0);
    write_file("root/pbs.7.svr.x8z", "a file of somebody else", 0600);
    CU_ASSERT_FALSE(copy(&s, COPY_SANDBOX, false, 1, &in));
    CU_ASSERT(says(&s, "cannot make the job directory"));
    CU_ASSERT(sandbox_is_name(box) && !sandbox_is_name("/home/joe"));
    site_free(&s);
}

static const struct unit_case cases[] = {
    { "several files go out, and one that fails keeps none back",
      test_several_files_go_out },
    { "files that came in go again when one does not come",
      test_files_that_came_in_go_when_one_does_not },
    { "only what came in goes again", test_only_what_came_in_goes },
    { "other hosts are reached by the programs of pbs.conf",
      test_other_hosts_are_reached_by_programs },
    { "a name may be as long as the system allows",
      test_a_name_may_be_as_long_as_the_system_allows },
    { "a file has to be there after its transfer",
      test_a_file_has_to_be_there_afterwards },
    { "what programs write does not become lines of the log",
      test_words_are_no_lines_of_the_log },
    { "a sandbox has the files of its job", test_a_sandbox_has_the_files },
};

int main(void)
{
    return unit_main("mom/copy", cases, ARRAY_LEN(cases));
}
