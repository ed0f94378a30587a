/* loop_child.c - children of the process that the loop watches.
 *
 * The kernel names one child that has ended. Only a watched one is taken, so that a
 * library's own children are left alone. A child of somebody else that has ended and is
 * not taken is named again and again and hides the others: then each watched child is
 * asked for by its number. A callback may watch and forget other children, so nothing
 * of the list is kept over it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/loop_priv.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <event2/event.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>
#include <utlist.h>

struct loop_child {
    struct loop *loop;
    pid_t pid;
    loop_child_fn fn;
    void *arg;
    struct loop_child *prev, *next;
    UT_hash_handle hh;
};

static void unlist(struct loop_child *c)
{
    HASH_DEL(c->loop->children_hash, c);
    DL_DELETE(c->loop->children, c);
}

/* Take the child if it has ended, and tell whoever watches it. */
static bool child_reap(struct loop_child *c)
{
    int status;

    if (waitpid(c->pid, &status, WNOHANG) != c->pid)
        return false;
    unlist(c);
    if (c->fn)
        c->fn(c->arg, c->pid, status);
    free(c);
    return true;
}

/* Who was asked for stands last, so that those who were not come first the next time.
 */
static bool ask_for_each(struct loop *l)
{
    struct loop_child *c;

    for (size_t n = HASH_CNT(hh, l->children_hash); n > 0; n--) {
        c = l->children;
        DL_DELETE(l->children, c);
        DL_APPEND(l->children, c);
        if (child_reap(c))
            return true;
    }
    return false;
}

/* Take one child that has ended; false when there is none that is watched. */
static bool child_reap_one(struct loop *l)
{
    siginfo_t ended = { 0 };
    struct loop_child *c;

    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == 0)
        return false;
    HASH_FIND(hh, l->children_hash, &ended.si_pid, sizeof(ended.si_pid), c);
    return c ? child_reap(c) : ask_for_each(l);
}

/* What follows from the end of a child may take a while, and thousands may end at once:
 * the others of the loop have their turn in between. */
static void reap(void *arg)
{
    struct loop *l = arg;
    size_t n = 0;

    while (n < LOOP_CHILDREN_IN_TURN && child_reap_one(l))
        n++;
    if (n == LOOP_CHILDREN_IN_TURN)
        loop_timer_set(l->reap_on, 0);
}

static void on_sigchld(void *arg, int signo)
{
    struct loop *l = arg;

    (void)signo;
    if (!loop_timer_is_set(l->reap_on)) /* else it looks in this turn or the next one */
        reap(l);
}

struct loop_child *loop_child_watch(struct loop *l, pid_t pid, loop_child_fn fn,
                                    void *arg)
{
    struct loop_child *c = xcalloc(1, sizeof(*c));

    MUST(pid > 0); /* 0 and below mean any child to waitpid() */
    c->loop = l;
    c->pid = pid;
    c->fn = fn;
    c->arg = arg;
    DL_APPEND(l->children, c);
    HASH_ADD(hh, l->children_hash, pid, sizeof(c->pid), c);
    if (!l->reap_on)
        l->reap_on = loop_timer_new(l, reap, l);
    if (!l->sigchld)
        l->sigchld = loop_signal_new(l, SIGCHLD, on_sigchld, l);
    /* It may have ended before anybody watched: look once in the next turn. */
    event_active(l->sigchld->ev, EV_SIGNAL, 1);
    return c;
}

void loop_child_forget(struct loop_child *c)
{
    if (!c)
        return;
    unlist(c);
    free(c);
}
