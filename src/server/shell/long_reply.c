/* long_reply.c - long status replies, gathered and written a little at a time.
 *
 * The core gathers for GATHER_MS of a turn at most, whoever it is for; what is gathered
 * is written as the peer takes it, so that nothing but the core's own pieces waits for
 * a slow one. While these pieces are too many, those that are being read are waited for
 * before further ones are gathered, and a peer that has taken nothing for a while goes,
 * the one that has stood longest first. With nobody who reads, one long reply at a time
 * is gathered to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <utlist.h>

#define GATHER_MS   2
#define WRITE_BYTES (256u << 10)
#define SQUEEZE_MS  100 /* from one that goes to the next */

static bool is_too_much(const struct clients *cs)
{
    return svr_listing_held_bytes(cs->sh->svr) > cs->max_held;
}

void long_reply_read(struct client *c)
{
    c->wrote_ms = clock_mono_ms();
    client_happens(c, LIFE_EV_READ);
    long_reply_write(c);
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

    MUST(c->life == LIFE_READING);
    if (!encrypted)
        buf_clear(bytes);
    left = svr_listing_read(c->all->sh->svr, c->number, WRITE_BYTES, bytes);
    c->wrote_ms = clock_mono_ms();
    if (encrypted)
        send_encrypted(c, left != SVR_LISTING_SOME);
    else
        conn_send(c->conn, bytes->data, bytes->len);
    /* What was read has left the core and is the connection's now. */
    client_count(c);
    if (left == SVR_LISTING_PART)
        client_happens(c, LIFE_EV_GATHER);
    else if (left == SVR_LISTING_ALL)
        client_happens(c, LIFE_EV_ANSWERED);
    if (c->all->in[LIFE_GATHERING])
        loop_timer_set(c->all->gather, 0); /* there may be room for them now */
}

static void gather(struct client *c)
{
    struct shell *sh = c->all->sh;

    MUST(c->life == LIFE_GATHERING);
    client_happens(c, LIFE_EV_GATHERED);
    svr_listing_go_on(sh->svr, shell_now(sh), c->number, outbox_effects(sh->outbox));
    /* There is more, and others have their turn in between. */
    if (svr_listing_is_gathering(sh->svr, c->number))
        client_happens(c, LIFE_EV_GATHER);
}

/* Too much is held already: only the first listing goes on, and only while no client
 * reads one, since reading frees memory. */
static void gather_sparingly(struct clients *cs)
{
    struct client *c = cs->in[LIFE_GATHERING];

    if (cs->in[LIFE_READING])
        return;
    gather(c);
    if (c->life == LIFE_GATHERING) { /* it stays the first */
        DL_DELETE2(cs->in[LIFE_GATHERING], c, life_prev, life_next);
        DL_PREPEND2(cs->in[LIFE_GATHERING], c, life_prev, life_next);
    }
}

void long_replies_gather(void *arg)
{
    struct clients *cs = arg;
    int64_t until_ms = clock_mono_ms() + GATHER_MS;

    while (cs->in[LIFE_GATHERING] && !is_too_much(cs) && clock_mono_ms() < until_ms)
        gather(cs->in[LIFE_GATHERING]);
    if (cs->in[LIFE_GATHERING] && is_too_much(cs))
        gather_sparingly(cs);
    if (cs->in[LIFE_GATHERING] && (!cs->in[LIFE_READING] || !is_too_much(cs)))
        loop_timer_set(cs->gather, 0);
}

static struct client *who_stands_longest(const struct clients *cs)
{
    struct client *c, *found = NULL;

    DL_FOREACH2 (cs->in[LIFE_READING], c, life_next)
        /* A scheduler may take its time; a cycle depends on it. */
        if (!c->scheduler && (!found || c->wrote_ms < found->wrote_ms))
            found = c;
    return found;
}

void long_replies_squeeze(void *arg)
{
    struct clients *cs = arg;
    struct client *c = is_too_much(cs) ? who_stands_longest(cs) : NULL;

    if (c && clock_mono_ms() - c->wrote_ms >= cs->stalled_ms) {
        shell_log(cs->sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
                  "%zu MiB of long replies are not read: the connection of %s@%s, "
                  "which has read nothing for %d s, is closed",
                  svr_listing_held_bytes(cs->sh->svr) >> 20, c->user, c->host,
                  (int)((clock_mono_ms() - c->wrote_ms) / 1000));
        client_gone(c);
    }
    if (cs->in[LIFE_GATHERING])
        loop_timer_set(cs->gather, 0);
    /* One connection at a time, so that no more are closed than needed. */
    if (is_too_much(cs))
        loop_timer_set(cs->squeeze, SQUEEZE_MS);
}
