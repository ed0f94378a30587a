/* net_ask.h - the address of a host, asked for in a thread.
 *
 * A loop that calls net_resolve() stands still for as long as the name service does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_NET_ASK_H
#define LIB_IO_NET_ASK_H

#include "lib/io/pool.h"

#include <netinet/in.h>

/* 'ip' is the first IPv4 address, in network order; NULL: the host has none, or nobody
 * could say. */
typedef void (*net_asked_fn)(void *arg, const struct in_addr *ip);

/* 'fn' is called in a later turn of the pool's loop, unless the pool goes first. False:
 * too many are waiting, or there is no thread, and it is not called. */
bool net_ask(struct pool *p, const char *host, net_asked_fn fn, void *arg) MUST_CHECK;

#endif
