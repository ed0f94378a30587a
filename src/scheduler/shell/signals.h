/* signals.h - signals of the scheduler: noticed only while it waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_SIGNALS_H
#define SCHEDULER_SHELL_SIGNALS_H

#include "lib/base/base.h"

#include <poll.h>

/* From now on HUP, INT and TERM are held back except during signals_wait(). */
void signals_setup(void);

/* The number of the signal that asks the daemon to end, 0: none yet. */
int signals_stop(void);

/* True once after each SIGHUP. */
bool signals_take_hangup(void);

/* True while a signal has come that nobody has acted on: a SIGHUP that is not taken, or
 * one that asks for the end. Whoever has nothing to do looks here before waiting, since
 * the signal may have come while the scheduler waited for the answer to a request. */
bool signals_came(void);

/* poll() that signals interrupt: as poll(), -1 when a signal came. timeout_ms < 0:
 * none. */
int signals_wait(struct pollfd *fds, nfds_t n, int64_t timeout_ms);

#endif
