/* clock.c - the real clocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/clock.h"

#include <time.h>

int64_t clock_read_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_read(void)
{
    return clock_read_us() / 1000000;
}

int64_t clock_mono_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
