/* comm.h - the router network: the router's core as it ships, leaves with the stream
 * table of lib/tpp, and connections between them.
 *
 * A connection keeps the order of what is sent and loses nothing while it lives. It can
 * be cut: then nothing passes any more, and each end notices when it does. The router
 * can be lost with all that it was about to forward.
 *
 * What a leaf does here is what lib/tpp/leaf.c does with sockets and one router.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_COMM_H
#define TEST_SIM_COMM_H

#include "comm/router.h"
#include "lib/tpp/streams.h"

#include <uthash.h>

#define COMM_LEAVES_MAX 5

struct sim;

struct leaf_ops {
    void (*message)(struct sim *s, size_t leaf, uint64_t stream,
                    const struct tpp_addr *peer, const char *data, size_t len);
    void (*closed)(struct sim *s, size_t leaf, uint64_t stream);
    void (*router)(struct sim *s, size_t leaf, bool is_up);
};

struct wire { /* a connection of a leaf to the router */
    uint64_t id;
    size_t leaf;
    bool is_cut;
    int64_t to_router_ms; /* arrival of the last that was sent that way */
    int64_t to_leaf_ms;
    struct buf at_leaf; /* bytes that make no whole packet yet */
    UT_hash_handle hh;
};

struct comm_leaf {
    struct sim *sim;
    size_t index;
    struct tpp_addr addr;
    const struct leaf_ops *ops;
    struct streams *streams; /* NULL: its daemon does not run */
    struct streams *ended;   /* of a daemon that has died in one of its callbacks */
    unsigned n_inside;       /* callbacks under way */
    uint64_t life;
    uint64_t wire; /* 0: none */
    bool is_up;    /* it has joined, */
    int64_t up_ms; /* ... then, or its connection was cut then */
    bool is_away;  /* its host is cut off from the network */
    int64_t delay_ms;
    struct tpp_handshake shake;
};

struct comm {
    struct router *router; /* NULL: it is lost */
    uint64_t life;
    uint64_t last_wire;
    struct wire *wires;
    struct comm_leaf leaves[COMM_LEAVES_MAX];
    int64_t timer_at;
};

void comm_init(struct sim *s);
void comm_fini(struct comm *c);

/* pbs_comm starts, or is killed. */
void comm_router(struct sim *s, bool runs);

/* The daemon of a leaf starts, which connects at once; it is killed. */
void comm_leaf_start(struct sim *s, size_t leaf, const struct tpp_addr *addr,
                     const struct leaf_ops *ops);
void comm_leaf_stop(struct sim *s, size_t leaf);

/* Its host loses its way to the network, or has one again. */
void comm_leaf_away(struct sim *s, size_t leaf, bool is_away);
/* Its connection breaks, and both ends notice. */
void comm_leaf_break(struct sim *s, size_t leaf);
/* What it says from now on arrives so many milliseconds from now, and not before. */
void comm_leaf_stalls(struct sim *s, size_t leaf, int64_t ms);

/* Streams, as leaf.h has them. 0 when no router is connected. */
uint64_t comm_open(struct sim *s, size_t leaf, const struct tpp_addr *peer);
void comm_send(struct sim *s, size_t leaf, uint64_t stream, const void *data,
               size_t len);
void comm_close(struct sim *s, size_t leaf, uint64_t stream);
bool comm_is_up(const struct sim *s, size_t leaf);

#endif
