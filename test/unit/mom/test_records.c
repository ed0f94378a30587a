/* Unit tests of mom/shell/records.c: which files are used again, that no name ever has
 * the bytes of another record, and that files of older MoMs are read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/records.h"

#include "../unit.h"
#include "mom/shell/home.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/hf-records-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[4][256];
    static unsigned turn;
    char *ret = path[turn++ % 4];

    snprintf(ret, sizeof(path[0]), "%s/mom_priv/%s", root, name);
    return ret;
}

static ino_t number_of(const char *name)
{
    struct stat st;

    return lstat(path_of(name), &st) == 0 ? st.st_ino : 0;
}

static bool has(const char *name, const char *text)
{
    struct buf b = { 0 };
    bool ok = records_read(path_of(name), 1 << 20, &b) && b.len == strlen(text) &&
              memcmp(b.data ? b.data : "", text, b.len) == 0;

    buf_fini(&b);
    return ok;
}

static void put(struct records *s, const char *name, const char *text)
{
    struct diag why;

    CU_ASSERT_EQUAL(records_save(s, path_of(name), text, strlen(text), &why), 0);
    CU_ASSERT(has(name, text));
}

static void begin(struct records *s)
{
    records_open(s, root);
    CU_ASSERT_EQUAL(s->n, 0);
}

/* The number of the file stays while a record is written again, and goes to the next
 * job when this one has gone. */
static void test_files_are_used_again(void)
{
    struct records s;
    ino_t first;

    begin(&s);
    put(&s, "jobs/1.JB", "one");
    CU_ASSERT_EQUAL(s.n, 0);
    first = number_of("jobs/1.JB");
    put(&s, "jobs/1.JB", "one and more");
    put(&s, "jobs/1.JB", "1"); /* shorter than what was there */
    CU_ASSERT(number_of("jobs/1.JB") == first && s.n == 0);
    put(&s, "jobs/2.JB", "two");
    CU_ASSERT(number_of("jobs/2.JB") != first && has("jobs/1.JB", "1"));
    records_give(&s, path_of("jobs/1.JB"));
    CU_ASSERT(s.n == 1 && !number_of("jobs/1.JB") && number_of("spare/0") == first);
    put(&s, "jobs/3.JB", "three");
    CU_ASSERT(s.n == 0 && number_of("jobs/3.JB") == first && !number_of("spare/0"));
    put(&s, "jobs/3.JB", "three more");
    records_give(&s, path_of("jobs/2.JB"));
    records_give(&s, path_of("jobs/3.JB"));
    CU_ASSERT(s.n == 2 && !number_of("jobs/2.JB") && !number_of("jobs/3.JB"));
    begin(&s); /* the next MoM */
    CU_ASSERT(!number_of("spare/0") && !number_of("spare/1"));
}

/* One that has grown too long for its place gets a longer file, and another job a
 * spare one of whatever length. */
static void test_records_of_any_length(void)
{
    static char much[20000 + 1];
    struct records s;
    ino_t first;

    memset(much, 'm', sizeof(much) - 1);
    begin(&s);
    put(&s, "jobs/1.JB", "one");
    first = number_of("jobs/1.JB");
    put(&s, "jobs/1.JB", much);
    CU_ASSERT(number_of("jobs/1.JB") != first);
    put(&s, "jobs/1.JB", "one");
    records_give(&s, path_of("jobs/1.JB"));
    put(&s, "jobs/2.JB", "two");
    put(&s, "jobs/2.JB", "");
    records_give(&s, path_of("jobs/2.JB"));
    put(&s, "jobs/3.JB", much);
    put(&s, "jobs/3.JB", "three");
    records_give(&s, path_of("jobs/3.JB"));
}

/* The record of an older MoM is all of its file; what is written next has places. */
static void test_files_of_older_moms(void)
{
    struct records s;
    struct diag why;
    ino_t first;

    begin(&s);
    CU_ASSERT_EQUAL(home_write(path_of("jobs/1.JB"), 0600, "+4HFJ4 old", 10, &why), 0);
    CU_ASSERT(has("jobs/1.JB", "+4HFJ4 old"));
    first = number_of("jobs/1.JB");
    put(&s, "jobs/1.JB", "new");
    CU_ASSERT(number_of("jobs/1.JB") != first);
    first = number_of("jobs/1.JB");
    put(&s, "jobs/1.JB", "newer");
    CU_ASSERT(number_of("jobs/1.JB") == first);
    records_give(&s, path_of("jobs/1.JB"));
}

