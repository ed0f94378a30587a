/* safe_name.c - see safe_name.h.
 *
 * RENAME_EXCHANGE does the whole work where a name is taken: afterwards our object has
 * the name and the other one has our private name, whatever kind it is. Somebody who
 * makes and removes the name again and again only makes us change between the two ways
 * of renaming; after MAX_TRIES he has won that job, and is still the owner of a name in
 * the log.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/safe_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TRIES 1000

/* A directory and a name in it. */
struct spot {
    int dir;
    const char *name;
};

/* True for a directory in which others cannot rename what is ours: it belongs to root
 * or to us, and is sticky when others may write there. */
static bool is_fit(int dir)
{
    struct stat st;

    if (fstat(dir, &st) < 0)
        return false;
    if ((st.st_uid == 0 || st.st_uid == geteuid()) &&
        (!(st.st_mode & 022) || (st.st_mode & S_ISVTX)))
        return true;
    errno = EPERM;
    return false;
}

static bool spot_open(const char *path, struct spot *ret)
{
    const char *slash = strrchr(path, '/');
    char dir[PATH_MAX];

    if (!slash || snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path) >=
                      (int)sizeof(dir)) {
        errno = ENAMETOOLONG;
        return false;
    }
    ret->name = slash + 1;
    ret->dir = open(dir[0] ? dir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (ret->dir < 0)
        return false;
    if (is_fit(ret->dir))
        return true;
    close(ret->dir);
    errno = EPERM;
    return false;
}

static void spot_close(const struct spot *s)
{
    int err = errno;

    close(s->dir);
    errno = err;
}

/* Make a name that nobody can guess: "NAME.aside.RANDOM". Should the file stay there,
 * the name tells what it is. */
