/* Unit tests of what stands between the MoM and the files of users: work in a process
 * of the user's, names in directories of everybody, plain files, trees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/as_user.h"
#include "mom/shell/plain.h"
#include "mom/shell/safe_name.h"
#include "mom/shell/tree.h"

#include "../unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static const char *in_dir(const char *name)
{
    static char path[4][512]; /* for so many calls in one expression */
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
    return path[turn];
}

static void make_dir(void)
{
    snprintf(dir, sizeof(dir), "/tmp/hf-user-files-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL_FATAL(chmod(dir, 01777), 0);
}

static void remove_dir(void)
{
    CU_ASSERT(tree_remove(AT_FDCWD, dir));
    CU_ASSERT_EQUAL(access(dir, F_OK), -1);
}

struct told {
    struct loop *loop;
    int n;
    enum as_user_end end;
    char report[128];
};

static void on_done(void *arg, enum as_user_end end, const char *report)
{
    struct told *t = arg;

    t->n++;
    t->end = end;
    snprintf(t->report, sizeof(t->report), "%s", report);
    loop_stop(t->loop);
}

static struct told carry_out(bool (*run)(const void *, struct buf *), const void *work,
                             int64_t limit_ms)
{
    struct told t = { .loop = loop_new() };
    const struct as_user a = { .uid = geteuid(),
                               .gid = getegid(),
                               .dir = dir,
                               .limit_ms = limit_ms,
                               .run = run,
                               .work = work,
                               .done = on_done,
                               .arg = &t };
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(as_user_start(t.loop, &a, &why), 0);
    loop_run(t.loop);
    return t;
}

static bool say_where(const void *work, struct buf *report)
{
    char here[64];

    buf_printf(report, "%s %s", (const char *)work, getcwd(here, sizeof(here)));
    return true;
}

static bool wait_for_ever(const void *work, struct buf *report)
{
    (void)work;
    (void)report;
    while (true)
        pause();
    return true;
}

/* 0 to 2, the pipe, and the one that reads the list. */
static bool count_descriptors(const void *work, struct buf *report)
{
    DIR *d = opendir("/proc/self/fd");
    const struct dirent *e;
    int n = 0;

    (void)work;
    while (d && (e = readdir(d)))
        n += e->d_name[0] != '.';
    buf_printf(report, "%d", n);
    return false;
}

static void test_work_is_done_elsewhere(void)
{
    struct told t;
    char want[96];

    make_dir();
    t = carry_out(say_where, "hello", 60000);
    snprintf(want, sizeof(want), "hello %s", dir);
    CU_ASSERT_EQUAL(t.end, AS_USER_DONE);
    CU_ASSERT_STRING_EQUAL(t.report, want);
    CU_ASSERT_EQUAL(t.n, 1);
    loop_free(t.loop);
    remove_dir();
}

static void test_work_has_a_limit(void)
{
    struct told t;

    make_dir();
    t = carry_out(wait_for_ever, NULL, 1);
    CU_ASSERT_EQUAL(t.end, AS_USER_LATE);
    CU_ASSERT_EQUAL(t.n, 1);
    loop_turn(t.loop, true); /* the process ends: that is not told again */
    CU_ASSERT_EQUAL(t.n, 1);
    loop_free(t.loop);
    remove_dir();
}

static void test_work_holds_nothing_of_the_mom(void)
{
    struct told t;
    int lock;

    make_dir();
    lock = open(in_dir("lock"), O_RDWR | O_CREAT, 0600); /* without close-on-exec */
    t = carry_out(count_descriptors, NULL, 60000);
    CU_ASSERT_EQUAL(t.end, AS_USER_FAILED);
    CU_ASSERT_STRING_EQUAL(t.report, "5");
    close(lock);
    loop_free(t.loop);
    remove_dir();
}

static void make_fifo(const char *path)
{
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
}

static void make_link(const char *path)
{
    CU_ASSERT_EQUAL_FATAL(symlink("/etc/passwd", path), 0);
}

static void make_directory(const char *path)
{
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

static void make_two_names(const char *path)
{
    int fd = open(in_dir("theirs"), O_WRONLY | O_CREAT, 0600);

    close(fd);
    CU_ASSERT_EQUAL_FATAL(link(in_dir("theirs"), path), 0);
}

static const struct {
    void (*make)(const char *path);
    mode_t kind;
    const char *text; /* plain_open()'s; NULL: a plain file to it */
} others[] = {
    { make_fifo, S_IFIFO, "is a FIFO, not a plain file" },
    { make_link, S_IFLNK, "is a symbolic link, not a plain file" },
    { make_directory, S_IFDIR, "is a directory, not a plain file" },
    { make_two_names, S_IFREG, NULL },
};

static void test_only_plain_files_are_opened(void)
{
    struct diag why;
    int fd;

    make_dir();
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        const char *path = in_dir("x");

        others[i].make(path);
        fd = plain_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600, &why);
        CU_ASSERT_EQUAL(fd >= 0, !others[i].text);
        if (others[i].text) {
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, others[i].text));
            CU_ASSERT_EQUAL(errno, EINVAL);
        } else {
            close(fd);
        }
        CU_ASSERT(tree_remove(AT_FDCWD, path));
    }
    fd = plain_open(in_dir("no/such"), O_RDONLY, 0, &why);
    CU_ASSERT_EQUAL(fd, -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "/no/such: No such file or directory"));
    remove_dir();
}

