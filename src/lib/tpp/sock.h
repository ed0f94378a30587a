/* sock.h - sockets between leaves and routers (tpp.md 2.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_TPP_SOCK_H
#define LIB_TPP_SOCK_H

#include "lib/io/conn.h"
#include "lib/wire/tpp.h"

#include <netinet/in.h>

/* A frame parser for lib/io/conn.h: a frame's data is the whole TPP packet. */
enum packet_status tpp_frame(const char *data, size_t len, size_t max_bytes,
                             struct packet *ret);

/* Keepalive after 30 s, 3 probes 10 s apart, 60 s for unacknowledged data; small
 * packets leave at once. PBS_TCP_KEEPALIVE of the environment changes or disables the
 * former. */
void tpp_tune_socket(int fd);

/* Start a connection from a free port below 1024; *fd is non-blocking. 0 or an errno
 * value (EADDRINUSE: no reserved port is free). */
int tpp_connect_reserved(const struct sockaddr_in *to, int *fd) MUST_CHECK;

#define TPP_ROUTER_PORT 17001 /* where routers listen unless told otherwise */

/* The same address in the form of the wire. */
struct tpp_addr tpp_addr_of(const struct sockaddr_in *sa);

#endif
