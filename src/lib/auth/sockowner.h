/* sockowner.h - whose a TCP socket of this host is, by the kernel's word.
 *
 * A reserved port says that somebody with root's rights speaks; the kernel says more
 * about sockets of this host (in this network namespace): the user that made them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_SOCKOWNER_H
#define LIB_AUTH_SOCKOWNER_H

#include "lib/base/diag.h"

#include <netinet/in.h>
#include <sys/types.h>

/* The uid that made the socket of this host which is bound to 'own' and connected to
 * 'peer'. Only an established connection that a process still holds has an owner: one
 * that was closed or reset has none, and PBSE_BADCRED with words is returned. The same
 * where the kernel does not tell.
 *
 * Cost: one netlink question (sock_diag). Where that is refused or knows nothing, the
 * tables below /proc/self/net are read, which costs time for each socket of the host.
 */
int auth_socket_owner(const struct sockaddr_in *own, const struct sockaddr_in *peer,
                      uid_t *ret, struct diag *why) MUST_CHECK;

/* The second way alone: the text of a table in the form of /proc/net/tcp (ipv6 false)
 * or /proc/net/tcp6, where connections over IPv4 stand with mapped addresses. Outside
 * of tests auth_socket_owner() is the caller. */
bool auth_owner_in_table(const char *path, bool ipv6, const struct sockaddr_in *own,
                         const struct sockaddr_in *peer, uid_t *ret) MUST_CHECK;

/* Was the far end of 'fd', which comes from 'peer', made by somebody with root's rights
 * on that host? Its port must be below 1024. Where it is this host's, the kernel must
 * agree (root, or this process's own uid), since ordinary users may be let bind such
 * ports; 'peer_is_own' says that it is. */
bool auth_is_privileged(int fd, const struct sockaddr_in *peer, bool peer_is_own);

/* Is the TCP connection 'fd' established at this end? False after the peer has closed
 * or reset it, although bytes that came before may still be read. */
bool auth_is_established(int fd);

#endif
