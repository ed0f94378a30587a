/* records.c - see records.h.
 *
 * A spare file is filled and written to disk before it gets the name of a record, and
 * the directory is written to disk before the record counts as saved. So no name of a
 * record leads to a file that is being filled, after a crash neither. Only a record
 * that was given up, or one that was laid and is not saved yet, may: what is found
 * under its name is then not its own (mom_record_is_of()) or not whole, and goes.
 *
 * What was written last is remembered, so that nothing has to be read for the next
 * write. The file is known by its number: one that somebody has put there instead is
 * read before it is written, and gets no notes before that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/records.h"

#include "lib/wire/job_notes.h"
#include "mom/shell/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define SPARES_MAX  16
#define SPARE_MAX   65536 /* bytes: a longer one gives its room back */
#define ROOM_BYTES  ((size_t)512 << 10)
/* For notes of a job whose notes had no room: in a new file at least. */
#define NOTES_LEAST ((size_t)12 << 10)

/* The file of a record as it was left. */
struct record_file {
    char *path;
    dev_t device;
    ino_t number;
    uint64_t base;
    uint64_t name;       /* its number among those of all that were given */
    struct job_file has; /* without its bytes */
    bool lacks_room;     /* there was none for a note: a file with more is to come */
    UT_hash_handle hh;
};

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

static struct record_file *find_file(const struct records *s, const char *path)
{
    struct record_file *f;

    HASH_FIND_STR(s->files, path, f);
    return f;
}

static void forget_file(struct records *s, struct record_file *f)
{
    if (!f)
        return;
    HASH_DEL(s->files, f);
    free(f->path);
    free(f);
}

void records_close(struct records *s)
{
    while (s->files)
        forget_file(s, s->files);
}

static struct record_file *need_file(struct records *s, const char *path)
{
    struct record_file *f = find_file(s, path);

    if (f)
        return f;
    f = xcalloc(1, sizeof(*f));
    f->path = xstrdup(path);
    HASH_ADD_KEYPTR(hh, s->files, f->path, strlen(f->path), f);
    return f;
}

/* Is it the file that was written last? */
static bool is_as_left(const struct record_file *f, const struct stat *st)
{
    return f && f->has.turn && S_ISREG(st->st_mode) && st->st_dev == f->device &&
           st->st_ino == f->number && (size_t)st->st_size == 2 * f->has.place_bytes;
}

static void note_number(struct record_file *f, const struct stat *st)
{
    f->device = st->st_dev;
    f->number = st->st_ino;
}

static bool write_at(int fd, const struct buf *b, size_t offset)
{
    return lseek(fd, (off_t)offset, SEEK_SET) == (off_t)offset &&
           home_write_all(fd, b->data, b->len);
}

/* A file that has its length and its blocks needs no more than its data on disk. */
static bool fill(const char *path, const struct buf *b, bool is_durable)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && write_at(fd, b, 0);

    if (ok && st.st_size == (off_t)b->len)
        ok = !is_durable || fdatasync(fd) == 0;
    else
        ok = ok && ftruncate(fd, (off_t)b->len) == 0 && (!is_durable || fsync(fd) == 0);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* The name of that number is on disk, and so are those before it. */
static bool sync_names(struct records *s, const char *path, uint64_t name)
{
    uint64_t names = s->n_names;

    if (name <= s->n_durable)
        return true;
    if (!home_sync_dir_of(path))
        return false;
    records_names_are_durable(s, names);
    return true;
}

uint64_t records_names(const struct records *s)
{
    return s->n_names;
}

void records_names_are_durable(struct records *s, uint64_t names)
{
    MUST(names <= s->n_names);
    s->n_durable = MAX_OF(s->n_durable, names);
}

