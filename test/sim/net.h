/* net.h - connections between clients (schedulers among them) and the server.
 *
 * What travels is bytes: requests and replies are encoded by the real codecs
 * and decoded at the other end. Within one direction of one connection nothing is lost
 * or overtaken, as on a socket; a connection that ends loses what is on its way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_NET_H
#define TEST_SIM_NET_H

#include "lib/wire/batch.h"

#include <uthash.h>

struct sim;

/* The client's end of a connection. */
struct conn_ops {
    void (*reply)(struct sim *s, void *owner, uint64_t conn,
                  const struct wire_reply *reply);
    void (*command)(struct sim *s, void *owner, int32_t command, const char *job_id);
    void (*closed)(struct sim *s, void *owner, uint64_t conn);
};

struct conn {
    uint64_t id;
    const struct conn_ops *ops;
    void *owner;
    const char *user;
    bool server_uid;
    const char *peer;     /* the host of the server that asks; NULL: it is a client */
    uint32_t asked;       /* number of the request that is not answered; 0: none */
    bool *yes;            /* of AnswerResvs: which of its answers are a yes */
    size_t n_judged;      /* ... and how many the server has judged */
    bool dead;            /* the server died; the client will hear of it */
    int64_t to_server_ms; /* arrival of the last message that way */
    int64_t to_client_ms;
    UT_hash_handle hh;
};

struct net {
    uint64_t last_id;
    struct conn *conns;
};

void net_fini(struct net *n);

/* NULL: ended. */
struct conn *net_conn(const struct net *n, uint64_t id);

/* Clients. 0: nobody listens. */
uint64_t net_connect(struct sim *s, const char *user, bool server_uid,
                     const struct conn_ops *ops, void *owner);
void net_request(struct sim *s, uint64_t conn, const struct wire_request *rq);
void net_sched_done(struct sim *s, uint64_t conn);
void net_disconnect(struct sim *s, uint64_t conn); /* 'closed' is not called */

/* The server's end. */
void net_reply(struct sim *s, uint64_t conn, const struct wire_reply *reply);
void net_command(struct sim *s, uint64_t conn, int32_t command, const char *job_id);
void net_close(struct sim *s, uint64_t conn);
/* The server has died: every connection ends. */
void net_server_died(struct sim *s);

#endif
