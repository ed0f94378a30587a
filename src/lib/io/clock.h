/* clock.h - the real clocks. Only shells read them, once per turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CLOCK_H
#define LIB_IO_CLOCK_H

#include "lib/base/base.h"

int64_t clock_read(void);    /* seconds since the epoch */
int64_t clock_read_us(void); /* microseconds since the epoch */
int64_t clock_mono_ms(void); /* milliseconds that never run backwards */

#endif
