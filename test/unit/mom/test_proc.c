/* test_proc.c - a session that is killed is over, whatever its processes do meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/proc.h"

#include "../unit.h"
#include "walks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 30

static void say(int ready)
{
    if (write(ready, "r", 1) != 1)
        _exit(1);
}

static NORETURN void stand(void)
{
    for (;;)
        pause();
}

/* Become another process, again and again: a walk over /proc finds a number that is
 * over, and not yet the next one. */
static NORETURN void move(int ready)
{
    time_t until = time(NULL) + LIMIT_S; /* alarm() is not inherited */

    say(ready);
    while (time(NULL) < until)
        if (fork() > 0)
            _exit(0);
    _exit(1);
}

/* Its leader ends at once. */
static NORETURN void move_all(int ready)
{
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            move(ready);
    _exit(0);
}

/* One process stands, and one moves, in a group of its own each. */
static NORETURN void move_in_groups(int ready)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            setpgid(0, 0);
            if (i == 0) {
                say(ready);
                stand();
            }
            if (fork() == 0)
                move(ready);
            stand();
        }
    stand();
}

/* The number of a session that does this; so many of its processes have said that they
 * are there when this returns. */
static pid_t begin(void (*what)(int ready), int n)
{
    int ready[2];
    char byte;
    pid_t pid;

    CU_ASSERT_FATAL(pipe(ready) == 0);
    pid = fork();
    CU_ASSERT_FATAL(pid >= 0);
    if (pid == 0) {
        alarm(LIMIT_S);
        if (setsid() < 0)
            _exit(1);
        close(ready[0]);
        what(ready[1]);
        _exit(0);
    }
    close(ready[1]);
    while (n-- > 0)
        CU_ASSERT_EQUAL_FATAL(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

/* Whatever lost its parent is this process's child: wait until nothing is left. */
static void wait_for_all(void)
{
    alarm(LIMIT_S);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    CU_ASSERT_EQUAL(errno, ECHILD);
    alarm(0);
}

static void who_moves_is_killed(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t session = begin(move_all, 3);

        (void)proc_signal_session(session, SIGKILL);
        wait_for_all();
    }
}

static void each_group_is_killed(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t session = begin(move_in_groups, 2);

        CU_ASSERT_TRUE(proc_signal_session(session, SIGKILL) > 0);
        wait_for_all();
    }
}

/* A group of another session has the session's number: the session is over, and its
 * number was given away. */
static void a_strangers_group_is_left_alone(void)
{
    pid_t stranger = fork();
    int status;

    if (stranger == 0) {
        alarm(LIMIT_S);
        setpgid(0, 0);
        stand();
    }
    CU_ASSERT_FATAL(stranger > 0);
    CU_ASSERT_EQUAL(setpgid(stranger, stranger), 0);
    CU_ASSERT_EQUAL(proc_signal_session(stranger, SIGKILL), 0);
    CU_ASSERT_FALSE(proc_signal_group(stranger, SIGKILL));
    CU_ASSERT_EQUAL(waitpid(stranger, &status, WNOHANG), 0);
    CU_ASSERT_EQUAL(kill(stranger, SIGTERM), 0);
    CU_ASSERT_EQUAL(waitpid(stranger, &status, 0), stranger);
    CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static NORETURN void stand_there(int ready)
{
    say(ready);
    stand();
}

/* All of a job's, with one call; another session, between them, goes on. */
static void several_sessions_get_one_signal(void)
{
    struct proc_signal v[4] = { { .signo = SIGKILL },
                                { .signo = SIGKILL },
                                { .signo = SIGKILL },
                                { .signo = SIGKILL } };
    pid_t other;
    int status;

    v[0].session = begin(move_all, 3);
    v[1].session = begin(stand_there, 1);
    other = begin(stand_there, 1);
    v[3].session = begin(move_in_groups, 2); /* v[2] is of a task that did not begin */
    (void)proc_signal(v, ARRAY_LEN(v));
    CU_ASSERT_EQUAL(waitpid(other, &status, WNOHANG), 0);
    CU_ASSERT_EQUAL(kill(other, SIGTERM), 0);
    wait_for_all();
    CU_ASSERT_EQUAL(proc_signal(v, ARRAY_LEN(v)), 0);
    CU_ASSERT_EQUAL(proc_signal(v, 0), 0);
}

static void walks_do_not_grow_with_sessions(void)
{
    struct proc_signal v[10];

    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i] = (struct proc_signal){ .session = begin(stand_there, 1) };
    (void)walks();
    CU_ASSERT_EQUAL(proc_signal(v, ARRAY_LEN(v)), ARRAY_LEN(v));
    CU_ASSERT_EQUAL(walks(), 1);
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i].signo = SIGKILL;
    CU_ASSERT_EQUAL(proc_signal(v, ARRAY_LEN(v)), ARRAY_LEN(v));
    /* In the second one nobody is met who has not been killed. */
    CU_ASSERT_EQUAL(walks(), 2);
    wait_for_all();
}

