/* Unit tests of $restrict_user: whose processes are killed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/restrict.h"

#include "../unit.h"

#include "mom/shell/idle_time.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOM_PID     100
#define MOM_SESSION 90

static void test_who_is_spared(void)
{
    static const uint32_t exempt[] = { 2000 }, owners[] = { 3000, 3001 };
    const struct restrict_rules rules = { .max_system_uid = 999,
                                          .mom_pid = MOM_PID,
                                          .mom_session = MOM_SESSION,
                                          .n_exempt = 1,
                                          .exempt = exempt,
                                          .n_owners = 2,
                                          .owners = owners };
    /* pid, parent, session, uid */
    static const struct proc_entry all[] = {
        { 1, 0, 1, 0, 0 },
        { 50, 1, 50, 999, 0 },
        { 51, 1, 51, 1000, 0 },
        { 52, 51, 51, 2000, 0 },
        { 53, 1, MOM_SESSION, 5000, 0 },
        { 100, 1, 90, 0, 0 },
        { 110, 100, 110, 5000, 0 },
        { 111, 110, 111, 5000, 0 },
        { 120, 1, 120, 3000, 0 },
        { 121, 120, 120, 3001, 0 },
        { 122, 51, 122, 5000, 0 },
        { 123, 999, 123, 5000, 0 },
    };
    static const struct {
        const char *story;
        enum restrict_verdict verdict;
    } rows[ARRAY_LEN(all)] = {
        { "init", RESTRICT_LEAVE },
        { "the last uid of the system", RESTRICT_LEAVE },
        { "the first of a user", RESTRICT_KILL },
        { "an exception", RESTRICT_LEAVE },
        { "in the MoM's session", RESTRICT_LEAVE },
        { "the MoM", RESTRICT_LEAVE },
        { "a child of the MoM, which copies files", RESTRICT_LEAVE },
        { "its child", RESTRICT_LEAVE },
        { "somebody with a job", RESTRICT_ALIEN },
        { "another one", RESTRICT_ALIEN },
        { "a child of somebody without", RESTRICT_KILL },
        { "one whose parent has gone", RESTRICT_KILL },
    };

    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        enum restrict_verdict got = restrict_judge(&rules, all, ARRAY_LEN(all), i);

        if (got != rows[i].verdict)
            fprintf(stderr, "%s: %d\n", rows[i].story, got);
        CU_ASSERT_EQUAL(got, rows[i].verdict);
    }
}

/* A loop in what is read of parents comes to an end. */
static void test_parents_in_a_circle(void)
{
    const struct restrict_rules rules = { .max_system_uid = 999, .mom_pid = MOM_PID };
    static const struct proc_entry all[] = { { 7, 8, 7, 5000, 0 },
                                             { 8, 7, 7, 5000, 0 } };

    CU_ASSERT_EQUAL(restrict_judge(&rules, all, 2, 0), RESTRICT_KILL);
}

static const struct proc_entry *find(const struct proc_entry *all, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].pid == pid)
            return &all[i];
    return NULL;
}

static void test_processes_are_listed_and_ended(void)
{
    pid_t child = fork();
    const struct proc_entry *own, *its;
    struct proc_entry *all, other;
    int status;
    size_t n;

    if (child == 0) {
        pause();
        _exit(0);
    }
    n = proc_list(&all);
    own = find(all, n, getpid());
    its = find(all, n, child);
    CU_ASSERT_FATAL(own && its);
    CU_ASSERT(its->parent == getpid() && its->session == getsid(0));
    CU_ASSERT_EQUAL(its->uid, getuid());
    for (size_t i = 1; i < n; i++)
        CU_ASSERT(all[i - 1].pid < all[i].pid);
    other = *its; /* a process that has had the number before, or another user */
    other.began--;
    CU_ASSERT_FALSE(proc_kill(&other, SIGKILL));
    other = *its;
    other.uid++;
    CU_ASSERT_FALSE(proc_kill(&other, SIGKILL));
    CU_ASSERT_EQUAL(waitpid(child, &status, WNOHANG), 0);
    CU_ASSERT(proc_kill(its, SIGKILL));
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_FALSE(proc_kill(its, SIGKILL));
    free(all);
}

static void test_interrupts_are_counted(void)
{
    static const struct {
        const char *text;
        uint64_t sum;
    } rows[] = {
        { "", 0 },
        { "           CPU0       CPU1\n  1:   10   20   IO-APIC   1-edge      i8042\n"
          "  8:   99   99   IO-APIC   8-edge      rtc0\n"
          " 12:    3    4   IO-APIC  12-edge      i8042",
          37 },
        { "1: 5 6x i8042\n", 5 },
        { "i8042\n", 0 },
        { "1: i8042\n2: 7\n", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CU_ASSERT_EQUAL(idle_time_count(rows[i].text), rows[i].sum);
}

/* What is written there is no sign of anybody. */
static void test_who_types_reads_a_terminal(void)
{
    static const struct {
        const char *name;
        int64_t read_at, written_at, expect;
    } rows[] = {
        { "pts", 9000, 9000, 0 },  { "ttyS", 9000, 9000, 0 },
        { "console", 0, 9000, 0 }, { "tty0", 1000, 9000, 1000 },
        { "tty12", 900, 0, 1000 }, { "console", 2000, 9000, 2000 },
    };
    char dir[] = "/tmp/hf-idle-XXXXXX", path[64];

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct timespec times[2] = { { .tv_sec = rows[i].read_at },
                                           { .tv_sec = rows[i].written_at } };

        snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
        CU_ASSERT_EQUAL(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
        CU_ASSERT_EQUAL(utimensat(AT_FDCWD, path, times, 0), 0);
        CU_ASSERT_EQUAL(idle_time_typed(dir), rows[i].expect);
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
        (void)unlink(path);
    }
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

/* Nobody has waited yet for what has ended: its number is taken, and nothing lives. */
static void test_a_session_that_has_ended_does_not_live(void)
{
    char mark[PROC_MARK_BYTES];
    int go[2], begun[2];
    char byte;
    siginfo_t ended;
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(pipe(go) | pipe(begun), 0);
    pid = fork();
    if (pid == 0) {
        close(go[1]);
        close(begun[0]);
        if (setsid() == getpid() && write(begun[1], "b", 1) == 1)
            (void)!read(go[0], &byte, 1);
        _exit(0);
    }
    CU_ASSERT_FATAL(pid > 0);
    close(go[0]);
    close(begun[1]);
    CU_ASSERT_EQUAL_FATAL(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    CU_ASSERT(proc_session_mark(pid, mark) && proc_session_lives(pid, mark));
    close(go[1]);
    CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    CU_ASSERT_FALSE(proc_session_lives(pid, mark));
    CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
}

static const struct unit_case cases[] = {
    { "who types reads a terminal", test_who_types_reads_a_terminal },
    { "users without a job are killed, and nobody else", test_who_is_spared },
    { "parents in a circle are nobody's", test_parents_in_a_circle },
    { "a process is ended, and none with its number",
      test_processes_are_listed_and_ended },
    { "a session that has ended does not live, whoever has not heard of it yet",
      test_a_session_that_has_ended_does_not_live },
    { "interrupts of keyboard and mouse are counted", test_interrupts_are_counted },
};

int main(void)
{
    return unit_main("mom/restrict", cases, ARRAY_LEN(cases));
}
