/* demux_serve.c - see demux_serve.h.
 *
 * Whoever has not shown the job's cookie may be anybody of the network. Where no place
 * is left, the one of them that came first is sent away; when all have shown it nobody
 * else is taken until one of them goes, and waits in the queue of the kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/demux_serve.h"

#include "mom/shell/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct writer { /* a task on another host */
    int fd;
    bool error;      /* it writes error output */
    size_t n_cookie; /* bytes of the cookie that have come */
    uint64_t came;   /* numbers count up */
};

struct serving {
    const struct demux_work *work;
    int hold_fd; /* -1: the job has ended */
    int file_fd[2];
    /* What was said already. */
    bool cannot_open[2], cannot_write[2], cannot_accept, is_crowded;
    bool is_full; /* nobody is taken until somebody goes */
    uint64_t n_came;
    size_t n;
    struct writer *writers; /* room for work->most */
    struct pollfd *polls;   /* ... and 3 */
};

void demux_say(const struct demux_work *w, const char *fmt, ...)
{
    struct demux_remark r = { .is_ready = false };
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(r.text, sizeof(r.text), fmt, ap);
    va_end(ap);
    /* A MoM that is gone, or does not read, hears nothing. */
    if (write(w->report_fd, &r, sizeof(r)) < 0)
        return;
}

static void say_ready(const struct demux_work *w)
{
    const struct demux_remark r = { .is_ready = true };

    if (write(w->report_fd, &r, sizeof(r)) < 0)
        return;
}

static bool is_first(bool *said)
{
    bool first = !*said;

    *said = true;
    return first;
}

static const char *path_of(const struct demux_work *w, bool error)
{
    return w->path[error] ? w->path[error] : w->path[!error];
}

/* Open at the first word: the job's own process makes the files when it starts. */
static int file_of(struct serving *s, bool error)
{
    const struct demux_work *w = s->work;
    struct diag why;

    if (!w->path[error]) /* the two are joined */
        error = !error;
    if (s->file_fd[error] < 0 && w->path[error])
        s->file_fd[error] =
            plain_open(w->path[error], O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW,
                       0666 & ~w->umask, &why);
    if (s->file_fd[error] < 0 && is_first(&s->cannot_open[error]))
        demux_say(w, "what tasks on other hosts write is lost: cannot open %s",
                  w->path[error] ? why.text : "an output");
    return s->file_fd[error];
}

/* A full disk takes the output of the top task neither: what does not fit is lost. */
static void write_all(struct serving *s, bool error, const char *data, size_t len)
{
    int fd = file_of(s, error);

    while (fd >= 0 && len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (is_first(&s->cannot_write[error]))
                demux_say(s->work,
                          "what tasks on other hosts write is lost: cannot write %s: "
                          "%s",
                          path_of(s->work, error), strerror(errno));
            return;
        }
        data += n;
        len -= (size_t)n;
    }
}

static bool is_known(const struct serving *s, const struct writer *from)
{
    return from->n_cookie == strlen(s->work->cookie);
}

/* False: it is over, or it has not shown the right cookie. */
static bool take_words(struct serving *s, struct writer *from)
{
    char data[16384];
    ssize_t n = read(from->fd, data, sizeof(data));
    size_t at = 0;

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    for (; at < (size_t)n && !is_known(s, from); at++)
        if (data[at] != s->work->cookie[from->n_cookie++])
            return false;
    if (at < (size_t)n)
        write_all(s, from->error, data + at, (size_t)n - at);
    return true;
}

static void send_away(struct serving *s, size_t i)
{
    close(s->writers[i].fd);
    s->writers[i] = s->writers[--s->n];
    s->is_full = false;
}

/* False: all have shown the cookie. */
static bool make_place(struct serving *s)
{
    size_t first = s->n;

    for (size_t i = 0; i < s->n; i++)
        if (!is_known(s, &s->writers[i]) &&
            (first == s->n || s->writers[i].came < s->writers[first].came))
            first = i;
    if (first == s->n)
        return false;
    send_away(s, first);
    return true;
}

static void take_writer(struct serving *s, bool error)
{
    const struct demux_work *w = s->work;
    int fd;

    if (s->n == w->most && !make_place(s)) {
        if (is_first(&s->is_crowded))
            demux_say(w,
                      "%zu connections of tasks on other hosts are open: others wait",
                      s->n);
        s->is_full = true;
        return;
    }
    fd = accept4(w->listen_fd[error], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
        s->writers[s->n++] =
            (struct writer){ .fd = fd, .error = error, .came = s->n_came++ };
        return;
    }
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
        return; /* whoever had come has gone */
    if (is_first(&s->cannot_accept))
        demux_say(w, "a task on another host waits to be taken: %s", strerror(errno));
    s->is_full = !make_place(s);
}

/* Places that are not watched have -1. */
static void watch_all(struct serving *s)
{
    for (int i = 0; i < 2; i++)
        s->polls[i] = (struct pollfd){ .fd = s->is_full ? -1 : s->work->listen_fd[i],
                                       .events = POLLIN };
    s->polls[2] = (struct pollfd){ .fd = s->hold_fd, .events = POLLIN };
    for (size_t i = 0; i < s->n; i++)
        s->polls[3 + i] = (struct pollfd){ .fd = s->writers[i].fd, .events = POLLIN };
}

/* From the last on, so that a place that becomes free is filled with one that was
 * looked at. */
static void take_all(struct serving *s)
{
    for (size_t i = s->n; i-- > 0;)
        if (s->polls[3 + i].revents && !take_words(s, &s->writers[i]))
            send_away(s, i);
}

static void turn(struct serving *s)
{
    int n;

    watch_all(s);
    n = poll(s->polls, (nfds_t)(s->n + 3), s->hold_fd < 0 ? s->work->drain_ms : -1);
    if (n < 0 && errno == EINTR)
        return;
    if (n < 0) {
        demux_say(s->work, "poll: %s", strerror(errno));
        _exit(1);
    }
    if (n == 0) {
        demux_say(s->work,
                  "%zu tasks on other hosts say nothing and stay connected: they are "
                  "not heard any more",
                  s->n);
        _exit(0);
    }
    take_all(s);
    for (int i = 0; i < 2; i++)
        if (s->polls[i].revents)
            take_writer(s, i == 1);
    /* Nobody writes to this one: its end is that of the shepherd. */
    if (s->polls[2].revents)
        s->hold_fd = -1;
    if (s->hold_fd < 0 && s->n == 0)
        _exit(0);
}

NORETURN void demux_serve(const struct demux_work *w)
{
    struct serving s = { .work = w, .hold_fd = w->hold_fd, .file_fd = { -1, -1 } };

    MUST(w->most > 0);
    s.writers = xcalloc(w->most, sizeof(*s.writers));
    s.polls = xcalloc(w->most + 3, sizeof(*s.polls));
    signal(SIGPIPE, SIG_IGN); /* the MoM may be gone */
    say_ready(w);
    for (;;)
        turn(&s);
}
