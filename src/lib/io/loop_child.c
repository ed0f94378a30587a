/* loop_child.c - children of the process that the loop watches.
 *
 * The kernel names one child that has ended. Only a watched one is taken, so that a
 * library's own children are left alone. A child of somebody else that has ended and is
 * not taken is named again and again and hides the others: then each watched child is
 * asked for by its number. A callback may watch and forget other children, so the
 * search begins anew after each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/loop_priv.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <event2/event.h>
#include <utlist.h>

struct loop_child {
    struct loop *loop;
    pid_t pid;
    loop_child_fn fn;
    void *arg;
    struct loop_child *prev, *next;
};

/* Take the child if it has ended, and tell whoever watches it. */
static bool child_reap(struct loop *l, struct loop_child *c)
{
    int status;

    if (waitpid(c->pid, &status, WNOHANG) != c->pid)
        return false;
    DL_DELETE(l->children, c);
    if (c->fn)
        c->fn(c->arg, c->pid, status);
    free(c);
    return true;
}

/* Take one child that has ended; false when there is none that is watched. */
static bool child_reap_one(struct loop *l)
{
    siginfo_t ended = { 0 };
    struct loop_child *c;

    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == 0)
        return false;
    DL_FOREACH (l->children, c)
        if (c->pid == ended.si_pid)
            return child_reap(l, c);
    DL_FOREACH (l->children, c)
        if (child_reap(l, c))
            return true;
    return false;
}

static void on_sigchld(void *arg, int signo)
{
    (void)signo;
    while (child_reap_one(arg))
        ;
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
    DL_DELETE(c->loop->children, c);
    free(c);
}
