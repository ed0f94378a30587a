/* zone_rule.h - "EST5EDT,M3.2.0,M11.1.0": how a zone goes on for ever (POSIX TZ, with
 * the wider hours of RFC 8536).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_ZONE_RULE_H
#define LIB_CAL_ZONE_RULE_H

#include "lib/base/base.h"

/* A day of each year, and the local time of the change on it. */
struct zone_change {
    char form;      /* 'M': month, week, weekday; 'J': day 1..365 without 29 February;
                     * '0': day 0..365 */
    int month;      /* 1 .. 12 */
    int week;       /* 1 .. 4, 5: the last */
    int day;        /* weekday from Sunday 0, or day of the year */
    int64_t time_s; /* may be negative or more than a day */
};

struct zone_rule {
    int64_t std_s; /* ahead of UTC */
    bool has_dst;
    int64_t dst_s;
    struct zone_change begins, ends;
};

/* False when the text is no such rule; *ret is then undefined. */
bool zone_rule_parse(const char *text, struct zone_rule *ret) MUST_CHECK;

/* How far local time is ahead of UTC at that instant, in seconds; west of Greenwich it
 * is negative. */
int64_t zone_rule_offset_s(const struct zone_rule *r, int64_t at);

#endif
