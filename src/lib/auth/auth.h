/* auth.h - who is at the other end of a local socket.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_AUTH_H
#define LIB_AUTH_AUTH_H

#include "lib/base/diag.h"

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#define AUTH_USER_MAX 256 /* characters of a user name (wire.md 1) */

/* May this be the name of an account? Others say it, in messages that are signed, but
 * it goes into lists, paths and log lines here: no blanks, no control characters, and
 * nothing that has a meaning in those. */
static inline bool auth_user_is_name(const char *name)
{
    size_t n = 0;

    for (; name[n]; n++)
        if ((unsigned char)name[n] <= ' ' || strchr("@,:/\177", name[n]))
            return false;
    return n > 0 && n <= AUTH_USER_MAX;
}

/* Peer of a Unix socket, as the kernel knows it. PBSE_BADCRED with words when it
 * cannot be told. */
struct auth_peer {
    uid_t uid;
    pid_t pid;
};
int auth_peer(int fd, struct auth_peer *ret, struct diag *why) MUST_CHECK;

/* Account name of a uid, and its group unless 'gid' is NULL; PBSE_BADUSER when there is
 * none or the name is too long. May block on a name service; from any thread. */
int auth_account(uid_t uid, char *name, size_t size, gid_t *gid,
                 struct diag *why) MUST_CHECK;
static inline int auth_user_name(uid_t uid, char *name, size_t size, struct diag *why)
{
    return auth_account(uid, name, size, NULL, why);
}

#endif
