/* script.c - see script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT_RUN    126   /* as a shell says that a program cannot be run */
#define LOOK_AGAIN_MS 60000 /* what a wait may take that nothing ends */

enum script_look script_look(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return errno == ENOENT ? SCRIPT_IS_MISSING : SCRIPT_IS_UNFIT;
    /* Whoever may write it decides what runs with the rights of the MoM. */
    if (!S_ISREG(st.st_mode) || (st.st_mode & 022) || (st.st_mode & 0500) != 0500 ||
        (st.st_uid != 0 && st.st_uid != geteuid()))
        return SCRIPT_IS_UNFIT;
    return SCRIPT_IS_FIT;
}

const char *script_words(int code)
{
    if (code == SCRIPT_UNFIT)
        return "Permission Error";
    if (code == SCRIPT_BROKEN)
        return "wait error or signal";
    return "nonzero p/e exit status";
}

/* In the new process: the descriptors as the script is to find them. */
static bool take_files(const struct script *s)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int out = s->output < 0 ? null : s->output, err = s->error < 0 ? null : s->error;

    if (null < 0)
        return false;
    /* One of them may have the number of another: both are moved out of the way. */
    out = fcntl(out, F_DUPFD_CLOEXEC, 3);
    err = fcntl(err, F_DUPFD_CLOEXEC, 3);
    return out >= 0 && err >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 &&
           dup2(err, 2) == 2 && close_range(3, ~0u, 0) == 0;
}

static NORETURN void become_script(const struct script *s)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int signo = 1; signo < NSIG; signo++)
        signal(signo, SIG_DFL);
    if (s->in_session)
        (void)setpgid(0, 0); /* a group can be ended without the rest of the session */
    else
        (void)setsid();
    /* Nobody would end it in time if its caller were gone. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    umask(s->umask);
    if ((s->dir && chdir(s->dir) < 0) || !take_files(s))
        _exit(CANNOT_RUN);
    execve(s->path, s->argv, s->envp);
    _exit(CANNOT_RUN);
}

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* SIGCHLD is blocked by the caller, so that it ends this wait also when it came before
 * it. */
static bool wait_a_while(int64_t ms)
{
    const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return sigtimedwait(&child, NULL, &ts) >= 0 || errno == EINTR;
}

/* *ret_status as of waitpid(); 0 when it could not be waited for. */
static int end_of(pid_t pid, int64_t limit_s, int *ret_status)
{
    int64_t until_ms = limit_s ? now_ms() + limit_s * 1000 : INT64_MAX;
    int status = 0;

    *ret_status = 0;

    MUST(pid > 0 && limit_s >= 0);
    for (;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        int64_t left_ms = until_ms - now_ms();

        if (done == pid) {
            *ret_status = status;
            return WIFEXITED(status) ? WEXITSTATUS(status) : SCRIPT_BROKEN;
        }
        if (done < 0 && errno != EINTR)
            return SCRIPT_BROKEN;
        if (left_ms <= 0)
            break;
        (void)wait_a_while(MIN_OF(left_ms, (int64_t)LOOK_AGAIN_MS));
    }
    /* It leads a process group of its own, which ends as a whole. */
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *ret_status = status;
    return SCRIPT_LATE;
}

int script_run(const struct script *s)
{
    enum script_look look = script_look(s->path);
    sigset_t child, before;
    int code, status = 0;
    pid_t pid;

    if (s->ret_signal)
        *s->ret_signal = 0;
    if (look != SCRIPT_IS_FIT)
        return look == SCRIPT_IS_MISSING ? 0 : SCRIPT_UNFIT;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid = fork();
    if (pid == 0)
        become_script(s);
    code = pid < 0 ? SCRIPT_BROKEN : end_of(pid, s->limit_s, &status);
    if (s->ret_signal && WIFSIGNALED(status))
        *s->ret_signal = WTERMSIG(status);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}
