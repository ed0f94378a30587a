/* listen.c - listening sockets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* How long accepting rests when descriptors ran out; the socket stays readable. */
#define REST_MS    100
/* Connections taken per readiness, so that others get their turn. */
#define ACCEPT_MAX 16

struct listener {
    int fd;
    struct loop_fd *watch;
    struct loop_timer *rest;
    listen_fn fn;
    void *arg;
    char *path; /* Unix socket */
    dev_t dev;  /* of the path, so that only our own one is removed */
    ino_t ino;
};

static void on_rested(void *arg)
{
    struct listener *ls = arg;

    loop_fd_want(ls->watch, LOOP_READ);
}

/* Accept one connection and hand it over. 0, or the errno that says why there is none.
 */
static int accept_one(struct listener *ls)
{
    struct sockaddr_in peer;
    socklen_t len = sizeof(peer);
    const int on = 1;
    int fd;

    /* The peer of a local socket has no address; who it is the kernel tells later
     * (SO_PEERCRED). */
    if (ls->path)
        fd = accept4(ls->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    else
        fd = accept4(ls->fd, (struct sockaddr *)&peer, &len,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return errno;
    /* A local socket has no such option, and no address that says who is there. */
    if (!ls->path)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ls->fn(ls->arg, fd, ls->path ? NULL : &peer);
    return 0;
}

/* When descriptors or memory run out, accepting rests for a moment: the socket stays
 * readable, and the loop would turn without end. */
static void on_acceptable(void *arg, int fd, unsigned ready)
{
    struct listener *ls = arg;
    int err = 0;

    (void)fd;
    (void)ready;
    for (int i = 0; i < ACCEPT_MAX && err == 0; i++)
        err = accept_one(ls);
    if (err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM) {
        loop_fd_want(ls->watch, 0);
        loop_timer_set(ls->rest, REST_MS);
    }
}

static struct listener *listener_new(struct loop *l, int fd, listen_fn fn, void *arg)
{
    struct listener *ls = xcalloc(1, sizeof(*ls));

    MUST(fd >= 0 && fn);
    ls->fd = fd;
    ls->fn = fn;
    ls->arg = arg;
    ls->watch = loop_fd_new(l, fd, on_acceptable, ls);
    ls->rest = loop_timer_new(l, on_rested, ls);
    loop_fd_want(ls->watch, LOOP_READ);
    return ls;
}

/* Says why with the errno of the call before, which close() may change. */
static int refuse(int fd, struct diag *why, const char *what)
{
    int code = diag_set(why, PBSE_SYSTEM, "%s: %s", what, strerror(errno));

    if (fd >= 0)
        close(fd);
    return code;
}

int listen_tcp(struct loop *l, const char *addr, unsigned port, listen_fn fn, void *arg,
               struct listener **ret, struct diag *why)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port) };
    const int on = 1;
    int fd;

    if (port > 65535 || (addr && inet_pton(AF_INET, addr, &at.sin_addr) != 1))
        return diag_set(why, PBSE_SYSTEM, "%s:%u: not an address", addr ? addr : "*",
                        port);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return refuse(fd, why, "socket");
    /* Connections of a daemon that has just ended keep its port for a minute. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
        return refuse(fd, why, "bind");
    if (listen(fd, LISTEN_BACKLOG) < 0)
        return refuse(fd, why, "listen");
    *ret = listener_new(l, fd, fn, arg);
    return 0;
}

/* Remove a socket file whose owner has died: such a socket refuses connections. */
static void remove_stale(const struct sockaddr_un *at)
{
    struct stat st;
    int fd;

    if (lstat(at->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
        return;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) < 0 &&
        errno == ECONNREFUSED)
        unlink(at->sun_path);
    close(fd);
}

int listen_unix(struct loop *l, const char *path, listen_fn fn, void *arg,
                struct listener **ret, struct diag *why)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct stat st;
    int fd;

    if (strlen(path) >= sizeof(at.sun_path))
        return diag_set(why, PBSE_SYSTEM, "%s: longer than %zu characters", path,
                        sizeof(at.sun_path) - 1);
    /* It has been seen to fit. */
    strcpy(at.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return refuse(fd, why, "socket");
    remove_stale(&at);
    /* Every user may connect; the directory around it says who may reach it, and the
     * requests who may do what. */
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || chmod(path, 0666) < 0 ||
        listen(fd, LISTEN_BACKLOG) < 0 || stat(path, &st) < 0)
        return refuse(fd, why, path);
    *ret = listener_new(l, fd, fn, arg);
    (*ret)->path = xstrdup(path);
    (*ret)->dev = st.st_dev;
    (*ret)->ino = st.st_ino;
    return 0;
}

unsigned listener_port(const struct listener *ls)
{
    struct sockaddr_in at = { 0 };
    socklen_t len = sizeof(at);

    if (ls->path || getsockname(ls->fd, (struct sockaddr *)&at, &len) < 0)
        return 0;
    return ntohs(at.sin_port);
}

void listener_free(struct listener *ls)
{
    struct stat st;

    if (!ls)
        return;
    /* A daemon that was started after us may have put its own socket there. */
    if (ls->path && stat(ls->path, &st) == 0 && st.st_dev == ls->dev &&
        st.st_ino == ls->ino)
        unlink(ls->path);
    loop_fd_free(ls->watch);
    loop_timer_free(ls->rest);
    close(ls->fd);
    free(ls->path);
    free(ls);
}
