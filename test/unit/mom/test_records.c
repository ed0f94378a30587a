/* Unit tests of mom/shell/records.c: which files are used again, that no name ever has
 * the bytes of another record, that files of older MoMs are read, and when notes do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/records.h"

#include "../unit.h"
#include "lib/wire/job_notes.h"
#include "mom/shell/home.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is written to disk is counted, in the place of the library's functions. */
static struct synced {
    unsigned files, directories;
} n_synced;

static int sync_counted(long number, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        n_synced.directories++;
    else
        n_synced.files++;
    return (int)syscall(number, fd);
}

int fsync(int fd)
{
    return sync_counted(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_counted(SYS_fdatasync, fd);
}

/* So many since the last question. */
static bool synced(unsigned files, unsigned directories)
{
    struct synced n = n_synced;

    n_synced = (struct synced){ 0 };
    return n.files == files && n.directories == directories;
}

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

static bool has_bytes(const char *name, const char *data, size_t len)
{
    struct buf b = { 0 };
    struct diag why;
    bool ok = records_read(path_of(name), 1 << 20, &b, &why) == 0 && b.len == len &&
              memcmp(b.data ? b.data : "", data, b.len) == 0;

    buf_fini(&b);
    return ok;
}

static bool has(const char *name, const char *text)
{
    return has_bytes(name, text, strlen(text));
}

static void put(struct records *s, const char *name, const char *text)
{
    struct diag why;

    CU_ASSERT_EQUAL(records_save(s, path_of(name), 0, text, strlen(text), &why), 0);
    CU_ASSERT(has(name, text));
}

static void begin(struct records *s)
{
    records_open(s, root);
    CU_ASSERT_EQUAL(s->n, 0);
}

static void lay(struct records *s, const char *name, const char *text)
{
    struct diag why;

    CU_ASSERT_EQUAL(records_lay(s, path_of(name), 0, text, strlen(text), &why), 0);
}

/* put() without a look at it, which writes to disk too. */
static void save(struct records *s, const char *name, const char *text)
{
    struct diag why;

    CU_ASSERT_EQUAL(records_save(s, path_of(name), 0, text, strlen(text), &why), 0);
}

/* A record that is laid is there, and waits for the disk with the next one, its name
 * too: also in a file that another record has left. */
static void test_one_that_is_laid_waits_for_the_next(void)
{
    struct records s;

    begin(&s);
    for (int run = 0; run < 2; run++) {
        (void)synced(0, 0);
        lay(&s, "jobs/1.JB", "one");
        CU_ASSERT(synced(0, 0));
        CU_ASSERT(has("jobs/1.JB", "one"));
        (void)synced(0, 0);
        save(&s, "jobs/1.JB", "one begins");
        CU_ASSERT(synced(1, 1));
        save(&s, "jobs/1.JB", "one ends");
        CU_ASSERT(synced(1, 0));
        CU_ASSERT(has("jobs/1.JB", "one ends"));
        records_give(&s, path_of("jobs/1.JB"));
        CU_ASSERT_EQUAL(s.n, 1);
        (void)synced(0, 0);
    }
    lay(&s, "jobs/2.JB", "two");
    CU_ASSERT_TRUE(records_note(&s, path_of("jobs/2.JB"), 0, "note", 4));
    CU_ASSERT(synced(1, 1));
    CU_ASSERT_TRUE(records_note(&s, path_of("jobs/2.JB"), 0, "note", 4));
    CU_ASSERT(synced(1, 0));
    records_give(&s, path_of("jobs/2.JB"));
    records_close(&s);
}

/* Whoever writes the directory to disk does so for the names that are there. */
static void test_names_that_somebody_else_syncs(void)
{
    struct records s;
    struct diag why;
    uint64_t names;

    begin(&s);
    lay(&s, "jobs/1.JB", "one");
    names = records_names(&s);
    (void)synced(0, 0);
    CU_ASSERT_EQUAL(home_reserve(path_of("jobs/1.EX"), 0600, 10, &why), 0);
    CU_ASSERT(synced(0, 1));
    lay(&s, "jobs/2.JB", "two");
    records_names_are_durable(&s, names);
    save(&s, "jobs/1.JB", "one begins");
    CU_ASSERT(synced(1, 0));
    save(&s, "jobs/2.JB", "two begins");
    CU_ASSERT(synced(1, 1));
    records_names_are_durable(&s, names); /* told late: no name is lost again */
    save(&s, "jobs/2.JB", "two ends");
    CU_ASSERT(synced(1, 0));
    CU_ASSERT_TRUE(home_fill(path_of("jobs/1.EX"), "0\n", 2));
    CU_ASSERT(synced(1, 0));
    CU_ASSERT_EQUAL(unlink(path_of("jobs/1.EX")), 0);
    records_give(&s, path_of("jobs/1.JB"));
    records_give(&s, path_of("jobs/2.JB"));
    records_close(&s);
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
    records_close(&s);
    begin(&s); /* the next MoM */
    CU_ASSERT(!number_of("spare/0") && !number_of("spare/1"));
    records_close(&s);
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
    records_close(&s);
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
    records_close(&s);
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
    records_close(&s);
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
    records_close(&none);
    /* A symbolic link in the place of a spare file is not followed. */
    CU_ASSERT_EQUAL(symlink("../jobs/victim", path_of("spare/0")), 0);
    CU_ASSERT_EQUAL(home_write(path_of("jobs/victim"), 0600, "v", 1, &why), 0);
    put(&s, "jobs/1.JB", "one");
    CU_ASSERT(has("jobs/victim", "v") && !number_of("spare/0"));
    CU_ASSERT_EQUAL(records_save(&s, path_of("nowhere/1.JB"), 0, "x", 1, &why),
                    PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "nowhere/1.JB"));
    CU_ASSERT(s.n == 0 && !number_of("spare/0"));
    records_close(&s);
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
    records_close(&s);
}

