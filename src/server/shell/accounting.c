/* accounting.c - the accounting file.
 *
 * A segment is a run of lines for one file from one offset on. Lines enter at its end
 * when they are planned, 'released' follows when they are durable, 'written' when they
 * are in the file. When enough is written, the file is synced with the next commit;
 * when that worked, the synced part leaves the segment, and with it the note.
 *
 * A sync that fails has perhaps thrown away what was written, and the next one on the
 * same descriptor would say that all is well. So nothing is believed then: the file is
 * opened anew, compared with the lines, which are all still here, and written again.
 * The commits of the server do not wait for that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/accounting.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"

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
/* After a failed sync the file is left alone for so long. */
#define AGAIN_MS   5000

struct segment {
    char *path;
    int fd;          /* -1: not open */
    uint64_t offset; /* of the first byte in the file */
    struct buf lines;
    size_t released, written;
    size_t syncing; /* how much of 'written' the sync under way is about */
    bool doubtful;  /* what the file holds is to be looked at */
    struct segment *prev, *next;
};

/* A file that the administrator names may be a link; where each day has its own, others
 * may be allowed to make files, and the name of tomorrow is known. */
#define OWN_FILE (O_NOFOLLOW | O_NONBLOCK)

struct accounting {
    char *dir, *file;
    struct logfile *log;
    struct segment *segments;
    bool changed;     /* since the last note */
    bool settle;      /* the next note forgets all that can be synced */
    int64_t last_at;  /* of the last line */
    bool failing;     /* writing or syncing failed; said once */
    bool unsynced;    /* the last sync failed */
    int64_t again_ms; /* doubtful files are left alone until then */
};

struct accounting *accounting_new(const char *dir, const char *file,
                                  struct logfile *log)
{
    struct accounting *a = xcalloc(1, sizeof(*a));

    a->dir = xstrdup(dir);
    /* An empty name switches accounting off; without a name each day has a file of its
     * own. */
    a->file = file ? xstrdup(file) : NULL;
    a->log = log;
    return a;
}

