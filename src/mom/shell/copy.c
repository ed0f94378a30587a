/* copy.c - see copy.h.
 *
 * A copy is written beside its destination and renamed, so that nobody sees half a
 * file. Only plain files are read and written (plain.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/copy.h"

#include "mom/shell/plain.h"
#include "mom/shell/usecp.h"

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
    int to = plain_open(dest, O_WRONLY | O_TRUNC, 0, why);
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

static bool copy_beside(int from, const struct stat *st, const char *dest,
                        struct diag *why)
{
    /* The name is new (O_EXCL), and only this process has its number: two copies to one
     * place do not write into the same file. */
    char *tmp = xasprintf("%s.pbs%d", dest, (int)getpid());
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

static bool copy_file(const char *src, int flags, const char *dest, struct diag *why)
{
    char real[PATH_MAX];
    int from = plain_open(src, O_RDONLY | flags, 0, why);
    bool ok;

    if (from < 0)
        return false;
    if (realpath(dest,
                 real)) /* the file behind a link is written, and the link stays */
        dest = real;
    ok = copy_open(from, dest, why);
    close(from);
    return ok;
}

const char *copy_spool_path(const struct plan_host *h, const char *name,
                            struct arena *arena)
{
    /* Only the last part of the name is used: the request must not lead out of the
     * spool. */
    const char *base = strrchr(name, '/');

    MUST(h->home);
    return arena_printf(arena, "%s/spool/%s", h->home, base ? base + 1 : name);
}

/* When the destination is a directory, the file goes into it under its own name. */
static const char *into_directory(const char *dest, const char *src,
                                  struct arena *arena)
{
    const char *base = strrchr(src, '/');
    struct stat st;

    if (stat(dest, &st) == 0 && S_ISDIR(st.st_mode))
        return arena_printf(arena, "%s/%s", dest, base ? base + 1 : src);
    return dest;
}

static void say_failed(struct buf *text, const char *src, const char *dest,
                       const char *words)
{
    buf_printf(text,
               "Unable to copy file %s to %s\n>>> error from copy\n%s\n"
               ">>> end error output\n",
               src, dest, words);
}

static bool copy_out(const struct plan_host *h, const struct wire_file_pair *pair,
                     struct buf *report, struct arena *arena)
{
    bool std = pair->flag == COPY_STD_FILE;
    const char *src = std ? copy_spool_path(h, pair->local, arena) : pair->local;
    const char *dest = usecp_path(h, pair->remote, arena);
    struct diag why;

    if (dest && strcmp(dest, "/dev/null") == 0)
        return true;
    if (!dest) {
        say_failed(report, src, pair->remote, "no way to copy to another host");
        return false;
    }
    /* In the spool everybody may make names, so no link is followed there; a file that
     * the user names is opened with the user's rights only. */
    if (copy_file(src, std ? O_NOFOLLOW : 0, into_directory(dest, src, arena), &why)) {
        (void)unlink(src);
        return true;
    }
    say_failed(report, src, pair->remote, why.text);
    return false;
}

static bool copy_in(const struct plan_host *h, const struct wire_file_pair *pair,
                    struct buf *report, struct arena *arena)
{
    const char *src = usecp_path(h, pair->remote, arena);
    struct diag why;

    if (!src)
        diag_set(&why, PBSE_SYSTEM, "no way to copy from another host");
    else if (copy_file(src, 0, into_directory(pair->local, src, arena), &why))
        return true;
    buf_printf(report,
               "Unable to copy file %s from %s\n>>> error from copy\n%s\n"
               ">>> end error output\n",
               pair->local, pair->remote, why.text);
    return false;
}

static bool remove_one(const struct plan_host *h, const struct wire_file_pair *pair,
                       struct buf *report, struct arena *arena)
{
    const char *path = pair->flag == COPY_STD_FILE
                           ? copy_spool_path(h, pair->local, arena)
                           : pair->local;

    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    buf_printf(report, "Unable to delete file %s: %s\n", path, strerror(errno));
    return false;
}

bool copy_run(const struct copy_work *w, struct buf *report)
{
    struct arena *arena = arena_new();
    bool ok = true;

    for (size_t i = 0; i < w->body->n_pairs; i++) {
        const struct wire_file_pair *pair = &w->body->pairs[i];
        /* One file that fails does not keep the others from their owner. */
        bool done;

        if (w->remove)
            done = remove_one(w->host, pair, report, arena);
        else if (w->body->direction & COPY_OUT)
            done = copy_out(w->host, pair, report, arena);
        else
            done = copy_in(w->host, pair, report, arena);
        ok = ok && done;
    }
    arena_free(arena);
    return ok;
}
