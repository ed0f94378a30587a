/* account.c - the account of a uid, as the host's name services know it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "lib/base/base.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* What is said of an account besides its name may be long, and a name service says it
 * all: so much of it is read. */
#define ENTRY_MAX_SIZE (1024u * 1024)

int auth_account(uid_t uid, char *name, size_t size, gid_t *gid, struct diag *why)
{
    struct passwd pw, *found = NULL;
    size_t room_size = 2048;
    char *room = NULL, *more;
    int err = ENOMEM, ret = 0;

    MUST(size > 0);
    /* A user's program must not end for want of memory, so the failure is told. */
    while ((more = realloc(room, room_size *= 2))) {
        room = more;
        err = getpwuid_r(uid, &pw, room, room_size, &found);
        if (err != ERANGE || room_size >= ENTRY_MAX_SIZE)
            break;
    }
    if (!found)
        ret = diag_set(why, PBSE_BADUSER, "uid %lu has no account%s%s",
                       (unsigned long)uid, err ? ": " : "", err ? strerror(err) : "");
    else if (strlen(pw.pw_name) >= size) /* cut, it might be another user's */
        ret = diag_set(why, PBSE_BADUSER, "the account name of uid %lu is too long",
                       (unsigned long)uid);
    else
        memcpy(name, pw.pw_name, strlen(pw.pw_name) + 1);
    if (ret == 0 && gid)
        *gid = pw.pw_gid;
    free(room);
    return ret;
}
