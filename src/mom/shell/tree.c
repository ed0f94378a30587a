/* tree.c - see tree.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 200 /* each level has a descriptor and a part of the stack */
#define MAX_TRIES 1000

/* What lies deeper than MAX_DEPTH is moved up into the directory that is removed, and
 * has its turn there: a tree can be as deep as its owner had time to make it. */
struct removal {
    int top; /* that directory */
    unsigned n_moved, n_names;
};

static bool remove_at(struct removal *r, int dir, const char *name, int depth);

/* Let the owner of a directory in when he has closed it to himself. fchmodat() follows
 * links, so a link put there in this moment could lead elsewhere; that does no harm,
 * since the caller has no more rights than the owner of the tree. Root needs no
 * permission, and gives none. */
static void let_in(int dir, const char *name)
{
    struct stat st;

    if (geteuid() != 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
        (void)fchmodat(dir, name, 0700, 0);
}

static bool move_up(struct removal *r, int dir, const char *name)
{
    char to[32];

    let_in(dir, name);
    for (int i = 0; i < MAX_TRIES; i++) {
        snprintf(to, sizeof(to), "deep.%u", r->n_names++);
        if (renameat(dir, name, r->top, to) == 0) {
            r->n_moved++;
            return true;
        }
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
            break;
    }
    return false;
}

static bool empty_once(struct removal *r, DIR *d, int depth)
{
    bool ok = true;
    struct dirent *e;

    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            ok = remove_at(r, dirfd(d), e->d_name, depth + 1) && ok;
    return ok;
}

static bool empty(struct removal *r, int dir, const char *name, int depth)
{
    unsigned n_before;
    DIR *d = NULL;
    bool ok;
    int fd;

    let_in(dir, name);
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        d = fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (depth == 0)
        r->top = fd;
    do {
        n_before = r->n_moved;
        ok = empty_once(r, d, depth);
        rewinddir(d);
    } while (depth == 0 && r->n_moved != n_before);
    closedir(d);
    return ok;
}

static bool remove_at(struct removal *r, int dir, const char *name, int depth)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    if (depth >= MAX_DEPTH)
        return move_up(r, dir, name);
    return empty(r, dir, name, depth) && unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

bool tree_remove(int dir, const char *name)
{
    struct removal r = { .top = -1 };

    return remove_at(&r, dir, name, 0);
}
