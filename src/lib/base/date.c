/* date.c - days to civil dates, by the usual shift of the year to the first of March,
 * so that the leap day is the last of its year.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/date.h"

#include <stdio.h>

#define DAY_S      86400
#define ERA_YEARS  400
#define ERA_DAYS   146097 /* days in 400 years */
#define EPOCH_DAYS 719468 /* 0000-03-01 to 1970-01-01 */

static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

static int64_t floor_div(int64_t a, int64_t b)
{
    /* Division in C rounds towards zero; days before the epoch need the next lower one.
     */
    return a / b - (a % b < 0);
}

static void civil_of(int64_t day, struct date *d)
{
    int64_t shifted = day + EPOCH_DAYS;
    int64_t era = floor_div(shifted, ERA_DAYS);
    int64_t of_era = shifted - era * ERA_DAYS;
    /* The days of an era make 365-day years when its leap days are left out: one in
     * 1,460 days, but not where a century of 36,524 days ends, and again at the end of
     * the era. */
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153; /* 0 is March */

    d->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    d->month = (int)(month < 10 ? month + 3 : month - 9);
    d->year = year + era * ERA_YEARS + (d->month <= 2);
}

struct date date_of(int64_t at, int64_t offset_s)
{
    int64_t local = at;
    int64_t day;
    int rest;
    struct date d;

    /* At the ends of time the offset is left out; a date that is hours off is better
     * than one of the other end. */
    if (__builtin_add_overflow(at, offset_s, &local))
        local = at;
    day = floor_div(local, DAY_S);
    rest = (int)((local % DAY_S + DAY_S) % DAY_S);
    civil_of(day, &d);
    d.weekday = (int)(((day + 4) % 7 + 7) % 7); /* the epoch was a Thursday */
    d.hour = rest / 3600;
    d.minute = rest / 60 % 60;
    d.second = rest % 60;
    return d;
}

int64_t date_at(struct date d, int64_t offset_s)
{
    int64_t year = d.year - (d.month <= 2);
    int64_t era = floor_div(year, ERA_YEARS);
    int64_t of_era = year - era * ERA_YEARS;
    int64_t of_year =
        (153 * (d.month > 2 ? d.month - 3 : d.month + 9) + 2) / 5 + d.day - 1;
    int64_t day = era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
                  EPOCH_DAYS;

    return day * DAY_S + d.hour * 3600 + d.minute * 60 + d.second - offset_s;
}

static const char *print(struct date d, bool padded, char text[DATE_TEXT_BYTES])
{
    snprintf(text, DATE_TEXT_BYTES, "%s %s %s%d %02d:%02d:%02d %" PRId64,
             days[d.weekday], months[d.month - 1],
             d.day > 9 ? ""
             : padded  ? "0"
                       : " ",
             d.day, d.hour, d.minute, d.second, d.year);
    return text;
}

const char *date_text(struct date d, char text[DATE_TEXT_BYTES])
{
    return print(d, true, text);
}

const char *date_ctime(struct date d, char text[DATE_TEXT_BYTES])
{
    return print(d, false, text);
}
