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
#include <time.h>
#include <unistd.h>

#define PIECE_BYTES 16384
#define LOOK_MS     500 /* so often those are looked for that say nothing */

/* One direction: what was read and is not written yet. */
struct way {
    size_t at, n;
    bool is_over; /* nothing is read any more */
    bool is_shut; /* and the other end was told */
    char bytes[PIECE_BYTES];
};

struct pair {
    int fd[2];            /* the second one is -1 until the caller is known to fit */
    int64_t fits_until_s; /* then it is sent away */
    struct way from[2];   /* from[i]: read at fd[i], written at the other */
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

static int64_t now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec;
}

static void close_pair(struct relaying *g, size_t i)
{
    MUST(i < g->n);
    close(g->v[i]->fd[0]);
    if (g->v[i]->fd[1] >= 0)
        close(g->v[i]->fd[1]);
    free(g->v[i]);
    g->v[i] = g->v[--g->n];
}

static bool connect_on(const struct relaying *g, struct pair *p)
{
    p->fd[1] = g->r->reach(g->r->arg);
    if (p->fd[1] < 0)
        return false;
    (void)fcntl(p->fd[1], F_SETFL, O_NONBLOCK);
    return true;
}

static void take_caller(struct relaying *g)
{
    struct sockaddr_in from;
    socklen_t len = sizeof(from);
    struct pair *p;
    int fd = accept4(g->r->listen_fd, (struct sockaddr *)&from, &len,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    p = xcalloc(1, sizeof(*p));
    p->fd[0] = fd;
    p->fd[1] = -1;
    p->fits_until_s = now_s() + RELAY_FIRST_S;
    g->v[g->n++] = p;
    if ((g->r->may && !g->r->may(g->r->arg, fd, &from)) ||
        (!g->r->look && !connect_on(g, p)))
        close_pair(g, g->n - 1);
}

/* A caller whose first bytes do not fit, or are not enough yet when they should be,
 * never reaches the other side. */
static void hear_first(const struct relaying *g, struct pair *p)
{
    struct way *w = &p->from[0];
    ssize_t n = read(p->fd[0], w->bytes + w->n, sizeof(w->bytes) - w->n);
    enum relay_look look;

    MUST(p->fd[1] < 0 && w->at == 0 && w->n < sizeof(w->bytes));
    if (n <= 0) {
        p->is_broken = n == 0 || !is_passing(errno);
        return;
    }
    w->n += (size_t)n;
    look = g->r->look(g->r->arg, w->bytes, w->n);
    if (look == RELAY_FITS)
        p->is_broken = !connect_on(g, p);
    else
        p->is_broken = look == RELAY_UNFIT || w->n == sizeof(w->bytes);
}

static short wanted(const struct pair *p, int i)
{
    const struct way *in = &p->from[i], *out = &p->from[!i];

    if (p->fd[1] < 0)
        return i == 0 ? POLLIN : 0;
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

static void carry(const struct relaying *g, struct pair *p, const struct pollfd *ready)
{
    if (p->fd[1] < 0) {
        if (ready[0].revents)
            hear_first(g, p);
        else if (now_s() >= p->fits_until_s)
            p->is_broken = true;
        return;
    }
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
    int wait_ms = -1;

    p[0] = (struct pollfd){ .fd = g->r->until_fd, .events = POLLIN };
    p[1] = (struct pollfd){ .fd = g->n < RELAY_MAX ? g->r->listen_fd : -1,
                            .events = POLLIN };
    for (size_t i = 0; i < g->n; i++) {
        if (g->v[i]->fd[1] < 0)
            wait_ms = LOOK_MS;
        for (int k = 0; k < 2; k++) {
            short events = wanted(g->v[i], k);

            /* A direction that is over would say so again and again. */
            p[2 + 2 * i + (size_t)k] =
                (struct pollfd){ .fd = events ? g->v[i]->fd[k] : -1, .events = events };
        }
    }
    if (poll(p, 2 + 2 * g->n, wait_ms) < 0)
        return is_passing(errno);
    if (p[0].revents)
        return false;
    /* From the last one on: the place of one that is closed is taken by one behind it.
     */
    for (size_t i = g->n; i-- > 0;) {
        carry(g, g->v[i], &p[2 + 2 * i]);
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

    /* Who has gone again before he was accepted keeps nobody waiting. */
    (void)fcntl(r->listen_fd, F_SETFL, O_NONBLOCK);
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
