/* accounting.c - the accounting file.
 *
 * A segment is a run of lines for one file from one offset on. Lines enter at its end
 * when they are planned, 'released' follows when they are durable, 'written' when they
 * are in the file. When enough is written, the file is synced with the next commit and
 * the written part leaves the segment, and with it the note.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/accounting.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

/* How much the note may carry along before the file is synced, and how long. */
#define SYNC_BYTES (16u << 10)
#define SETTLE_S   10

struct segment {
    char *path;
    uint64_t offset; /* of the first byte in the file */
    struct buf lines;
    size_t released, written;
    struct segment *prev, *next;
};

struct accounting {
    char *dir, *file;
    struct logfile *log;
    struct segment *segments;
    char *path; /* of the open file */
    int fd;
    bool changed;    /* since the last note */
    bool settle;     /* the next note forgets all that is written */
    int64_t last_at; /* of the last line */
    bool failing;    /* writing failed; said once */
};

struct accounting *accounting_new(const char *dir, const char *file,
                                  struct logfile *log)
{
    struct accounting *a = xcalloc(1, sizeof(*a));

    a->dir = xstrdup(dir);
    a->file = file ? xstrdup(file) : NULL;
    a->log = log;
    a->fd = -1;
    return a;
}

static void file_close(struct accounting *a)
{
    if (a->fd < 0)
        return;
    fdatasync(a->fd);
    close(a->fd);
    a->fd = -1;
    free(a->path);
    a->path = NULL;
}

static void segment_free(struct accounting *a, struct segment *s)
{
    DL_DELETE(a->segments, s);
    buf_fini(&s->lines);
    free(s->path);
    free(s);
}

void accounting_free(struct accounting *a)
{
    if (!a)
        return;
    accounting_retry(a);
    file_close(a);
    while (a->segments)
        segment_free(a, a->segments);
    free(a->dir);
    free(a->file);
    free(a);
}

static bool is_off(const struct accounting *a)
{
    return a->file && !*a->file;
}

static char *path_for(const struct accounting *a, int64_t at)
{
    char day[9];

    if (a->file)
        return xstrdup(a->file);
    log_day_text(at, day);
    return xasprintf("%s/%s", a->dir, day);
}

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Where the next line of a file will begin: behind those that are still to be written,
 * should the clock have gone back over midnight. */
static uint64_t end_of(const struct accounting *a, const char *path)
{
    uint64_t end = size_of(path);
    const struct segment *s;

    DL_FOREACH(a->segments, s)
    if (strcmp(s->path, path) == 0)
        end = s->offset + s->lines.len;
    return end;
}

/* The segment that lines for this file go to: the last one, or a new one. */
static struct segment *segment_for(struct accounting *a, int64_t at)
{
    char *path = path_for(a, at);
    struct segment *s = a->segments ? a->segments->prev : NULL;

    if (s && strcmp(s->path, path) == 0) {
        free(path);
        return s;
    }
    s = xcalloc(1, sizeof(*s));
    s->path = path;
    s->offset = end_of(a, path);
    DL_APPEND(a->segments, s);
    return s;
}

static void line_put(struct buf *b, int64_t at, char type, const char *id,
                     const char *text)
{
    char stamp[20];
    size_t head;

    log_time_text(at, stamp);
    buf_printf(b, "%s;%c;%s;", stamp, type, id);
    head = b->len;
    buf_add_str(b, text);
    for (size_t i = head; i < b->len; i++)
        if (b->data[i] == '\n') /* one line is one record */
            b->data[i] = ' ';
    buf_add_char(b, '\n');
}

void accounting_plan(struct accounting *a, int64_t at, char type, const char *id,
                     const char *text)
{
    if (is_off(a))
        return;
    line_put(&segment_for(a, at)->lines, at, type, id, text);
    a->last_at = at;
    a->changed = true;
}

/* Writing. */

static void say(struct accounting *a, uint32_t event, const char *fmt, const char *path)
{
    logfile_printf(a->log, event, LOG_IN_ACCT, "Act", fmt, path);
}

static bool file_open(struct accounting *a, const char *path)
{
    if (a->fd >= 0 && strcmp(a->path, path) == 0)
        return true;
    file_close(a);
    a->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (a->fd < 0)
        return false;
    a->path = xstrdup(path);
    say(a, LOG_EV_SYSTEM, "Account file %s opened", path);
    return true;
}

static bool segment_write(struct accounting *a, struct segment *s)
{
    while (s->written < s->released) {
        ssize_t n = -1;

        if (file_open(a, s->path))
            n = write(a->fd, s->lines.data + s->written, s->released - s->written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (!a->failing)
                say(a, LOG_EV_ERROR | LOG_EV_FORCE,
                    "Account file %s cannot be written; trying again", s->path);
            a->failing = true;
            return false;
        }
        s->written += (size_t)n;
    }
    a->failing = false;
    return true;
}

void accounting_retry(struct accounting *a)
{
    struct segment *s;

    DL_FOREACH(a->segments, s)
    if (!segment_write(a, s))
        return;
}

