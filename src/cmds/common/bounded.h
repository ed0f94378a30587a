/* bounded.h - arithmetic with numbers that a server has sent: they may be any, and what
 * leaves the range of the type stays at its end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_BOUNDED_H
#define CMDS_COMMON_BOUNDED_H

#include <stdint.h>

static inline int64_t bounded_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static inline int64_t bounded_sub(int64_t a, int64_t b)
{
    int64_t rest;

    if (__builtin_sub_overflow(a, b, &rest))
        return b < 0 ? INT64_MAX : INT64_MIN;
    return rest;
}

static inline int64_t bounded_mul(int64_t a, int64_t b)
{
    int64_t product;

    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

/* How many per cent of 'whole' > 0 'part' is, rounded down. Shares of numbers beyond
 * INT64_MAX / 100 are told by the hundredth part of the whole. */
static inline int64_t bounded_percent(int64_t part, int64_t whole)
{
    if (part > INT64_MAX / 100 && whole >= 100)
        return part / (whole / 100);
    return bounded_mul(part, 100) / whole;
}

#endif
