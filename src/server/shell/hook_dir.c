/* hook_dir.c - see hook_dir.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/hook_dir.h"

#include "lib/io/daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLEAN_EVERY_S 600
#define STALE_S       1200

struct hook_dir {
    int fd;
    int64_t clean_at;
    char *exec;
    atomic_uint n_owners;
};

static int refuse(struct diag *why, const char *name, const char *words)
{
    return diag_set(why, PBSE_HOOKERROR, "%.100s - %s", name, words);
}

/* A name in the directory and nowhere else. */
static bool is_base_name(const char *name)
{
    /* A leading dot would allow "..", and hidden files. */
    return *name && *name != '.' && strlen(name) <= NAME_MAX && !strchr(name, '/');
}

/* Open a plain file of ours; -1 with the words of the refusal. */
static int open_plain(const struct hook_dir *d, const char *name, int flags,
                      struct stat *st, struct diag *why)
{
    int fd;

    if (!is_base_name(name)) {
        refuse(why, name, "Invalid file name");
        return -1;
    }
    /* A link is not followed, and a pipe does not make the server wait. */
    fd = openat(d->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                0600);
    if (fd < 0) {
        refuse(why, name, strerror(errno));
        return -1;
    }
    /* A second name of the file could belong to somebody else. */
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_nlink == 1 &&
        (st->st_uid == 0 || st->st_uid == geteuid()))
        return fd;
    refuse(why, name, "Not a plain file of the server's own");
    close(fd);
    return -1;
}

/* Read to the end or one byte beyond the limit: the file may grow meanwhile. */
static ssize_t read_all(int fd, char *to, size_t size)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = read(fd, to + len, size - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

int hook_dir_read(const struct hook_dir *d, const char *name, struct arena *arena,
                  const char **data, size_t *len, struct diag *why)
{
    struct stat st;
    int fd = open_plain(d, name, O_RDONLY, &st, why);
    size_t size;
    ssize_t n;
    char *to;

    if (fd < 0)
        return PBSE_HOOKERROR;
    if (st.st_size > (off_t)HOOK_BODY_MAX_BYTES) {
        close(fd);
        return refuse(why, name, "File too large");
    }
    /* One byte more than the file had: if it is filled, the file has grown. */
    size = (size_t)st.st_size + 1;
    to = arena_alloc(arena, size);
    n = read_all(fd, to, size);
    close(fd);
    if (n < 0)
        return refuse(why, name, strerror(errno));
    if ((size_t)n == size)
        return refuse(why, name, "File is being written to");
    *data = to;
    *len = (size_t)n;
    return 0;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

int hook_dir_write(const struct hook_dir *d, const char *name, const char *data,
                   size_t len, struct diag *why)
{
    struct stat st;
    int fd = open_plain(d, name, O_WRONLY | O_CREAT, &st, why);
    int err = 0;

    if (fd < 0)
        return PBSE_HOOKERROR;
    if (ftruncate(fd, 0) < 0 || !write_all(fd, data, len))
        err = refuse(why, name, strerror(errno));
    /* Some file systems report a full disk only then. */
    if (close(fd) < 0 && err == 0)
        err = refuse(why, name, strerror(errno));
    return err;
}

/* Remove what is older than that instant. */
static void remove_older(const struct hook_dir *d, int64_t than_at)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    struct stat st;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(dir)) != NULL)
        if (fstatat(d->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            /* Directories are not ours. */
            !S_ISDIR(st.st_mode) && st.st_mtime < than_at)
            unlinkat(d->fd, entry->d_name, 0);
    closedir(dir);
}

int hook_dir_open(const char *home, const char *exec, struct hook_dir **ret,
                  struct diag *why)
{
    char *outer = xasprintf("%s/server_priv/hooks", home);
    char *path = xasprintf("%s/tmp", outer);
    struct hook_dir *d;
    int fd, err;

    err = daemon_mkdir(outer, 0750, why);
    if (err == 0)
        err = daemon_mkdir(path, 0750, why);
    fd = err ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (err == 0 && fd < 0)
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    free(path);
    free(outer);
    if (err)
        return err;
    d = xcalloc(1, sizeof(*d));
    d->fd = fd;
    d->exec = xstrdup(exec);
    d->n_owners = 1;
    /* Files of an earlier run belong to requests that have ended. */
    remove_older(d, INT64_MAX);
    *ret = d;
    return 0;
}

void hook_dir_close(struct hook_dir *d)
{
    MUST(!d || d->n_owners > 0);
    if (!d || --d->n_owners > 0)
        return;
    close(d->fd);
    free(d->exec);
    free(d);
}

struct hook_dir *hook_dir_share(struct hook_dir *d)
{
    MUST(!d || d->n_owners > 0);
    if (d)
        d->n_owners++;
    return d;
}

const char *hook_dir_exec(const struct hook_dir *d)
{
    return d->exec;
}

void hook_dir_clean(struct hook_dir *d, int64_t now_at)
{
    if (!d || now_at < d->clean_at)
        return;
    d->clean_at = now_at + CLEAN_EVERY_S;
    remove_older(d, now_at - STALE_S);
}
