/* zone_rule.c - see zone_rule.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/zone_rule.h"

#include "lib/base/date.h"

#include <ctype.h>

#define HOUR_S     3600
#define DAY_S      86400
#define MOST_HOURS 167                /* of a change's time (RFC 8536) */
#define FAR_AT     (INT64_C(1) << 50) /* beyond any year that counts */

/* Read up to three digits as a number of at most 'max' and move *p behind them. */
static bool read_number(const char **p, int max, int *ret)
{
    int n = 0, digits = 0;

    while (isdigit((unsigned char)**p) && digits++ < 3)
        n = n * 10 + (*(*p)++ - '0');
    *ret = n;
    return digits > 0 && n <= max;
}

/* "EST" or "<+0330>": three characters or more. */
static bool read_name(const char **p)
{
    const char *begin = *p;
    bool quoted = **p == '<';

    *p += quoted;
    while (isalpha((unsigned char)**p) ||
           (quoted && (isdigit((unsigned char)**p) || **p == '+' || **p == '-')))
        ++*p;
    if (quoted && *(*p)++ != '>')
        return false;
    return *p - begin >= 3 + 2 * quoted;
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(const char **p, int max_hours, int64_t *ret_s)
{
    int sign = **p == '-' ? -1 : 1;
    int hours, minutes = 0, seconds = 0;

    if (**p == '-' || **p == '+')
        ++*p;
    if (!read_number(p, max_hours, &hours))
        return false;
    if (**p == ':') {
        ++*p;
        if (!read_number(p, 59, &minutes))
            return false;
        if (**p == ':') {
            ++*p;
            if (!read_number(p, 59, &seconds))
                return false;
        }
    }
    *ret_s = sign * ((int64_t)hours * HOUR_S + minutes * 60 + seconds);
    return true;
}

/* Read a day of the year: "M3.2.0" (month, week, weekday), "J60" (1 to 365, 29
 * February is never counted) or "59" (0 to 365, it is counted). */
static bool read_day(const char **p, struct zone_change *c)
{
    if (**p == 'M') {
        c->form = *(*p)++;
        return read_number(p, 12, &c->month) && c->month > 0 && *(*p)++ == '.' &&
               read_number(p, 5, &c->week) && c->week > 0 && *(*p)++ == '.' &&
               read_number(p, 6, &c->day);
    }
    c->form = **p == 'J' ? *(*p)++ : '0';
    return read_number(p, 365, &c->day) && (c->form == '0' || c->day > 0);
}

/* Read ",day[/time]"; without a time the change is at two o'clock. */
static bool read_change(const char **p, struct zone_change *c)
{
    *c = (struct zone_change){ .time_s = 2 * HOUR_S };
    if (*(*p)++ != ',' || !read_day(p, c))
        return false;
    if (**p != '/')
        return true;
    ++*p;
    return read_time(p, MOST_HOURS, &c->time_s);
}

bool zone_rule_parse(const char *text, struct zone_rule *ret)
{
    const char *p = text;
    int64_t west_s;

    *ret = (struct zone_rule){ 0 };
    if (!read_name(&p) || !read_time(&p, 24, &west_s))
        return false;
    ret->std_s = -west_s;
    if (!*p)
        return true;
    if (!read_name(&p))
        return false;
    ret->has_dst = true;
    ret->dst_s = ret->std_s + HOUR_S;
    if (*p != ',') {
        if (!read_time(&p, 24, &west_s))
            return false;
        ret->dst_s = -west_s;
    }
    return read_change(&p, &ret->begins) && read_change(&p, &ret->ends) && !*p;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t first_of(int64_t year, int month)
{
    return date_at((struct date){ .year = year, .month = month, .day = 1 }, 0);
}

/* The local time of the change in that year, counted as if it were UTC. */
static int64_t local_of(const struct zone_change *c, int64_t year)
{
    int64_t first, next;
    int weekday, day;

    MUST(c->form == 'M' || c->form == 'J' || c->form == '0');
    if (c->form == '0')
        return first_of(year, 1) + c->day * DAY_S + c->time_s;
    if (c->form == 'J')
        return first_of(year, 1) +
               (c->day - 1 + (is_leap(year) && c->day >= 60)) * DAY_S + c->time_s;
    first = first_of(year, c->month);
    next = c->month == 12 ? first_of(year + 1, 1) : first_of(year, c->month + 1);
    weekday = date_of(first, 0).weekday;
    day = (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
    /* Week 5 is the last one of the month, which may be the fourth. */
    while (first + day * (int64_t)DAY_S >= next)
        day -= 7;
    return first + day * (int64_t)DAY_S + c->time_s;
}

int64_t zone_rule_offset_s(const struct zone_rule *r, int64_t at)
{
    int64_t year, begins_at, ends_at;

    if (!r->has_dst || at > FAR_AT || at < -FAR_AT)
        return r->std_s;
    year = date_of(at, r->std_s).year;
    begins_at = local_of(&r->begins, year) - r->std_s;
    ends_at = local_of(&r->ends, year) - r->dst_s;
    /* South of the equator summer begins late in the year and ends early in the
     * next. */
    if (begins_at < ends_at)
        return at >= begins_at && at < ends_at ? r->dst_s : r->std_s;
    return at >= ends_at && at < begins_at ? r->std_s : r->dst_s;
}
