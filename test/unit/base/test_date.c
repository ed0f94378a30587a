/* Unit tests of lib/base/date.c: against the C library, day by day, and by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/date.h"

#include "../unit.h"

#include <string.h>
#include <time.h>

static bool same_as_libc(int64_t at)
{
    struct date d = date_of(at, 0);
    char text[DATE_TEXT_BYTES];
    char expect[64];
    time_t t = (time_t)at;
    struct tm tm;

    if (date_at(date_of(at, 7200), 7200) != at)
        return false; /* the way back */
    gmtime_r(&t, &tm);
    strftime(expect, sizeof(expect), "%a %b %d %H:%M:%S %Y", &tm);
    if (strcmp(date_text(d, text), expect) == 0)
        return true;
    fprintf(stderr, "%lld: %s, expected %s\n", (long long)at, text, expect);
    return false;
}

/* Steps of a day and a bit from 1900 to 2400 meet every month end and leap rule. */
static void test_agrees_with_libc(void)
{
    for (int64_t at = -2208988800; at < 13569465600; at += 86400 + 1237)
        CU_ASSERT_TRUE_FATAL(same_as_libc(at));
}

static void test_texts(void)
{
    static const struct {
        int64_t at, offset_s;
        const char *text, *ctime;
    } cases[] = {
        { 1795249519, 0, "Sat Nov 21 08:25:19 2026", "Sat Nov 21 08:25:19 2026" },
        { 1893488460, 0, "Tue Jan 01 09:01:00 2030", "Tue Jan  1 09:01:00 2030" },
        { 0, -1, "Wed Dec 31 23:59:59 1969", "Wed Dec 31 23:59:59 1969" },
        { 1893488460, 19800, "Tue Jan 01 14:31:00 2030", "Tue Jan  1 14:31:00 2030" },
    };
    char text[DATE_TEXT_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct date d = date_of(cases[i].at, cases[i].offset_s);

        CU_ASSERT_STRING_EQUAL(date_text(d, text), cases[i].text);
        CU_ASSERT_STRING_EQUAL(date_ctime(d, text), cases[i].ctime);
    }
}

/* Hostile times come over the wire and are printed into logs. */
static void test_any_number_has_a_date(void)
{
    static const int64_t ats[] = { INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1 };
    char text[DATE_TEXT_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(ats); i++) {
        struct date d = date_of(ats[i], i % 2 ? 3600 : -3600);

        CU_ASSERT_TRUE(d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31);
        CU_ASSERT_TRUE(d.weekday >= 0 && d.weekday <= 6);
        CU_ASSERT_TRUE(strlen(date_text(d, text)) < DATE_TEXT_BYTES);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "dates agree with the C library", test_agrees_with_libc },
        { "both texts are exact", test_texts },
        { "any number has a date", test_any_number_has_a_date },
    };

    return unit_main("date", cases, ARRAY_LEN(cases));
}
