/* iff_client.c - see iff_client.h.
 *
 * The helper is started directly, with the connection as the only further descriptor
 * and with an environment of its own. Only what it writes counts: its exit status may
 * have been collected by the program's own SIGCHLD handler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/iff_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define VALUE_MAX 4096 /* of one variable or path */

struct helper {
    char path[VALUE_MAX];
    char port[8], fd[16], lport[8];
    char addr[64], conf[VALUE_MAX], encrypt[128];
    char *argv[6], *envp[4];
};

/* Make the environment of the helper; nothing of ours is passed on but this. False when
 * something is too long. */
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

/* The helper starts with signals as in a fresh program, whatever this program does with
 * its own. */
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

int iff_client_start(const struct conf *conf, int fd, const char *host, unsigned port,
                     struct iff_client *ret)
{
    struct helper *h = malloc(sizeof(*h));
    int pipefd[2] = { -1, -1 };
    int err = -1;

    *ret = (struct iff_client){ .from = -1 };
    if (h && fill(h, conf, fd, host, port) && pipe2(pipefd, O_CLOEXEC) == 0) {
        err = fcntl(pipefd[0], F_SETFL, O_NONBLOCK);
        if (!err)
            err = start(h, fd, pipefd[1], &ret->pid);
        close(pipefd[1]);
        if (err)
            close(pipefd[0]);
        else
            ret->from = pipefd[0];
    }
    free(h);
    return err ? -1 : 0;
}

enum iff_state iff_client_read(struct iff_client *c, int *code)
{
    int32_t value;
    ssize_t n = read(c->from, c->bytes + c->got, sizeof(c->bytes) - c->got);

    MUST(c->from >= 0 && c->got < sizeof(c->bytes)); /* it has not told yet */
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return IFF_GOES_ON;
    if (n <= 0)
        return IFF_SILENT;
    c->got += (size_t)n;
    if (c->got < sizeof(c->bytes))
        return IFF_GOES_ON;
    memcpy(&value, c->bytes, sizeof(value));
    *code = value;
    return IFF_TOLD;
}

/* A helper that is late is not waited for: it ends by itself when it writes into the
 * closed pipe. */
void iff_client_end(struct iff_client *c, bool late)
{
    close(c->from); /* the rest is the server's text: not shown */
    while (waitpid(c->pid, NULL, late ? WNOHANG : 0) < 0 && errno == EINTR)
        continue;
    c->from = -1;
}
