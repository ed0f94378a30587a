/* child.c - start a program without a shell.
 *
 * Between fork and exec only async-signal-safe calls are made. The errno of a failed
 * exec comes back through a pipe that closes itself when exec works.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Give the child its descriptors 0, 1 and 2. What is given may be any of these three
 * itself, so all are copied out of the way first. */
static bool child_descriptors(const struct child_config *cfg)
{
    int moved[3];

    for (int i = 0; i < 3; i++) {
        int from = cfg->fd[i] >= 0 ? cfg->fd[i] : open("/dev/null", O_RDWR);

        moved[i] = from < 0 ? -1 : fcntl(from, F_DUPFD, 10);
        if (moved[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(moved[i], i) < 0)
            return false;
    return true;
}

/* Signals that a program gets for a fault of its own. */
static bool is_of_fault(int signo)
{
    return signo == SIGABRT || signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE ||
           signo == SIGILL || signo == SIGTRAP;
}

/* Exec would keep what is ignored and what is blocked. No daemon handles its own
 * faults: where a function does, it is a sanitizer's, whose report would be lost. */
void child_reset_signals(void)
{
    struct sigaction now;
    sigset_t none;

    for (int signo = 1; signo < NSIG; signo++)
        if (!is_of_fault(signo) || sigaction(signo, NULL, &now) < 0 ||
            now.sa_handler == SIG_IGN)
            signal(signo, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Become the other user: groups first, since only root may change them. */
static bool child_becomes(const struct child_config *cfg)
{
    return !cfg->as_other ||
           (setgroups(0, NULL) == 0 && setresgid(cfg->gid, cfg->gid, cfg->gid) == 0 &&
            setresuid(cfg->uid, cfg->uid, cfg->uid) == 0);
}

/* In the new process: become the program, or write the reason why not and end. Only
 * the report stays open beside the three, and exec closes it. */
static NORETURN void child_run(const struct child_config *cfg, int report)
{
    int err;

    child_reset_signals();
    if (cfg->new_session)
        setsid();
    report = fcntl(report, F_DUPFD_CLOEXEC, 20);
    if (report >= 0 && child_descriptors(cfg) &&
        (report == 3 || close_range(3, (unsigned)report - 1, 0) == 0) &&
        close_range((unsigned)report + 1, ~0u, 0) == 0 &&
        (!cfg->dir || chdir(cfg->dir) == 0) && child_becomes(cfg))
        execve(cfg->path, (char *const *)cfg->argv,
               cfg->envp ? (char *const *)cfg->envp : environ);
    err = errno;
    if (report >= 0 && write(report, &err, sizeof(err)) < 0)
        _exit(126);
    _exit(127);
}

/* The read ends when exec closes the pipe, or with an errno. */
int child_start(struct loop *l, const struct child_config *cfg, loop_child_fn done,
                void *arg, pid_t *pid, struct diag *why)
{
    int fds[2], err = 0;
    pid_t child;
    ssize_t n;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    child = fork();
    if (child == 0)
        child_run(cfg, fds[1]);
    close(fds[1]);
    if (child < 0) {
        close(fds[0]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    do {
        n = read(fds[0], &err, sizeof(err));
    } while (n < 0 && errno == EINTR);
    close(fds[0]);
    if (n == (ssize_t)sizeof(err)) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        return diag_set(why, PBSE_SYSTEM, "%s: %s", cfg->path, strerror(err));
    }
    loop_child_watch(l, child, done, arg);
    *pid = child;
    return 0;
}

/* The kept ones are first moved above all places that they may get, so that none of
 * them is overwritten before its turn. */
bool child_keep_only(int *const *keep, size_t n)
{
    const int first = 3, above = first + CHILD_MAX_KEPT;
    int null = open("/dev/null", O_RDWR);

    MUST(n <= CHILD_MAX_KEPT);
    child_reset_signals();
    if (null < 0 || (null = fcntl(null, F_DUPFD, above)) < 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        *keep[i] = fcntl(*keep[i], F_DUPFD, above);
        if (*keep[i] < 0)
            return false;
    }
    for (int fd = 0; fd < first; fd++)
        if (dup2(null, fd) < 0)
            return false;
    for (size_t i = 0; i < n; i++) {
        if (dup3(*keep[i], first + (int)i, O_CLOEXEC) < 0)
            return false;
        *keep[i] = first + (int)i;
    }
    return close_range((unsigned)first + (unsigned)n, ~0u, 0) == 0;
}
