/* slot.c - a user has a few reserved ports at a time.
 *
 * Users may stop this program while it has a port, and for as long as they like. Each
 * run locks one byte of a file that only root can open, one of the few that belong to
 * the caller's uid, before it binds; the kernel gives the byte back with the process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SLOT_FILE    "/run/pbs_iff.lock"
#define SLOTS        8 /* of 512 ports, for each uid but root's */
#define SLOT_WAIT_MS 20

/* Root's rights last for this one call. */
static int open_as_root(void)
{
    const uid_t caller = geteuid();
    int fd;

    if (seteuid(0) < 0)
        return -1;
    fd = open(SLOT_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (seteuid(caller) < 0)
        _exit(IFF_CONNECT);
    return fd;
}

static bool lock_byte(int fd, off_t at)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1
    };

    return fcntl(fd, F_OFD_SETLK, &byte) == 0;
}

static bool lock_one(int fd, uid_t uid)
{
    for (off_t i = 0; i < SLOTS; i++)
        if (lock_byte(fd, (off_t)uid * SLOTS + i))
            return true;
    return false;
}

int iff_take_slot(int64_t until_ms)
{
    const uid_t uid = getuid();
    int fd;

    if (uid == 0)
        return IFF_OK;
    fd = open_as_root();
    if (fd < 0) {
        /* The program runs without root's rights, and the attempt to bind the port will
         * fail with a clear message. */
        if (errno == EPERM)
            return IFF_OK;
        fprintf(stderr, "pbs_iff: " SLOT_FILE ": %s\n", strerror(errno));
        return IFF_CONNECT;
    }
    while (!lock_one(fd, uid)) {
        if (iff_left_ms(until_ms) <= 0) {
            fprintf(stderr, "pbs_iff: %d others of this user are under way\n", SLOTS);
            return IFF_CONNECT;
        }
        usleep(SLOT_WAIT_MS * 1000);
    }
    return IFF_OK; /* the descriptor is kept: its end is the slot's */
}
