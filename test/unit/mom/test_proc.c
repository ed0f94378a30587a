/* test_proc.c - a session that is killed is over, whatever its processes do meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/proc.h"

#include "../unit.h"

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

        (void)proc_kill_session(session, SIGKILL);
        wait_for_all();
    }
}

static void each_group_is_killed(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t session = begin(move_in_groups, 2);

        CU_ASSERT_TRUE(proc_kill_session(session, SIGKILL) > 0);
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
    CU_ASSERT_EQUAL(proc_kill_session(stranger, SIGKILL), 0);
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
    int32_t killed[4] = { 0 };
    pid_t other;
    int status;

    killed[0] = begin(move_all, 3);
    killed[1] = begin(stand_there, 1);
    other = begin(stand_there, 1);
    killed[3] =
        begin(move_in_groups, 2); /* killed[2] is of a task that did not begin */
    (void)proc_kill_sessions(killed, ARRAY_LEN(killed), SIGKILL);
    CU_ASSERT_EQUAL(waitpid(other, &status, WNOHANG), 0);
    CU_ASSERT_EQUAL(kill(other, SIGTERM), 0);
    wait_for_all();
    CU_ASSERT_EQUAL(proc_kill_sessions(killed, ARRAY_LEN(killed), SIGKILL), 0);
    CU_ASSERT_EQUAL(proc_kill_sessions(killed, 0, SIGKILL), 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who becomes another process again and again is killed",
          who_moves_is_killed },
        { "each group of a session is killed", each_group_is_killed },
        { "a stranger's group is left alone", a_strangers_group_is_left_alone },
        { "several sessions get one signal", several_sessions_get_one_signal },
    };

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 2;
    return unit_main("proc", cases, ARRAY_LEN(cases));
}
