/* signals.c - signals arrive inside ppoll() only and are blocked everywhere else. So
 * none is lost that comes after the flags were looked at and before the wait begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/signals.h"

#include <signal.h>
#include <time.h>

/* The handler only writes these; whatever follows from a signal is done by the loop. */
static volatile sig_atomic_t stop_signal, hangup;

static void on_signal(int signo)
{
    if (signo == SIGHUP)
        hangup = 1;
    else
        stop_signal = signo;
}

static void blocked_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

void signals_setup(void)
{
    struct sigaction sa = { .sa_handler = on_signal };
    sigset_t set;

    blocked_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&sa.sa_mask);
    sigaction(SIGHUP, &sa, NULL);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    /* A write to a connection that the server has closed returns EPIPE instead. */
    sa.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &sa, NULL);
    /* The other daemons take no notice of these two; a scheduler that ended by them
     * would surprise an administrator who sends them to all. */
    sigaction(SIGUSR1, &sa, NULL);
    sigaction(SIGUSR2, &sa, NULL);
}

int signals_stop(void)
{
    return stop_signal;
}

bool signals_take_hangup(void)
{
    /* No SIGHUP can come between these two lines, since it is blocked here. */
    bool came = hangup;

    hangup = 0;
    return came;
}

bool signals_came(void)
{
    return hangup || stop_signal;
}

int signals_wait(struct pollfd *fds, nfds_t n, int64_t timeout_ms)
{
    struct timespec t = { .tv_sec = timeout_ms / 1000,
                          .tv_nsec = timeout_ms % 1000 * 1000000 };
    sigset_t none;

    /* Nothing is blocked while ppoll() waits, and only then. */
    sigemptyset(&none);
    return ppoll(fds, n, timeout_ms < 0 ? NULL : &t, &none);
}
