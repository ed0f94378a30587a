/* clock.h - the real clocks. Only shells read them, once per turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CLOCK_H
#define LIB_IO_CLOCK_H

#include "lib/base/base.h"

int64_t clock_read(void);    /* seconds since the epoch */
int64_t clock_read_us(void); /* microseconds since the epoch */
int64_t clock_mono_ms(void); /* milliseconds that never run backwards */

/* Seconds since the epoch, as the real clock showed them when this process first asked,
 * and from then on by a clock that nobody sets: for deadlines and for what lasts, which
 * must not end when the host's clock is put right. Another process, or
 * clock_steady_from, may count from another instant. */
int64_t clock_steady(void);
/* The host's boot by clock_steady(), in microseconds since the epoch; what a process
 * was given by one of the same boot goes on here. Before the first clock_steady(). */
int64_t clock_steady_boot_us(void);
void clock_steady_from(int64_t boot_us);

#endif
