/* recur_rule.c - reading a recurrence rule, one row per part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/recur_rule.h"

#include "lib/cal/recur.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *const recur_frequencies[RECUR_FREQUENCIES] = {
    [RECUR_SECONDLY] = "SECONDLY", [RECUR_MINUTELY] = "MINUTELY",
    [RECUR_HOURLY] = "HOURLY",     [RECUR_DAILY] = "DAILY",
    [RECUR_WEEKLY] = "WEEKLY",     [RECUR_MONTHLY] = "MONTHLY",
    [RECUR_YEARLY] = "YEARLY",
};

const char *const recur_weekdays[7] = { "SU", "MO", "TU", "WE", "TH", "FR", "SA" };

/* Read a whole text as a number from 0 to max. Signs and blanks are no digits. */
static bool read_number(const char *text, uint32_t max, uint32_t *ret)
{
    uint32_t n = 0;

    if (!*text)
        return false;
    for (; isdigit((unsigned char)*text); text++) {
        if (n > (max - (uint32_t)(*text - '0')) / 10)
            return false;
        n = n * 10 + (uint32_t)(*text - '0');
    }
    *ret = n;
    return !*text;
}

/* The index of the word among 'words', whatever its case; -1: it is none of them. */
static int find(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool take_freq(struct recur_rule *r, char *text)
{
    int i = find(text, recur_frequencies, RECUR_FREQUENCIES);

    r->frequency = (enum recur_frequency)MAX_OF(i, 0);
    return i >= 0;
}

static bool take_count(struct recur_rule *r, char *text)
{
    return read_number(text, INT32_MAX, &r->count) && r->count > 0;
}

static bool take_interval(struct recur_rule *r, char *text)
{
    uint32_t n;

    if (!read_number(text, INT16_MAX, &n) || n == 0)
        return false;
    r->interval = (int)n;
    return true;
}

static bool take_week_start(struct recur_rule *r, char *text)
{
    r->week_start = find(text, recur_weekdays, 7);
    return r->week_start >= 0;
}

static int digits(const char *text, int from, int n)
{
    int value = 0;

    for (int i = from; i < from + n; i++)
        value = value * 10 + (text[i] - '0');
    return value;
}

/* 20261231, 20261231T235959 or 20261231T235959Z; a day without a time is its first
 * second. */
static bool take_until(struct recur_rule *r, char *text)
{
    size_t len = strlen(text);
    struct date d = { 0 }, same;

    if (strspn(text, "0123456789") != 8)
        return false;
    d.year = digits(text, 0, 4);
    d.month = digits(text, 4, 2);
    d.day = digits(text, 6, 2);
    if (len > 8) {
        if (toupper((unsigned char)text[8]) != 'T' ||
            strspn(text + 9, "0123456789") != 6)
            return false;
        d.hour = digits(text, 9, 2);
        d.minute = digits(text, 11, 2);
        d.second = digits(text, 13, 2);
        r->until_is_utc = toupper((unsigned char)text[15]) == 'Z';
        if (len != (r->until_is_utc ? 16u : 15u))
            return false;
    }
    /* A day or time that no calendar has, as 31 June, comes back as another one. The
     * months are an index and checked here. */
    if (d.month < 1 || d.month > 12)
        return false;
    same = date_of(date_at(d, 0), 0);
    d.weekday = same.weekday;
    r->until = d;
    r->has_until = true;
    return d.year == same.year && d.month == same.month && d.day == same.day &&
           d.hour == same.hour && d.minute == same.minute && d.second == same.second;
}

static bool take_hours(struct recur_rule *r, char *text)
{
    uint32_t n;

    for (char *word; (word = strsep(&text, ","));) {
        if (!read_number(word, 23, &n))
            return false;
        r->hours |= 1u << n;
    }
    return true;
}

static bool take_days(struct recur_rule *r, char *text)
{
    for (char *word; (word = strsep(&text, ","));) {
        int day = find(word, recur_weekdays, 7);

        if (day < 0)
            return false;
        r->days |= 1u << day;
    }
    return true;
}

static bool take_months(struct recur_rule *r, char *text)
{
    uint32_t n;

    for (char *word; (word = strsep(&text, ","));) {
        if (!read_number(word, 99, &n))
            return false;
        /* A month that no year has makes the whole rule empty, which is another
         * error than a rule that cannot be read. */
        if (n >= 1 && n <= 12)
            r->months |= 1u << n;
        else
            r->never = true;
    }
    return true;
}

static const struct {
    const char *name;
    bool (*take)(struct recur_rule *r, char *text);
} parts[] = {
    { "FREQ", take_freq },       { "COUNT", take_count },
    { "UNTIL", take_until },     { "INTERVAL", take_interval },
    { "WKST", take_week_start }, { "BYHOUR", take_hours },
    { "BYDAY", take_days },      { "BYMONTH", take_months },
};

/* Read one part, as "FREQ=DAILY". 'seen' has a bit for each row: no part comes twice.
 */
static bool take_part(struct recur_rule *r, char *part, uint32_t *seen)
{
    char *name = strsep(&part, "=");

    for (size_t i = 0; part && i < ARRAY_LEN(parts); i++) {
        if (strcasecmp(name, parts[i].name) != 0)
            continue;
        if (*seen >> i & 1)
            return false;
        *seen |= 1u << i;
        return parts[i].take(r, part);
    }
    return false;
}

bool recur_rule_parse(const char *text, struct recur_rule *ret)
{
    char copy[RECUR_MAX_TEXT + 1], *at = copy;
    uint32_t seen = 0;

    *ret = (struct recur_rule){ .interval = 1, .week_start = 1 };
    if (strlen(text) >= sizeof(copy))
        return false;
    memcpy(copy, text, strlen(text) + 1);
    /* A semicolon at the end is allowed, an empty part elsewhere is not. */
    for (char *part; (part = strsep(&at, ";"));)
        if ((*part || at || part == copy) && !take_part(ret, part, &seen))
            return false;
    return (seen & 1) && !(ret->count > 0 && ret->has_until);
}