static bool private_name(const char *name, char ret[NAME_MAX + 1])
{
    uint64_t number;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return false;
    if (snprintf(ret, NAME_MAX + 1, "%s.aside.%016" PRIx64, name, number) > NAME_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

/* For file systems without these ways of renaming: move away what lies there, then
 * rename ours. */
static bool put_plainly(const struct spot *s, const char *ours,
                        char aside[NAME_MAX + 1])
{
    if (!private_name(s->name, aside))
        return false;
    if (renameat(s->dir, s->name, s->dir, aside) < 0) {
        aside[0] = '\0';
        if (errno != ENOENT)
            return false;
    }
    return renameat(s->dir, ours, s->dir, s->name) == 0;
}

/* Give our object 'ours' the name. What had the name before is in p->aside afterwards.
 */
static bool put(struct place *p, const struct spot *s, const char *ours)
{
    struct stat st;

    MUST(strcmp(ours, s->name) != 0);
    p->aside[0] = '\0';
    for (int i = 0; i < MAX_TRIES; i++) {
        if (renameat2(s->dir, ours, s->dir, s->name, RENAME_NOREPLACE) == 0)
            return true;
        if (errno == EEXIST &&
            renameat2(s->dir, ours, s->dir, s->name, RENAME_EXCHANGE) == 0) {
            snprintf(p->aside, sizeof(p->aside), "%s", ours);
            break;
        }
        if (errno == EINVAL) {
            if (!put_plainly(s, ours, p->aside))
                return false;
            break;
        }
        if (errno != ENOENT && errno != EEXIST)
            return false;
    }
    if (p->aside[0] && fstatat(s->dir, p->aside, &st, AT_SYMLINK_NOFOLLOW) == 0)
        p->aside_uid = st.st_uid;
    return p->aside[0] != '\0';
}

/* Give the object to the user of the job, with the mode that was asked for. */
static bool give_away(const struct place *p, int fd)
{
    if (geteuid() == 0 && fchown(fd, p->uid, p->gid) < 0)
        return false;
    return fchmod(fd, p->mode) == 0;
}

/* Open the user's own file again, -1: it is not one. O_NONBLOCK is there for a FIFO of
 * that name, which open() would wait for. */
static int reopen(const struct place *p, const struct spot *s)
{
    int fd =
        openat(s->dir, s->name,
               O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        st.st_uid == p->uid && (st.st_gid == p->gid || geteuid() != 0) &&
        fcntl(fd, F_SETFL, O_APPEND) == 0)
        return fd;
    close(fd);
    return -1;
}

static int make_file(struct place *p, const struct spot *s)
{
    char ours[NAME_MAX + 1];
    int fd, err;

    if (!private_name(s->name, ours))
        return -1;
    fd = openat(s->dir, ours,
                O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (give_away(p, fd) && put(p, s, ours))
        return fd;
    err = errno;
    (void)unlinkat(s->dir, ours, 0);
    close(fd);
    errno = err;
    return -1;
}

/* The file is looked at before it is opened, since opening a device may do something.
 */
int place_file(struct place *p, const char *path)
{
    struct stat st;
    struct spot s;
    int fd = -1;

    p->aside[0] = '\0';
    if (!spot_open(path, &s))
        return -1;
    if (fstatat(s.dir, s.name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
        fd = reopen(p, &s);
    if (fd < 0)
        fd = make_file(p, &s);
    spot_close(&s);
    return fd;
}

static bool has_directory(const struct place *p, const struct spot *s)
{
    int fd = openat(s->dir, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool ok;

    if (fd < 0)
        return false;
    ok = fstat(fd, &st) == 0 && (st.st_uid == p->uid || st.st_uid == 0);
    close(fd);
    return ok;
}

static bool make_directory(struct place *p, const struct spot *s)
{
    char ours[NAME_MAX + 1];
    int fd = -1, err;
    bool ok;

    if (!private_name(s->name, ours) || mkdirat(s->dir, ours, 0700) < 0)
        return false;
    fd = openat(s->dir, ours, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    ok = fd >= 0 && give_away(p, fd) && put(p, s, ours);
    err = errno;
    if (!ok)
        (void)unlinkat(s->dir, ours, AT_REMOVEDIR);
    if (fd >= 0)
        close(fd);
    errno = err;
    return ok;
}

bool place_directory(struct place *p, const char *path)
{
    struct spot s;
    bool ok;

    p->aside[0] = '\0';
    if (!spot_open(path, &s))
        return false;
    ok = has_directory(p, &s) || make_directory(p, &s);
    spot_close(&s);
    return ok;
}

void place_reclaim(struct place *p, const char *path)
{
    struct stat st;

    p->aside[0] = '\0';
    if (geteuid() != 0 || lstat(path, &st) < 0 ||
        (S_ISDIR(st.st_mode) && st.st_uid == p->uid))
        return;
    if (!place_directory(p, path))
        p->aside[0] = '\0';
}

/* Move the file into the other directory under a private name, and give it its name
 * there: the exchange of names works within one directory. */
static bool move_between(struct place *p, const struct spot *from,
                         const struct spot *to)
{
    char ours[NAME_MAX + 1];
    struct stat st, there;

    if (!private_name(to->name, ours) ||
        fstatat(from->dir, from->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    if (!S_ISREG(st.st_mode)) {
        errno = EINVAL;
        return false;
    }
    if (renameat(from->dir, from->name, to->dir, ours) < 0)
        return false;
    if (fstatat(to->dir, to->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(there.st_mode) && there.st_uid == st.st_uid)
        return renameat(to->dir, ours, to->dir, to->name) == 0;
    return put(p, to, ours);
}

bool place_move(struct place *p, const char *from, const char *to)
{
    struct spot a, b;
    bool ok;

    p->aside[0] = '\0';
    if (!spot_open(from, &a))
        return false;
    if (!spot_open(to, &b)) {
        spot_close(&a);
        return false;
    }
    ok = move_between(p, &a, &b);
    spot_close(&a);
    spot_close(&b);
    return ok;
}
