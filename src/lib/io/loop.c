/* loop.c - the event loop over libevent.
 *
 * Each handle owns one event; freeing a handle deletes the event, so that a callback
 * that was already due does not run any more. libevent calls what is ready in one pass
 * (EVLOOP_ONCE); that pass is a turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/loop_priv.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

struct loop_timer {
    struct event *ev;
    loop_fn fn;
    void *arg;
};

struct loop_fd {
    struct loop *loop;
    int fd;
    /* libevent has one mask for an event and no way to change it while it is
     * pending. */
    struct event *read, *write; /* two, so that each is switched by itself */
    unsigned wanted;
    loop_fd_fn fn;
    void *arg;
};

/* libevent refuses an event only when there is no memory. A daemon stops then. */
static struct event *need(struct event *ev)
{
    if (!ev)
        abort();
    return ev;
}

struct loop *loop_new(void)
{
    struct event_config *cfg = event_config_new();
    struct event_base *base;
    struct loop *l;

    if (!cfg)
        return NULL;
    /* Otherwise libevent reads a coarse clock, and timers are milliseconds off. */
    event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER);
    base = event_base_new_with_config(cfg);
    event_config_free(cfg);
    if (!base)
        return NULL;
    l = xcalloc(1, sizeof(*l));
    l->base = base;
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    while (l->children) /* they go on without us */
        loop_child_forget(l->children);
    /* Before the base, which its event belongs to. */
    loop_signal_free(l->sigchld);
    loop_timer_free(l->reap_on);
    event_base_free(l->base);
    free(l);
}

void loop_at_turn_end(struct loop *l, loop_fn fn, void *arg)
{
    l->turn_end = fn;
    l->turn_end_arg = arg;
}

void loop_stop(struct loop *l)
{
    l->stopping = true;
}

bool loop_turn(struct loop *l, bool wait)
{
    int rc;

    /* Asked to stop before it began, it calls nobody any more. */
    if (l->stopping)
        return false;
    rc = event_base_loop(l->base, EVLOOP_ONCE | (wait ? 0 : EVLOOP_NONBLOCK));
    /* Whatever the callbacks of this turn have decided goes to the store together
     * here. */
    if (l->turn_end)
        l->turn_end(l->turn_end_arg);
    /* 1 means that there is no event left to wait for. */
    return rc == 0 && !l->stopping;
}

void loop_run(struct loop *l)
{
    while (loop_turn(l, true))
        ;
    /* The loop may be run again, as tests do. */
    l->stopping = false;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct loop_timer *t = arg;

    (void)fd;
    (void)what;
    t->fn(t->arg);
}

struct loop_timer *loop_timer_new(struct loop *l, loop_fn fn, void *arg)
{
    struct loop_timer *t = xcalloc(1, sizeof(*t));

    MUST(fn);
    t->fn = fn;
    t->arg = arg;
    t->ev = need(event_new(l->base, -1, 0, on_timer, t));
    return t;
}

void loop_timer_set(struct loop_timer *t, int64_t delay_ms)
{
    struct timeval tv;

    /* A deadline that has passed by is due at once, not in some unsigned number of
     * years. */
    delay_ms = MAX_OF(delay_ms, 0);
    tv.tv_sec = (time_t)(delay_ms / 1000);
    tv.tv_usec = (suseconds_t)(delay_ms % 1000 * 1000);
    if (event_add(t->ev, &tv) < 0)
        abort();
}

void loop_timer_clear(struct loop_timer *t)
{
    event_del(t->ev);
}

bool loop_timer_is_set(const struct loop_timer *t)
{
    return event_pending(t->ev, EV_TIMEOUT, NULL) != 0;
}

void loop_timer_free(struct loop_timer *t)
{
    if (!t)
        return;
    event_free(t->ev);
    free(t);
}

static void on_fd(evutil_socket_t fd, short what, void *arg)
{
    struct loop_fd *f = arg;

    f->fn(f->arg, fd, what & EV_READ ? LOOP_READ : LOOP_WRITE);
}

struct loop_fd *loop_fd_new(struct loop *l, int fd, loop_fd_fn fn, void *arg)
{
    struct loop_fd *f = xcalloc(1, sizeof(*f));

    MUST(fd >= 0 && fn);
    f->loop = l;
    f->fd = fd;
    f->fn = fn;
    f->arg = arg;
    f->read = need(event_new(l->base, fd, EV_READ | EV_PERSIST, on_fd, f));
    f->write = need(event_new(l->base, fd, EV_WRITE | EV_PERSIST, on_fd, f));
    return f;
}

/* Both fail only without memory, or for a descriptor that was closed behind our
 * back; then nothing that the loop says can be trusted. */
static void fd_switch(struct event *ev, bool on)
{
    if ((on ? event_add(ev, NULL) : event_del(ev)) < 0)
        abort();
}

void loop_fd_want(struct loop_fd *f, unsigned wanted)
{
    /* Most calls change nothing, and each change is a system call. */
    unsigned changed = f->wanted ^ wanted;

    MUST((wanted & ~(unsigned)(LOOP_READ | LOOP_WRITE)) == 0);
    if (changed & LOOP_READ)
        fd_switch(f->read, wanted & LOOP_READ);
    if (changed & LOOP_WRITE)
        fd_switch(f->write, wanted & LOOP_WRITE);
    f->wanted = wanted;
}

void loop_fd_free(struct loop_fd *f)
{
    if (!f)
        return;
    event_free(f->read);
    event_free(f->write);
    free(f);
}

static void on_signal(evutil_socket_t signo, short what, void *arg)
{
    struct loop_signal *s = arg;

    (void)what;
    s->fn(s->arg, (int)signo);
}

struct loop_signal *loop_signal_new(struct loop *l, int signo, loop_signal_fn fn,
                                    void *arg)
{
    struct loop_signal *s = xcalloc(1, sizeof(*s));

    MUST(signo > 0 && fn);
    s->fn = fn;
    s->arg = arg;
    s->ev = need(event_new(l->base, signo, EV_SIGNAL | EV_PERSIST, on_signal, s));
    if (event_add(s->ev, NULL) < 0)
        abort();
    return s;
}

void loop_signal_free(struct loop_signal *s)
{
    if (!s)
        return;
    event_free(s->ev);
    free(s);
}