/* A job whose tasks begin and end: what a MoM knows of it, and writes. */
struct tasks_job {
    struct records s;
    struct job_record_task tasks[1000];
    size_t n;
    uint32_t n_tasks;
    uint64_t base;
    size_t n_whole, n_notes;
};

static void encode(struct tasks_job *j, struct buf *out)
{
    const struct job_record r = { .id = "1",
                                  .phase = 42,
                                  .mark = "",
                                  .n_tasks = j->n_tasks,
                                  .n_stored = j->n,
                                  .tasks = j->tasks };

    job_record_encode(&r, out);
}

static void save_whole(struct tasks_job *j)
{
    struct buf b = { 0 };
    struct diag why;

    encode(j, &b);
    j->n_whole++;
    CU_ASSERT_EQUAL(
        records_save(&j->s, path_of("jobs/1.JB"), j->base, b.data, b.len, &why), 0);
    buf_fini(&b);
}

/* As MOM_SAVE of a task. */
static bool save_note(struct tasks_job *j, const struct job_note *n)
{
    struct buf b = { 0 };
    bool ok;

    job_note_encode(n, &b);
    ok = records_note(&j->s, path_of("jobs/1.JB"), j->base, b.data, b.len);
    j->n_notes += ok;
    buf_fini(&b);
    return ok;
}

static void save_step(struct tasks_job *j, const struct job_note *n)
{
    if (!save_note(j, n))
        save_whole(j);
}

static void begin_task(struct tasks_job *j)
{
    uint32_t number = ++j->n_tasks;
    struct job_note n = { .task = { .number = number,
                                    .session = (int32_t)number + 1000,
                                    .mark = "boot:123456" },
                          .n_tasks = number };

    MUST(j->n < ARRAY_LEN(j->tasks));
    j->tasks[j->n++] = n.task;
    save_step(j, &n);
}

static void end_oldest(struct tasks_job *j)
{
    const struct job_note n = { .task.number = j->tasks[0].number,
                                .has_ended = true,
                                .n_tasks = j->n_tasks };

    MUST(j->n > 0);
    memmove(&j->tasks[0], &j->tasks[1], --j->n * sizeof(j->tasks[0]));
    save_step(j, &n);
}

