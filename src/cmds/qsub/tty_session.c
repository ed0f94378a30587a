/* tty_session.c - see tty_session.h.
 *
 * One process carries both directions. Nothing is read that cannot be passed on, so
 * each direction holds at most one piece, and neither waits for the other: a job that
 * does not read what is typed can still be watched, and ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/tty_session.h"

#include "cmds/qsub/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define PIECE_BYTES 4096

static const int control_of[TERMINAL_N_CONTROL] = { VINTR, VQUIT, VERASE,
                                                    VKILL, VEOF,  VSUSP };
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static volatile sig_atomic_t ended_by;

void tty_describe(struct terminal *ret)
{
    const char *type = getenv("TERM");
    struct termios tio = { 0 };
    struct winsize size = { 0 };

    *ret = (struct terminal){ .type = "" };
    /* What does not fit is sent as an unknown type (terminal.h). */
    if (type && strlen(type) < sizeof(ret->type))
        memcpy(ret->type, type, strlen(type) + 1);
    if (tcgetattr(STDIN_FILENO, &tio) == 0)
        for (size_t i = 0; i < TERMINAL_N_CONTROL; i++)
            ret->control[i] = tio.c_cc[control_of[i]];
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) {
        ret->rows = size.ws_row;
        ret->cols = size.ws_col;
        ret->x_pixels = size.ws_xpixel;
        ret->y_pixels = size.ws_ypixel;
    }
}

struct session {
    int fd;
    struct termios before;
    struct keys keys;
    struct buf to_job;     /* typed, and not sent yet */
    struct buf to_user;    /* printed by the job, and not shown yet */
    sigset_t while_polled; /* signals that were blocked before qsub blocked more */
    bool job_is_done;      /* it sends no more */
    bool over;
};

static void set_raw(const struct session *s)
{
    struct termios raw = s->before;

    /* The job's own terminal does all that this one does not do any more. */
    raw.c_lflag &= (tcflag_t) ~(ICANON | ISIG | ECHO | ECHOE | ECHOK);
    raw.c_iflag &= (tcflag_t) ~(IGNBRK | INLCR | ICRNL | IXON | IXOFF);
    raw.c_oflag &= (tcflag_t)~OPOST;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void set_back(const struct session *s)
{
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
}

/* The shell that has started qsub gets the terminal for a while. */
static void suspend(const struct session *s)
{
    set_back(s);
    (void)kill(getpid(), SIGTSTP);
    set_raw(s);
}

static void take_keys(struct session *s, const char *typed, size_t n)
{
    for (size_t i = 0; i < n && !s->over; i++) {
        switch (keys_type(&s->keys, (uint8_t)typed[i], &s->to_job)) {
        case KEYS_GO_ON:
            break;
        case KEYS_SUSPEND:
            suspend(s);
            break;
        case KEYS_END:
            s->over = true;
        }
    }
}

static bool is_passing(int error)
{
    return error == EINTR || error == EAGAIN;
}

static void read_keys(struct session *s)
{
    char typed[PIECE_BYTES];
    ssize_t n = read(STDIN_FILENO, typed, sizeof(typed));

    if (n > 0)
        take_keys(s, typed, (size_t)n);
    else if (n == 0 || !is_passing(errno))
        s->over = true; /* the terminal is gone */
}

static void read_job(struct session *s)
{
    char printed[PIECE_BYTES];
    ssize_t n = read(s->fd, printed, sizeof(printed));

    if (n > 0)
        buf_add(&s->to_user, printed, (size_t)n);
    else if (n == 0 || !is_passing(errno))
        s->job_is_done = true;
}

/* False when nobody takes it any more. */
static bool write_some(int fd, struct buf *b)
{
    ssize_t n = write(fd, b->data, b->len);

    if (n > 0)
        buf_eat(b, (size_t)n);
    return n >= 0 || is_passing(errno);
}

/* One wait, and what it brings. */
static void go_on(struct session *s)
{
    struct pollfd p[3] = {
        { .fd = s->to_job.len ? -1 : STDIN_FILENO, .events = POLLIN },
        { .fd = s->to_user.len ? STDOUT_FILENO : -1, .events = POLLOUT },
        { .fd = s->fd,
          .events = (short)((s->to_job.len ? POLLOUT : 0) |
                            (s->to_user.len || s->job_is_done ? 0 : POLLIN)) },
    };

    if (s->job_is_done && s->to_user.len == 0) {
        s->over = true;
        return;
    }
    if (s->job_is_done)
        p[0].fd = p[2].fd = -1; /* only what it has printed is left */
    if (ppoll(p, 3, NULL, &s->while_polled) < 0)
        return; /* a signal */
    if (p[1].revents && !write_some(STDOUT_FILENO, &s->to_user))
        s->over = true;
    if (p[2].revents & POLLOUT && !write_some(s->fd, &s->to_job))
        s->job_is_done = true;
    /* What the job has sent before it ended is still there to be read. */
    if (p[2].revents & (POLLIN | POLLHUP | POLLERR) && s->to_user.len == 0)
        read_job(s);
    if (p[0].revents)
        read_keys(s);
}

static void on_end(int signo)
{
    ended_by = signo;
}

/* Signals that would end qsub end the session instead, so that the terminal is put
 * back first. They come while it waits and at no other time. */
static void hold_signals(struct session *s)
{
    struct sigaction sa = { .sa_handler = on_end };
    sigset_t held;

    sigemptyset(&held);
    ended_by = 0;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        sigaction(ends[i], &sa, NULL);
        sigaddset(&held, ends[i]);
    }
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &held, &s->while_polled);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        sigdelset(&s->while_polled, ends[i]);
}

int tty_session(int fd)
{
    struct session s = { .fd = fd };

    fflush(stdout);
    if (tcgetattr(STDIN_FILENO, &s.before) != 0)
        return 0;
    keys_init(&s.keys, s.before.c_cc[VKILL], s.before.c_cc[VINTR],
              s.before.c_cc[VSUSP]);
    hold_signals(&s);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    set_raw(&s);
    while (!s.over && !ended_by)
        go_on(&s);
    set_back(&s);
    buf_fini(&s.to_job);
    buf_fini(&s.to_user);
    return ended_by;
}
