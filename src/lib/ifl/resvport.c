/* resvport.c - the set-uid helper that vouches for a TCP connection (wire.md 4.2).
 *
 * It is started directly, with the connection as the only further descriptor and with
 * an environment of its own. Only what it writes counts: its exit status may have been
 * collected by the program's own SIGCHLD handler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_S  600
#define VALUE_MAX 4096 /* of one variable or path */

struct helper {
    char path[VALUE_MAX];
    char port[8], fd[16], lport[8];
    char addr[64], conf[VALUE_MAX], encrypt[128];
    char *argv[6], *envp[4];
};

/* False: something is too long to be passed on. */
static bool fill_env(struct helper *h, const struct conf *settings,
                     const struct sockaddr_in *own)
{
    const char *file = getenv("PBS_CONF_FILE");
    char text[INET_ADDRSTRLEN];
    size_t n = 0;

    inet_ntop(AF_INET, &own->sin_addr, text, sizeof(text));
    snprintf(h->addr, sizeof(h->addr), "PBS_IFF_CLIENT_ADDR=%s", text);
    h->envp[n++] = h->addr;
    if (*settings->encrypt_method) { /* the helper asks for it */
        if ((size_t)snprintf(h->encrypt, sizeof(h->encrypt), "PBS_ENCRYPT_METHOD=%s",
                             settings->encrypt_method) >= sizeof(h->encrypt))
            return false;
        h->envp[n++] = h->encrypt;
    }
    if (file) { /* for helpers that read it */
        if (strlen(file) > VALUE_MAX - 32)
            return false;
        snprintf(h->conf, sizeof(h->conf), "PBS_CONF_FILE=%s", file);
        h->envp[n++] = h->conf;
    }
    return true;
}

static bool fill(struct helper *h, const struct conf *conf, int fd, const char *host,
                 unsigned port)
{
    struct sockaddr_in own = { 0 };
    socklen_t len = sizeof(own);

    memset(h, 0, sizeof(*h));
    if (getsockname(fd, (struct sockaddr *)&own, &len) < 0 ||
        (size_t)snprintf(h->path, sizeof(h->path), "%s/sbin/pbs_iff", conf->exec) >=
            sizeof(h->path))
        return false;
    snprintf(h->port, sizeof(h->port), "%u", port);
    snprintf(h->fd, sizeof(h->fd), "%d", fd);
    /* The port is passed on as the kernel keeps it, in network order. */
    snprintf(h->lport, sizeof(h->lport), "%u", (unsigned)own.sin_port);
    h->argv[0] = h->path;
    h->argv[1] = (char *)(uintptr_t)host;
    h->argv[2] = h->port;
    h->argv[3] = h->fd;
    h->argv[4] = h->lport;
    return fill_env(h, conf, &own);
}

/* Signals as in a fresh program, whatever this one does with its own. */
static int plain_signals(posix_spawnattr_t *how)
{
    sigset_t none, all;
    int err;

    sigemptyset(&none);
    sigfillset(&all);
    err = posix_spawnattr_setsigmask(how, &none);
    if (!err)
        err = posix_spawnattr_setsigdefault(how, &all);
    if (!err)
        err = posix_spawnattr_setflags(how,
                                       POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return err;
}

static int start(const struct helper *h, int conn, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int err = posix_spawn_file_actions_init(&files);

    if (err)
        return err;
    err = posix_spawnattr_init(&how);
    if (!err) {
        err = plain_signals(&how);
        /* onto itself: it stays open in the helper */
        if (!err)
            err = posix_spawn_file_actions_adddup2(&files, conn, conn);
        if (!err)
            err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
        if (!err)
            err = posix_spawn(pid, h->path, &files, &how, h->argv, h->envp);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return err;
}

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* The code it wrote first; -1 when it ended without one, or *late. */
static int read_code(int from, bool *late)
{
    const time_t until_s = now_s() + ANSWER_S;
    struct pollfd p = { .fd = from, .events = POLLIN };
    int32_t code = 0;
    size_t got = 0;

    while (got < sizeof(code)) {
        time_t left = until_s - now_s();
        ssize_t n = left > 0 ? poll(&p, 1, (int)left * 1000) : 0;

        *late = n == 0;
        if (n > 0)
            n = read(from, (char *)&code + got, sizeof(code) - got);
        if (n == 0 || (n < 0 && errno != EINTR))
            return -1;
        if (n > 0)
            got += (size_t)n;
    }
    return code;
}

/* Not waited for when it is late: it ends when it finds nobody to write to. */
static void reap(pid_t pid, bool late)
{
    while (waitpid(pid, NULL, late ? WNOHANG : 0) < 0 && errno == EINTR)
        ;
}

int ifl_resvport(const struct conf *conf, int fd, const char *host, unsigned port)
{
    struct helper *h = malloc(sizeof(*h));
    int pipefd[2] = { -1, -1 }, code = -1;
    bool late = false;
    pid_t pid;

    if (h && fill(h, conf, fd, host, port) && pipe2(pipefd, O_CLOEXEC) == 0) {
        bool started = start(h, fd, pipefd[1], &pid) == 0;

        close(pipefd[1]);
        if (started)
            code = read_code(pipefd[0], &late);
        close(pipefd[0]); /* the rest is the server's text: not shown */
        if (started)
            reap(pid, late);
    }
    free(h);
    return code;
}
