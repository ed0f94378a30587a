/* net.h - addresses and outgoing connections, IPv4 only as on the wire. No xmalloc
 * here: libpbs links it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_NET_H
#define LIB_IO_NET_H

#include "lib/base/diag.h"

#include <netinet/in.h>

struct addrinfo;

/* All IPv4 addresses of a host name or dotted quad, for freeaddrinfo(). "localhost" and
 * names below it are 127.0.0.1 whatever the resolver knows: a machine may be without an
 * /etc/hosts. May block on the resolver. 0 or an EAI_ value. */
int net_addresses(const char *host, struct addrinfo **ret) MUST_CHECK;

/* First IPv4 address of a host name or dotted quad; *ret in network order. May block
 * on the resolver. PBSE_BADHOST with words otherwise. */
int net_resolve(const char *host, struct in_addr *ret, struct diag *why) MUST_CHECK;

/* Loopback, or an address of one of this host's interfaces. An interface's address is
 * not known to be one while the process has no descriptor left to ask the kernel with:
 * net_is_own() says no then, net_is_foreign() as well. So whoever grants something to
 * this host asks the first, and whoever spares other hosts a check asks the second. */
bool net_is_own(struct in_addr addr);
bool net_is_foreign(struct in_addr addr);

/* Split "host[:port]" at the first colon; port_dflt when there is none. Returns false
 * for an empty or too long host or a port outside 1..65535. */
bool net_split(const char *text, unsigned port_dflt, char *host, size_t host_size,
               unsigned *port) MUST_CHECK;

/* Start a connection without waiting: *fd is non-blocking, close-on-exec and has
 * TCP_NODELAY; hand it to conn_new() with .connecting. 0 or an errno value. */
int net_connect(const struct sockaddr_in *to, int *fd) MUST_CHECK;
/* The same from an address of this host; port 0: any. NULL: as the system likes. */
int net_connect_from(const struct sockaddr_in *from, const struct sockaddr_in *to,
                     int *fd) MUST_CHECK;

/* "a.b.c.d:port" into 'text' (at least NET_TEXT_BYTES long); returns text. */
#define NET_TEXT_BYTES 24
const char *net_text(const struct sockaddr_in *a, char *text);

/* This host's name: canonical name of gethostname(), lower case; the plain name when
 * it does not resolve. net_short_name() cuts at the first dot. */
void net_host_name(char *name, size_t size);
void net_short_name(const char *host, char *name, size_t size);

#endif
