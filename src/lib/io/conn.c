/* conn.c - a framed connection.
 *
 * The owner's callbacks run in three places only: when the descriptor is ready, when a
 * timer fires, and from 'later', a zero timer that carries what must not happen inside
 * conn_send() or conn_hold(). 'busy' counts callbacks under way; conn_free() inside one
 * only marks the connection dead, and the last one out gives the memory back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conn.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Read per readiness: a peer that sends a lot takes turns with the others. */
#define READ_BYTES (64u << 10)
/* A buffer that grew beyond this is given back when it is empty: there may be thousands
 * of connections on which nothing happens. */
#define KEEP_BYTES (4u << 10)
/* Read of a peer while its connection is held: enough to notice its end. */
#define HELD_BYTES (256u << 10)

struct conn {
    struct conn_config cfg;
    int fd;
    int err;
    struct loop_fd *watch;
    struct loop_timer *partial, *idle, *stall, *later;
    struct conn_cipher cipher; /* seal NULL: none */
    struct buf in, out, plain;
    size_t in_at;         /* in.data[0 .. in_at) is handed over already */
    size_t out_at;        /* out.data[0 .. out_at) is written already */
    size_t counted;       /* of the budget */
    int64_t last_read_ms; /* for the idle limit */
    int busy;
    bool dead, connecting, held, expecting, finishing, wants_room;
    bool deaf; /* reads no more: fault found, finishing, or over */
    bool over; /* closed() was or will be called */
    bool eof;  /* the peer closed; frames before that may still be held */
    enum conn_end end;
};

static void conn_count(struct conn *c, size_t bytes)
{
    budget_recount(c->cfg.budget, c->counted, bytes);
    c->counted = bytes;
}

/* Memory counts, not what of it is in use. */
static void conn_recount(struct conn *c)
{
    conn_count(c, c->in.cap + c->out.cap + c->plain.cap);
}