/* Give the bytes a file and the file the name. */
static int make_file(struct records *s, struct record_file *f, const struct buf *b,
                     bool is_durable, struct diag *why)
{
    unsigned i = s->n ? s->n - 1 : 0;
    char spare[PATH_MAX];

    MUST(s->n <= SPARES_MAX);
    f->name = ++s->n_names;
    if (s->home && fill(name_of(s, i, spare), b, is_durable) &&
        rename(spare, f->path) == 0) {
        s->n = i;
        if (!is_durable || sync_names(s, f->path, f->name))
            return 0;
    } else if (s->home) {
        /* Nobody can say what of it is on disk: it is not used again. */
        (void)unlink(spare);
        s->n = i;
    }
    if (!is_durable)
        return home_lay(f->path, 0600, b->data, b->len, why);
    if (home_write(f->path, 0600, b->data, b->len, why) != 0)
        return why->code;
    records_names_are_durable(s, s->n_names);
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

/* What the open file has: as it was left, or read. turn 0: it has no places. From now
 * on it is known as this file. */
static struct job_file look(int fd, struct record_file *f)
{
    struct job_file has = { 0 };
    struct buf old = { 0 };
    struct stat st;

    if (fstat(fd, &st) < 0)
        return has;
    if (is_as_left(f, &st))
        return f->has;
    note_number(f, &st);
    if (read_all(fd, JOB_FILE_MAX_BYTES, &old))
        has = job_file_read(old.data, old.len);
    has.record = NULL; /* it goes with the bytes */
    buf_fini(&old);
    return has;
}

/* The next record into the places, with room behind it for notes that are half as long,
 * where notes lacked room. A file that cannot be made with more need not have that. */
static bool put_next(const struct record_file *f, struct job_file *has,
                     const void *data, size_t len, struct buf *out, size_t *ret_offset)
{
    if (!f->lacks_room)
        return job_file_next(has, data, len, 0, out, ret_offset);
    return job_file_next(has, data, len, len / 2, out, ret_offset) ||
           (has->place_bytes >= job_file_place_bytes(len, 2 * len) &&
            job_file_next(has, data, len, 0, out, ret_offset));
}

/* Write into a place of the file that is there. False: that cannot be done, and the
 * record before this one may still be read. */
static bool write_in_turn(struct records *s, struct record_file *f, const void *data,
                          size_t len)
{
    int fd = open(f->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct job_file has;
    struct buf b = { 0 };
    size_t offset;
    bool ok;

    if (fd < 0)
        return false;
    has = look(fd, f);
    ok = put_next(f, &has, data, len, &b, &offset) && write_at(fd, &b, offset) &&
         fdatasync(fd) == 0;
    close(fd);
    buf_fini(&b);
    f->has = has;
    return ok && sync_names(s, f->path, f->name);
}

static int write_new(struct records *s, struct record_file *f, const void *data,
                     size_t len, bool is_durable, struct diag *why)
{
    size_t room = f->lacks_room ? MAX_OF(2 * len, NOTES_LEAST) : 0;
    struct buf b = { 0 };
    int err;

    job_file_make(data, len, room, &b, &f->has);
    err = make_file(s, f, &b, is_durable, why);
    buf_fini(&b);
    return err;
}

static int save_new(struct records *s, struct record_file *f, uint64_t base,
                    const void *data, size_t len, bool is_durable, struct diag *why)
{
    int err = write_new(s, f, data, len, is_durable, why);
    struct stat st;

    f->has.record = NULL; /* the caller's */
    f->base = base;
    /* What was written is known as long as it is that file; after an error nobody can
     * say what it has. */
    if (err || lstat(f->path, &st) < 0)
        forget_file(s, f);
    else
        note_number(f, &st);
    return err;
}

int records_save(struct records *s, const char *path, uint64_t base, const void *data,
                 size_t len, struct diag *why)
{
    struct record_file *f = need_file(s, path);

    if (!write_in_turn(s, f, data, len))
        return save_new(s, f, base, data, len, true, why);
    f->has.record = NULL; /* the caller's */
    f->base = base;
    return 0;
}

int records_lay(struct records *s, const char *path, uint64_t base, const void *data,
                size_t len, struct diag *why)
{
    return save_new(s, need_file(s, path), base, data, len, false, why);
}

static bool write_note(const struct record_file *f, const struct buf *b, size_t offset)
{
    int fd = open(f->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && is_as_left(f, &st) &&
              write_at(fd, b, offset) && fdatasync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

bool records_note(struct records *s, const char *path, uint64_t base, const void *data,
                  size_t len)
{
    struct record_file *f = find_file(s, path);
    struct job_file has;
    struct buf b = { 0 };
    uint64_t name;
    size_t offset;
    bool ok;

    if (!f || f->base != base)
        return false;
    has = f->has;
    name = f->name;
    if (!job_file_add_note(&has, data, len, &b, &offset)) {
        f->lacks_room = true;
        return false;
    }
    ok = write_note(f, &b, offset);
    buf_fini(&b);
    if (ok)
        f->has = has;
    else
        forget_file(s, f); /* nobody can say what of the note is there */
    return ok && sync_names(s, path, name);
}

int records_read(const char *path, size_t max_bytes, struct buf *out, struct diag *why)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct buf all = { 0 };
    bool ok = fd >= 0 && read_all(fd, max_bytes, &all) && fdatasync(fd) == 0;
    int err = ok ? 0 : diag_set(why, PBSE_SYSTEM, "the job's record cannot be read");

    if (ok) {
        struct job_file f = job_file_read(all.data, all.len);

        if (!job_notes_fold(&f, out))
            err = diag_set(why, PBSE_SYSTEM,
                           "notes of tasks behind the job's record are damaged");
    }
    if (fd >= 0)
        close(fd);
    buf_fini(&all);
    return err;
}

void records_give(struct records *s, const char *path)
{
    char spare[PATH_MAX];
    struct stat st;

    forget_file(s, find_file(s, path));
    if (s->home && s->n < SPARES_MAX && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_nlink == 1 && st.st_size <= SPARE_MAX &&
        rename(path, name_of(s, s->n, spare)) == 0)
        s->n++;
    else
        (void)unlink(path);
}
