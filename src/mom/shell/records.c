/* records.c - see records.h.
 *
 * A spare file is filled and written to disk before it gets the name of a record, and
 * the directory is written to disk before the record counts as saved. So no name of a
 * record leads to a file that is being filled, after a crash neither. Only a record
 * that was given up may: what is found under its name is then not its own
 * (mom_record_is_of()), and goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/records.h"

#include "lib/wire/job_file.h"
#include "mom/shell/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPARES_MAX 16
#define SPARE_MAX  65536 /* bytes: a longer one gives its room back */
#define ROOM_BYTES ((size_t)512 << 10)

static const char *name_of(const struct records *s, unsigned i, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/mom_priv/spare/%u", s->home, i);
    return path;
}

void records_open(struct records *s, const char *home)
{
    char path[PATH_MAX];

    *s = (struct records){ .home = home };
    for (unsigned i = 0; i < SPARES_MAX; i++)
        (void)unlink(name_of(s, i, path));
}

static bool write_at(int fd, const struct buf *b, size_t offset)
{
    return lseek(fd, (off_t)offset, SEEK_SET) == (off_t)offset &&
           home_write_all(fd, b->data, b->len);
}

/* A file that has its length and its blocks needs no more than its data on disk. */
static bool fill(const char *path, const struct buf *b)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && write_at(fd, b, 0);

    if (ok && st.st_size == (off_t)b->len)
        ok = fdatasync(fd) == 0;
    else
        ok = ok && ftruncate(fd, (off_t)b->len) == 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool sync_names(struct records *s, const char *path)
{
    s->dir_is_unsure = !home_sync_dir_of(path);
    return !s->dir_is_unsure;
}

/* Give the bytes a file and the file the name. */
static int make_file(struct records *s, const char *path, const struct buf *b,
                     struct diag *why)
{
    unsigned i = s->n ? s->n - 1 : 0;
    char spare[PATH_MAX];

    MUST(s->n <= SPARES_MAX);
    s->dir_is_unsure = true;
    if (s->home && fill(name_of(s, i, spare), b) && rename(spare, path) == 0) {
        s->n = i;
        if (sync_names(s, path))
            return 0;
    } else if (s->home) {
        /* Nobody can say what of it is on disk: it is not used again. */
        (void)unlink(spare);
        s->n = i;
    }
    if (home_write(path, 0600, b->data, b->len, why) != 0)
        return why->code;
    s->dir_is_unsure = false;
    return 0;
}

int records_try(const struct records *s, struct diag *why)
{
    char path[PATH_MAX];
    char *data = xcalloc(1, ROOM_BYTES);
    int err;

    snprintf(path, sizeof(path), "%s/mom_priv/jobs/.room", s->home);
    err = home_write(path, 0600, data, ROOM_BYTES, why);
    (void)unlink(path);
    free(data);
    return err;
}

static bool read_all(int fd, size_t max_bytes, struct buf *out)
{
    struct stat st;
    size_t len;
    ssize_t n;

    if (fstat(fd, &st) < 0 || st.st_size <= 0 || (size_t)st.st_size > max_bytes)
        return false;
    len = (size_t)st.st_size;
    do {
        n = pread(fd, buf_reserve(out, len), len, 0);
    } while (n < 0 && errno == EINTR);
    out->len = n > 0 ? (size_t)n : 0;
    return n == (ssize_t)len;
}

/* Write into a place of the file that is there. False: that cannot be done, and the
 * record before this one may still be read. */
static bool write_in_turn(struct records *s, const char *path, const void *data,
                          size_t len)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct buf old = { 0 }, b = { 0 };
    bool ok = false;

    if (fd < 0)
        return false;
    if (read_all(fd, JOB_FILE_MAX_BYTES, &old)) {
        struct job_file f = job_file_read(old.data, old.len);
        size_t offset;

        ok = job_file_next(&f, data, len, &b, &offset) && write_at(fd, &b, offset) &&
             fdatasync(fd) == 0;
    }
    close(fd);
    buf_fini(&old);
    buf_fini(&b);
    return ok && (!s->dir_is_unsure || sync_names(s, path));
}

int records_save(struct records *s, const char *path, const void *data, size_t len,
                 struct diag *why)
{
    struct buf b = { 0 };
    int err;

    if (write_in_turn(s, path, data, len))
        return 0;
    job_file_make(data, len, &b);
    err = make_file(s, path, &b, why);
    buf_fini(&b);
    return err;
}

bool records_read(const char *path, size_t max_bytes, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct buf all = { 0 };
    bool ok = fd >= 0 && read_all(fd, max_bytes, &all) && fdatasync(fd) == 0;

    if (ok) {
        struct job_file f = job_file_read(all.data, all.len);

        buf_add(out, f.record, f.len);
    }
    if (fd >= 0)
        close(fd);
    buf_fini(&all);
    return ok;
}

void records_give(struct records *s, const char *path)
{
    char spare[PATH_MAX];
    struct stat st;

    if (s->home && s->n < SPARES_MAX && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_nlink == 1 && st.st_size <= SPARE_MAX &&
        rename(path, name_of(s, s->n, spare)) == 0)
        s->n++;
    else
        (void)unlink(path);
}