static void conn_destroy(struct conn *c)
{
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

static void conn_enter(struct conn *c)
{
    c->busy++;
}

static void conn_leave(struct conn *c)
{
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

static size_t conn_unread_bytes(const struct conn *c)
{
    return c->in.len - c->in_at;
}

static bool conn_is_full(const struct conn *c)
{
    return c->held &&
           conn_unread_bytes(c) >=
               MIN_OF(c->cfg.max_frame_bytes + PACKET_HEADER_BYTES, HELD_BYTES);
}

static bool conn_has_room(const struct conn *c)
{
    return c->wants_room && !c->connecting && !c->over && !c->finishing &&
           c->out.len - c->out_at <= CONN_ROOM_BYTES;
}

static void conn_watch(struct conn *c)
{
    unsigned wanted = 0;

    if (!c->over && !c->deaf && !c->eof && !c->connecting && !conn_is_full(c))
        wanted |= LOOP_READ;
    if (!c->over && (c->connecting || c->out.len > c->out_at || conn_has_room(c)))
        wanted |= LOOP_WRITE;
    loop_fd_want(c->watch, wanted);
}

/* The connection is over: nothing moves any more, and the owner is told from 'later'.
 */
static void conn_end(struct conn *c, enum conn_end end, int err)
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
    loop_timer_set(c->later, 0);
    conn_watch(c);
}

static void conn_fault(struct conn *c, enum conn_fault fault)
{
    c->deaf = true;
    loop_timer_clear(c->partial);
    conn_watch(c);
    if (c->cfg.events->bad)
        c->cfg.events->bad(c->cfg.arg, c, fault);
    else
        conn_end(c, fault == CONN_CUT ? CONN_EOF : CONN_ERROR, EPROTO);
}

/* Output. */

static void conn_written(struct conn *c)
{
    if (c->out_at == c->out.len) {
        c->out_at = 0;
        if (c->out.cap > KEEP_BYTES)
            buf_fini(&c->out);
        buf_clear(&c->out);
        loop_timer_clear(c->stall);
        if (c->finishing)
            conn_end(c, CONN_FINISHED, 0);
    } else if (c->out_at > c->out.len / 2) {
        buf_eat(&c->out, c->out_at); /* amortised: at most half of it moves */
        c->out_at = 0;
    }
}

static void conn_write(struct conn *c)
{
    bool some = false;

    while (!c->over && c->out_at < c->out.len) {
        ssize_t n =
            send(c->fd, c->out.data + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0) {
            conn_end(c, CONN_ERROR, errno);
            return;
        }
        c->out_at += (size_t)n;
        some = true;
    }
    if (c->over)
        return;
    if (c->cfg.stall_ms > 0 && c->out_at < c->out.len &&
        (some || !loop_timer_is_set(c->stall)))
        loop_timer_set(c->stall, c->cfg.stall_ms);
    conn_written(c);
}

/* After bytes were queued. */
static void conn_queued(struct conn *c)
{
    if (c->out.len - c->out_at > c->cfg.max_output_bytes) {
        conn_end(c, CONN_OVERFLOW, 0);
        return;
    }
    if (!c->connecting)
        conn_write(c);
    conn_recount(c);
    conn_watch(c);
}

static bool conn_takes_output(const struct conn *c)
{
    return !c->over && !c->dead && !c->finishing;
}

void conn_send(struct conn *c, const void *p, size_t len)
{
    if (!conn_takes_output(c))
        return;
    buf_add(&c->out, p, len);
    conn_queued(c);
}

static bool conn_seal(struct conn *c, enum packet_type type, const void *p, size_t len)
{
    struct buf sealed = { 0 };
    bool ok = c->cipher.seal(c->cipher.arg, p, len, &sealed);

    if (ok)
        packet_put(&c->out, type, sealed.data, sealed.len);
    buf_fini(&sealed);
    return ok;
}

void conn_send_packet(struct conn *c, enum packet_type type, const void *p, size_t len)
{
    if (!conn_takes_output(c))
        return;
    if (!c->cipher.seal)
        packet_put(&c->out, type, p, len);
    else if (!conn_seal(c, type, p, len)) {
        conn_end(c, CONN_ERROR, EPROTO);
        return;
    }
    conn_queued(c);
}

void conn_want_room(struct conn *c, bool wanted)
{
    MUST(!wanted || c->cfg.events->room);
    c->wants_room = wanted;
    conn_watch(c);
}

void conn_set_cipher(struct conn *c, const struct conn_cipher *cipher)
{
    c->cipher = *cipher;
}

bool conn_is_encrypted(const struct conn *c)
{
    return c->cipher.seal != NULL;
}

void conn_finish(struct conn *c)
{
    if (c->over || c->finishing)
        return;
    c->finishing = true;
    c->deaf = true;
    loop_timer_clear(c->partial);
    loop_timer_clear(c->idle);
    if (c->out_at == c->out.len && !c->connecting)
        conn_end(c, CONN_FINISHED, 0);
    else if (c->cfg.stall_ms > 0 && !loop_timer_is_set(c->stall))
        loop_timer_set(c->stall, c->cfg.stall_ms);
    conn_watch(c);
}

/* Input. */

static bool conn_may_deliver(const struct conn *c)
{
    return !c->dead && !c->deaf && !c->held && !c->over;
}

/* The rest of a frame, or of a larger message, is missing: its time runs. */
static void conn_mind_partial(struct conn *c)
{
    bool partial = (conn_unread_bytes(c) > 0 && !c->held) || c->expecting;

    if (!partial || c->deaf)
        loop_timer_clear(c->partial);
    else if (c->cfg.partial_ms > 0 && !loop_timer_is_set(c->partial))
        loop_timer_set(c->partial, c->cfg.partial_ms);
}

/* False: it was encrypted, and not by the other end. */
static bool conn_decrypt(struct conn *c, struct packet *f)
{
    if (!c->cipher.open)
        return true;
    buf_clear(&c->plain);
    if (!c->cipher.open(c->cipher.arg, f->data, f->len, &c->plain))
        return false;
    f->data = c->plain.data;
    f->len = c->plain.len;
    return true;
}

/* Forget what was handed over; amortised: at most half of the input moves. */
static void conn_consume(struct conn *c)
{
    if (c->in_at == c->in.len) {
        buf_clear(&c->in);
        c->in_at = 0;
        if (c->in.cap > KEEP_BYTES)
            buf_fini(&c->in);
    } else if (c->in_at > c->in.len / 2) {
        buf_eat(&c->in, c->in_at);
        c->in_at = 0;
    }
    if (c->plain.cap > KEEP_BYTES)
        buf_fini(&c->plain);
}

/* Hand over the whole frames at the front of the input. */
static void conn_deliver(struct conn *c)
{
    enum packet_status status = PACKET_PARTIAL;

    while (conn_may_deliver(c) && conn_unread_bytes(c) > 0) {
        struct packet f;

        status = c->cfg.parse(c->in.data + c->in_at, conn_unread_bytes(c),
                              c->cfg.max_frame_bytes, &f);
        if (status != PACKET_READY)
            break;
        if (!conn_decrypt(c, &f)) {
            status = PACKET_BAD;
            break;
        }
        c->in_at += f.total_bytes;
        if (!c->expecting)
            loop_timer_clear(c->partial); /* the next frame has its own time */
        c->cfg.events->frame(c->cfg.arg, c, &f);
    }
    if (c->dead)
        return;
    conn_consume(c);
    if (!conn_may_deliver(c))
        return;
    if (status == PACKET_BAD && conn_unread_bytes(c) > 0)
        conn_fault(c, CONN_BAD_BYTES);
    else if (c->eof && (conn_unread_bytes(c) > 0 || c->expecting))
        conn_fault(c, CONN_CUT);
    else if (c->eof)
        conn_end(c, CONN_EOF, 0);
}

/* Returns false when nothing came. The bytes take a detour, so that the buffer becomes
 * as large as what came and not as what might have come. */
static bool conn_read(struct conn *c)
{
    char room[READ_BYTES];
    ssize_t n = recv(c->fd, room, sizeof(room), 0);

    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (n < 0) {
        conn_end(c, CONN_ERROR, errno);
        return false;
    }
    if (n == 0) {
        c->eof = true;
        if (c->held) /* the peer cannot be answered any more */
            conn_end(c, CONN_EOF, 0);
        return true;
    }
    buf_add(&c->in, room, (size_t)n);
    c->last_read_ms = clock_mono_ms();
    return true;
}

static void conn_connected(struct conn *c)
{
    int err = 0;
    socklen_t len = sizeof(err);

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

/* Timers. */

static void on_partial(void *arg)
{
    struct conn *c = arg;

    conn_enter(c);
    if (!c->deaf)
        conn_fault(c, CONN_PARTIAL);
    conn_leave(c);
}

static void on_idle(void *arg)
{
    struct conn *c = arg;
    int64_t left_ms = c->cfg.idle_ms - (clock_mono_ms() - c->last_read_ms);

    if (left_ms > 0)
        loop_timer_set(c->idle, left_ms);
    else
        conn_end(c, CONN_IDLE, 0);
}

static void on_stall(void *arg)
{
    conn_end(arg, CONN_STALLED, 0);
}

/* What was put off: the end, or frames that came while held. */
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
    if (held)
        loop_timer_clear(c->partial);
    else
        loop_timer_set(c->later, 0);
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
    budget_recount(c->cfg.budget, c->counted, 0);
    budget_recount(budget, 0, c->counted);
    c->cfg.budget = budget;
}

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
    c->later = loop_timer_new(l, on_later, c);
    conn_set_idle(c, cfg->idle_ms);
    conn_watch(c);
    return c;
}
