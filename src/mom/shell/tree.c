/* tree.c - see tree.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool remove_at(int dir, const char *name, int depth);

/* Open a directory, and let its owner in when he has closed it to himself. fchmodat()
 * follows links, so a link put there in this moment could lead elsewhere; that does no
 * harm, since the caller has no more rights than the owner of the tree. Root needs no
 * permission, and gives none. */
static int enter(int dir, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat st;
    int fd;

    if (geteuid() != 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
        (void)fchmodat(dir, name, 0700, 0);
    fd = openat(dir, name, flags);
    return fd;
}

static bool empty(int dir, const char *name, int depth)
{
    int fd = enter(dir, name);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    bool ok = true;
    struct dirent *e;

    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            ok = remove_at(dirfd(d), e->d_name, depth + 1) && ok;
    closedir(d);
    return ok;
}

static bool remove_at(int dir, const char *name, int depth)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return true;
    if (depth > TREE_MAX_DEPTH || (errno != EISDIR && errno != EPERM))
        return false;
    return empty(dir, name, depth) && unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

bool tree_remove(int dir, const char *name)
{
    return remove_at(dir, name, 0);
}
