/* conn.c - a framed connection.
 *
 * The owner's callbacks run in three places only: when the descriptor is ready, when a
 * timer fires, and from 'later', a zero timer that carries what must not happen inside
 * conn_send() or conn_hold(). 'busy' counts callbacks under way; conn_free() inside one
 * only marks the connection dead, and the last one out gives the memory back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conn_priv.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How much is read of a peer while its connection is held: enough to notice its end. */
#define HELD_BYTES (256u << 10)

/* Count that many bytes of the budget for this connection, instead of what was
 * counted. */
static void conn_count(struct conn *c, size_t bytes)
{
    budget_recount(c->cfg.budget, c->counted, bytes);
    c->counted = bytes;
}

void conn_recount(struct conn *c)
{
    conn_count(c, c->in.cap + c->out.cap + c->plain.cap);
}

static void conn_destroy(struct conn *c)
{
    MUST(c->busy == 0); /* nobody who has called the owner still uses it */
    conn_count(c, 0);
    loop_fd_free(c->watch);
    loop_timer_free(c->partial);
    loop_timer_free(c->idle);
    loop_timer_free(c->stall);
    loop_timer_free(c->later);
    if (c->fd >= 0)
        close(c->fd);
    buf_fini(&c->in);
    buf_fini(&c->out);
    buf_fini(&c->plain);
    free(c);
}

/* A callback of the owner may free the connection that it is called about; what
 * called it still uses the memory. */
static void conn_enter(struct conn *c)
{
    c->busy++;
}

static void conn_leave(struct conn *c)
{
    MUST(c->busy > 0);
    conn_recount(c);
    if (--c->busy == 0 && c->dead)
        conn_destroy(c);
}

void conn_free(struct conn *c)
{
    if (!c || c->dead)
        return;
    c->dead = true;
    if (c->busy == 0)
        conn_destroy(c);
}

/* True when a held connection has read as much as it may. */
static bool conn_is_full(const struct conn *c)
{
    return c->held &&
           conn_unread_bytes(c) >=
               MIN_OF(c->cfg.max_frame_bytes + PACKET_HEADER_BYTES, HELD_BYTES);
}

bool conn_has_room(const struct conn *c)
{
    return c->wants_room && !c->connecting && !c->over && !c->finishing &&
           c->out.len - c->out_at <= CONN_ROOM_BYTES;
}

void conn_watch(struct conn *c)
{
    unsigned wanted = 0;

    MUST(c->in_at <= c->in.len && c->out_at <= c->out.len && (!c->over || c->deaf));
    /* Reading a connection that is held goes on up to a bound, since only a read
     * tells that the peer has gone. */
    if (!c->over && !c->deaf && !c->eof && !c->connecting && !c->rests &&
        !conn_is_full(c))
        wanted |= LOOP_READ;
    if (!c->over && (c->connecting || c->out.len > c->out_at || conn_has_room(c)))
        wanted |= LOOP_WRITE;
    loop_fd_want(c->watch, wanted);
}

void conn_end(struct conn *c, enum conn_end end, int err)
{
    if (c->over)
        return;
    c->over = true;
    c->deaf = true;
    c->end = end;
    c->err = err;
    loop_timer_clear(c->partial);
    loop_timer_clear(c->idle);
    loop_timer_clear(c->stall);
    /* The owner is told from the loop: whoever called may be in the middle of a
     * send. */
    loop_timer_set(c->later, 0);
    conn_watch(c);
}

void conn_fault(struct conn *c, enum conn_fault fault)
{
    /* What comes behind bytes that are no frame cannot be read, but an answer that
     * explains it may still be sent. */
    c->deaf = true;
    loop_timer_clear(c->partial);
    conn_watch(c);
    if (c->cfg.events->bad)
        c->cfg.events->bad(c->cfg.arg, c, fault);
    else
        conn_end(c, fault == CONN_CUT ? CONN_EOF : CONN_ERROR, EPROTO);
}

/* An outgoing connection is up, or has failed: the socket says which. */
static void conn_connected(struct conn *c)
{
    int err = 0;
    socklen_t len = sizeof(err);

    MUST(c->connecting);
    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
        err = errno;
    if (err) {
        conn_end(c, CONN_REFUSED, err);
        return;
    }
    c->connecting = false;
    c->last_read_ms = clock_mono_ms();
    if (c->cfg.events->opened)
        c->cfg.events->opened(c->cfg.arg, c);
}

static void on_ready(void *arg, int fd, unsigned ready)
{
    struct conn *c = arg;

    (void)fd;
    conn_enter(c);
    if (c->connecting)
        conn_connected(c);
    /* Each of these may call the owner, who may free the connection: it is looked at
     * again before the next one. */
    if (!c->dead && !c->connecting && (ready & LOOP_WRITE))
        conn_write(c);
    if (!c->dead && (ready & LOOP_WRITE) && conn_has_room(c))
        c->cfg.events->room(c->cfg.arg, c);
    if (!c->dead && !c->deaf && (ready & LOOP_READ) && conn_read(c))
        conn_deliver(c);
    if (!c->dead) {
        conn_mind_partial(c);
        conn_watch(c);
    }
    conn_leave(c);
}

