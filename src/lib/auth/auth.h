/* auth.h - who is at the other end of a local socket.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_AUTH_H
#define LIB_AUTH_AUTH_H

#include "lib/base/diag.h"

#include <sys/types.h>

#define AUTH_USER_MAX 256 /* characters of a user name (wire.md 1) */

/* Peer of a Unix socket, as the kernel knows it. PBSE_BADCRED with words when it
 * cannot be told or its uid has no account. */
struct auth_peer {
    uid_t uid;
    pid_t pid;
    char user[AUTH_USER_MAX + 1];
};
int auth_peer(int fd, struct auth_peer *ret, struct diag *why) MUST_CHECK;

/* Account name of a uid; PBSE_BADUSER when there is none or it is too long. */
int auth_user_name(uid_t uid, char *name, size_t size, struct diag *why) MUST_CHECK;

#endif
