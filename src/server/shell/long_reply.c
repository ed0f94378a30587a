/* long_reply.c - long status replies, gathered and written a little at a time.
 *
 * The core gathers for GATHER_MS of a turn at most, whoever it is for; what is gathered
 * is written as the peer takes it, so that nothing but the core's own pieces waits for
 * a slow one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <utlist.h>

#define GATHER_MS   3
#define WRITE_BYTES (256u << 10)

void long_reply_begin(struct client *c)
{
    struct clients *cs = c->all;

    if (!c->gathering)
        DL_APPEND2(cs->gatherers, c, gather_prev, gather_next);
    c->gathering = true;
    loop_timer_set(cs->gather, 0);
}

void long_reply_drop(struct client *c)
{
    if (c->gathering)
        DL_DELETE2(c->all->gatherers, c, gather_prev, gather_next);
    c->gathering = false;
}

/* A packet is encrypted as one: its bytes are collected, without the header. */
static void send_encrypted(struct client *c, bool whole)
{
    if (whole && c->part.len > PACKET_HEADER_BYTES)
        conn_send_packet(c->conn, PACKET_DATA, c->part.data + PACKET_HEADER_BYTES,
                         c->part.len - PACKET_HEADER_BYTES);
    if (whole)
        buf_fini(&c->part);
}

void long_reply_write(struct client *c)
{
    bool encrypted = conn_is_encrypted(c->conn);
    struct buf *bytes = encrypted ? &c->part : &c->all->bytes;
    enum svr_listing left;

    if (!c->reading)
        return;
    if (!encrypted)
        buf_clear(bytes);
    left = svr_listing_read(c->all->sh->svr, c->number, WRITE_BYTES, bytes);
    c->reading = left == SVR_LISTING_SOME;
    conn_want_room(c->conn, c->reading);
    if (encrypted)
        send_encrypted(c, left != SVR_LISTING_SOME);
    else
        conn_send(c->conn, bytes->data, bytes->len);
    if (left == SVR_LISTING_PART)
        long_reply_begin(c);
    else if (left == SVR_LISTING_ALL)
        client_answered(c);
}

static void gather(struct client *c)
{
    struct shell *sh = c->all->sh;

    long_reply_drop(c);
    svr_listing_go_on(sh->svr, shell_now(sh), c->number, outbox_effects(sh->outbox));
    if (svr_listing_is_gathering(sh->svr, c->number))
        long_reply_begin(c);
}

void long_replies_gather(void *arg)
{
    struct clients *cs = arg;
    int64_t until_ms = clock_mono_ms() + GATHER_MS;

    while (cs->gatherers && clock_mono_ms() < until_ms)
        gather(cs->gatherers);
    if (cs->gatherers)
        loop_timer_set(cs->gather, 0);
}