static void test_a_taken_name_is_moved_aside(void)
{
    struct place p = { .uid = geteuid(), .gid = getegid(), .mode = 0640 };
    struct stat st;
    int fd;

    make_dir();
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        others[i].make(in_dir("1.server.OU"));
        fd = place_file(&p, in_dir("1.server.OU"));
        CU_ASSERT_FATAL(fd >= 0);
        CU_ASSERT_EQUAL(fstat(fd, &st), 0);
        CU_ASSERT(S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0640);
        CU_ASSERT_EQUAL(st.st_nlink, 1);
        close(fd);
        CU_ASSERT_EQUAL(strncmp(p.aside, "1.server.OU.aside.", 18), 0);
        CU_ASSERT_EQUAL_FATAL(lstat(in_dir(p.aside), &st), 0);
        CU_ASSERT_EQUAL(st.st_mode & S_IFMT, others[i].kind);
        unlink(in_dir("1.server.OU"));
    }
    remove_dir();
}

static void test_own_things_are_used_again(void)
{
    struct place p = { .uid = geteuid(), .gid = getegid(), .mode = 0600 };
    char text[8] = "";
    int fd;

    make_dir();
    for (int run = 0; run < 2; run++) {
        fd = place_file(&p, in_dir("f"));
        CU_ASSERT_FATAL(fd >= 0);
        CU_ASSERT_EQUAL(write(fd, "ab", 2), 2);
        CU_ASSERT_STRING_EQUAL(p.aside, "");
        close(fd);
    }
    fd = open(in_dir("f"), O_RDONLY);
    CU_ASSERT_EQUAL(read(fd, text, sizeof(text) - 1), 4);
    CU_ASSERT_STRING_EQUAL(text, "abab");
    close(fd);
    CU_ASSERT(place_directory(&p, in_dir("d")));
    CU_ASSERT(place_directory(&p, in_dir("d")));
    CU_ASSERT_STRING_EQUAL(p.aside, "");
    make_link(in_dir("l"));
    CU_ASSERT(place_directory(&p, in_dir("l")));
    CU_ASSERT_STRING_NOT_EQUAL(p.aside, "");
    remove_dir();
}

