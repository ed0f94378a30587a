/* demux.c - see demux.h. Everything below demux_start() runs in the forked process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/demux.h"

#include "lib/io/child.h"
#include "mom/shell/plain.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define MAX_WRITERS 4096   /* connections at a time */
#define DRAIN_MS    300000 /* after the job, for the last words */

struct demux { /* of a job that is to start */
    char *job_id;
    int hold_fd;
    UT_hash_handle hh;
};

void demux_cookie(char cookie[COOKIE_BYTES])
{
    uint8_t bytes[(COOKIE_BYTES - 1) / 2];
    ssize_t got = getrandom(bytes, sizeof(bytes), 0);

    /* The kernel gives so few bytes whole once it has begun. A cookie that others could
     * guess would let them act as the job. */
    MUST(got == (ssize_t)sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(cookie + 2 * i, 3, "%02X", bytes[i]);
}

static struct demux *find(struct shell *s, const char *job_id)
{
    struct demux *d;

    HASH_FIND_STR(s->demuxes, job_id, d);
    return d;
}

int demux_hold(struct shell *s, const char *job_id)
{
    const struct demux *d = find(s, job_id);

    return d ? d->hold_fd : -1;
}

static void release(struct shell *s, struct demux *d)
{
    HASH_DEL(s->demuxes, d);
    close(d->hold_fd);
    free(d->job_id);
    free(d);
}

void demux_release(struct shell *s, const char *job_id)
{
    struct demux *d = find(s, job_id);

    if (d)
        release(s, d);
}

void demux_close_all(struct shell *s)
{
    struct demux *d, *next;

    HASH_ITER (hh, s->demuxes, d, next)
        release(s, d);
}

/* A port of its own for each of the two files. */
static int open_port(uint16_t *ret)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
        listen(fd, 128) == 0 && getsockname(fd, (struct sockaddr *)&at, &len) == 0) {
        *ret = ntohs(at.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

struct writer { /* a task on another host */
    int fd;
    bool error;      /* it writes error output */
    size_t n_cookie; /* bytes of the cookie that have come */
};

struct work {
    const char *cookie;
    struct plan plan;
    int listen_fd[2], hold_fd; /* -1: the job has ended */
    int file_fd[2];
    size_t n;
    struct writer writers[MAX_WRITERS];
    struct pollfd polls[MAX_WRITERS + 3];
};

static bool become_user(const struct plan *p)
{
    if (geteuid() != 0)
        return geteuid() == p->uid;
    return initgroups(p->user, p->gid) == 0 && setgid(p->gid) == 0 &&
           setuid(p->uid) == 0;
}

/* Open at the first word: the job's own process makes the files when it starts. */
static int file_of(struct work *w, bool error)
{
    const struct plan *p = &w->plan;
    const char *path = error ? p->err.path : p->out.path;
    struct diag why;

    if (!path) { /* the two are joined */
        error = !error;
        path = error ? p->err.path : p->out.path;
    }
    if (w->file_fd[error] < 0 && path)
        w->file_fd[error] = plain_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW,
                                       0666 & ~p->umask, &why);
    return w->file_fd[error];
}

static void write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* a full disk takes the output of the top task neither */
        data += n;
        len -= (size_t)n;
    }
}

/* False: it is over, or it has not shown the right cookie. */
static bool take_words(struct work *w, struct writer *from)
{
    char data[16384];
    ssize_t n = read(from->fd, data, sizeof(data));
    size_t at = 0;

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    for (; at < (size_t)n && from->n_cookie < COOKIE_BYTES - 1; at++)
        if (data[at] != w->cookie[from->n_cookie++])
            return false;
    if (at < (size_t)n)
        write_all(file_of(w, from->error), data + at, (size_t)n - at);
    return true;
}