/* The tasks are in the order of their numbers there, too. */
static bool is_on_disk(struct tasks_job *j)
{
    struct buf expect = { 0 };
    bool ok;

    encode(j, &expect);
    ok = has_bytes("jobs/1.JB", expect.data, expect.len);
    buf_fini(&expect);
    return ok;
}

static struct tasks_job *job_begin(void)
{
    struct tasks_job *j = xcalloc(1, sizeof(*j));

    begin(&j->s);
    j->n_tasks = 1;
    save_whole(j);
    return j;
}

static void job_end(struct tasks_job *j)
{
    records_give(&j->s, path_of("jobs/1.JB"));
    records_close(&j->s);
    free(j);
}

static size_t length_of(const char *name)
{
    struct stat st;

    return lstat(path_of(name), &st) == 0 ? (size_t)st.st_size : 0;
}

static void test_tasks_are_notes(void)
{
    struct tasks_job *j = job_begin();
    ino_t first = number_of("jobs/1.JB");
    size_t n_whole = j->n_whole;

    for (int i = 0; i < 10; i++)
        begin_task(j);
    end_oldest(j);
    CU_ASSERT(j->n_whole == n_whole && j->n_notes == 11 && is_on_disk(j));
    /* Something else changes: the record is written whole, and notes go on. */
    j->base = 1;
    begin_task(j);
    CU_ASSERT(j->n_whole == n_whole + 1 && is_on_disk(j));
    end_oldest(j);
    end_oldest(j);
    CU_ASSERT(j->n_whole == n_whole + 1 && is_on_disk(j));
    CU_ASSERT(number_of("jobs/1.JB") == first);
    /* The next MoM does not know what the file has. */
    records_close(&j->s);
    begin(&j->s);
    CU_ASSERT_TRUE(is_on_disk(j));
    begin_task(j);
    CU_ASSERT(j->n_whole == n_whole + 2 && is_on_disk(j));
    begin_task(j);
    CU_ASSERT(j->n_whole == n_whole + 2 && is_on_disk(j));
    job_end(j);
}

/* A file that somebody has put there instead, with whatever in it. */
static void test_another_file_gets_no_note(void)
{
    struct tasks_job *j = job_begin();
    size_t n_whole;
    struct diag why;

    begin_task(j);
    n_whole = j->n_whole;
    CU_ASSERT_EQUAL(home_write(path_of("jobs/1.JB"), 0600, "mine", 4, &why), 0);
    begin_task(j);
    CU_ASSERT(j->n_whole == n_whole + 1 && is_on_disk(j));
    CU_ASSERT_EQUAL(unlink(path_of("jobs/1.JB")), 0);
    begin_task(j);
    CU_ASSERT(j->n_whole == n_whole + 2 && is_on_disk(j));
    CU_ASSERT_EQUAL(unlink(path_of("jobs/1.JB")), 0);
    save_whole(j);
    CU_ASSERT_TRUE(is_on_disk(j));
    job_end(j);
}

/* However many tasks live at a time: what is written whole is no more than a part of
 * the notes. */
static void test_notes_cost_as_much_as_they_are(void)
{
    struct tasks_job *j = job_begin();
    size_t n_few;

    for (int i = 0; i < 200; i++) {
        begin_task(j);
        if (j->n > 8)
            end_oldest(j);
    }
    CU_ASSERT_TRUE(is_on_disk(j));
    n_few = j->n_whole;
    CU_ASSERT(n_few < 20 && length_of("jobs/1.JB") <= 65536);
    for (int i = 0; i < 600; i++)
        begin_task(j);
    CU_ASSERT_TRUE(is_on_disk(j));
    CU_ASSERT(j->n_whole < n_few + 15);
    while (j->n)
        end_oldest(j);
    CU_ASSERT_TRUE(is_on_disk(j));
    CU_ASSERT(j->n_whole < n_few + 30);
    job_end(j);
}

