/* files.c - see files.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/files.h"

#include "mom/shell/as_user.h"
#include "mom/shell/copy.h"
#include "mom/shell/plain.h"
#include "mom/shell/safe_name.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/transfer.h"
#include "mom/shell/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file server that hangs is not waited for longer than this. A scratch directory may
 * hold millions of files. */
#define APPEND_LIMIT_MS 60000
#define REMOVE_LIMIT_MS 3600000

struct delivery { /* one request being carried out */
    files_copied_fn done;
    void *arg;
    const struct plan_host *host;
    struct arena *arena;
    files_log_fn log;
    size_t n_pairs;
    size_t n_std; /* output in the spool that it shall deliver */
    const char **std;
    int64_t limit_s;
};

static void delivery_free(struct delivery *d)
{
    arena_free(d->arena);
    free(d);
}

/* Only output that is delivered can be lost: what was not asked for, and what a request
 * to delete left behind, stays. */
static struct delivery *delivery_new(const struct plan_host *host,
                                     const struct body_files *body, bool remove)
{
    struct delivery *d = xcalloc(1, sizeof(*d));

    d->host = host;
    d->arena = arena_new();
    d->limit_s = host->config->copy_alarm_s;
    d->n_pairs = body->n_pairs;
    d->std = ARENA_ARRAY(d->arena, const char *, body->n_pairs);
    for (size_t i = 0; i < body->n_pairs; i++)
        if (!remove && (body->direction & COPY_OUT) &&
            !(body->direction & COPY_SANDBOX) && body->pairs[i].flag == COPY_STD_FILE)
            d->std[d->n_std++] = copy_spool_path(host, body->pairs[i].local, d->arena);
    return d;
}

static void retain(const struct delivery *d, struct buf *text)
{
    for (size_t i = 0; i < d->n_std; i++) {
        const char *slash = strrchr(d->std[i], '/');
        const char *kept;
        struct place p;

        MUST(slash); /* paths in the spool are made by copy_spool_path() */
        kept = arena_printf(d->arena, "%s/undelivered/%s", d->host->home, slash + 1);
        /* What was delivered before the failure has left the spool, and is not found
         * here. */
        if (place_move(&p, d->std[i], kept))
            buf_printf(text, "Output retained on that host in: %s\n", kept);
    }
}

/* Log what is for the log; the words for the user go into 'text'. */
static size_t read_report(const struct delivery *d, const char *report,
                          struct buf *text)
{
    struct copy_line line;
    size_t n_done = 0;

    while (*report) {
        report = copy_line(report, &line, d->arena);
        if (line.words)
            buf_add_str(text, line.words);
        else if (line.event)
            d->log(d->arg, line.event, line.object, line.text);
        else
            n_done = MIN_OF(line.n_done, d->n_pairs);
    }
    return n_done;
}

static void on_copied(void *arg, enum as_user_end end, const char *report)
{
    struct delivery *d = arg;
    struct buf text = { 0 };
    size_t n_done = read_report(d, report, &text);

    if (end == AS_USER_DONE) {
        d->done(d->arg, n_done, 0, NULL);
        buf_fini(&text);
        delivery_free(d);
        return;
    }
    if (end == AS_USER_LATE)
        buf_printf(&text,
                   "Files of the job were not copied within %" PRId64 " seconds\n",
                   d->limit_s);
    else if (text.len == 0)
        buf_add_str(&text, "The copying process was killed\n");
    retain(d, &text);
    d->done(d->arg, n_done, PBSE_NOCOPYFILE, text.data);
    buf_fini(&text);
    delivery_free(d);
}

static bool run_copy(const void *work, struct buf *report)
{
    return copy_run(work, report);
}

/* Somebody else may have made a directory with the name of the job's own where
 * everybody may make some. */
static void reclaim_sandbox(const struct as_user *a, struct buf *report)
{
    const struct copy_work *w = a->work;
    struct place at = { .uid = a->uid, .gid = a->gid, .mode = 0700 };
    struct arena *arena;
    const char *path;

    if (w->remove || !w->host->config->jobdir_root ||
        (w->body->direction & (COPY_OUT | COPY_SANDBOX)) != COPY_SANDBOX)
        return;
    arena = arena_new();
    path = sandbox_path(w->host->config, w->body->job_id, a->dir, arena);
    place_reclaim(&at, path);
    if (at.aside[0])
        copy_log(
            report, LOG_EV_SECURITY, w->body->job_id,
            arena_printf(arena, PLACE_ASIDE, path, (unsigned)at.aside_uid, at.aside));
    arena_free(arena);
}