static void take_writer(struct work *w, bool error)
{
    int fd = accept4(w->listen_fd[error], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    if (w->n == MAX_WRITERS) {
        close(fd);
        return;
    }
    w->writers[w->n++] = (struct writer){ .fd = fd, .error = error };
}

static void watch_all(struct work *w)
{
    w->polls[0] = (struct pollfd){ .fd = w->listen_fd[0], .events = POLLIN };
    w->polls[1] = (struct pollfd){ .fd = w->listen_fd[1], .events = POLLIN };
    w->polls[2] = (struct pollfd){ .fd = w->hold_fd, .events = POLLIN };
    for (size_t i = 0; i < w->n; i++)
        w->polls[3 + i] = (struct pollfd){ .fd = w->writers[i].fd, .events = POLLIN };
}

/* From the last on, so that a place that becomes free is filled with one that was
 * looked at. */
static void take_all(struct work *w)
{
    for (size_t i = w->n; i-- > 0;) {
        if (!w->polls[3 + i].revents || take_words(w, &w->writers[i]))
            continue;
        close(w->writers[i].fd);
        w->writers[i] = w->writers[--w->n];
    }
}

static NORETURN void serve(struct work *w)
{
    for (;;) {
        int n;

        watch_all(w);
        n = poll(w->polls, (nfds_t)(w->n + 3), w->hold_fd < 0 ? DRAIN_MS : -1);
        if (n < 0 && errno != EINTR)
            _exit(1);
        if (n == 0)
            _exit(0);
        take_all(w);
        for (int i = 0; i < 2; i++)
            if (n > 0 && w->polls[i].revents)
                take_writer(w, i == 1);
        /* Nobody writes to this one: its end is that of the shepherd. */
        if (n > 0 && w->polls[2].revents)
            w->hold_fd = -1;
        if (w->hold_fd < 0 && w->n == 0)
            _exit(0);
    }
}

static NORETURN void demux_run(struct shell *s, const char *job_id, const char *cookie,
                               const int fds[3])
{
    struct work *w = xcalloc(1, sizeof(*w));
    int *const keep[] = { &w->listen_fd[0], &w->listen_fd[1], &w->hold_fd };
    struct diag why;

    memcpy(w->listen_fd, fds, sizeof(w->listen_fd));
    w->hold_fd = fds[2];
    w->cookie = cookie;
    w->file_fd[0] = w->file_fd[1] = -1;
    setsid();
    prctl(PR_SET_NAME, "pbs_demux");
    if (!child_keep_only(keep, 3) ||
        plan_make(&s->host, job_id, mom_job_attrs(s->mom, job_id), NULL, arena_new(),
                  &w->plan, &why) != 0 ||
        !become_user(&w->plan))
        _exit(1);
    prctl(PR_SET_DUMPABLE, 0);
    serve(w);
}

static void on_end(void *arg, pid_t pid, int status)
{
    (void)arg;
    (void)pid;
    (void)status;
}

static void keep_hold(struct shell *s, const char *job_id, int fd)
{
    struct demux *d = xcalloc(1, sizeof(*d));

    demux_release(s, job_id); /* of an earlier run that was given up */
    d->job_id = xstrdup(job_id);
    d->hold_fd = fd;
    HASH_ADD_KEYPTR(hh, s->demuxes, d->job_id, strlen(d->job_id), d);
}

void demux_start(struct shell *s, const char *job_id, struct mom_out *out)
{
    char cookie[COOKIE_BYTES];
    uint16_t ports[2] = { 0, 0 };
    int fds[3] = { open_port(&ports[0]), open_port(&ports[1]), -1 }, hold[2];
    bool ok = fds[0] >= 0 && fds[1] >= 0 && pipe2(hold, O_CLOEXEC) == 0;
    pid_t pid = -1;

    demux_cookie(cookie);
    if (ok) {
        fds[2] = hold[0];
        pid = fork();
        if (pid == 0)
            demux_run(s, job_id, cookie, fds);
        close(hold[0]);
        if (pid > 0)
            keep_hold(s, job_id, hold[1]);
        else
            close(hold[1]);
    }
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (pid > 0)
        (void)loop_child_watch(s->loop, pid, on_end, NULL);
    else
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, strerror(errno));
    mom_prepared(s->mom, clock_read(), job_id, pid > 0 ? cookie : NULL, ports[0],
                 ports[1], out);
}
