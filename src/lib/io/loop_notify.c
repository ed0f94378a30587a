/* loop_notify.c - how another thread wakes the loop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/base.h"
#include "lib/io/loop.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct loop_notify {
    struct loop_fd *watch;
    int fd;
    loop_fn fn;
    void *arg;
};

/* Reading takes all pokes so far: the callback runs once for many of them. */
static void on_notify(void *arg, int fd, unsigned ready)
{
    struct loop_notify *n = arg;
    uint64_t count;

    (void)ready;
    if (read(fd, &count, sizeof(count)) == sizeof(count))
        n->fn(n->arg);
}

struct loop_notify *loop_notify_new(struct loop *l, loop_fn fn, void *arg)
{
    struct loop_notify *n = xcalloc(1, sizeof(*n));

    MUST(fn);
    n->fn = fn;
    n->arg = arg;
    /* Non-blocking for both ends: neither the loop nor who pokes it may stand still. */
    n->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (n->fd < 0)
        abort();
    n->watch = loop_fd_new(l, n->fd, on_notify, n);
    loop_fd_want(n->watch, LOOP_READ);
    return n;
}

void loop_notify_poke(struct loop_notify *n)
{
    const uint64_t one = 1;
    int saved = errno;

    /* It fails only when 2^64 pokes are waiting: then the loop wakes up anyway. */
    if (write(n->fd, &one, sizeof(one)) < 0)
        errno = saved;
}

void loop_notify_free(struct loop_notify *n)
{
    if (!n)
        return;
    loop_fd_free(n->watch);
    close(n->fd);
    free(n);
}