static void test_damaged_notes_are_told(void)
{
    struct tasks_job *j = job_begin();
    struct buf b = { 0 };
    struct job_file f;
    struct diag why;
    FILE *file;

    for (int i = 0; i < 5; i++)
        begin_task(j);
    file = fopen(path_of("jobs/1.JB"), "r+");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    b.len = fread(buf_reserve(&b, 100000), 1, 100000, file);
    f = job_file_read(b.data, b.len);
    CU_ASSERT_EQUAL(f.n_notes, 5);
    CU_ASSERT_EQUAL(fseek(file, f.record + f.len - b.data + 50, SEEK_SET), 0);
    CU_ASSERT(fputc('~', file) == '~' && fclose(file) == 0);
    buf_clear(&b);
    CU_ASSERT_EQUAL(records_read(path_of("jobs/1.JB"), 1 << 20, &b, &why), PBSE_SYSTEM);
    CU_ASSERT(b.len == 0 && strstr(why.text, "notes of tasks"));
    CU_ASSERT_EQUAL(records_read(path_of("jobs/none"), 1 << 20, &b, &why), PBSE_SYSTEM);
    CU_ASSERT(b.len == 0 && strstr(why.text, "cannot be read"));
    buf_fini(&b);
    job_end(j);
}

/* It says each step when that is done, and is killed among them. */
static NORETURN void work(struct tasks_job *j, int fd)
{
    for (;;) {
        begin_task(j);
        if (write(fd, "b", 1) != 1)
            _exit(1);
        if (j->n > 5)
            end_oldest(j);
        if (write(fd, "e", 1) != 1)
            _exit(1);
    }
}

/* The same steps without a disk. */
static void step(struct tasks_job *j, char what)
{
    if (what == 'b') {
        j->n_tasks++;
        j->tasks[j->n++] =
            (struct job_record_task){ .number = j->n_tasks,
                                      .session = (int32_t)j->n_tasks + 1000,
                                      .mark = "boot:123456" };
    } else if (j->n > 5) {
        memmove(&j->tasks[0], &j->tasks[1], --j->n * sizeof(j->tasks[0]));
    }
}

static void test_a_kill_loses_nothing_that_was_told(void)
{
    for (int i = 0; i < 8; i++) {
        struct tasks_job *j = job_begin();
        int fd[2], status;
        char what;
        pid_t pid;
        char next = 'b';

        CU_ASSERT_EQUAL_FATAL(pipe(fd), 0);
        pid = fork();
        if (pid == 0)
            work(j, fd[1]);
        close(fd[1]);
        for (int k = 0; k < 10 + 17 * i && read(fd[0], &what, 1) == 1; k++) {
            step(j, what);
            next = what == 'b' ? 'e' : 'b';
        }
        CU_ASSERT_EQUAL(kill(pid, SIGKILL), 0);
        while (read(fd[0], &what, 1) == 1) {
            step(j, what);
            next = what == 'b' ? 'e' : 'b';
        }
        close(fd[0]);
        CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
        CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        /* All that was told, and perhaps the step that was under way. */
        if (!is_on_disk(j)) {
            step(j, next);
            CU_ASSERT_TRUE(is_on_disk(j));
        }
        job_end(j);
    }
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
    { "one that is laid waits for the next", test_one_that_is_laid_waits_for_the_next },
    { "names that somebody else writes to disk are not written again",
      test_names_that_somebody_else_syncs },
    { "the file of a record is used again", test_files_are_used_again },
    { "a record may grow and shrink", test_records_of_any_length },
    { "files of older MoMs are read, and written anew", test_files_of_older_moms },
    { "a file that others have, or a large one, is not", test_what_is_not_used_again },
    { "without spare files records are written all the same",
      test_without_spare_files },
    { "an attempt to write leaves nothing", test_an_attempt_leaves_nothing },
    { "tasks that begin and end are notes", test_tasks_are_notes },
    { "another file gets no note", test_another_file_gets_no_note },
    { "notes cost as much as they are, however long the record",
      test_notes_cost_as_much_as_they_are },
    { "damaged notes are told", test_damaged_notes_are_told },
    { "a kill loses nothing that was told", test_a_kill_loses_nothing_that_was_told },
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
