/* copy.c - see copy.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/copy.h"

#include "mom/shell/copy_file.h"
#include "mom/shell/links.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/staged.h"
#include "mom/shell/transfer.h"
#include "mom/shell/tree.h"
#include "mom/shell/usecp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copying { /* one request on its way */
    const struct copy_work *work;
    struct arena *arena;
    struct buf *report;
    bool in_sandbox;
    bool
        is_lost; /* its sandbox is not there: no path that is relative means anything */
    size_t n_done;
    struct { /* what has been staged in, and may be removed again */
        size_t n, cap;
        const char **v;
    } staged;
};

/* A line for the MoM's log, among the words for the user (copy_line()). */
void copy_log(struct buf *report, int event, const char *object, const char *text)
{
    buf_printf(report, "%c%d %s ", COPY_LOG_MARK, event, object);
    for (; *text; text++) /* a path may have any byte in it */
        buf_add_char(report, (unsigned char)*text < ' ' ? '?' : *text);
    buf_add_char(report, '\n');
}

const char *copy_line(const char *at, struct copy_line *ret, struct arena *arena)
{
    size_t len = strcspn(at, "\n");
    const char *after = at + len + (at[len] == '\n');
    char *words;

    *ret = (struct copy_line){ 0 };
    if (at[0] == COPY_COUNT_MARK) {
        ret->n_done = (size_t)strtoull(at + 1, NULL, 10);
    } else if (at[0] == COPY_LOG_MARK) {
        ret->event = (int)strtol(at + 1, &words, 10);
        words += *words == ' ';
        ret->object = arena_strndup(arena, words, strcspn(words, " \n"));
        words += strcspn(words, " \n");
        words += *words == ' ';
        ret->text = arena_strndup(arena, words, strcspn(words, "\n"));
    } else {
        ret->words = arena_strndup(arena, at, (size_t)(after - at));
    }
    return after;
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

/* The file of a pair on this host. A job's output lies in its sandbox if it has one. */
static const char *local_path(const struct copying *c,
                              const struct wire_file_pair *pair)
{
    const char *base = strrchr(pair->local, '/');

    if (pair->flag != COPY_STD_FILE)
        return copy_unescape(pair->local, c->arena);
    return c->in_sandbox ? (base ? base + 1 : pair->local)
                         : copy_spool_path(c->work->host, pair->local, c->arena);
}

/* A comma divides the entries of the attribute, and a backslash makes it one of the
 * path. */
const char *copy_unescape(const char *path, struct arena *arena)
{
    char *copy = arena_strdup(arena, path), *to = copy;

    for (const char *at = path; *at; at++) {
        if (at[0] == '\\' && at[1] == ',')
            at++;
        *to++ = *at;
    }
    *to = '\0';
    return copy;
}

/* When the destination is a directory, the file goes into it under its own name. */
static const char *into_directory(const char *dest, const char *src,
                                  struct arena *arena)
{
    const char *base = strrchr(src, '/');
    size_t len = strlen(dest);
    struct stat st;

    if (stat(dest, &st) == 0 && S_ISDIR(st.st_mode))
        return arena_printf(arena, "%s%s%s", dest,
                            len && dest[len - 1] == '/' ? "" : "/",
                            base ? base + 1 : src);
    return dest;
}

static void log_try(void *arg, const char *line)
{
    struct copying *c = arg;

    copy_log(c->report, LOG_EV_DEBUG, "sys_copy", line);
}

/* By a program: to or from another host, or a directory on this one. */
static bool transfer(struct copying *c, const char *from, const char *to,
                     bool is_remote, struct diag *why)
{
    const struct transfer t = { .conf = c->work->host->conf,
                                .from = from,
                                .to = to,
                                .is_remote = is_remote,
                                .pause_s = c->work->pause_s,
                                .log = log_try,
                                .arg = c };
    struct buf words = { 0 };
    int status = transfer_run(&t, &words);

    if (status) {
        size_t len = words.len;

        while (len > 0 && words.data[len - 1] == '\n')
            len--;
        diag_set(why, status, "%.*s", (int)len, len ? words.data : "");
    }
    buf_fini(&words);
    return status == 0;
}

static bool is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* On this host: plain files by ourselves, since nothing else is opened then. */
static bool copy_here(struct copying *c, const char *src, int flags, const char *dest,
                      struct diag *why)
{
    char real[PATH_MAX];
    struct stat st;

    if (!links_follow(dest, real, why))
        return false;
    if (lstat(src, &st) == 0 && is_directory(src) && !(flags & O_NOFOLLOW))
        return transfer(c, src, dest, false, why);
    return copy_file(src, flags, into_directory(dest, src, c->arena), why);
}

/* Words for the user. A path or what a program wrote may hold the marks of the other
 * kinds of lines. */
static void say(const struct copying *c, const char *text)
{
    for (; *text; text++)
        buf_add_char(
            c->report,
            (unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? '?' : *text);
}

/* 'why' has what the program returned; a copy of our own has returned 1, as PBS_CP
 * does. */
static void say_failed(const struct copying *c, const char *what, const char *src,
                       const char *dest, const struct diag *why)
{
    copy_log(c->report, LOG_EV_ERROR, "copy_file",
             arena_printf(c->arena, "Job %s: sys_copy failed, return value=%d",
                          c->work->body->job_id,
                          why->code == PBSE_SYSTEM ? 1 : why->code));
    say(c, arena_printf(c->arena,
                        "Unable to copy file %s %s %s\n>>> error from copy\n%s\n"
                        ">>> end error output\n",
                        src, what, dest, why->text));
}

/* One file or directory to where the pair says. */
static bool copy_out_one(struct copying *c, const struct wire_file_pair *pair,
                         const char *src)
{
    bool std = pair->flag == COPY_STD_FILE;
    const char *remote = copy_unescape(pair->remote, c->arena);
    const char *dest = usecp_path(c->work->host, remote, c->arena);
    struct stat st;
    struct diag why;
    bool ok;

    if (dest && strcmp(dest, "/dev/null") == 0)
        return true;
    if (lstat(src, &st) < 0)
        ok = !diag_set(&why, PBSE_SYSTEM, "%s: %s", src, strerror(errno));
    else if (dest)
        /* In the spool everybody may make names, so no link is followed there; a file
         * that the user names is opened with the user's rights only. */
        ok = copy_here(c, src, std ? O_NOFOLLOW : 0, dest, &why);
    else
        ok = transfer(c, src, transfer_remote(remote, c->work->body->owner, c->arena),
                      true, &why);
    if (!ok) {
        say_failed(c, "to", src, remote, &why);
        return false;
    }
    /* A sandbox goes as a whole, when everything has been delivered. What cannot be
     * removed was delivered all the same. */
    if (!c->in_sandbox && !tree_remove(AT_FDCWD, src))
        copy_log(c->report, LOG_EV_DEBUG, "copy_file",
                 arena_printf(c->arena, "%s stays: %s", src, strerror(errno)));
    return true;
}

static bool has_pattern(const char *path)
{
    const char *base = strrchr(path, '/');

    return strpbrk(base ? base + 1 : path, "*?") != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in 'dir' that match; those with a dot in front are hidden from patterns. */
static size_t match(const char *dir, const char *pattern, struct arena *arena,
                    const char ***ret)
{
    struct {
        size_t n, cap;
        const char **v;
    } names = { 0 };
    DIR *d = opendir(dir);
    const struct dirent *e;

    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.' || fnmatch(pattern, e->d_name, 0) != 0)
            continue;
        ARENA_ROOM(arena, &names, v, 16);
        names.v[names.n++] = arena_strdup(arena, e->d_name);
    }
    if (d)
        closedir(d);
    if (names.n)
        qsort(names.v, names.n, sizeof(*names.v), by_name);
    *ret = names.v;
    return names.n;
}

static bool copy_out(struct copying *c, const struct wire_file_pair *pair)
{
    const char *src = local_path(c, pair), *slash = strrchr(src, '/'), **names;
    const char *dir =
        slash ? arena_strndup(c->arena, src, (size_t)(slash + 1 - src)) : "";
    bool ok = true;
    struct diag why;
    size_t n;

    if (pair->flag == COPY_STD_FILE || !has_pattern(src))
        return copy_out_one(c, pair, src);
    n = match(*dir ? dir : ".", slash ? slash + 1 : src, c->arena, &names);
    if (n == 0) {
        diag_set(&why, PBSE_SYSTEM, "no file matches");
        say_failed(c, "to", src, pair->remote, &why);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        ok = copy_out_one(c, pair, arena_printf(c->arena, "%s%s", dir, names[i])) && ok;
    return ok;
}

/* What has come in. A directory that was there before stays its user's. */
static void note_staged(struct copying *c, const char *made, bool was_there)
{
    const char *job_id = c->work->body->job_id;

    if (staged_is_foreign(made, job_id) && (was_there || !staged_mark(made, job_id))) {
        if (!was_there)
            copy_log(c->report, LOG_EV_ERROR, "stage_file",
                     arena_printf(c->arena, "Job %s: %s will not be removed: %s",
                                  job_id, made, strerror(errno)));
        return;
    }
    ARENA_ROOM(c->arena, &c->staged, v, 16);
    c->staged.v[c->staged.n++] = made;
}

static bool fetch(struct copying *c, const char *src, const char *remote,
                  const char *dest, const char *made, struct diag *why)
{
    struct stat st;

    if (src)
        return copy_here(c, src, 0, dest, why);
    if (!transfer(c, transfer_remote(remote, c->work->body->owner, c->arena), dest,
                  true, why))
        return false;
    return lstat(made, &st) == 0 ||
           !diag_set(why, TRANSFER_UNTOUCHED, "%s: %s", made, strerror(errno));
}

/* The path of a remote file on its host. */
static const char *path_there(const char *remote)
{
    const char *colon = strchr(remote, ':');

    return colon ? colon + 1 : remote;
}

static bool copy_in(struct copying *c, const struct wire_file_pair *pair)
{
    const char *dest = copy_unescape(pair->local, c->arena), *made;
    const char *remote = copy_unescape(pair->remote, c->arena);
    const char *src = usecp_path(c->work->host, remote, c->arena);
    struct stat st;
    struct diag why;
    bool was_there;

    /* The same request again, whose answer was lost: it would lead into what has come.
     */
    if (staged_is(dest, c->work->body->job_id) && !tree_remove(AT_FDCWD, dest))
        say(c, arena_printf(c->arena, "%s stays: %s\n", dest, strerror(errno)));
    /* A directory takes the file under its own name, and may be one itself afterwards.
     */
    made = into_directory(dest, src ? src : path_there(remote), c->arena);
    was_there = lstat(made, &st) == 0;
    if (fetch(c, src, remote, dest, made, &why)) {
        note_staged(c, made, was_there);
        return true;
    }
    copy_log(c->report, LOG_EV_ERROR, "stage_file",
             arena_printf(c->arena,
                          "Job %s: no wildcards:%s stagein failed for %s from %s to %s",
                          c->work->body->job_id, src ? "local" : "remote",
                          c->work->body->user, remote, dest));
    say_failed(c, "from", dest, remote, &why);
    return false;
}

/* What a pair names, or what it has put into the directory that it names; NULL: that is
 * nothing which may be removed. */
static const char *removable(struct copying *c, const struct wire_file_pair *pair)
{
    const char *path = local_path(c, pair), *job_id = c->work->body->job_id;

    if (pair->flag == COPY_STD_FILE)
        return path;
    if (c->is_lost && path[0] != '/')
        return NULL;
    if (is_directory(path) && !staged_is(path, job_id))
        path = into_directory(path, path_there(copy_unescape(pair->remote, c->arena)),
                              c->arena);
    if (!staged_is_foreign(path, job_id))
        return path;
    copy_log(
        c->report, LOG_EV_DEBUG, "stage_file",
        arena_printf(c->arena, "Job %s: %s stays: it was not staged in", job_id, path));
    return NULL;
}

static bool remove_one(struct copying *c, const struct wire_file_pair *pair)
{
    const char *path = removable(c, pair);

    if (!path || tree_remove(AT_FDCWD, path) || errno == ENOENT)
        return true;
    say(c, arena_printf(c->arena, "Unable to delete file %s: %s\n", path,
                        strerror(errno)));
    return false;
}

/* Files that were staged in are of no use without the one that could not be. */
static void take_back(struct copying *c)
{
    for (size_t i = 0; i < c->staged.n; i++)
        if (!tree_remove(AT_FDCWD, c->staged.v[i]))
            say(c, arena_printf(c->arena, "%s stays: %s\n", c->staged.v[i],
                                strerror(errno)));
    c->n_done = 0;
}

/* Go where the job works, and its files lie. When files are to be removed it may be
 * gone.
 */
static bool enter(struct copying *c, const char **ret_sandbox)
{
    const struct copy_work *w = c->work;
    const struct passwd *pw = getpwuid(geteuid());
    struct diag why;

    *ret_sandbox = NULL;
    if (!c->in_sandbox)
        return true;
    *ret_sandbox = sandbox_path(w->host->config, w->body->job_id,
                                pw && pw->pw_dir ? pw->pw_dir : "/", c->arena);
    if (!w->remove && !(w->body->direction & COPY_OUT) &&
        sandbox_make(*ret_sandbox, &why) == SANDBOX_REFUSED) {
        say(c, arena_printf(c->arena, "%s\n", why.text));
        return false;
    }
    c->is_lost = chdir(*ret_sandbox) < 0;
    if (!c->is_lost || w->remove)
        return true;
    say(c, arena_printf(c->arena, "%s: %s\n", *ret_sandbox, strerror(errno)));
    return false;
}

static bool copy_all(struct copying *c)
{
    const struct body_files *b = c->work->body;
    bool is_in = !c->work->remove && !(b->direction & COPY_OUT), ok = true;

    for (size_t i = 0; i < b->n_pairs; i++) {
        /* One file that fails does not keep the others from their owner. */
        bool done = c->work->remove ? remove_one(c, &b->pairs[i])
                    : is_in         ? copy_in(c, &b->pairs[i])
                                    : copy_out(c, &b->pairs[i]);

        c->n_done += done;
        ok = ok && done;
        if (is_in && !done) {
            take_back(c);
            break;
        }
    }
    return ok;
}

bool copy_run(const struct copy_work *w, struct buf *report)
{
    struct copying c = { .work = w,
                         .arena = arena_new(),
                         .report = report,
                         .in_sandbox = w->body->direction & COPY_SANDBOX };
    const char *sandbox;
    bool ok = enter(&c, &sandbox) && copy_all(&c);

    /* Nothing is left of a start that was refused. */
    if (w->remove && sandbox && chdir("/") == 0)
        (void)rmdir(sandbox);
    buf_printf(report, "%c%zu\n", COPY_COUNT_MARK, c.n_done);
    arena_free(c.arena);
    return ok;
}
