/* conn_output.c - what a connection sends: bytes are queued and written as the peer
 * takes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conn_priv.h"

#include <errno.h>
#include <sys/socket.h>

/* Forget what was written; when all of it was, the time of a stall ends. */
static void conn_written(struct conn *c)
{
    if (c->out_at == c->out.len) {
        c->out_at = 0;
        /* One long reply must not leave its memory with a connection that is quiet
         * for days. */
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

void conn_write(struct conn *c)
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
    /* Whatever the peer takes gives it its whole time again. */
    if (c->cfg.stall_ms > 0 && c->out_at < c->out.len &&
        (some || !loop_timer_is_set(c->stall)))
        loop_timer_set(c->stall, c->cfg.stall_ms);
    conn_written(c);
}

/* Called after bytes were queued: most of the time the socket takes them at once. */
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

/* Owners may go on sending after an end that they have not been told of yet; that is
 * no mistake of theirs. */
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

/* Queue a packet with an encrypted payload; false when the cipher is of no use. */
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
    MUST(cipher->seal && cipher->open);
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
    /* A peer that does not take the rest must not keep the connection for ever. */
    else if (c->cfg.stall_ms > 0 && !loop_timer_is_set(c->stall))
        loop_timer_set(c->stall, c->cfg.stall_ms);
    conn_watch(c);
}
