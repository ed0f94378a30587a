/* datetime.c - see datetime.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/datetime.h"

#include <string.h>

/* The caller has made sure that both characters are digits. */
static int two_digits(const char *p)
{
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static bool all_digits(const char *p, size_t len)
{
    return strspn(p, "0123456789") >= len;
}

/* Length of the part before ".SS", 0 when the whole is malformed. */
static size_t digits_len(const char *text)
{
    const char *dot = strchr(text, '.');
    size_t len = dot ? (size_t)(dot - text) : strlen(text);

    if (len < 4 || len > 12 || len % 2 != 0 || !all_digits(text, len))
        return 0;
    if (dot && (strlen(dot + 1) != 2 || !all_digits(dot + 1, 2)))
        return 0;
    return len;
}

bool datetime_is_clock(const char *text)
{
    return digits_len(text) == 4;
}

/* What was not given is taken from today, and moves on when it would lie behind. Only
 * the smallest of the missing units moves on, and only the unit below it is compared: a
 * day that is today stays today, though its hour has passed (cli.md 1.9). */
static void fill_in(struct tm *tm, const struct tm *now, size_t len)
{
    if (len < 6) {
        bool past = tm->tm_hour < now->tm_hour ||
                    (tm->tm_hour == now->tm_hour && tm->tm_min <= now->tm_min);

        tm->tm_mday = now->tm_mday + (past ? 1 : 0);
    }
    if (len < 8)
        tm->tm_mon = now->tm_mon + (len == 6 && tm->tm_mday < now->tm_mday ? 1 : 0);
    if (len < 10)
        tm->tm_year = now->tm_year + (len == 8 && tm->tm_mon < now->tm_mon ? 1 : 0);
}

time_t datetime_parse(const char *text, time_t now_at)
{
    size_t len = digits_len(text);
    const char *p = text + len;
    struct tm now, tm = { .tm_isdst = -1 };
    time_t at;

    if (len == 0 || !localtime_r(&now_at, &now))
        return -1;
    /* Fields are read from the right, because it is those on the left that may be
     * missing: [[[[CC]YY]MM]DD]hhmm[.SS]. */
    tm.tm_sec = *p == '.' ? two_digits(p + 1) : 0;
    tm.tm_min = two_digits(p -= 2);
    tm.tm_hour = two_digits(p -= 2);
    if (len >= 6)
        tm.tm_mday = two_digits(p -= 2);
    if (len >= 8)
        tm.tm_mon = two_digits(p -= 2) - 1;
    if (len >= 10) {
        int yy = two_digits(p -= 2);

        /* Without a century, 69 to 99 mean 19YY and 00 to 68 mean 20YY. */
        tm.tm_year =
            len == 12 ? two_digits(text) * 100 + yy - 1900 : (yy > 68 ? yy : yy + 100);
    }
    if (tm.tm_sec > 59 || tm.tm_min > 59 || tm.tm_hour > 23 ||
        (len >= 6 && (tm.tm_mday < 1 || tm.tm_mday > 31)) ||
        (len >= 8 && (tm.tm_mon < 0 || tm.tm_mon > 11)))
        return -1;
    /* mktime() carries a day behind the end of the month over into the next month, and
     * finds out by itself whether daylight saving time applies (tm_isdst is -1). */
    fill_in(&tm, &now, len);
    at = mktime(&tm);
    return at < 0 ? -1 : at;
}