void accounting_write(struct accounting *a, int64_t at, char type, const char *id,
                      const char *text)
{
    struct buf line = { 0 };
    struct segment *s;

    if (is_off(a))
        return;
    line_put(&line, at, type, id, text);
    DL_FOREACH(a->segments, s)
    if (s->released < s->lines.len)
        break;
    /* Lines are released in the order in which they were planned. */
    assert(s && s->released + line.len <= s->lines.len);
    s->released += line.len;
    buf_fini(&line);
    accounting_retry(a);
}

void accounting_reopen(struct accounting *a)
{
    struct segment *s;
    char *path;

    if (a->fd < 0)
        return;
    path = xstrdup(a->path);
    file_close(a);
    if (file_open(a, path))
        fsync(a->fd);
    /* What was written is synced; what was not goes to the file of that name now. */
    DL_FOREACH(a->segments, s)
    {
        buf_eat(&s->lines, s->written);
        s->released -= s->written;
        s->written = 0;
        s->offset = size_of(s->path);
    }
    a->changed = true;
    free(path);
}

/* The note: "<path> <offset> <bytes>\n<lines>" for each segment. */

/* Forget what is synced; the open file is synced with the commit. */
static void trim(struct accounting *a, struct commit *c)
{
    int fd = a->fd >= 0 ? fcntl(a->fd, F_DUPFD_CLOEXEC, 3) : -1;
    struct segment *s, *next;

    if (a->fd >= 0 && fd < 0)
        return; /* no descriptor is left: another time */
    commit_sync(c, fd);
    DL_FOREACH_SAFE(a->segments, s, next)
    {
        s->offset += s->written;
        buf_eat(&s->lines, s->written);
        s->released -= s->written;
        s->written = 0;
        if (s->lines.len == 0 && s->next)
            segment_free(a, s);
    }
}

void accounting_note(struct accounting *a, struct commit *c)
{
    struct buf note = { 0 };
    struct segment *s;
    size_t written = 0;

    if (!a->changed)
        return;
    DL_FOREACH(a->segments, s)
    written += s->written;
    if (written >= SYNC_BYTES || a->settle || (a->segments && a->segments->next))
        trim(a, c);
    a->settle = false;
    DL_FOREACH(a->segments, s)
    {
        buf_printf(&note, "%s %" PRIu64 " %zu\n", s->path, s->offset, s->lines.len);
        buf_add(&note, s->lines.data, s->lines.len);
    }
    commit_note(c, ACCOUNTING_NOTE, note.data ? note.data : "", note.len);
    buf_fini(&note);
    a->changed = false;
}

bool accounting_settle(struct accounting *a, int64_t now_at)
{
    struct segment *s;
    size_t written = 0;

    DL_FOREACH(a->segments, s)
    {
        if (s->written < s->lines.len)
            return false;
        written += s->written;
    }
    if (written == 0 || now_at < a->last_at + SETTLE_S)
        return false;
    a->settle = a->changed = true;
    return true;
}

/* Repair. */

/* How many bytes of 'lines' are in the file from the offset on. */
static size_t common_bytes(int fd, uint64_t offset, const char *lines, size_t len)
{
    char *there = xmalloc(len + 1);
    size_t n = 0, got = 0;
    ssize_t r;

    while (got < len &&
           (r = pread(fd, there + got, len - got, (off_t)(offset + got))) > 0)
        got += (size_t)r;
    while (n < got && there[n] == lines[n])
        n++;
    free(there);
    return n;
}

static int file_error(const char *path, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
}

static int repair_file(int fd, const char *path, uint64_t offset, const char *lines,
                       size_t len, struct diag *why)
{
    struct stat st;
    size_t have;

    if (fstat(fd, &st) < 0)
        return file_error(path, why);
    /* Shorter than it was: moved away, a new file was begun. Its lines follow here. */
    if ((uint64_t)st.st_size < offset)
        offset = (uint64_t)st.st_size;
    have = common_bytes(fd, offset, lines, len);
    if (have == len)
        return 0;
    /* What differs is a torn write: nobody else writes here. */
    if (ftruncate(fd, (off_t)(offset + have)) < 0 ||
        pwrite(fd, lines + have, len - have, (off_t)(offset + have)) !=
            (ssize_t)(len - have) ||
        fsync(fd) < 0)
        return file_error(path, why);
    return 0;
}

static int repair_segment(struct accounting *a, const char *path, uint64_t offset,
                          const char *lines, size_t len, struct diag *why)
{
    int err, fd;

    if (len == 0)
        return 0;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return file_error(path, why);
    err = repair_file(fd, path, offset, lines, len, why);
    close(fd);
    if (!err)
        say(a, LOG_EV_DEBUG, "Account file %s agrees with the store", path);
    return err;
}

int accounting_repair(struct accounting *a, const char *note, struct diag *why)
{
    while (note && *note && !is_off(a)) {
        char path[4096];
        uint64_t offset;
        size_t len;
        int head = 0, err;

        if (sscanf(note, "%4095s %" SCNu64 " %zu%n", path, &offset, &len, &head) != 3 ||
            note[head] != '\n' || strlen(note + head + 1) < len)
            return diag_set(why, PBSE_SYSTEM, "the note on accounting is damaged");
        err = repair_segment(a, path, offset, note + head + 1, len, why);
        if (err)
            return err;
        note += (size_t)head + 1 + len;
    }
    return 0;
}
