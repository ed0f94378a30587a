/* loop.h - the event loop of a daemon, over libevent 2.1.
 *
 * One thread runs the loop. A turn waits for events, calls what is ready, and then the
 * turn's end function, where a daemon collects what the turn produced (one store
 * transaction, one flush). Only loop_notify_poke() may be called from other threads or
 * from signal handlers.
 *
 * Every handle may be freed from inside any callback, its own too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_LOOP_H
#define LIB_IO_LOOP_H

#include "lib/base/base.h"
#include "lib/io/clock.h"

#include <sys/types.h>

struct loop;

/* NULL when the system refuses (errno tells). All handles but those of children must be
 * freed first. */
struct loop *loop_new(void);
void loop_free(struct loop *l);

/* Turns until loop_stop(); loop_stop() lets the current turn end. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* One turn, for tests: waits for events when 'wait', returns false when the loop was
 * stopped or has nothing to wait for. */
bool loop_turn(struct loop *l, bool wait);

typedef void (*loop_fn)(void *arg);
/* Called at the end of every turn; NULL: nothing. */
void loop_at_turn_end(struct loop *l, loop_fn fn, void *arg);

/* A one-shot timer. Set again to move it, also from its own callback. */
struct loop_timer;
struct loop_timer *loop_timer_new(struct loop *l, loop_fn fn, void *arg);
void loop_timer_set(struct loop_timer *t, int64_t delay_ms); /* < 0 counts as 0 */
void loop_timer_clear(struct loop_timer *t);
bool loop_timer_is_set(const struct loop_timer *t);
void loop_timer_free(struct loop_timer *t);

/* Readiness of a descriptor; the caller keeps the descriptor and closes it after
 * loop_fd_free(). Nothing is watched until loop_fd_want(). */
enum {
    LOOP_READ = 1,
    LOOP_WRITE = 2
};
struct loop_fd;
typedef void (*loop_fd_fn)(void *arg, int fd, unsigned ready);
struct loop_fd *loop_fd_new(struct loop *l, int fd, loop_fd_fn fn, void *arg);
void loop_fd_want(struct loop_fd *f, unsigned wanted);
void loop_fd_free(struct loop_fd *f);

/* A signal, handled inside the loop. */
struct loop_signal;
typedef void (*loop_signal_fn)(void *arg, int signo);
struct loop_signal *loop_signal_new(struct loop *l, int signo, loop_signal_fn fn,
                                    void *arg);
void loop_signal_free(struct loop_signal *s);

/* The end of a child process. Watching starts SIGCHLD handling for the loop. 'status'
 * is waitpid()'s. The handle frees itself after the call. Of many children that have
 * ended so many are told of in a turn. */
#define LOOP_CHILDREN_IN_TURN 10
typedef void (*loop_child_fn)(void *arg, pid_t pid, int status);
struct loop_child;
struct loop_child *loop_child_watch(struct loop *l, pid_t pid, loop_child_fn fn,
                                    void *arg);
void loop_child_forget(struct loop_child *c);

/* Called in the loop after loop_notify_poke() in any thread; several pokes may become
 * one call. */
struct loop_notify;
struct loop_notify *loop_notify_new(struct loop *l, loop_fn fn, void *arg);
void loop_notify_poke(struct loop_notify *n);
void loop_notify_free(struct loop_notify *n);

#endif
