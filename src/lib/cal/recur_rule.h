/* recur_rule.h - the text of a recurrence rule as a struct.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_RECUR_RULE_H
#define LIB_CAL_RECUR_RULE_H

#include "lib/base/date.h"

#define RECUR_LAST_AT INT64_C(253370764800) /* the first of January 9999 */

enum recur_frequency {
    RECUR_SECONDLY,
    RECUR_MINUTELY,
    RECUR_HOURLY,
    RECUR_DAILY,
    RECUR_WEEKLY,
    RECUR_MONTHLY,
    RECUR_YEARLY,
    RECUR_FREQUENCIES,
};

extern const char *const recur_frequencies[RECUR_FREQUENCIES]; /* "SECONDLY", ... */
extern const char *const recur_weekdays[7];                    /* "SU" .. "SA" */

struct recur_rule {
    enum recur_frequency frequency;
    int interval;   /* 1 .. 32767 */
    int week_start; /* 0 Sunday .. 6; Monday when not given */
    uint32_t count; /* 0: not given */
    bool has_until;
    bool until_is_utc; /* else of the zone's clocks */
    struct date until;
    /* Sets as bits; 0: not given. */
    uint32_t hours;  /* 0 .. 23 */
    uint32_t days;   /* 0 Sunday .. 6 */
    uint32_t months; /* 1 .. 12 */
    bool never;      /* a month that no year has: read, and without an occurrence */
};

/* The parts of recur.h, in any order and case, each at most once, FREQ among them.
 * False for anything else. COUNT and UNTIL exclude each other. */
bool recur_rule_parse(const char *text, struct recur_rule *ret) MUST_CHECK;

#endif
