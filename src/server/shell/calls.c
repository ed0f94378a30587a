/* calls.c - see calls.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/calls.h"

#include "lib/io/net.h"
#include "lib/io/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#define THREADS   4
#define MOST      10000 /* calls at a time: as many jobs may end at once */
#define CONNECT_S 10
#define AGAIN_S   10
#define TRIES_MAX 30

struct call {
    struct pool_job job;
    struct calls *all;
    char *host;
    uint16_t port;
    struct buf packet;
    unsigned n_tries;
    bool told;
    struct call *prev, *next; /* while it waits to be repeated */
};

struct calls {
    struct shell *sh;
    struct pool *pool;
    struct loop_timer *again;
    bool again_is_set;
    struct call *waiting;
    size_t n; /* under way or waiting */
};

static void call_free(struct call *c)
{
    buf_fini(&c->packet);
    free(c->host);
    free(c);
}

/* Wait until the connection is there. */
static bool is_connected(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    int error = 0;
    socklen_t len = sizeof(error);

    return poll(&p, 1, CONNECT_S * 1000) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0;
}

/* In a thread, which uses nothing but the call. */
static void work(struct pool_job *job)
{
    struct call *c = (struct call *)job;
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(c->port) };
    struct diag why;
    int fd;

    if (net_resolve(c->host, &to.sin_addr, &why) || net_connect(&to, &fd))
        return;
    /* One packet goes into the buffer of a new connection whole. */
    c->told = is_connected(fd) && send(fd, c->packet.data, c->packet.len,
                                       MSG_NOSIGNAL) == (ssize_t)c->packet.len;
    close(fd);
}

static void drop(struct pool_job *job)
{
    call_free((struct call *)job);
}

static void end(struct call *c)
{
    MUST(c->all->n > 0);
    c->all->n--;
    call_free(c);
}

static void put_off(struct call *c)
{
    struct calls *all = c->all;

    DL_APPEND(all->waiting, c);
    if (!all->again_is_set)
        loop_timer_set(all->again, AGAIN_S * 1000);
    all->again_is_set = true;
}

static void done(struct pool_job *job)
{
    struct call *c = (struct call *)job;

    if (c->told || ++c->n_tries >= TRIES_MAX)
        end(c);
    else
        put_off(c);
}

static void begin(struct call *c)
{
    if (!pool_run(c->all->pool, &c->job))
        put_off(c);
}

static void on_again(void *arg)
{
    struct calls *all = arg;
    struct call *c, *next, *these = all->waiting;

    all->waiting = NULL;
    all->again_is_set = false;
    DL_FOREACH_SAFE (these, c, next) {
        DL_DELETE(these, c);
        begin(c);
    }
}

struct calls *calls_new(struct shell *sh)
{
    struct calls *all = xcalloc(1, sizeof(*all));

    all->sh = sh;
    all->pool = pool_new(sh->loop, THREADS, MOST);
    all->again = loop_timer_new(sh->loop, on_again, all);
    return all;
}

void calls_free(struct calls *all)
{
    struct call *c, *next;

    if (!all)
        return;
    pool_free(all->pool);
    loop_timer_free(all->again);
    DL_FOREACH_SAFE (all->waiting, c, next) {
        DL_DELETE(all->waiting, c);
        call_free(c);
    }
    free(all);
}

void calls_make(struct calls *all, const char *host, uint16_t port,
                const struct job_ended *e)
{
    struct call *c;

    if (all->n >= MOST) {
        shell_log(all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "%s: its client is not told of its end: %d others wait to be told",
                  e->job_id, MOST);
        return;
    }
    c = xcalloc(1, sizeof(*c));
    c->job = (struct pool_job){ .work = work, .done = done, .drop = drop };
    c->all = all;
    c->host = xstrdup(host);
    c->port = port;
    job_ended_put(e, &c->packet);
    all->n++;
    begin(c);
}
