/* plain.c - see plain.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_text(mode_t mode)
{
    static const struct {
        mode_t kind;
        const char *text;
    } rows[] = {
        { S_IFIFO, "a FIFO" },      { S_IFSOCK, "a socket" },
        { S_IFCHR, "a device" },    { S_IFBLK, "a device" },
        { S_IFDIR, "a directory" }, { S_IFLNK, "a symbolic link" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if ((mode & S_IFMT) == rows[i].kind)
            return rows[i].text;
    return "no plain file";
}

static int wrong_kind(const char *path, mode_t mode, struct diag *why)
{
    diag_set(why, PBSE_SYSTEM, "%.200s is %s, not a plain file", path, kind_text(mode));
    errno = EINVAL;
    return -1;
}

static int failed(const char *path, struct diag *why)
{
    int err = errno;

    diag_set(why, PBSE_SYSTEM, "%.200s: %s", path, strerror(err));
    errno = err;
    return -1;
}

/* The kind is looked at twice: before, because opening may already do something, and
 * after, because the name may have changed hands meanwhile. */
int plain_open(const char *path, int flags, mode_t mode, struct diag *why)
{
    const int how = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
    struct stat st;
    int fd, err;

    if (fstatat(AT_FDCWD, path, &st, how) == 0 && !S_ISREG(st.st_mode))
        return wrong_kind(path, st.st_mode, why);
    /* O_TRUNC waits until the kind is known for sure. O_NONBLOCK keeps a FIFO without a
     * reader from holding us. */
    fd = open(path, (flags & ~O_TRUNC) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (fd < 0)
        return failed(path, why);
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return wrong_kind(path, st.st_mode, why);
    }
    /* The caller gets the file as asked for, without O_NONBLOCK. */
    if (fcntl(fd, F_SETFL, flags & O_APPEND) == 0 &&
        (!(flags & O_TRUNC) || ftruncate(fd, 0) == 0))
        return fd;
    err = errno;
    close(fd);
    errno = err;
    return failed(path, why);
}