static void on_partial(void *arg)
{
    struct conn *c = arg;

    conn_enter(c);
    if (!c->deaf)
        conn_fault(c, CONN_PARTIAL);
    conn_leave(c);
}

/* The timer is not moved at each read; when it fires it sees how long nothing was
 * read. */
static void on_idle(void *arg)
{
    struct conn *c = arg;
    int64_t left_ms = c->cfg.idle_ms - (clock_mono_ms() - c->last_read_ms);

    /* As long as nothing is taken from the peer it is not the peer who is silent. */
    if (c->held)
        left_ms = c->cfg.idle_ms;
    /* Moving the timer at each read would cost more than firing it once too often. */
    if (left_ms > 0)
        loop_timer_set(c->idle, left_ms);
    else
        conn_end(c, CONN_IDLE, 0);
}

static void on_stall(void *arg)
{
    conn_end(arg, CONN_STALLED, 0);
}

/* Do what was put off: tell the owner of the end, or hand over frames that came while
 * the connection was held. */
static void on_later(void *arg)
{
    struct conn *c = arg;

    conn_enter(c);
    if (c->over) {
        c->cfg.events->closed(c->cfg.arg, c, c->end);
    } else {
        conn_deliver(c);
        if (!c->dead) {
            conn_mind_partial(c);
            conn_watch(c);
        }
    }
    conn_leave(c);
}

void conn_hold(struct conn *c, bool held)
{
    if (c->held == held || c->over)
        return;
    c->held = held;
    if (held) {
        loop_timer_clear(c->partial);
    } else {
        c->last_read_ms = clock_mono_ms(); /* from now on the peer may be idle */
        loop_timer_set(c->later, 0);
    }
    /* Inside a callback the caller of the callback does this. */
    if (c->busy == 0)
        conn_watch(c);
}

void conn_expect_more(struct conn *c, bool expected)
{
    c->expecting = expected;
    if (!expected)
        loop_timer_clear(c->partial);
    conn_mind_partial(c);
}

void conn_set_idle(struct conn *c, int64_t idle_ms)
{
    c->cfg.idle_ms = idle_ms;
    if (idle_ms > 0 && !c->deaf)
        loop_timer_set(c->idle, idle_ms);
    else
        loop_timer_clear(c->idle);
}

void conn_set_max_frame(struct conn *c, size_t max_bytes)
{
    c->cfg.max_frame_bytes = max_bytes;
}

int conn_fd(const struct conn *c)
{
    return c->fd;
}

int conn_errno(const struct conn *c)
{
    return c->err;
}

size_t conn_unsent_bytes(const struct conn *c)
{
    return c->out.len - c->out_at;
}

size_t conn_held_bytes(const struct conn *c)
{
    return c->counted;
}

void conn_set_budget(struct conn *c, struct budget *budget)
{
    /* The bytes that it has by now are counted in the other budget from here on. */
    budget_recount(c->cfg.budget, c->counted, 0);
    budget_recount(budget, 0, c->counted);
    c->cfg.budget = budget;
}

/* 0 stands for the default, not for "at once": owners leave out what they do not
 * care about. */
static void config_defaults(struct conn_config *cfg)
{
    if (!cfg->parse)
        cfg->parse = packet_peek;
    if (cfg->max_frame_bytes == 0)
        cfg->max_frame_bytes = CONN_MAX_FRAME_BYTES;
    if (cfg->max_output_bytes == 0)
        cfg->max_output_bytes = CONN_MAX_OUTPUT_BYTES;
    if (cfg->partial_ms == 0)
        cfg->partial_ms = CONN_PARTIAL_MS;
    if (cfg->stall_ms == 0)
        cfg->stall_ms = CONN_STALL_MS;
}

struct conn *conn_new(struct loop *l, int fd, const struct conn_config *cfg)
{
    struct conn *c = xcalloc(1, sizeof(*c));
    int flags = fcntl(fd, F_GETFL);

    MUST(cfg->events && cfg->events->frame && cfg->events->closed);
    if (flags >= 0)
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    c->cfg = *cfg;
    config_defaults(&c->cfg);
    c->fd = fd;
    c->connecting = cfg->connecting;
    c->last_read_ms = clock_mono_ms();
    c->watch = loop_fd_new(l, fd, on_ready, c);
    c->partial = loop_timer_new(l, on_partial, c);
    c->idle = loop_timer_new(l, on_idle, c);
    c->stall = loop_timer_new(l, on_stall, c);
    /* Timers are made at once and only set later: setting one needs no memory and
     * cannot fail then. */
    c->later = loop_timer_new(l, on_later, c);
    conn_set_idle(c, cfg->idle_ms);
    conn_watch(c);
    return c;
}
