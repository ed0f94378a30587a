/* peer.c - peer credentials of a Unix socket.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* The kernel has noted who connected; nothing that the peer sends can change that. */
int auth_peer(int fd, struct auth_peer *ret, struct diag *why)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
        return diag_set(why, PBSE_BADCRED, "no peer credentials: %s", strerror(errno));
    /* For a TCP socket the kernel answers with uid -1, which is no user. */
    if (cred.uid == (uid_t)-1)
        return diag_set(why, PBSE_BADCRED, "no peer credentials: not a local socket");
    *ret = (struct auth_peer){ .uid = cred.uid, .pid = cred.pid };
    return 0;
}
