/* copy_file.c - see copy_file.h.
 *
 * A copy is written beside its destination and renamed, so that nobody sees half a
 * file. Only plain files are read and written (plain.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/copy_file.h"

#include "mom/shell/links.h"
#include "mom/shell/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool copy_bytes(int from, int to)
{
    MUST(from >= 0 && to >= 0 && from != to);

    char block[65536];
    ssize_t n;

    while ((n = read(from, block, sizeof(block))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        /* A write may take a part only, when a disk gets full or a signal comes. */
        for (ssize_t done = 0; done < n;) {
            ssize_t w = write(to, block + done, (size_t)(n - done));

            if (w < 0 && errno != EINTR)
                return false;
            done += MAX_OF(w, (ssize_t)0);
        }
    }
    return true;
}

static bool failed(const char *path, struct diag *why)
{
    /* copy_open() looks at errno to decide whether there is another way. */
    int err = errno;

    diag_set(why, PBSE_SYSTEM, "%.200s: %s", path, strerror(err));
    errno = err;
    return false;
}

/* Write straight into a file that is there. This is for a directory that takes no new
 * names, where nothing can be renamed into place. */
static bool copy_into(int from, const char *dest, struct diag *why)
{
    int to = plain_open(dest, O_WRONLY | O_TRUNC | O_NOFOLLOW, 0, why);
    bool ok;

    if (to < 0)
        return false;
    ok = copy_bytes(from, to) || failed(dest, why);
    /* File servers may tell of a full disk at the end only. */
    return (close(to) == 0 || failed(dest, why)) && ok;
}

static bool fill(int from, int to, mode_t mode)
{
    bool ok = copy_bytes(from, to) && fchmod(to, mode & 0777) == 0;
    int err = errno;

    if (close(to) < 0 && ok)
        return false;
    errno = err;
    return ok;
}

/* A name beside the destination: only this process has its number, so that two copies
 * to one place do not write into the same file. A long name leaves room for the rest of
 * this one. */
static char *name_beside(const char *dest)
{
    const char *slash = strrchr(dest, '/'), *base = slash ? slash + 1 : dest;
    char end[32];
    int len = snprintf(end, sizeof(end), ".pbs%d", (int)getpid());

    return xasprintf("%.*s%.*s%s", (int)(base - dest), dest, NAME_MAX - len, base, end);
}

static bool copy_beside(int from, const struct stat *st, const char *dest,
                        struct diag *why)
{
    char *tmp = name_beside(dest);
    /* The name is new (O_EXCL). */
    int to = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = to >= 0 && fill(from, to, st->st_mode) && rename(tmp, dest) == 0;

    if (!ok) {
        failed(dest, why);
        if (to >= 0)
            (void)unlink(tmp);
    }
    free(tmp);
    return ok;
}

/* True when something else than a plain file is there: it is not replaced. */
static bool is_in_the_way(const char *dest, struct diag *why)
{
    struct stat st;
    int fd;

    if (stat(dest, &st) < 0 || S_ISREG(st.st_mode))
        return false;
    fd = plain_open(dest, O_WRONLY, 0, why);
    if (fd >= 0)
        close(fd); /* it has become a plain file meanwhile */
    return fd < 0;
}

static bool copy_open(int from, const char *dest, struct diag *why)
{
    struct stat st;

    MUST(from >= 0);
    if (is_in_the_way(dest, why))
        return false;
    if (fstat(from, &st) < 0)
        return failed(dest, why);
    if (copy_beside(from, &st, dest, why))
        return true;
    /* Bytes may have been read before the first way failed. */
    return errno == EACCES && lseek(from, 0, SEEK_SET) == 0 &&
           access(dest, F_OK) == 0 && copy_into(from, dest, why);
}

bool copy_file(const char *src, int flags, const char *dest, struct diag *why)
{
    char real[PATH_MAX];
    int from = plain_open(src, O_RDONLY | flags, 0, why);
    bool ok;

    if (from < 0)
        return false;
    /* The file behind a link is written, and the link stays. */
    ok = links_follow(dest, real, why) && copy_open(from, real, why);
    close(from);
    return ok;
}
