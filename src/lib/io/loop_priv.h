/* loop_priv.h - a loop from the inside, for loop.c and loop_child.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_LOOP_PRIV_H
#define LIB_IO_LOOP_PRIV_H

#include "lib/io/loop.h"

struct event;
struct event_base;

struct loop {
    struct event_base *base;
    loop_fn turn_end;
    void *turn_end_arg;
    bool stopping;
    struct loop_signal *sigchld;                 /* while children are watched */
    struct loop_timer *reap_on;                  /* more children may have ended */
    struct loop_child *children, *children_hash; /* by their process */
};

struct loop_signal {
    struct event *ev;
    loop_signal_fn fn;
    void *arg;
};

#endif
