/* relay.c - see relay.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE_BYTES 16384

/* One direction: what was read and is not written yet. */
struct way {
    size_t at, n;
    bool is_over; /* nothing is read any more */
    bool is_shut; /* and the other end was told */
    char bytes[PIECE_BYTES];
};

struct pair {
    int fd[2];
    struct way from[2]; /* from[i]: read at fd[i], written at the other */
    bool is_broken;
};

struct relaying {
    const struct relay *r;
    size_t n;
    struct pair *v[RELAY_MAX];
};

static bool is_passing(int error)
{
    return error == EINTR || error == EAGAIN;
}

static void close_pair(struct relaying *g, size_t i)
{
    MUST(i < g->n);
    close(g->v[i]->fd[0]);
    close(g->v[i]->fd[1]);
    free(g->v[i]);
    g->v[i] = g->v[--g->n];
}

static void take_caller(struct relaying *g)
{
    struct sockaddr_in from;
    socklen_t len = sizeof(from);
    struct pair *p;
    int fd = accept4(g->r->listen_fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
    int other = -1;

    if (fd >= 0 && (!g->r->may || g->r->may(g->r->arg, fd, &from)))
        other = g->r->reach(g->r->arg);
    if (other < 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    (void)fcntl(other, F_SETFL, O_NONBLOCK);
    p = xcalloc(1, sizeof(*p));
    p->fd[0] = fd;
    p->fd[1] = other;
    g->v[g->n++] = p;
}

static short wanted(const struct pair *p, int i)
{
    const struct way *in = &p->from[i], *out = &p->from[!i];

    return (short)((in->n == 0 && !in->is_over ? POLLIN : 0) | (out->n ? POLLOUT : 0));
}

static void read_some(struct pair *p, int i)
{
    struct way *w = &p->from[i];
    ssize_t n = read(p->fd[i], w->bytes, sizeof(w->bytes));

    MUST(w->n == 0);
    if (n > 0) {
        w->at = 0;
        w->n = (size_t)n;
    } else if (n == 0) {
        w->is_over = true;
    } else if (!is_passing(errno)) {
        p->is_broken = true;
    }
}

static void write_some(struct pair *p, int i)
{
    struct way *w = &p->from[i];
    ssize_t n = send(p->fd[!i], w->bytes + w->at, w->n, MSG_NOSIGNAL);

    if (n > 0) {
        w->at += (size_t)n;
        w->n -= (size_t)n;
    } else if (n < 0 && !is_passing(errno)) {
        p->is_broken = true;
    }
}

/* The end of one direction is handed on, and ends the connection with the other's. */
static bool is_done(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        struct way *w = &p->from[i];

        if (w->is_over && w->n == 0 && !w->is_shut) {
            w->is_shut = true;
            (void)shutdown(p->fd[!i], SHUT_WR);
        }
    }
    return p->is_broken || (p->from[0].is_shut && p->from[1].is_shut);
}

static void carry(struct pair *p, const struct pollfd *ready)
{
    for (int i = 0; i < 2; i++) {
        if (ready[i].revents & POLLOUT && p->from[!i].n)
            write_some(p, !i);
        if (ready[i].revents & (POLLIN | POLLHUP | POLLERR) && p->from[i].n == 0 &&
            !p->from[i].is_over)
            read_some(p, i);
        else if (ready[i].revents & POLLERR)
            p->is_broken = true;
    }
}

/* One wait, and what it brings. False: it is over. */
static bool go_on(struct relaying *g)
{
    struct pollfd p[2 + 2 * RELAY_MAX];

    p[0] = (struct pollfd){ .fd = g->r->until_fd, .events = POLLIN };
    p[1] = (struct pollfd){ .fd = g->n < RELAY_MAX ? g->r->listen_fd : -1,
                            .events = POLLIN };
    for (size_t i = 0; i < g->n; i++)
        for (int k = 0; k < 2; k++) {
            short events = wanted(g->v[i], k);

            /* A direction that is over would say so again and again. */
            p[2 + 2 * i + (size_t)k] =
                (struct pollfd){ .fd = events ? g->v[i]->fd[k] : -1, .events = events };
        }
    if (poll(p, 2 + 2 * g->n, -1) < 0)
        return is_passing(errno);
    if (p[0].revents)
        return false;
    /* From the last one on: the place of one that is closed is taken by one behind it.
     */
    for (size_t i = g->n; i-- > 0;) {
        carry(g->v[i], &p[2 + 2 * i]);
        if (is_done(g->v[i]))
            close_pair(g, i);
    }
    if (p[1].revents & POLLIN)
        take_caller(g);
    return true;
}

void relay_run(const struct relay *r)
{
    struct relaying g = { .r = r };

    while (go_on(&g))
        ;
    while (g.n > 0)
        close_pair(&g, g.n - 1);
}

int relay_listen_local(unsigned first, unsigned last, unsigned *ret)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    MUST(first <= last && last <= UINT16_MAX);
    for (unsigned port = first; fd >= 0 && port <= last; port++) {
        at.sin_port = htons((uint16_t)port);
        if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
            listen(fd, SOMAXCONN) == 0) {
            *ret = port;
            return fd;
        }
        if (errno != EADDRINUSE)
            break;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}
