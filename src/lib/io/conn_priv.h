/* conn_priv.h - a connection from the inside, for conn.c, conn_output.c and
 * conn_input.c.
 *
 * Once 'over' is set, nothing moves any more, and 'deaf' is set too. in_at <= in.len
 * and out_at <= out.len hold always.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CONN_PRIV_H
#define LIB_IO_CONN_PRIV_H

#include "lib/io/conn.h"

/* A buffer that grew beyond this is given back when it is empty: there may be thousands
 * of connections on which nothing happens. */
#define KEEP_BYTES (4u << 10)

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
    bool rests; /* this turn has handed over enough: 'later' goes on */
    bool deaf;  /* reads no more: a fault was found, or it is finishing, or over */
    bool over;  /* closed() was or will be called */
    bool eof;   /* the peer closed; frames before that may still be held */
    enum conn_end end;
};

static inline size_t conn_unread_bytes(const struct conn *c)
{
    return c->in.len - c->in_at;
}

/* Count the memory of the buffers in the budget: what they have, and not what of it is
 * in use. */
void conn_recount(struct conn *c);

/* Wait for what the connection can do next: read, write, both or nothing. */
void conn_watch(struct conn *c);

/* The connection is over: nothing moves any more, and the owner is told from 'later'.
 * The first cause stays. */
void conn_end(struct conn *c, enum conn_end end, int err);

/* The input is wrong: read no more, and tell the owner. */
void conn_fault(struct conn *c, enum conn_fault fault);

/* True when the owner asked for room and there is some. */
bool conn_has_room(const struct conn *c);

/* Write as much as the peer takes. */
void conn_write(struct conn *c);

/* Read once; false when nothing came. The end of the peer is something. */
bool conn_read(struct conn *c);

/* Hand over the whole frames at the front of the input, as long as the owner takes
 * them. The owner may free the connection meanwhile: c->dead says so. */
void conn_deliver(struct conn *c);

/* Let the time of a partial frame, or of a larger message, run or stop, as is due. */
void conn_mind_partial(struct conn *c);

#endif