static int counted; /* where count() tells of each SIGUSR1 */

static void on_counted(int signo)
{
    (void)signo;
    if (write(counted, "u", 1) != 1)
        _exit(1);
}

static NORETURN void count(int ready)
{
    counted = ready;
    signal(SIGUSR1, on_counted);
    say(ready);
    stand();
}

/* SIGKILL of another session takes more walks than one, and who is in the group of the
 * session's leader may have got it before. */
static void a_signal_is_sent_once(void)
{
    int told[2];
    char text[16];
    struct proc_signal v[2] = { { .signo = SIGUSR1 },
                                { begin(stand_there, 1), SIGKILL, false } };

    CU_ASSERT_EQUAL_FATAL(pipe(told), 0);
    v[0].session = fork();
    if (v[0].session == 0) {
        alarm(LIMIT_S);
        setsid();
        close(told[0]);
        count(told[1]);
    }
    close(told[1]);
    CU_ASSERT_EQUAL(read(told[0], text, 1), 1);
    CU_ASSERT_EQUAL(proc_signal(v, 2), 2);
    CU_ASSERT_EQUAL(read(told[0], text, 1), 1);
    v[0].group_has_it = proc_signal_group(v[0].session, SIGUSR1);
    CU_ASSERT_TRUE(v[0].group_has_it);
    CU_ASSERT_EQUAL(read(told[0], text, 1), 1);
    CU_ASSERT_EQUAL(proc_signal(v, 1), 0);
    CU_ASSERT_EQUAL(kill(v[0].session, SIGKILL), 0);
    CU_ASSERT_EQUAL(read(told[0], text, sizeof(text)), 0);
    close(told[0]);
    wait_for_all();
}

/* Whoever stops is stopped last, and whoever is to end has gone on before. */
static void signals_of_a_session_keep_their_order(void)
{
    pid_t session = begin(stand_there, 1);
    const struct proc_signal stopped[] = { { session, SIGCONT, false },
                                           { session, SIGSTOP, false } };
    const struct proc_signal ended[] = { { session, SIGSTOP, false },
                                         { session, SIGCONT, false },
                                         { session, SIGTERM, false } };
    int status;

    alarm(LIMIT_S);
    CU_ASSERT_EQUAL(proc_signal(stopped, ARRAY_LEN(stopped)), 1);
    CU_ASSERT_EQUAL(waitpid(session, &status, WUNTRACED), session);
    CU_ASSERT_TRUE(WIFSTOPPED(status));
    CU_ASSERT_EQUAL(proc_signal(ended, ARRAY_LEN(ended)), 1);
    CU_ASSERT_EQUAL(waitpid(session, &status, 0), session);
    CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    alarm(0);
}

static void who_has_ended_is_not_alive(void)
{
    struct proc_session v[2] = { { .session = begin(stand_there, 1) },
                                 { .session = begin(stand_there, 1) } };
    siginfo_t info;

    CU_ASSERT_EQUAL(kill(v[0].session, SIGKILL), 0);
    CU_ASSERT_EQUAL(waitid(P_PID, (id_t)v[0].session, &info, WEXITED | WNOWAIT), 0);
    (void)walks();
    proc_sample(v, 2);
    CU_ASSERT_EQUAL(walks(), 1);
    CU_ASSERT_TRUE(v[0].n_processes == 1 && v[0].n_alive == 0);
    CU_ASSERT_TRUE(v[1].n_processes == 1 && v[1].n_alive == 1);
    CU_ASSERT_EQUAL(kill(v[1].session, SIGKILL), 0);
    wait_for_all();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who becomes another process again and again is killed",
          who_moves_is_killed },
        { "each group of a session is killed", each_group_is_killed },
        { "a stranger's group is left alone", a_strangers_group_is_left_alone },
        { "several sessions get one signal", several_sessions_get_one_signal },
        { "walks do not grow with sessions", walks_do_not_grow_with_sessions },
        { "a signal is sent once", a_signal_is_sent_once },
        { "signals of a session keep their order",
          signals_of_a_session_keep_their_order },
        { "who has ended is not alive", who_has_ended_is_not_alive },
    };

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 2;
    return unit_main("proc", cases, ARRAY_LEN(cases));
}
