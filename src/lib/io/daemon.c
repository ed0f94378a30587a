/* daemon.c - lock files, going into the background, limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/daemon.h"

#include "lib/io/clock.h"
#include "lib/io/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often a lock is tried that somebody holds. */
#define LOCK_TRY_MS 20

/* The write end of the pipe to the waiting parent, -1 when there is none. */
static int ready_fd = -1;

/* A lock of the open file, not of the process: it survives daemon_fork(), and it keeps
 * out those who use process locks as well. */
static int lock_take(int fd)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    return fcntl(fd, F_OFD_SETLK, &whole);
}

/* True when somebody else has the lock. */
static bool is_held(int err)
{
    return err == EAGAIN || err == EACCES;
}

/* A daemon that was killed holds its lock until its last thread has left the kernel,
 * and a process that it was just forking holds it a little longer: who is started right
 * after the kill waits for that. */
static int lock_wait(int fd)
{
    int64_t until_ms = clock_mono_ms() + DAEMON_LOCK_WAIT_MS;

    while (lock_take(fd) < 0) {
        if (!is_held(errno) || clock_mono_ms() >= until_ms)
            return -1;
        poll(NULL, 0, LOCK_TRY_MS);
    }
    return 0;
}

int daemon_lock(const char *path, mode_t mode, int *fd, struct diag *why)
{
    int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode);
    int err = 0;

    if (f < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (lock_wait(f) < 0)
        err = is_held(errno)
                  ? diag_set(why, PBSE_OBJBUSY, "%s: locked by another process", path)
                  : diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (err) {
        close(f);
        return err;
    }
    *fd = f;
    return 0;
}

int daemon_lock_pid(int fd, struct diag *why)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) != len)
        return diag_set(why, PBSE_SYSTEM, "lock file: %s", strerror(errno));
    return 0;
}

static void mask_early(int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(how, &set, NULL);
}

void daemon_hears(void)
{
    mask_early(SIG_UNBLOCK);
}

/* The parent's part of daemon_fork(): wait for one byte, or for the child's end. */
static NORETURN void parent_wait(pid_t child, int fd)
{
    char byte;
    ssize_t n;
    int status = 0;

    daemon_hears(); /* of a terminal that is closed */
    /* The lock is the child's alone: should that be killed, it is free at once. */
    fd = dup2(fd, 3);
    close_range(4, ~0u, 0);
    do {
        n = read(fd, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 1)
        _exit(0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int daemon_fork(void)
{
    int fds[2], err;
    pid_t child;

    MUST(ready_fd < 0); /* a daemon goes into the background once */
    if (pipe2(fds, O_CLOEXEC) < 0)
        return errno;
    fflush(NULL);
    child = fork();
    if (child < 0) {
        err = errno;
        close(fds[0]);
        close(fds[1]);
        return err;
    }
    if (child > 0) {
        close(fds[1]);
        parent_wait(child, fds[0]);
    }
    close(fds[0]);
    ready_fd = fds[1];
    setsid();
    return 0;
}

void daemon_ready(void)
{
    int null;

    if (ready_fd < 0)
        return;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
    /* The parent may be gone; then nobody is waiting. */
    if (write(ready_fd, "", 1) < 0)
        errno = 0;
    close(ready_fd);
    ready_fd = -1;
}

/* Does nothing: with a handler, a file that may not grow is an error of write() and not
 * the end of the daemon. SIG_IGN would do the same, but the programs that a daemon
 * starts would inherit it. */
static void on_file_limit(int signo)
{
    (void)signo;
}

void daemon_tidy(void)
{
    static const int unlimited[] = { RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA,
                                     RLIMIT_STACK, RLIMIT_RSS };
    struct rlimit lim;

    mask_early(SIG_BLOCK);
    umask(022);
    heap_set_up();
    for (size_t i = 0; i < ARRAY_LEN(unlimited); i++) {
        if (getrlimit((__rlimit_resource_t)unlimited[i], &lim) < 0)
            continue;
        lim.rlim_cur = lim.rlim_max;
        setrlimit((__rlimit_resource_t)unlimited[i], &lim);
    }
    if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
        lim.rlim_cur = lim.rlim_max;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, on_file_limit);
    close_range(3, ~0u, 0);
    /* The next file that is opened would get the number of a closed one, and what
     * libraries print would go there. */
    for (int fd = 0; fd <= 2; fd++)
        while (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) >= 0)
            ;
}

bool daemon_core_limit(const char *text)
{
    struct rlimit lim;
    bool good = true;

    if (!text || getrlimit(RLIMIT_CORE, &lim) < 0)
        return true;
    lim.rlim_cur = RLIM_INFINITY;
    if (strcmp(text, "unlimited") != 0) {
        good = *text && !text[strspn(text, "0123456789")];
        if (good)
            lim.rlim_cur = strtoull(text, NULL, 10);
    }
    /* Only root can raise the hard limit; others get as much as it allows. */
    if (lim.rlim_cur > lim.rlim_max)
        lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_CORE, &lim);
    return good;
}

int daemon_mkdir(const char *path, mode_t mode, struct diag *why)
{
    char *copy = xstrdup(path);
    struct stat st;
    int err = 0;

    for (char *p = copy + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(copy, 0755); /* a failure shows at the last directory */
        *p = '/';
    }
    if (mkdir(copy, mode) < 0 && errno != EEXIST)
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    else if (stat(copy, &st) < 0 || !S_ISDIR(st.st_mode))
        err = diag_set(why, PBSE_SYSTEM, "%s: not a directory", path);
    free(copy);
    return err;
}
