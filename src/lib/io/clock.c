/* clock.c - the real clocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/clock.h"

#include <stdatomic.h>
#include <time.h>

/* When the host was booted, by the real clock of the first look; 0: nobody has asked.
 */
static _Atomic int64_t steady_boot_us;

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

/* What the host has been up, when it slept too. */
static int64_t up_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_BOOTTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_steady_boot_us(void)
{
    int64_t none = 0;

    /* Of threads that ask for the first time together one is right. */
    if (atomic_load(&steady_boot_us) == 0)
        atomic_compare_exchange_strong(&steady_boot_us, &none,
                                       clock_read_us() - up_us());
    return atomic_load(&steady_boot_us);
}

void clock_steady_from(int64_t boot_us)
{
    atomic_store(&steady_boot_us, boot_us);
}

int64_t clock_steady(void)
{
    return (clock_steady_boot_us() + up_us()) / 1000000;
}

int64_t clock_mono_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
