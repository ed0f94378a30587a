/* port.c - connecting from a reserved port.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT 512 /* below live services that systems start */
#define N_PORTS    512

/* Seconds before each further round when all ports are busy. */
static const unsigned waits_s[] = { 1, 2, 5, 10, 17, 26 };

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

/* A connected socket, or minus the errno of what failed. */
static int try_port(struct in_addr from, unsigned port, const struct sockaddr_in *to)
{
    /* Closing after the answer then leaves no waiting port behind. */
    const struct linger at_once = { .l_onoff = 1 };
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_addr = from,
                                    .sin_port = htons((uint16_t)port) };
    int err, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    err = bind_as_root(fd, &at);
    if (!err && connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0)
        err = errno;
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
static int try_all(struct in_addr from, const struct sockaddr_in *to)
{
    unsigned start = (unsigned)getpid() % N_PORTS;

    for (unsigned i = 0; i < N_PORTS; i++) {
        unsigned port = FIRST_PORT + (start + N_PORTS - i) % N_PORTS;
        int fd = try_port(from, port, to);

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

int iff_connect(struct in_addr from, const struct sockaddr_in *to, int *ret)
{
    int fd = try_all(from, to);

    for (size_t i = 0; fd == -EADDRINUSE && i < ARRAY_LEN(waits_s); i++) {
        sleep(waits_s[i]);
        fd = try_all(from, to);
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
