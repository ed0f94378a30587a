/* files.c - see files.h.
 *
 * A copy is written beside its destination and renamed, so that nobody sees half a
 * file. What cannot be delivered is kept under undelivered/, and the report says where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/files.h"

#include "mom/shell/home.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLAG_STD_FILE    1
#define DIRECTION_OUT    1
#define MAX_REPORT_BYTES (64u << 10)

struct delivery { /* one request being carried out */
    files_done_fn done;
    void *arg;
    int report_fd;
};

/* Below: in the child, as the user. */

static bool copy_bytes(int from, int to)
{
    char block[65536];
    ssize_t n;

    while ((n = read(from, block, sizeof(block))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        for (ssize_t done = 0; done < n;) {
            ssize_t w = write(to, block + done, (size_t)(n - done));

            if (w < 0 && errno != EINTR)
                return false;
            done += MAX_OF(w, (ssize_t)0);
        }
    }
    return true;
}

/* Straight into something that is there and is no plain file, or whose directory takes
 * no new names. */
static bool copy_into(int from, const char *dest)
{
    int to = open(dest, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    bool ok;

    if (to < 0)
        return false;
    ok = copy_bytes(from, to);
    return close(to) == 0 && ok;
}

static bool copy_beside(int from, const struct stat *st, const char *dest)
{
    char *tmp = xasprintf("%s.pbs%d", dest, (int)getpid());
    int to = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = to >= 0 && copy_bytes(from, to) && fchmod(to, st->st_mode & 0777) == 0;
    int err = errno;

    if (to >= 0 && close(to) < 0 && ok) {
        ok = false;
        err = errno;
    }
    if (ok && rename(tmp, dest) < 0) {
        ok = false;
        err = errno;
    }
    if (!ok && to >= 0)
        (void)unlink(tmp);
    free(tmp);
    errno = err;
    return ok;
}

static bool copy_file(const char *src, const char *dest)
{
    char real[PATH_MAX];
    struct stat st, there;
    int from = open(src, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool ok;
    int err;

    if (from < 0)
        return false;
    if (realpath(dest, real)) /* a link keeps pointing where it does */
        dest = real;
    if (fstat(from, &st) < 0)
        ok = false;
    else if (stat(dest, &there) == 0 && !S_ISREG(there.st_mode))
        ok = copy_into(from, dest);
    else
        ok =
            copy_beside(from, &st, dest) ||
            (errno == EACCES && lseek(from, 0, SEEK_SET) == 0 && copy_into(from, dest));
    err = errno;
    close(from);
    errno = err;
    return ok;
}

static bool host_is_here(const struct plan_host *h, const char *host)
{
    char self[256];
    size_t len = strlen(h->host);

    if (strcasecmp(host, "localhost") == 0 || strcasecmp(host, h->host) == 0)
        return true;
    if (gethostname(self, sizeof(self)) == 0 && strcasecmp(host, self) == 0)
        return true;
    return strncasecmp(host, h->host, len) == 0 && host[len] == '.';
}

static bool host_matches(const char *pattern, const char *host)
{
    size_t p, n;

    if (pattern[0] != '*')
        return strcasecmp(pattern, host) == 0;
    p = strlen(++pattern);
    n = strlen(host);
    return n >= p && strcasecmp(host + n - p, pattern) == 0;
}

/* The local path of "host:path" by $usecp or because it is this host; NULL: remote. */
static const char *local_path(const struct plan_host *h, const char *remote,
                              struct arena *arena)
{
    const char *colon = strchr(remote, ':');
    const char *host, *path;

    if (!colon || remote[0] == '/')
        return remote;
    host = arena_strndup(arena, remote, (size_t)(colon - remote));
    path = colon + 1;
    if (strchr(host, '@'))
        host = strchr(host, '@') + 1;
    for (size_t i = 0; i < h->config->n_usecp; i++) {
        const struct usecp *u = &h->config->usecp[i];
        size_t len = strlen(u->from);

        if (host_matches(u->host, host) && strncmp(path, u->from, len) == 0)
            return arena_printf(arena, "%s%s", u->to, path + len);
    }
    return host_is_here(h, host) ? path : NULL;
}

static const char *spool_path(const struct plan_host *h, const char *name,
                              struct arena *arena)
{
    const char *base = strrchr(name, '/');

    return arena_printf(arena, "%s/spool/%s", h->home, base ? base + 1 : name);
}

/* A directory takes the file under its own name. */
static const char *into_directory(const char *dest, const char *src,
                                  struct arena *arena)
{
    const char *base = strrchr(src, '/');
    struct stat st;

    if (stat(dest, &st) == 0 && S_ISDIR(st.st_mode))
        return arena_printf(arena, "%s/%s", dest, base ? base + 1 : src);
    return dest;
}

static void keep_undelivered(const struct plan_host *h, const char *src,
                             struct buf *text, struct arena *arena)
{
    const char *base = strrchr(src, '/') + 1;
    const char *kept = arena_printf(arena, "%s/undelivered/%s", h->home, base);

    if (rename(src, kept) == 0)
        buf_printf(text, "Output retained on that host in: %s\n", kept);
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
                     struct buf *text, struct arena *arena)
{
    bool std = pair->flag == FLAG_STD_FILE;
    const char *src = std ? spool_path(h, pair->local, arena) : pair->local;
    const char *dest = local_path(h, pair->remote, arena);

    if (dest && strcmp(dest, "/dev/null") == 0)
        return true;
    if (!dest) {
        say_failed(text, src, pair->remote, "no way to copy to another host");
    } else {
        dest = into_directory(dest, src, arena);
        if (copy_file(src, dest)) {
            (void)unlink(src);
            return true;
        }
        say_failed(text, src, pair->remote, strerror(errno));
    }
    if (std)
        keep_undelivered(h, src, text, arena);
    return false;
}

static bool copy_in(const struct plan_host *h, const struct wire_file_pair *pair,
                    struct buf *text, struct arena *arena)
{
    const char *src = local_path(h, pair->remote, arena);

    if (src && copy_file(src, into_directory(pair->local, src, arena)))
        return true;
    buf_printf(text,
               "Unable to copy file %s from %s\n>>> error from copy\n%s\n"
               ">>> end error output\n",
               pair->local, pair->remote,
               src ? strerror(errno) : "no way to copy from another host");
    return false;
}

static bool remove_one(const struct plan_host *h, const struct wire_file_pair *pair,
                       struct buf *text, struct arena *arena)
{
    const char *path =
        pair->flag == FLAG_STD_FILE ? spool_path(h, pair->local, arena) : pair->local;

    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    buf_printf(text, "Unable to delete file %s: %s\n", path, strerror(errno));
    return false;
}

/* Each file is tried, whatever became of those before it. */
static bool carry_out(const struct plan_host *h, const struct body_files *body,
                      bool remove, struct buf *text)
{
    struct arena *arena = arena_new();
    bool ok = true;

    for (size_t i = 0; i < body->n_pairs; i++) {
        const struct wire_file_pair *pair = &body->pairs[i];
        bool done;

        if (remove)
            done = remove_one(h, pair, text, arena);
        else if (body->direction == DIRECTION_OUT)
            done = copy_out(h, pair, text, arena);
        else
            done = copy_in(h, pair, text, arena);
        ok = ok && done;
    }
    arena_free(arena);
    return ok;
}

static bool become(const struct passwd *pw, gid_t gid)
{
    if (geteuid() != 0)
        return geteuid() == pw->pw_uid;
    return initgroups(pw->pw_name, gid) == 0 && setgid(gid) == 0 &&
           setuid(pw->pw_uid) == 0;
}

static NORETURN void child_run(const struct plan_host *h, const struct body_files *body,
                               bool remove, const struct passwd *pw, gid_t gid, int fd)
{
    struct buf text = { 0 };
    bool ok = false;

    signal(SIGPIPE, SIG_IGN);
    if (!become(pw, gid))
        buf_printf(&text, "cannot become user %s: %s\n", pw->pw_name, strerror(errno));
    else if (chdir(pw->pw_dir) < 0 && chdir("/") < 0)
        buf_printf(&text, "%s: %s\n", pw->pw_dir, strerror(errno));
    else
        ok = carry_out(h, body, remove, &text);
    if (!ok && text.len &&
        write(fd, text.data, MIN_OF(text.len, (size_t)MAX_REPORT_BYTES)) < 0)
        _exit(2);
    _exit(ok ? 0 : 1);
}

/* Above: in the child. Below: in the MoM. */

static void on_end(void *arg, pid_t pid, int status)
{
    struct delivery *d = arg;
    struct buf text = { 0 };
    ssize_t n;

    (void)pid;
    while ((n = read(d->report_fd, buf_reserve(&text, 4096), 4096)) > 0)
        text.len += (size_t)n;
    close(d->report_fd);
    if (text.data)
        text.data[text.len] = '\0';
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        d->done(d->arg, 0, NULL);
    else
        d->done(d->arg, PBSE_NOCOPYFILE, text.len ? text.data : "copy failed");
    buf_fini(&text);
    free(d);
}

int files_start(struct loop *l, const struct plan_host *host,
                const struct body_files *body, bool remove, files_done_fn done,
                void *arg, struct diag *why)
{
    struct passwd *pw = getpwnam(body->user);
    struct group *gr = body->group[0] ? getgrnam(body->group) : NULL;
    struct delivery *d;
    int fds[2];
    pid_t pid;

    if (!pw)
        return diag_set(why, PBSE_BADUSER, "No Password Entry for User %s", body->user);
    if (pipe2(fds, O_CLOEXEC) < 0)
        return diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    /* A report never fills the pipe: the child must not wait for us to read. */
    (void)fcntl(fds[1], F_SETPIPE_SZ, MAX_REPORT_BYTES);
    pid = fork();
    if (pid == 0)
        child_run(host, body, remove, pw, gr ? gr->gr_gid : pw->pw_gid, fds[1]);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    d = xcalloc(1, sizeof(*d));
    *d = (struct delivery){ .done = done, .arg = arg, .report_fd = fds[0] };
    loop_child_watch(l, pid, on_end, d);
    return 0;
}

void files_append(const char *path, uid_t owner, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner)
        dprintf(fd, "%s\n", text);
    close(fd);
}
