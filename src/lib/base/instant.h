/* instant.h - sums of instants and spans, which people may set to any number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_INSTANT_H
#define LIB_BASE_INSTANT_H

#include "lib/base/base.h"

/* 'span_s' seconds after 'at'. INT64_MAX, which is never, when that is beyond all time;
 * INT64_MIN when a negative span leads before it. */
static inline int64_t instant_after(int64_t at, int64_t span_s)
{
    int64_t sum;

    if (!__builtin_add_overflow(at, span_s, &sum))
        return sum;
    return span_s < 0 ? INT64_MIN : INT64_MAX;
}

#endif
