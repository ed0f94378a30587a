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
#include <uthash.h>
#include <utlist.h>

#define THREADS         16
#define MOST            20000 /* calls at a time: */
#define MOST_OF_USER    10000 /* as many jobs may end at once */
#define RUNNING_OF_USER 2
#define CONNECT_S       10
#define AGAIN_S         10
#define TRIES_MAX       30

/* Whoever has jobs of which clients are to be told. Users name the hosts of their
 * clients, and a host may never answer: each user has few threads at a time, however
 * many of his calls wait. */
struct caller {
    char *user;
    size_t n; /* calls */
    unsigned n_running;
    struct call *ready; /* they wait for a thread, in order */
    UT_hash_handle hh;
};

struct call {
    struct pool_job job;
    struct calls *all;
    struct caller *caller;
    char *host;
    uint16_t port;
    struct buf packet;
    unsigned n_tries;
    bool told;
    struct call *prev, *next; /* among those that are to be repeated, or the ready */
};

struct calls {
    struct shell *sh;
    struct pool *pool;
    struct loop_timer *again;
    bool again_is_set;
    struct call *waiting;   /* to be repeated */
    struct caller *callers; /* by user */
    size_t n;               /* of all callers */
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

static struct caller *need_caller(struct calls *all, const char *user)
{
    struct caller *who;

    HASH_FIND_STR(all->callers, user, who);
    if (who)
        return who;
    who = xcalloc(1, sizeof(*who));
    who->user = xstrdup(user);
    HASH_ADD_KEYPTR(hh, all->callers, who->user, strlen(who->user), who);
    return who;
}

static void caller_free(struct calls *all, struct caller *who)
{
    HASH_DEL(all->callers, who);
    free(who->user);
    free(who);
}

static void end(struct call *c)
{
    MUST(c->all->n > 0 && c->caller->n > 0);
    c->all->n--;
    c->caller->n--;
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

static void begin(struct call *c)
{
    struct caller *who = c->caller;

    if (who->n_running >= RUNNING_OF_USER)
        DL_APPEND(who->ready, c);
    else if (pool_run(c->all->pool, &c->job))
        who->n_running++;
    else
        put_off(c);
}

static void done(struct pool_job *job)
{
    struct call *c = (struct call *)job, *next;
    struct calls *all = c->all;
    struct caller *who = c->caller;

    MUST(who->n_running > 0);
    who->n_running--;
    if (c->told || ++c->n_tries >= TRIES_MAX)
        end(c);
    else
        put_off(c);
    next = who->ready;
    if (next) {
        DL_DELETE(who->ready, next);
        begin(next);
    } else if (who->n == 0) {
        caller_free(all, who);
    }
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

static void free_list(struct call **list)
{
    struct call *c, *next;

    DL_FOREACH_SAFE (*list, c, next) {
        DL_DELETE(*list, c);
        call_free(c);
    }
}

void calls_free(struct calls *all)
{
    struct caller *who, *next;

    if (!all)
        return;
    pool_free(all->pool);
    loop_timer_free(all->again);
    free_list(&all->waiting);
    HASH_ITER (hh, all->callers, who, next) {
        free_list(&who->ready);
        caller_free(all, who);
    }
    free(all);
}

void calls_make(struct calls *all, const char *user, const char *host, uint16_t port,
                const struct job_ended *e)
{
    struct caller *who = need_caller(all, user);
    struct call *c;

    if (all->n >= MOST || who->n >= MOST_OF_USER) {
        shell_log(all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "%s: its client is not told of its end: %zu others wait to be told",
                  e->job_id, who->n >= MOST_OF_USER ? who->n : all->n);
        if (who->n == 0)
            caller_free(all, who);
        return;
    }
    c = xcalloc(1, sizeof(*c));
    c->job = (struct pool_job){ .work = work, .done = done, .drop = drop };
    c->all = all;
    c->caller = who;
    c->host = xstrdup(host);
    c->port = port;
    job_ended_put(e, &c->packet);
    all->n++;
    who->n++;
    begin(c);
}
