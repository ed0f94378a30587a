/* measure.h - what the programs of test/bench that measure in rounds have in common.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_BENCH_MEASURE_H
#define TEST_BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

/* The processor time of this process so far, in milliseconds. Time in which others have
 * the processor does not count. */
static inline double measure_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline int measure_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle one of v[0..n), n > 0, the upper one of two. The values are sorted. */
static inline double measure_median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), measure_compare);
    return v[n / 2];
}

#endif
