/* conn_input.c - what a connection receives: bytes are read, cut into frames and handed
 * over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conn_priv.h"

#include "lib/io/clock.h"

#include <errno.h>
#include <sys/socket.h>

/* How much is read at a time: a peer that sends a lot takes turns with the others. */
#define READ_BYTES (64u << 10)

static bool conn_may_deliver(const struct conn *c)
{
    return !c->dead && !c->deaf && !c->held && !c->over && !c->rests;
}

void conn_mind_partial(struct conn *c)
{
    bool partial = (conn_unread_bytes(c) > 0 && !c->held && !c->rests) || c->expecting;

    /* The time is not set anew while it runs: a peer that sends a byte now and then
     * does not gain any. */
    if (!partial || c->deaf)
        loop_timer_clear(c->partial);
    else if (c->cfg.partial_ms > 0 && !loop_timer_is_set(c->partial))
        loop_timer_set(c->partial, c->cfg.partial_ms);
}

/* Decrypt the payload where a cipher is set. False when it was not encrypted by the
 * other end. */
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

/* Forget what was handed over. Bytes are moved only when at least as many were handed
 * over, so each byte is moved once on average. */
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

/* What one read has brought may be hundreds of small frames, or few that say much. */
static bool conn_had_its_turn(const struct conn *c, size_t n, size_t bytes)
{
    return (c->cfg.turn_frames > 0 && n >= c->cfg.turn_frames) ||
           (c->cfg.turn_bytes > 0 && bytes >= c->cfg.turn_bytes);
}

static void conn_rest(struct conn *c)
{
    c->rests = true;
    loop_timer_set(c->later, 0);
}

void conn_deliver(struct conn *c)
{
    enum packet_status status = PACKET_PARTIAL;
    size_t n = 0, bytes = 0;

    c->rests = false;
    while (conn_may_deliver(c) && conn_unread_bytes(c) > 0) {
        struct packet f;

        if (conn_had_its_turn(c, n, bytes)) {
            conn_rest(c);
            break;
        }

        status = c->cfg.parse(c->in.data + c->in_at, conn_unread_bytes(c),
                              c->cfg.max_frame_bytes, &f);
        if (status != PACKET_READY)
            break;
        /* The frame is decrypted before in_at moves, so that a bad one is still
         * unread and told. */
        if (!conn_decrypt(c, &f)) {
            status = PACKET_BAD;
            break;
        }
        c->in_at += f.total_bytes;
        bytes += f.total_bytes;
        n++;
        if (!c->expecting)
            loop_timer_clear(c->partial); /* the next frame has its own time */
        c->cfg.events->frame(c->cfg.arg, c, &f);
    }
    if (c->dead)
        return;
    conn_consume(c);
    if (!conn_may_deliver(c))
        return;
    /* An owner that held or freed the connection is told later, or not at all. */
    if (status == PACKET_BAD && conn_unread_bytes(c) > 0)
        conn_fault(c, CONN_BAD_BYTES);
    else if (c->eof && (conn_unread_bytes(c) > 0 || c->expecting))
        conn_fault(c, CONN_CUT);
    else if (c->eof)
        conn_end(c, CONN_EOF, 0);
}

bool conn_read(struct conn *c)
{
    char room[READ_BYTES];
    ssize_t n;

    MUST(!c->deaf && !c->eof);
    /* The bytes take a detour through the stack, so that the buffer becomes as large as
     * what came and not as large as what might have come. */
    n = recv(c->fd, room, sizeof(room), 0);
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
