/* idle_time.h - how long nobody has touched keyboard and mouse of this host
 * ($kbd_idle).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_IDLE_TIME_H
#define MOM_SHELL_IDLE_TIME_H

#include "lib/base/base.h"

/* Where nothing shows a touch, as if it were long ago. */
#define IDLE_TIME_LONG_S INT32_MAX

struct idle_time { /* between two looks */
    uint64_t n_interrupts;
    int64_t touched_at; /* as the interrupts show it */
};

/* Seconds since the last touch that is shown by the consoles and their terminals, by
 * the interrupts of keyboard and mouse, or by a file of 'home'/spool/idledir, which
 * programs that watch a display touch for their users. */
int64_t idle_time_read(struct idle_time *was, const char *home, int64_t now_at);

/* For tests: the interrupts of keyboard and mouse in a text like /proc/interrupts. */
uint64_t idle_time_count(const char *interrupts);
/* ... when somebody has typed at a console or its terminals, devices of that directory;
 * 0: nobody ever. */
int64_t idle_time_typed(const char *dev);

#endif