/* What somebody else may have, and what takes much room. */
static void test_what_is_not_used_again(void)
{
    static char much[65537 + 1];
    struct records s;
    struct diag why;

    begin(&s);
    put(&s, "jobs/1.JB", "one");
    CU_ASSERT_EQUAL(link(path_of("jobs/1.JB"), path_of("jobs/copy")), 0);
    records_give(&s, path_of("jobs/1.JB"));
    CU_ASSERT(s.n == 0 && !number_of("jobs/1.JB") && has("jobs/copy", "one"));
    memset(much, 'x', sizeof(much) - 1);
    put(&s, "jobs/1.JB", much);
    records_give(&s, path_of("jobs/1.JB"));
    CU_ASSERT(s.n == 0 && !number_of("jobs/1.JB"));
    records_give(&s, path_of("jobs/none"));
    CU_ASSERT_EQUAL(s.n, 0);
    for (int i = 0; i < 40; i++) { /* and more than are wanted */
        char name[32];

        snprintf(name, sizeof(name), "jobs/%d.JB", i);
        CU_ASSERT_EQUAL(home_write(path_of(name), 0600, "x", 1, &why), 0);
    }
    for (int i = 0; i < 40; i++) {
        char name[32];

        snprintf(name, sizeof(name), "jobs/%d.JB", i);
        records_give(&s, path_of(name));
        CU_ASSERT(!number_of(name));
    }
    CU_ASSERT_EQUAL(s.n, 16);
    CU_ASSERT_EQUAL(unlink(path_of("jobs/copy")), 0);
}

/* Where there is no place for spare files records are written as they were before. */
static void test_without_spare_files(void)
{
    struct records s, none = { 0 };
    struct diag why;

    begin(&s);
    CU_ASSERT_EQUAL(rmdir(path_of("spare")), 0);
    put(&s, "jobs/1.JB", "one");
    put(&s, "jobs/1.JB", "more");
    records_give(&s, path_of("jobs/1.JB"));
    CU_ASSERT(s.n == 0 && !number_of("jobs/1.JB"));
    CU_ASSERT_EQUAL(mkdir(path_of("spare"), 0700), 0);
    put(&none, "jobs/1.JB", "one");
    records_give(&none, path_of("jobs/1.JB"));
    CU_ASSERT(!number_of("jobs/1.JB"));
    /* A symbolic link in the place of a spare file is not followed. */
    CU_ASSERT_EQUAL(symlink("../jobs/victim", path_of("spare/0")), 0);
    CU_ASSERT_EQUAL(home_write(path_of("jobs/victim"), 0600, "v", 1, &why), 0);
    put(&s, "jobs/1.JB", "one");
    CU_ASSERT(has("jobs/victim", "v") && !number_of("spare/0"));
    CU_ASSERT_EQUAL(records_save(&s, path_of("nowhere/1.JB"), "x", 1, &why),
                    PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "nowhere/1.JB"));
    CU_ASSERT(s.n == 0 && !number_of("spare/0"));
}

/* A disk without room, by the limit of the length of a file. */
static void test_an_attempt_leaves_nothing(void)
{
    struct rlimit before, low = { 4096, 4096 };
    struct records s;
    struct diag why;
    int err;

    begin(&s);
    CU_ASSERT_EQUAL(records_try(&s, &why), 0);
    CU_ASSERT(!number_of("jobs/.room") && !number_of("jobs/.room.new"));
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    low.rlim_max = before.rlim_max;
    CU_ASSERT_NOT_EQUAL(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &low), 0);
    err = records_try(&s, &why);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    CU_ASSERT_EQUAL(err, PBSE_SYSTEM);
    CU_ASSERT(!number_of("jobs/.room") && !number_of("jobs/.room.new"));
}

static NORETURN void lay_often(const char *text)
{
    struct diag why;

    for (int i = 0; i < 500; i++)
        if (home_lay(path_of("shared"), 0644, text, strlen(text), &why) != 0)
            _exit(1);
    _exit(0);
}

/* Processes of one job lay its node file at the same time. */
static void test_two_may_lay_the_same_file(void)
{
    pid_t pids[3];
    int status;

    for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            lay_often("the same for all\n");
    }
    for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
        CU_ASSERT_EQUAL(waitpid(pids[i], &status, 0), pids[i]);
        CU_ASSERT_EQUAL(status, 0);
    }
    CU_ASSERT(has("shared", "the same for all\n"));
}

static const struct unit_case cases[] = {
    { "two may lay the same file", test_two_may_lay_the_same_file },
    { "the file of a record is used again", test_files_are_used_again },
    { "a record may grow and shrink", test_records_of_any_length },
    { "files of older MoMs are read, and written anew", test_files_of_older_moms },
    { "a file that others have, or a large one, is not", test_what_is_not_used_again },
    { "without spare files records are written all the same",
      test_without_spare_files },
    { "an attempt to write leaves nothing", test_an_attempt_leaves_nothing },
};

int main(void)
{
    char command[128];
    int status;

    if (!mkdtemp(root))
        return 2;
    snprintf(command, sizeof(command), "mkdir -p %s/mom_priv/jobs %s/mom_priv/spare",
             root, root);
    if (system(command) != 0)
        return 2;
    status = unit_main("mom/records", cases, ARRAY_LEN(cases));
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? status : 2;
}
