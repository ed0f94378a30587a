/* port.c - connecting from a reserved port.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT    512 /* below live services that systems start */
#define N_PORTS       512

/* Before each further round when all ports are busy. */
#define ROUND_WAIT_MS 250

/* errno of the bind, 0 when it is done. Root's rights last for this one call. */
static int bind_as_root(int fd, const struct sockaddr_in *at)
{
    const uid_t caller = geteuid();
    int err;

    if (seteuid(0) < 0)
        errno = 0; /* not set-uid: bind() says what that means */
    err = bind(fd, (const struct sockaddr *)at, sizeof(*at)) < 0 ? errno : 0;
    if (seteuid(caller) < 0)
        _exit(IFF_CONNECT);
    return err;
}

/* 0, or the errno of what failed. */
static int connect_in_time(int fd, const struct sockaddr_in *to, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    socklen_t len = sizeof(int);
    int err = 0, n;

    if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    do
        n = poll(&p, 1, iff_left_ms(until_ms));
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 ? err : errno;
}

/* A connected socket that does not block, or minus the errno of what failed. */
static int try_port(struct in_addr from, unsigned port, const struct sockaddr_in *to,
                    int64_t until_ms)
{
    /* Closing the socket after the answer then frees the port at once, without
     * TIME_WAIT. */
    const struct linger at_once = { .l_onoff = 1 };
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_addr = from,
                                    .sin_port = htons((uint16_t)port) };
    int err, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    err = bind_as_root(fd, &at);
    if (!err)
        err = connect_in_time(fd, to, until_ms);
    if (err) {
        close(fd);
        return -err;
    }
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    return fd;
}

static bool is_busy(int err)
{
    return err == EADDRINUSE || err == EADDRNOTAVAIL;
}

/* Every port once, downwards; all busy: -EADDRINUSE. */
static int try_all(struct in_addr from, const struct sockaddr_in *to, int64_t until_ms)
{
    unsigned start = (unsigned)getpid() % N_PORTS;

    for (unsigned i = 0; i < N_PORTS; i++) {
        unsigned port = FIRST_PORT + (start + N_PORTS - i) % N_PORTS;
        int fd = try_port(from, port, to, until_ms);

        if (fd >= 0 || !is_busy(-fd))
            return fd;
    }
    return -EADDRINUSE;
}

static void give_up_root(void)
{
    const uid_t uid = getuid();
    const gid_t gid = getgid();

    if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        _exit(IFF_CONNECT);
}

int iff_connect(struct in_addr from, const struct sockaddr_in *to, int64_t until_ms,
                int *ret)
{
    int fd = try_all(from, to, until_ms);

    while (fd == -EADDRINUSE && iff_left_ms(until_ms) > 0) {
        usleep(ROUND_WAIT_MS * 1000);
        fd = try_all(from, to, until_ms);
    }
    give_up_root();
    if (fd >= 0) {
        *ret = fd;
        return IFF_OK;
    }
    if (is_busy(-fd))
        fputs("pbs_iff: all reserved ports in use\n", stderr);
    fputs("pbs_iff: cannot connect to host\n", stderr);
    return IFF_CONNECT;
}