/* Where others could rename just as well, nothing of theirs is touched. */
static void test_an_unsafe_directory_is_no_place(void)
{
    struct place p = { .uid = geteuid(), .gid = getegid(), .mode = 0600 };

    make_dir();
    CU_ASSERT_EQUAL(chmod(dir, 0777), 0);
    CU_ASSERT_EQUAL(place_file(&p, in_dir("f")), -1);
    CU_ASSERT_EQUAL(errno, EPERM);
    CU_ASSERT_FALSE(place_directory(&p, in_dir("d")));
    remove_dir();
}

static void test_kept_output_gets_its_name(void)
{
    struct place p = { .uid = geteuid(), .gid = getegid(), .mode = 0600 };
    char from[512], to[512];

    make_dir();
    make_directory(in_dir("undelivered"));
    snprintf(from, sizeof(from), "%s/f", dir);
    snprintf(to, sizeof(to), "%s/undelivered/f", dir);
    make_directory(to);
    close(place_file(&p, from));
    CU_ASSERT(place_move(&p, from, to));
    CU_ASSERT_STRING_NOT_EQUAL(p.aside, ""); /* the directory */
    close(place_file(&p, from));
    CU_ASSERT(place_move(&p, from, to));
    CU_ASSERT_STRING_EQUAL(p.aside, ""); /* of an earlier run */
    CU_ASSERT_EQUAL(access(from, F_OK), -1);
    CU_ASSERT_FALSE(place_move(&p, from, to));
    remove_dir();
}

static void test_trees_go_whole(void)
{
    make_dir();
    make_directory(in_dir("a"));
    make_directory(in_dir("a/b"));
    make_fifo(in_dir("a/b/c"));
    make_link(in_dir("a/l"));
    CU_ASSERT_EQUAL(chmod(in_dir("a/b"), 0), 0);
    CU_ASSERT(tree_remove(AT_FDCWD, in_dir("a")));
    CU_ASSERT(tree_remove(AT_FDCWD, in_dir("a")));
    CU_ASSERT_EQUAL(access("/etc/passwd", F_OK), 0);
    remove_dir();
}

/* Much deeper than a process has descriptors, and than a path may be long. */
static void test_deep_trees_go_whole(void)
{
    int at, next;

    make_dir();
    make_directory(in_dir("a"));
    make_directory(in_dir("a/deep.0"));
    make_directory(in_dir("a/deep.0/not.empty"));
    at = open(in_dir("a"), O_RDONLY | O_DIRECTORY);
    for (int i = 0; at >= 0 && i < 5000; i++) {
        CU_ASSERT_EQUAL_FATAL(mkdirat(at, "down", 0700), 0);
        next = openat(at, "down", O_RDONLY | O_DIRECTORY);
        /* Some have closed a directory to themselves. */
        CU_ASSERT_EQUAL_FATAL(fchmod(at, i % 7 == 3 ? 0500 : 0700), 0);
        close(at);
        at = next;
    }
    CU_ASSERT_FATAL(at >= 0);
    close(at);
    CU_ASSERT(tree_remove(AT_FDCWD, in_dir("a")));
    CU_ASSERT_NOT_EQUAL(access(in_dir("a"), F_OK), 0);
    remove_dir();
}

static const struct unit_case cases[] = {
    { "work is done in another process", test_work_is_done_elsewhere },
    { "work has a time limit, and is answered once", test_work_has_a_limit },
    { "work holds none of the MoM's descriptors", test_work_holds_nothing_of_the_mom },
    { "only plain files are opened", test_only_plain_files_are_opened },
    { "a taken name is moved aside", test_a_taken_name_is_moved_aside },
    { "a job's own things are used again", test_own_things_are_used_again },
    { "an unsafe directory is no place", test_an_unsafe_directory_is_no_place },
    { "output that is kept gets its name", test_kept_output_gets_its_name },
    { "trees go whole", test_trees_go_whole },
    { "deep trees go whole", test_deep_trees_go_whole },
};

int main(void)
{
    return unit_main("mom/user_files", cases, ARRAY_LEN(cases));
}
