/* leaf.h - a leaf on the router network: streams of messages over lib/io's loop.
 *
 * The leaf connects to every router of its list and keeps connecting (tpp.md 2.2),
 * proves itself, JOINs with its addresses and carries DIS messages to other leaves.
 * Each stream has a number that is never used again. A message is the payload of one
 * PKTV1 frame; the frame is the leaf's business, and a bad one ends its stream only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_TPP_LEAF_H
#define LIB_TPP_LEAF_H

#include "lib/auth/clusterkey.h"
#include "lib/base/diag.h"
#include "lib/wire/tpp.h"

struct conf; /* lib/io/conf.h */
struct leaf;
struct loop; /* lib/io/loop.h */

/* What a leaf tells. Callbacks may call any leaf function but leaf_free(). */
struct leaf_events {
    /* A DIS message; 'data' lives until the callback returns. A stream that was not
     * opened here begins with its first message. */
    void (*message)(void *arg, uint64_t stream, const struct tpp_addr *peer,
                    const char *data, size_t len);
    /* The stream is over (closed by its peer, NOROUTE, LEAVE, router lost, bad frame):
     * its number is dead. Not called after leaf_close(). */
    void (*closed)(void *arg, uint64_t stream);
    /* The last router connection went (each stream's end was told before), or the first
     * one came, or another router took over ("network restored", tpp.md 3). */
    void (*down)(void *arg);
    void (*up)(void *arg);
    /* UPDATE from a router; may be NULL. */
    void (*update)(void *arg);
    /* A line for the log with its event bits (class TPP, object DAEMON(Main Thread)).
     */
    void (*log)(void *arg, int event, const char *text);
    void *arg;
};

struct leaf_config {
    struct loop *loop;
    const char *routers; /* "host[:port],..." in order of preference */
    size_t n_addrs;      /* own addresses, the first is the source of all streams */
    const struct tpp_addr *addrs;
    enum tpp_node_type node_type; /* TPP_LEAF, or TPP_LEAF_NOTIFIED for a server */
    const char *auth_method;      /* of leaf_method() */
    const char *encrypt_method;   /* what the site asked for; NULL or "": nothing */
    struct clusterkey key;        /* of the method of that name; unused with resvport */
    struct leaf_events events;
};

/* Own addresses by the rules of tpp.md 2.1: 'leaf_name' is PBS_LEAF_NAME or NULL (all
 * IPv4 addresses of the host, loopback ones only if there is no other or when every
 * router is on loopback). The array is the caller's to free. PBSE_SYSTEM with words. */
int leaf_addresses(const char *leaf_name, const char *routers, uint16_t port,
                   struct tpp_addr **ret, size_t *ret_n, struct diag *why) MUST_CHECK;

/* How a daemon proves itself to routers: 'wanted' (PBS_AUTH_METHOD) where that is a
 * method of this network, CLUSTERKEY_METHOD or "resvport". A method for users, munge,
 * is not: then the key if it is in 'supported' (PBS_SUPPORTED_AUTH_METHODS), else the
 * reserved port. */
const char *leaf_method(const char *wanted, const char *supported);

/* Connecting starts at once. What goes between daemons is not encrypted; where the site
 * asked for encryption the log says so. PBSE_SYSTEM when a router's name is unusable or
 * the leaf's own. All of 'cfg' is copied. */
int leaf_new(const struct leaf_config *cfg, struct leaf **ret,
             struct diag *why) MUST_CHECK;
void leaf_free(struct leaf *l);

/* The same as pbs.conf says: routers, addresses at 'port', how to prove itself. The
 * caller fills in the loop, the type of the node and the events of 'cfg'. 'makes_key':
 * a cluster without a key gets one (clusterkey_load()). */
int leaf_new_by_conf(const struct conf *conf, uint16_t port, bool makes_key,
                     struct leaf_config *cfg, struct leaf **ret,
                     struct diag *why) MUST_CHECK;

/* True while a router has let it join: streams can be opened. */
bool leaf_is_up(const struct leaf *l);

/* A stream to another leaf; nothing is sent before the first message. 0 when no router
 * is connected. */
uint64_t leaf_open_addr(struct leaf *l, const struct tpp_addr *peer) MUST_CHECK;

/* Send one message. False when the stream is over; 'closed' was or will be told. */
bool leaf_send(struct leaf *l, uint64_t stream, const void *data, size_t len);

/* End a stream; unknown numbers are ignored. */
void leaf_close(struct leaf *l, uint64_t stream);

/* The small number by which logs name a stream; -1 when it is over. */
int leaf_stream_number(const struct leaf *l, uint64_t stream);

#endif
