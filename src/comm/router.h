/* router.h - the door of the router's core: packets in, packets out (tpp.md 4).
 *
 * The core knows links (numbers the shell gives) and addresses; it opens no socket and
 * reads no clock. What it wants done is appended to a 'struct router_out' in order.
 * Only AUTH_CTX and JOIN are taken from a link that has not joined, and a leaf's
 * packets must come from one of the addresses it joined with: everything else ends that
 * link and no other.
 *
 * A leaf joins with addresses of the host that its connection comes from, whatever its
 * method: others are left out, and a JOIN whose first address (the source of all its
 * streams) is another host's is refused. The connection's own address needs no proof;
 * about any other the shell is asked (ROUTER_PROVE), and the JOIN waits for the answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMM_ROUTER_H
#define COMM_ROUTER_H

#include "lib/tpp/handshake.h"

/* A link that has not joined after so long is closed. When there are too many of those,
 * the oldest of the address that has most of them is closed first. */
#define ROUTER_JOIN_WAIT_S    60
/* UPDATE follows the last JOIN of an ordinary leaf by so much. */
#define ROUTER_UPDATE_DELAY_S 3

struct router;

struct router_config {
    const char *name;         /* "10.0.0.1:17001", as it appears in NOROUTE texts */
    const char *methods;      /* comma list out of "clusterkey,resvport" */
    struct tpp_prover prover; /* of clusterkey */
    size_t n_trusted; /* hosts whose privileged ports count for resvport, host order */
    const uint32_t *trusted_ips;
    size_t max_links;
    size_t max_waiting;         /* of them that have not joined */
    size_t max_waiting_of_host; /* of these from one address */
    bool loopback; /* nobody but this host gets here: loopback addresses may join */
};

/* Who is at the far end of a connection. */
struct router_peer {
    struct tpp_addr addr;
    bool privileged; /* somebody with root's rights on that host made the connection, as
                        its port says and, on this host, the kernel */
};

enum router_out_kind {
    ROUTER_SEND,   /* 'data' to 'link' */
    ROUTER_CLOSE,  /* end 'link'; router_link_down() is not called for it */
    ROUTER_JOINED, /* 'link' is a leaf's now, and may send large packets */
    ROUTER_LOG,
    /* Which of 'asked' belong to the host of 'link'? router_proven() is the answer. No
     * packet of the link is given to the core before it. */
    ROUTER_PROVE,
};

/* An address other than the connection's own that a leaf wants to join with. */
struct router_claim {
    uint32_t ip; /* host order */
    bool proven; /* set by the shell */
};

struct router_effect {
    enum router_out_kind kind;
    uint64_t link;
    const char *data; /* arena, or the bytes given to router_packet() */
    size_t len;
    int event;        /* LOG: event bits */
    const char *text; /* LOG */
    size_t n_claims;  /* PROVE */
    const struct router_claim *claims;
};

struct router_out {
    struct arena *arena; /* the caller's; outlives the effects */
    size_t n;
    size_t cap;
    struct router_effect *v;
};

/* The configuration is copied, what it points to is not. The caller ends it. */
struct router *router_new(const struct router_config *cfg);
void router_free(struct router *r);

/* A connection was accepted from 'peer'. 'nonce' is fresh and random. */
void router_link_up(struct router *r, int64_t now_at, uint64_t link,
                    const struct router_peer *peer,
                    const uint8_t nonce[TPP_NONCE_BYTES], struct router_out *out);

/* The answer to ROUTER_PROVE: the same claims, each decided. A claim that is missing is
 * not proven; a link that is gone or does not wait is passed over. */
void router_proven(struct router *r, int64_t now_at, uint64_t link, size_t n_claims,
                   const struct router_claim *claims, struct router_out *out);

/* One whole packet (tpp_peek() delimited it) of a link. */
void router_packet(struct router *r, int64_t now_at, uint64_t link, const char *data,
                   size_t len, struct router_out *out);

/* The connection ended by itself. 'err' is the errno, 0 for a plain end. */
void router_link_down(struct router *r, int64_t now_at, uint64_t link, int err,
                      struct router_out *out);

/* What is due: links that did not join in time, the UPDATE after a JOIN; and when
 * something is next. */
void router_tick(struct router *r, int64_t now_at, struct router_out *out);
int64_t router_next_deadline(const struct router *r); /* INT64_MAX: none */

/* Counts for logs, tests and limits. */
size_t router_n_links(const struct router *r);
size_t router_n_leaves(const struct router *r);

#endif
