/* sock.c - see sock.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Below 512 there are ports of well-known services that may start later than we do. */
#define HIGHEST_RESERVED 1023
#define LOWEST_RESERVED  512

enum packet_status tpp_frame(const char *data, size_t len, size_t max_bytes,
                             struct packet *ret)
{
    size_t total;

    switch (tpp_peek(data, len, max_bytes, &total)) {
    case TPP_READY:
        *ret = (struct packet){ .data = data, .len = total, .total_bytes = total };
        return PACKET_READY;
    case TPP_PARTIAL:
        return PACKET_PARTIAL;
    case TPP_BAD:
        break;
    }
    return PACKET_BAD;
}

struct tpp_addr tpp_addr_of(const struct sockaddr_in *sa)
{
    return tpp_addr_ipv4(ntohl(sa->sin_addr.s_addr), ntohs(sa->sin_port));
}

static void set_int(int fd, int level, int option, int value)
{
    /* A kernel without the option still carries the connection. */
    (void)setsockopt(fd, level, option, &value, sizeof(value));
}

void tpp_tune_socket(int fd)
{
    const char *env = getenv("PBS_TCP_KEEPALIVE");
    int on = 1, idle_s = 30, interval_s = 10, probes = 3, timeout_ms = 60000;

    /* What the text does not say keeps its default: "0" alone turns keepalive off
     * (tpp.md 2.2). */
    if (env)
        (void)sscanf(env, "%d,%d,%d,%d,%d", &on, &idle_s, &interval_s, &probes,
                     &timeout_ms);
    /* Requests and answers are small and wait for each other: nothing is gained by
     * collecting them. */
    set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_int(fd, SOL_SOCKET, SO_KEEPALIVE, on != 0);
    if (!on)
        return;
    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle_s);
    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval_s);
    set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, probes);
    set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, timeout_ms);
}

static int bind_reserved(int fd)
{
    for (int port = HIGHEST_RESERVED; port >= LOWEST_RESERVED; port--) {
        struct sockaddr_in sa = { .sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port) };

        if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0)
            return 0;
        /* Without root the first port says EACCES, and no other one would do better. */
        if (errno != EADDRINUSE)
            return errno;
    }
    return EADDRINUSE;
}

int tpp_connect_reserved(const struct sockaddr_in *to, int *fd)
{
    int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int err;

    if (s < 0)
        return errno;
    err = bind_reserved(s);
    /* A connection that is not made at once goes on in the loop, which hears of its
     * end. */
    if (!err && connect(s, (const struct sockaddr *)to, sizeof(*to)) < 0 &&
        errno != EINPROGRESS)
        err = errno;
    if (err) {
        close(s);
        return err;
    }
    *fd = s;
    return 0;
}