static void segment_close(struct segment *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static void segment_free(struct accounting *a, struct segment *s)
{
    DL_DELETE(a->segments, s);
    segment_close(s);
    buf_fini(&s->lines);
    free(s->path);
    free(s);
}

void accounting_free(struct accounting *a)
{
    if (!a)
        return;
    /* What can still be written is written; the rest stands in the note and is repaired
     * by the next start. */
    accounting_retry(a);
    while (a->segments) {
        if (a->segments->fd >= 0)
            fdatasync(a->segments->fd); /* the note still has the lines */
        segment_free(a, a->segments);
    }
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
    /* The day is that of the line in local time, not that of the writing. */
    log_day_text(at, day);
    return xasprintf("%s/%s", a->dir, day);
}

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Where lines for a file begin that come before segment 'until' (NULL: behind all):
 * behind those that are still to be written, should the clock have gone back over
 * midnight. */
static uint64_t end_of(const struct accounting *a, const char *path,
                       const struct segment *until)
{
    uint64_t end = size_of(path);

    for (const struct segment *s = a->segments; s != until; s = s->next)
        if (strcmp(s->path, path) == 0)
            end = s->offset + s->lines.len;
    return end;
}

static struct segment *segment_new(struct accounting *a, const char *path,
                                   uint64_t offset)
{
    struct segment *s = xcalloc(1, sizeof(*s));

    s->fd = -1;
    s->path = xstrdup(path);
    s->offset = offset;
    DL_APPEND(a->segments, s);
    return s;
}

/* The segment that lines for this file go to: the last one, or a new one. */
static struct segment *segment_for(struct accounting *a, int64_t at)
{
    char *path = path_for(a, at);
    struct segment *s = a->segments ? a->segments->prev : NULL;

    if (!s || strcmp(s->path, path) != 0) {
        /* A file of an earlier day is left when nothing of it waits. */
        if (s && s->lines.len == 0)
            segment_free(a, s);
        s = segment_new(a, path, end_of(a, path, NULL));
    }
    free(path);
    return s;
}

static void line_put(struct buf *b, int64_t at, char type, const char *id,
                     const char *text)
{
    char stamp[20];

    /* The form is that of operations.md 17: date, type, id and fields. */
    log_time_text(at, stamp);
    buf_printf(b, "%s;%c;", stamp, type);
    buf_add_printable(b, id, strlen(id)); /* one line is one record */
    buf_add_char(b, ';');
    buf_add_printable(b, text, strlen(text));
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

static void say(struct accounting *a, uint32_t event, const char *fmt, const char *path)
{
    logfile_printf(a->log, event, LOG_IN_ACCT, "Act", fmt, path);
}

/* Once, until it works again. False. */
static bool say_failed(struct accounting *a, const struct segment *s, const char *what,
                       int err)
{
    if (!a->failing)
        logfile_printf(a->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_ACCT, "Act",
                       "Account file %s cannot be %s: %s; its lines are kept in the "
                       "store and written again",
                       s->path, what, strerror(err));
    a->failing = true;
    return false;
}

/* How many bytes of 'lines' are in the file from the offset on. */
static size_t common_bytes(int fd, uint64_t offset, const char *lines, size_t len)
{
    char *there = xmalloc(len + 1);
    size_t n = 0, got = 0;
    ssize_t r;

    while (got < len &&
           (r = pread(fd, there + got, len - got, (off_t)(offset + got))) > 0)
        got += (size_t)r;
    /* A file that is shorter than the lines ends the comparison early. */
    while (n < got && there[n] == lines[n])
        n++;
    free(there);
    return n;
}

static bool pwrite_all(int fd, const char *p, size_t len, uint64_t offset)
{
    while (len > 0) {
        ssize_t n = pwrite(fd, p, len, (off_t)offset);

        /* A signal is no failure of the disk. */
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        p += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

/* Make the file hold the released lines, whatever a crash or a failed sync has left of
 * them. They are written even where they can be read: that may be a page in memory
 * which the disk never took. */
static bool segment_place(struct accounting *a, struct segment *s)
{
    uint64_t size;
    struct stat st;
    size_t have;

    if (fstat(s->fd, &st) < 0)
        return false;
    size = (uint64_t)st.st_size;
    /* Shorter than it was: moved away, a new file was begun. Its lines follow here. */
    if (size < s->offset) {
        s->offset = size;
        a->changed = true;
    }
    MUST(s->released <= s->lines.len);
    have = common_bytes(s->fd, s->offset, s->lines.data, s->released);
    /* What differs is a torn write: nobody else writes here. */
    if (have < s->released && ftruncate(s->fd, (off_t)(s->offset + have)) < 0)
        return false;
    if (!pwrite_all(s->fd, s->lines.data, s->released, s->offset))
        return false;
    s->written = s->released;
    s->doubtful = false;
    say(a, LOG_EV_DEBUG, "Account file %s agrees with the store", s->path);
    return true;
}

static void say_opened(struct accounting *a, const struct segment *s)
{
    say(a, LOG_EV_SYSTEM, "Account file %s opened", s->path);
}

static bool segment_open(struct accounting *a, struct segment *s)
{
    if (s->fd >= 0)
        return true;
    s->fd =
        open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | (a->file ? 0 : OWN_FILE), 0644);
    if (s->fd < 0)
        return false;
    /* The repair writes at an offset, and everything later is appended, wherever the
     * end of the file is then. */
    if ((s->doubtful && !segment_place(a, s)) || fcntl(s->fd, F_SETFL, O_APPEND) < 0) {
        int err = errno;

        segment_close(s);
        errno = err;
        return false;
    }
    say_opened(a, s);
    return true;
}

void accounting_begin(struct accounting *a, int64_t now_at)
{
    struct segment *s = is_off(a) ? NULL : segment_for(a, now_at);

    if (s && !segment_open(a, s))
        say_failed(a, s, "opened", errno);
}

static bool segment_write(struct accounting *a, struct segment *s)
{
    /* A disk that has just failed is left in peace for a while. */
    if (s->doubtful && clock_mono_ms() < a->again_ms)
        return false;
    MUST(s->written <= s->released && s->released <= s->lines.len);
    /* Also without a line: whoever was told that it failed is told when it does not. */
    if (a->failing && !segment_open(a, s))
        return false;
    while (s->written < s->released) {
        ssize_t n = -1;

        if (segment_open(a, s)) {
            /* Opening a doubtful file has written the lines already. */
            if (s->written == s->released)
                break;
            n = write(s->fd, s->lines.data + s->written, s->released - s->written);
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return say_failed(a, s, "written", errno);
        s->written += (size_t)n;
    }
    return true;
}

void accounting_retry(struct accounting *a)
{
    struct segment *s;

    DL_FOREACH (a->segments, s)
        if (!segment_write(a, s))
            /* Segments are written in their order, so a later day does not overtake an
             * earlier one. */
            return;
    if (a->failing && !a->unsynced)
        logfile_printf(a->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_ACCT, "Act",
                       "Account files can be written again");
    a->failing = a->unsynced;
}

void accounting_write(struct accounting *a)
{
    struct segment *s;
    const char *end;

    if (is_off(a))
        return;
    DL_FOREACH (a->segments, s)
        if (s->released < s->lines.len)
            break;
    /* Lines are released in the order in which they were planned: this is the next. */
    MUST(s);
    end = memchr(s->lines.data + s->released, '\n', s->lines.len - s->released);
    MUST(end);
    s->released = (size_t)(end + 1 - s->lines.data);
    accounting_retry(a);
}

static bool is_file(int fd, const char *path)
{
    struct stat open_one, named;

    return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* The file was moved away with what is written. A line of which it has a part only, or
 * which it may not have on disk, goes to the new one. */
static void segment_leave(struct accounting *a, struct segment *s)
{
    size_t n = s->written;

    /* What may not be on disk counts as not written. */
    if (fdatasync(s->fd) < 0) {
        say_failed(a, s, "synced", errno);
        n = 0;
    }
    segment_close(s);
    while (n > 0 && s->lines.data[n - 1] != '\n')
        n--;
    MUST(n <= s->released); /* what was not released is not in the file */
    buf_eat(&s->lines, n);
    s->released -= n;
    s->written = s->syncing = 0;
    s->doubtful = false;
    s->offset = end_of(a, s->path, s);
}

void accounting_reopen(struct accounting *a)
{
    struct segment *s;

    DL_FOREACH (a->segments, s) {
        if (s->fd < 0)
            continue;
        /* The file still has its name, so nobody has moved it away. */
        if (is_file(s->fd, s->path)) {
            say_opened(a, s);
            continue;
        }
        segment_leave(a, s);
        if (!segment_open(a, s))
            say_failed(a, s, "opened", errno);
        a->changed = true;
    }
    /* An administrator who asks for it may have mended the disk. */
    a->again_ms = 0;
    accounting_retry(a);
}

/* The note has "<path> <offset> <bytes>\n<lines>" for each segment. With 'synced' it
 * leaves out what the sync that is under way makes durable in the file itself. */
static char *note_text(const struct accounting *a, bool synced, size_t *len)
{
    const struct segment *s;
    struct buf note = { 0 };

    DL_FOREACH (a->segments, s) {
        size_t n = synced ? s->syncing : 0;

        MUST(n <= s->lines.len);
        buf_printf(&note, "%s %" PRIu64 " %zu\n", s->path, s->offset + n,
                   s->lines.len - n);
        buf_add(&note, s->lines.data + n, s->lines.len - n);
    }
    *len = note.len;
    return buf_take(&note);
}

/* What is written is synced with this commit, which forgets it if that works. */
static void begin_sync(struct accounting *a, struct commit *c)
{
    struct segment *s;
    size_t len;
    char *note;

    DL_FOREACH (a->segments, s) {
        /* The sync runs on the store's thread, so it has a descriptor of its own. */
        int fd = s->written > 0 ? fcntl(s->fd, F_DUPFD_CLOEXEC, 3) : -1;

        if (fd < 0)
            continue; /* nothing to sync, or no descriptor is left: another time */
        s->syncing = s->written;
        commit_sync(c, fd);
    }
    note = note_text(a, true, &len);
    commit_note_synced(c, note, len);
    free(note);
}

void accounting_note(struct accounting *a, struct commit *c)
{
    struct segment *s;
    size_t len, written = 0;
    char *note;

    if (!a->changed)
        return;
    note = note_text(a, false, &len);
    commit_note(c, ACCOUNTING_NOTE, note, len);
    free(note);
    DL_FOREACH (a->segments, s)
        written += s->written;
    /* A sync costs as much as a commit, so it is made rarely; after a failure, or when
     * another day has begun, it is made at once. */
    if (written >= SYNC_BYTES || a->settle || a->unsynced ||
        (a->segments && a->segments->next))
        begin_sync(a, c);
    a->settle = false;
    a->changed = false;
}

/* The disk has refused it: whatever is there now is not to be trusted. */
static void segment_doubt(struct accounting *a, const struct segment *from)
{
    for (struct segment *s = a->segments; s; s = s->next)
        if (strcmp(s->path, from->path) == 0) {
            segment_close(s);
            s->doubtful = true;
            s->written = s->syncing = 0;
        }
}

static void segment_forget(struct segment *s)
{
    MUST(s->syncing <= s->written && s->written <= s->released);
    s->offset += s->syncing;
    buf_eat(&s->lines, s->syncing);
    s->released -= s->syncing;
    s->written -= s->syncing;
    s->syncing = 0;
}

void accounting_synced(struct accounting *a, int err)
{
    struct segment *s, *next;

    a->unsynced = err != 0;
    DL_FOREACH_SAFE (a->segments, s, next) {
        if (s->syncing == 0)
            continue;
        if (err) {
            say_failed(a, s, "synced", err);
            segment_doubt(a, s);
            continue;
        }
        segment_forget(s);
        /* The last segment stays, because the next line goes there. */
        if (s->lines.len == 0 && s->next)
            segment_free(a, s);
    }
    if (err)
        a->again_ms = clock_mono_ms() + AGAIN_MS;
}

bool accounting_settle(struct accounting *a, int64_t now_at)
{
    struct segment *s;
    size_t written = 0;

    DL_FOREACH (a->segments, s) {
        if (s->written < s->lines.len)
            return false;
        written += s->written;
    }
    /* A quiet server syncs once what its last lines were, and then has nothing in its
     * note. */
    if (written == 0 || now_at < a->last_at + SETTLE_S)
        return false;
    a->settle = a->changed = true;
    return true;
}

int accounting_repair(struct accounting *a, const char *note, struct diag *why)
{
    while (note && *note && !is_off(a)) {
        char path[4096];
        struct segment *s;
        uint64_t offset;
        size_t len;
        int head = 0;

        /* The note comes from the store, and every number in it is checked against its
         * length. */
        if (sscanf(note, "%4095s %" SCNu64 " %zu%n", path, &offset, &len, &head) != 3 ||
            note[head] != '\n' || strlen(note + head + 1) < len)
            return diag_set(why, PBSE_SYSTEM, "the note on accounting is damaged");
        note += (size_t)head + 1;
        if (len > 0) {
            s = segment_new(a, path, offset);
            buf_add(&s->lines, note, len);
            s->released = len;
            /* The file may have all of these lines, some, or none. */
            s->doubtful = true;
        }
        note += len;
    }
    accounting_retry(a);
    return 0;
}