int files_start(struct loop *l, const struct plan_host *host,
                const struct body_files *body, bool remove, files_copied_fn done,
                files_log_fn log, void *arg, struct buf *words)
{
    const struct copy_work work = {
        .host = host, .body = body, .remove = remove, .pause_s = TRANSFER_PAUSE_S
    };
    struct delivery *d;
    struct as_user a;
    struct diag why;

    d = delivery_new(host, body, remove);
    d->done = done;
    d->log = log;
    d->arg = arg;
    a = (struct as_user){ .account = body->user,
                          .group = body->group,
                          .limit_ms = d->limit_s * 1000,
                          .run = run_copy,
                          .work = &work,
                          .prepare = reclaim_sandbox,
                          .done = on_copied,
                          .arg = d };
    /* 'work' and the body may go now: the new process has its own copy of all
     * memory. */
    if (as_user_start(l, &a, &why) == 0)
        return 0;
    /* The server lets the job go all the same, and its spool goes with it. */
    buf_printf(words, "%s\n", why.text);
    retain(d, words);
    delivery_free(d);
    return why.code;
}

struct append { /* one line being appended */
    files_done_fn done;
    void *arg;
};

struct append_work {
    const struct plan_host *host;
    const struct files_line *line;
    const char *user;
};

/* Where they are read: joined with the other file, the output goes where that one goes.
 * NULL: nobody knows the user. */
static const char *path_of(const struct append_work *w, bool to_error,
                           struct arena *arena)
{
    const struct passwd *pw = getpwnam(w->user);
    const char *path = NULL;

    for (int other = 0; pw && !path && other <= 1; other++)
        path = plan_file(w->host, w->line->job_id, w->line->attrs, pw->pw_dir,
                         to_error != (other == 1), arena);
    return path;
}

static bool append_line(const struct append_work *w, bool to_error)
{
    const char *path = path_of(w, to_error, arena_new()); /* this process ends */
    struct diag why;
    struct stat st;
    int fd = path ? plain_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0, &why) : -1;

    /* A hard link to somebody else's file that the user may write is not the job's
     * output. */
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           dprintf(fd, "%s\n", w->line->text) > 0;
}

static bool run_append(const void *work, struct buf *report)
{
    const struct append_work *w = work;
    bool is_out = !w->line->to_output || append_line(w, false);
    bool is_err = !w->line->to_error || append_line(w, true);

    (void)report;
    return is_out && is_err;
}

static void on_appended(void *arg, enum as_user_end end, const char *report)
{
    struct append *p = arg;

    (void)report;
    if (end == AS_USER_DONE)
        p->done(p->arg, 0, NULL);
    else
        p->done(p->arg, PBSE_SYSTEM,
                end == AS_USER_LATE
                    ? "The output of the job could not be written in time"
                    : "The output of the job is not there or cannot be written");
    free(p);
}

int files_append(struct loop *l, const struct plan_host *host,
                 const struct files_line *line, files_done_fn done, void *arg,
                 struct diag *why)
{
    const char *user = wire_attrs_value(line->attrs, "euser", NULL);
    const struct append_work work = { .host = host,
                                      .line = line,
                                      .user = user ? user : "" };
    struct as_user a = { .account = work.user,
                         .dir = "/",
                         .limit_ms = APPEND_LIMIT_MS,
                         .run = run_append,
                         .work = &work,
                         .done = on_appended };
    struct append *p = xcalloc(1, sizeof(*p));

    *p = (struct append){ .done = done, .arg = arg };
    a.arg = p;
    if (as_user_start(l, &a, why) == 0)
        return 0;
    free(p);
    return why->code;
}

static bool run_remove(const void *work, struct buf *report)
{
    (void)report;
    return tree_remove(AT_FDCWD, work);
}

/* Whoever makes the name anew meanwhile is not disturbed by the removal, which may take
 * its time. */
static bool run_remove_of(const void *work, struct buf *report)
{
    const char *path = work;
    char *aside = xasprintf("%s_remove", path);
    bool ok = tree_remove(AT_FDCWD, aside) && rename(path, aside) == 0 &&
              tree_remove(AT_FDCWD, aside);

    (void)report;
    free(aside);
    return ok;
}

int files_remove_of(struct loop *l, const char *path, const char *user,
                    struct diag *why)
{
    const struct as_user a = { .account = user,
                               .dir = "/",
                               .limit_ms = REMOVE_LIMIT_MS,
                               .run = run_remove_of,
                               .work = path };

    return as_user_start(l, &a, why);
}

/* The owner is asked of the directory itself: whoever it is, he could remove it too. */
int files_remove_tree(struct loop *l, const char *path, struct diag *why)
{
    struct as_user a = {
        .dir = "/", .limit_ms = REMOVE_LIMIT_MS, .run = run_remove, .work = path
    };
    struct stat st;

    /* The name lies where everybody may make names: what is no directory was not made
     * by us, and stays. */
    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return 0;
    if (geteuid() != 0 && st.st_uid != geteuid())
        return 0;
    /* Nearly all of them are empty: that asks for no process. */
    if (rmdir(path) == 0)
        return 0;
    a.uid = st.st_uid;
    a.gid = st.st_gid;
    return as_user_start(l, &a, why);
}
