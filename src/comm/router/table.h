/* table.h - links and the addresses behind them; private to the router.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMM_ROUTER_TABLE_H
#define COMM_ROUTER_TABLE_H

#include "comm/router.h"
#include "lib/base/shares.h"

#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

struct route {            /* an address of a leaf that is connected here */
    struct tpp_addr addr; /* the key: all bytes count, padding is zero */
    struct link *link;
    UT_hash_handle hh;
};

struct link {
    uint64_t id;
    struct tpp_addr peer;
    bool privileged;
    int64_t up_at;
    struct tpp_handshake shake;
    bool joined;
    struct tpp_packet *waiting_join; /* its proofs are being looked for; its own copy */
    uint8_t node_type;
    size_t n_routes;
    struct route *routes;
    UT_hash_handle hh;
    struct share *share;      /* of its address, while not joined */
    struct link *prev, *next; /* in router.waiting while not joined */
};

struct router {
    struct router_config cfg;
    struct link *links;
    struct link *waiting; /* not joined yet, oldest first */
    size_t n_waiting;
    struct shares strangers; /* those that wait, by address */
    struct route *routes;
    size_t n_leaves;
    int64_t update_due_at; /* INT64_MAX: none */
    int64_t crowded_at;    /* when a full table was logged last */
};

/* NULL when there is none: the link of that number, the one that has the address. */
struct link *table_link(struct router *r, uint64_t id);
struct link *table_route(struct router *r, const struct tpp_addr *addr);

/* A new link, which waits. */
struct link *table_add(struct router *r, uint64_t id, const struct tpp_addr *peer);

/* The link and its routes go away; nothing is told. */
void table_drop(struct router *r, struct link *l);

/* Of those that have not joined: the oldest of the address that has most of them. NULL
 * when all have joined. Time: linear in their number. */
struct link *table_most_crowded(const struct router *r);
/* The oldest of the address of 'peer', NULL when there is none. */
struct link *table_oldest_of_host(const struct router *r, const struct tpp_addr *peer);

/* Keep a JOIN for later; forget it. */
void table_keep_join(struct link *l, const struct tpp_packet *join);
void table_forget_join(struct link *l);

/* Give the link those of 'addrs' that nobody has; returns how many. */
size_t table_join(struct router *r, struct link *l, const struct tpp_packet *join);

/* What a packet leads to. */
void router_out_send(struct router_out *out, uint64_t link, const char *data,
                     size_t len);
void router_out_packet(struct router_out *out, uint64_t link,
                       const struct tpp_packet *pkt);
void router_out_prove(struct router_out *out, uint64_t link, size_t n_claims,
                      const struct router_claim *claims);
void router_out_close(struct router_out *out, uint64_t link);
void router_out_joined(struct router_out *out, uint64_t link);
void router_out_log(struct router_out *out, int event, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* End a link that is at fault or replaced, and tell the other leaves if it had joined.
 */
void link_end(struct router *r, struct link *l, struct router_out *out);

/* join.c: AUTH_CTX and JOIN of a link; who is at fault is ended. */
void join_auth(struct router *r, struct link *l, const struct tpp_packet *pkt,
               struct router_out *out);
void join_leaf(struct router *r, int64_t now_at, struct link *l,
               const struct tpp_packet *pkt, struct router_out *out);
/* The rest of a JOIN that waited for its proofs. */
void join_proven(struct router *r, int64_t now_at, struct link *l, size_t n_claims,
                 const struct router_claim *claims, struct router_out *out);

/* forward.c: to the leaf that has the target's address, 'bytes' as they came, or
 * NOROUTE to the sender; to each of many. */
void forward_unicast(struct router *r, struct link *from, const struct tpp_packet *pkt,
                     const char *bytes, size_t len, struct router_out *out);
void forward_multicast(struct router *r, struct link *from, struct tpp_packet *pkt,
                       struct router_out *out);

/* Lines that an administrator looks for are written whatever the mask is. */
#define ROUTER_LOG_NOTE  (0x8000 | 0x0002)
#define ROUTER_LOG_FAULT (0x8000 | 0x0001)
#define ROUTER_LOG_DEBUG 0x0080

#endif
