/* shell.h - the router on real sockets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMM_SHELL_SHELL_H
#define COMM_SHELL_SHELL_H

#include "comm/router.h"
#include "lib/auth/clusterkey.h"
#include "lib/base/shares.h"
#include "lib/io/conf.h"
#include "lib/io/listen.h"
#include "lib/io/logfile.h"

/* Connections at a time, and bytes that may wait for one leaf: a leaf that takes
 * nothing loses its connection, not the router its memory. */
#define COMM_MAX_LINKS          16384
#define COMM_SPARE_FDS          32 /* descriptors for everything else */
#define COMM_MAX_OUTPUT_BYTES   (64u << 20)
#define COMM_MAX_PACKET_BYTES   (64u << 20)
/* The same of a link that has not joined: AUTH_CTX and JOIN are all that it may say. */
#define COMM_MAX_STRANGER_BYTES (16u << 10)

struct comm_link;

struct comm {
    const struct conf *conf;
    struct logfile *log;
    char daemon[300]; /* "Comm@host" */
    char host[256];   /* of our own name */
    unsigned port;
    char address[32]; /* dotted quad to listen on; "" all */
    struct clusterkey key;
    bool has_key;
    uint32_t *trusted_ips;
    size_t n_trusted;
    struct loop *loop;
    struct listener *listener;
    struct loop_timer *timer;
    struct router *router;
    struct comm_link *links; /* by number */
    struct budget memory;    /* of all links' buffers */
    struct budget strangers; /* the part of it that links have which have not joined */
    uint64_t last_link;
    struct arena *arena;   /* of one input's effects */
    struct pool *reloader; /* reads settings; NULL: there was no SIGHUP yet */
    bool reloading;        /* and has not come to the end */
    bool reload_again;     /* another SIGHUP came meanwhile */
    struct pool *pool;     /* asks name services; NULL: nobody had to be asked yet */
};

/* Name, port, key and trusted hosts out of the settings. PBSE_SYSTEM with words. */
int comm_prepare(struct comm *c, struct diag *why) MUST_CHECK;

/* Listen; the loop is made here (after going into the background). */
int comm_open(struct comm *c, struct diag *why) MUST_CHECK;
void comm_run(struct comm *c);
void comm_close(struct comm *c);

/* reload.c: read the settings again in a thread; the log tells when that is done. */
void comm_reload(struct comm *c);

/* Addresses whose privileged ports are believed: our own host and the hosts that the
 * settings name. */
void comm_find_trusted(struct comm *c);

/* prove.c: carry out ROUTER_PROVE about 'conn', which comes from 'peer'. Answers at
 * once through 'out', or later through comm_proven(); until then the connection is
 * held. */
struct conn;
void comm_prove(struct comm *c, const struct router_effect *e, struct conn *conn,
                const struct sockaddr_in *peer, struct router_out *out);
void comm_proven(struct comm *c, uint64_t link, size_t n,
                 const struct router_claim *claims);

#endif
