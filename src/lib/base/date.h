/* date.h - instants as people read them, without a time zone data base: the caller says
 * how far local time is ahead of UTC.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_DATE_H
#define LIB_BASE_DATE_H

#include "lib/base/base.h"

struct date {
    int64_t year;
    int month;   /* 1 .. 12 */
    int day;     /* 1 .. 31 */
    int hour;    /* 0 .. 23 */
    int minute;  /* 0 .. 59 */
    int second;  /* 0 .. 59 */
    int weekday; /* 0 Sunday .. 6 Saturday */
};

/* Civil time of 'at' (seconds since the epoch) where clocks show UTC + offset_s. */
struct date date_of(int64_t at, int64_t offset_s);

/* The other way: the instant of a civil time where clocks show UTC + offset_s. The
 * weekday is not looked at. */
int64_t date_at(struct date d, int64_t offset_s);

/* Room for either text, NUL included, for years of up to 12 digits. */
#define DATE_TEXT_BYTES 48

/* "Sat Nov 01 08:25:19 2026"; writes to and returns 'text'. */
const char *date_text(struct date d, char text[DATE_TEXT_BYTES]);

/* The form of ctime(), without its newline: "Sat Nov  1 08:25:19 2026". */
const char *date_ctime(struct date d, char text[DATE_TEXT_BYTES]);

#endif
