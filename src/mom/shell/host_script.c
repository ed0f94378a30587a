/* host_script.c - see host_script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_script.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Signals as in a fresh program, a process group of its own, nothing of the MoM's
 * descriptors but 'output'. */
static bool begin(const char *command, int output, pid_t *ret)
{
    static const char *const environ[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                                           "LC_ALL=C", NULL };
    const char *argv[] = { "sh", "-c", command, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t all, none;
    int err;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    err = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&files, output, 1);
    if (!err)
        err = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    if (!err)
        err = posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    if (!err)
        err = posix_spawn(ret, "/bin/sh", &files, &attr, (char *const *)(void *)argv,
                          (char *const *)(void *)environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return err == 0;
}

/* Take the output to its end. What comes behind the most that is wanted is read, so
 * that the command can end, and not kept. False: the time was over. */
static bool read_all(int fd, int64_t until, size_t most, struct buf *text)
{
    char part[4096];

    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = until - now_ms();
        ssize_t n;

        if (left <= 0)
            return false;
        if (poll(&p, 1, (int)left) <= 0)
            continue;
        n = read(fd, part, sizeof(part));
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return n == 0;
        if (n > 0 && text->len <= most)
            buf_add(text, part, (size_t)n);
    }
}

/* Its end, which follows that of its output soon, or never. What is not waited for is
 * killed, and what the command has left of its process group. */
static bool ends_well(pid_t pid, int64_t until)
{
    const struct timespec soon = { .tv_nsec = 10000000 };
    int status;

    while (now_ms() < until) {
        pid_t got = waitpid(pid, &status, WNOHANG);

        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            break;
        nanosleep(&soon, NULL);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

bool host_script_run(const char *command, int limit_ms, size_t most, struct buf *out)
{
    int64_t until = now_ms() + limit_ms;
    struct buf text = { 0 };
    bool ok = false;
    int fds[2];
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    if (begin(command, fds[1], &pid)) {
        close(fds[1]);
        fds[1] = -1;
        ok = ends_well(pid, read_all(fds[0], until, most, &text) ? until : 0);
    }
    close(fds[0]);
    if (fds[1] >= 0)
        close(fds[1]);
    if (ok && text.len > 0) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;

        ok = !memchr(text.data, '\0', len);
        if (ok)
            buf_add(out, text.data, MIN_OF(len, most));
    }
    buf_fini(&text);
    return ok;
}
