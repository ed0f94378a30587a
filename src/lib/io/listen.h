/* listen.h - listening sockets: TCP on IPv4, and a Unix socket for local clients.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_LISTEN_H
#define LIB_IO_LISTEN_H

#include "lib/base/diag.h"
#include "lib/io/loop.h"

#include <netinet/in.h>

struct listener;

/* A new connection, non-blocking and close-on-exec; the callee owns the descriptor.
 * 'peer' is NULL for a Unix socket. Several are handed over in a row, so the callee
 * does not free the listener. */
typedef void (*listen_fn)(void *arg, int fd, const struct sockaddr_in *peer);

#define LISTEN_BACKLOG 256

/* Listen on 'addr' (NULL: all addresses) and port (0: any, see listener_port()).
 * PBSE_SYSTEM with words otherwise. When descriptors run out accepting rests a while.
 */
int listen_tcp(struct loop *l, const char *addr, unsigned port, listen_fn fn, void *arg,
               struct listener **ret, struct diag *why) MUST_CHECK;

/* Listen on a path. A socket left there by a dead process is replaced, one that is
 * answered is not. Anyone may connect (mode 0666): peer credentials decide. */
int listen_unix(struct loop *l, const char *path, listen_fn fn, void *arg,
                struct listener **ret, struct diag *why) MUST_CHECK;

/* The TCP port that it listens on; 0 for a Unix socket. */
unsigned listener_port(const struct listener *ls);
/* Closes the socket and removes the path of a Unix socket. */
void listener_free(struct listener *ls);

#endif
