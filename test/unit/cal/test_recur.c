/* Unit tests of lib/cal/recur.c: what rules are taken, when their occurrences are,
 * across changes of the clocks, what lengths they allow, and that a question is never
 * long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/recur.h"

#include "lib/base/date.h"
#include "lib/cal/recur_rule.h"

#include "../unit.h"
#include "tzif.h"

#include <string.h>

#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define UTC      "UTC0"

static struct arena *arena;
static int64_t starts[RECUR_MAX];

/* "2026-11-21 09:00" in the zone's clocks. */
static int64_t at_of(const struct zone *z, const char *text)
{
    int year, month, day, hour, minute;
    int n = sscanf(text, "%d-%d-%d %d:%d", &year, &month, &day, &hour, &minute);

    CU_ASSERT_EQUAL_FATAL(n, 5);
    return zone_instant(z, date_at((struct date){ .year = year,
                                                  .month = month,
                                                  .day = day,
                                                  .hour = hour,
                                                  .minute = minute },
                                   0));
}

/* Occurrences as the zone's clocks show them, with the offset's hours: "11-21 09:00-5".
 */
static const char *listed(const char *rule, const struct zone *z, int64_t start_at,
                          size_t max)
{
    struct recur *r;
    int64_t at[64];
    struct buf b = { 0 };
    const char *text;
    size_t n;

    CU_ASSERT_EQUAL_FATAL(recur_parse(rule, arena, &r, NULL), 0);
    n = recur_list(r, z, start_at, INT64_MAX, MIN_OF(max, ARRAY_LEN(at)), at);
    for (size_t i = 0; i < n; i++) {
        int64_t offset_s = zone_offset_s(z, at[i]);
        struct date d = date_of(at[i], offset_s);

        buf_printf(&b, "%s%02d-%02d %02d:%02d%+d", i ? " " : "", d.month, d.day, d.hour,
                   d.minute, (int)(offset_s / 3600));
    }
    text = arena_strndup(arena, b.data ? b.data : "", b.len);
    buf_fini(&b);
    return text;
}

static void test_occurrences(void)
{
    static const struct {
        const char *rule, *zone, *start;
        const char *expect;
    } cases[] = {
        { "FREQ=DAILY;COUNT=3", UTC, "2026-11-21 09:00",
          "11-21 09:00+0 11-22 09:00+0 11-23 09:00+0" },
        { "freq=daily;count=2;", UTC, "2026-11-21 09:00",
          "11-21 09:00+0 11-22 09:00+0" },
        { "COUNT=2;INTERVAL=2;FREQ=HOURLY", UTC, "2026-11-21 23:30",
          "11-21 23:30+0 11-22 01:30+0" },
        /* the start is a Saturday and no occurrence */
        { "FREQ=WEEKLY;BYDAY=MO,TU;COUNT=3", UTC, "2026-11-21 08:14",
          "11-23 08:14+0 11-24 08:14+0 11-30 08:14+0" },
        { "FREQ=DAILY;BYDAY=SA,SU;COUNT=3", UTC, "2026-11-20 08:00",
          "11-21 08:00+0 11-22 08:00+0 11-28 08:00+0" },
        { "FREQ=DAILY;BYHOUR=9,15;COUNT=3", UTC, "2026-11-21 09:00",
          "11-21 09:00+0 11-21 15:00+0 11-22 09:00+0" },
        { "FREQ=HOURLY;BYHOUR=9,15;COUNT=3", UTC, "2026-11-21 10:20",
          "11-21 15:20+0 11-22 09:20+0 11-22 15:20+0" },
        { "FREQ=MONTHLY;COUNT=3", UTC, "2026-11-30 08:00",
          "11-30 08:00+0 12-30 08:00+0 01-30 08:00+0" },
        { "FREQ=MONTHLY;BYMONTH=1,3;COUNT=2", UTC, "2026-11-05 08:00",
          "01-05 08:00+0 03-05 08:00+0" },
        { "FREQ=YEARLY;BYMONTH=1,2;COUNT=3", UTC, "2026-11-21 09:00",
          "01-21 09:00+0 02-21 09:00+0 01-21 09:00+0" },
        { "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;COUNT=4", UTC, "2026-11-23 09:00",
          "11-23 09:00+0 12-06 09:00+0 12-07 09:00+0 12-20 09:00+0" },
        { "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=SU,MO;COUNT=4", UTC, "2026-11-23 09:00",
          "11-23 09:00+0 11-29 09:00+0 12-07 09:00+0 12-13 09:00+0" },
        { "FREQ=SECONDLY;BYMONTH=11;BYDAY=SU;BYHOUR=0;COUNT=1", UTC, "2026-11-21 22:00",
          "11-22 00:00+0" },
        /* UNTIL: the last start; of the zone's clocks without Z; a day is its begin */
        { "FREQ=DAILY;UNTIL=20261122T090000Z", UTC, "2026-11-21 09:00",
          "11-21 09:00+0 11-22 09:00+0" },
        { "FREQ=DAILY;UNTIL=20261122T085959Z", UTC, "2026-11-21 09:00",
          "11-21 09:00+0" },
        { "FREQ=DAILY;UNTIL=20261122T090000", NEW_YORK, "2026-11-21 09:00",
          "11-21 09:00-5 11-22 09:00-5" },
        { "FREQ=DAILY;UNTIL=20261122T090000Z", NEW_YORK, "2026-11-21 09:00",
          "11-21 09:00-5" },
        { "FREQ=DAILY;UNTIL=20261122", UTC, "2026-11-21 09:00", "11-21 09:00+0" },
        { "FREQ=DAILY;UNTIL=20261120", UTC, "2026-11-21 09:00", "" },
        { "FREQ=DAILY;BYMONTH=13;COUNT=2", UTC, "2026-11-21 09:00", "" },
        /* clocks: nine stays nine */
        { "FREQ=DAILY;COUNT=3", NEW_YORK, "2027-03-13 09:00",
          "03-13 09:00-5 03-14 09:00-4 03-15 09:00-4" },
        { "FREQ=DAILY;COUNT=3", NEW_YORK, "2027-11-06 09:00",
          "11-06 09:00-4 11-07 09:00-5 11-08 09:00-5" },
        /* half past two is skipped on that day: half past three */
        { "FREQ=DAILY;COUNT=3", NEW_YORK, "2027-03-13 02:30",
          "03-13 02:30-5 03-14 03:30-4 03-15 02:30-4" },
        /* by the hour: two o'clock would be three o'clock, and is left out */
        { "FREQ=HOURLY;COUNT=4", NEW_YORK, "2027-03-14 00:00",
          "03-14 00:00-5 03-14 01:00-5 03-14 03:00-4 03-14 04:00-4" },
        /* one o'clock comes twice and counts once */
        { "FREQ=HOURLY;COUNT=4", NEW_YORK, "2027-11-07 00:00",
          "11-07 00:00-4 11-07 01:00-4 11-07 02:00-5 11-07 03:00-5" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct zone *z = tzif_zone(cases[i].zone, 0, arena);
        const char *got = listed(cases[i].rule, z, at_of(z, cases[i].start), 10);

        if (strcmp(got, cases[i].expect) != 0)
            fprintf(stderr, "%s from %s: %s\n", cases[i].rule, cases[i].start, got);
        CU_ASSERT_STRING_EQUAL(got, cases[i].expect);
    }
}

static void test_start_in_the_second_showing(void)
{
    const struct zone *z = tzif_zone(NEW_YORK, 0, arena);
    int64_t first_at = at_of(z, "2027-11-07 01:30"), at[2];
    struct recur *r;

    CU_ASSERT_EQUAL_FATAL(recur_parse("FREQ=DAILY;COUNT=2", arena, &r, NULL), 0);
    CU_ASSERT_EQUAL(recur_list(r, z, first_at + 3600, INT64_MAX, 2, at), 2);
    CU_ASSERT_EQUAL(at[0], first_at + 3600);
    CU_ASSERT_EQUAL(at[1], at_of(z, "2027-11-08 01:30"));
}

static void test_refused(void)
{
    static const struct {
        const char *rule;
        int code;
    } cases[] = {
        { "", 15133 },
        { ";", 15133 },
        { "COUNT=2", 15133 },
        { "FREQ=FORTNIGHTLY;COUNT=2", 15133 },
        { "FREQ=DAILY", 15134 },
        { "FREQ=DAILY;INTERVAL=2", 15134 },
        { "FREQ=DAILY;COUNT=2;UNTIL=20261231", 15133 },
        { "FREQ=DAILY;COUNT=0", 15133 },
        { "FREQ=DAILY;COUNT=-1", 15133 },
        { "FREQ=DAILY;COUNT=99999999999", 15133 },
        { "FREQ=DAILY;COUNT=2x", 15133 },
        { "FREQ=DAILY;COUNT=", 15133 },
        { "FREQ=DAILY;COUNT", 15133 },
        { "FREQ=DAILY;COUNT=2;COUNT=2", 15133 },
        { "FREQ=DAILY;FREQ=DAILY;COUNT=2", 15133 },
        { "FREQ=DAILY;INTERVAL=0;COUNT=2", 15133 },
        { "FREQ=DAILY;INTERVAL=32768;COUNT=2", 15133 },
        { "FREQ=DAILY;WKST=XX;COUNT=2", 15133 },
        { "FREQ=WEEKLY;BYDAY=1MO;COUNT=2", 15133 },
        { "FREQ=WEEKLY;BYDAY=-MO;COUNT=2", 15133 },
        { "FREQ=WEEKLY;BYDAY=;COUNT=2", 15133 },
        { "FREQ=WEEKLY;BYDAY=MO,;COUNT=2", 15133 },
        { "FREQ=WEEKLY;BYDAY=MONDAY;COUNT=2", 15133 },
        { "FREQ=DAILY;BYHOUR=24;COUNT=2", 15133 },
        { "FREQ=DAILY;BYHOUR=-1;COUNT=2", 15133 },
        { "FREQ=DAILY;BYMONTH=x;COUNT=2", 15133 },
        { "FREQ=DAILY;BYSECOND=1;COUNT=2", 15133 },
        { "FREQ=DAILY;BYMINUTE=1;COUNT=2", 15133 },
        { "FREQ=YEARLY;BYYEARDAY=1;COUNT=2", 15133 },
        { "FREQ=MONTHLY;BYMONTHDAY=1;COUNT=2", 15133 },
        { "FREQ=YEARLY;BYWEEKNO=1;COUNT=2", 15133 },
        { "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=2", 15133 },
        { "FREQ=DAILY;RSCALE=GREGORIAN;COUNT=2", 15133 },
        { "FREQ=DAILY;UNTIL=2026", 15133 },
        { "FREQ=DAILY;UNTIL=20261301", 15133 },
        { "FREQ=DAILY;UNTIL=20260230", 15133 },
        { "FREQ=DAILY;UNTIL=20261231T250000", 15133 },
        { "FREQ=DAILY;UNTIL=20261231T120000X", 15133 },
        { "FREQ=DAILY;UNTIL=20261231T120000ZZ", 15133 },
        { "FREQ=DAILY;UNTIL=20261231T", 15133 },
        { "FREQ=DAILY;;COUNT=2", 15133 },
        { "FREQ=DAILY COUNT=2", 15133 },
        { "FREQ=DAILY;COUNT=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=1,2,3,4,5,6", 0 },
        { "FREQ=DAILY;COUNT=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=1,2,3,4,5,0006",
          15133 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct recur *r;
        struct diag why = { 0 };

        if (recur_parse(cases[i].rule, arena, &r, &why) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].rule, why.code);
        CU_ASSERT_EQUAL(recur_parse(cases[i].rule, arena, &r, &why), cases[i].code);
    }
}

static void test_lengths(void)
{
    static const struct {
        const char *rule;
        int64_t duration_s;
        int code;
        size_t n;
    } cases[] = {
        { "FREQ=SECONDLY;COUNT=2", 1, 0, 2 },
        { "FREQ=SECONDLY;INTERVAL=5;COUNT=2", 2, 15132, 0 },
        { "FREQ=MINUTELY;COUNT=2", 60, 0, 2 },
        { "FREQ=MINUTELY;COUNT=2", 61, 15131, 0 },
        { "FREQ=HOURLY;COUNT=2", 3600, 0, 2 },
        { "FREQ=HOURLY;COUNT=2", 3601, 15130, 0 },
        { "FREQ=DAILY;COUNT=2", 86400, 0, 2 },
        { "FREQ=DAILY;COUNT=2", 86401, 15129, 0 },
        { "FREQ=WEEKLY;COUNT=2", 7 * 86400, 0, 2 },
        { "FREQ=WEEKLY;COUNT=2", 7 * 86400 + 1, 15128, 0 },
        { "FREQ=MONTHLY;COUNT=2", 30 * 86400, 0, 2 },
        { "FREQ=MONTHLY;COUNT=2", 30 * 86400 + 1, 15127, 0 },
        { "FREQ=YEARLY;COUNT=1", INT64_C(30) * 365 * 86400 + 1, 15126, 0 },
        { "FREQ=YEARLY;COUNT=2", 366 * 86400, 15086, 0 },
        /* two of them would overlap */
        { "FREQ=DAILY;BYHOUR=9,12;COUNT=4", 3 * 3600, 0, 4 },
        { "FREQ=DAILY;BYHOUR=9,12;COUNT=4", 3 * 3600 + 1, 15086, 0 },
        { "FREQ=WEEKLY;BYDAY=MO,TU;COUNT=4", 86400, 0, 4 },
        { "FREQ=WEEKLY;BYDAY=MO,TU;COUNT=4", 86401, 15086, 0 },
        /* none, or too many; three years are looked at */
        { "FREQ=DAILY;UNTIL=20200101", 60, 15086, 0 },
        { "FREQ=DAILY;BYMONTH=99;COUNT=2", 60, 15086, 0 },
        { "FREQ=DAILY;INTERVAL=7;BYDAY=SU;COUNT=2", 60, 15086, 0 },
        { "FREQ=MINUTELY;COUNT=10000", 60, 0, 10000 },
        { "FREQ=MINUTELY;COUNT=10001", 60, 15086, 0 },
        { "FREQ=DAILY;UNTIL=20990101", 60, 0, 1095 },
        { "FREQ=YEARLY;COUNT=100", 60, 0, 3 },
        { "FREQ=HOURLY;BYHOUR=9;COUNT=9999", 60, 0, 1095 },
        { "FREQ=SECONDLY;BYMONTH=10;COUNT=1", 1, 15086, 0 },
    };
    const struct zone *z = tzif_zone(UTC, 0, arena);

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct recur *r;
        struct diag why = { 0 };
        size_t n = 0;
        int code;

        CU_ASSERT_EQUAL_FATAL(recur_parse(cases[i].rule, arena, &r, NULL), 0);
        code = recur_expand(r, z, at_of(z, "2026-11-21 09:00"), cases[i].duration_s,
                            starts, &n, &why);
        if (code != cases[i].code || n != cases[i].n)
            fprintf(stderr, "%s, %lld s: %d, %zu\n", cases[i].rule,
                    (long long)cases[i].duration_s, code, n);
        CU_ASSERT_EQUAL(code, cases[i].code);
        CU_ASSERT_EQUAL(why.code, code);
        CU_ASSERT_EQUAL(n, cases[i].n);
    }
}

/* An hour less on that day: what fits on all others does not fit on this one. */
static void test_short_day(void)
{
    const struct zone *z = tzif_zone(NEW_YORK, 0, arena);
    struct recur *r;
    size_t n;

    CU_ASSERT_EQUAL_FATAL(recur_parse("FREQ=DAILY;COUNT=5", arena, &r, NULL), 0);
    CU_ASSERT_EQUAL(
        recur_expand(r, z, at_of(z, "2027-03-02 09:00"), 86400, starts, &n, NULL), 0);
    CU_ASSERT_EQUAL(
        recur_expand(r, z, at_of(z, "2027-03-12 09:00"), 86400, starts, &n, NULL),
        PBSE_BADTSPEC);
    CU_ASSERT_EQUAL(
        recur_expand(r, z, at_of(z, "2027-03-12 09:00"), 23 * 3600, starts, &n, NULL),
        0);
}

/* A rule whose occurrences are rare, or never come, ends when its steps are used up. */
static void test_bounded(void)
{
    static const char *const rules[] = {
        "FREQ=SECONDLY;BYMONTH=10;COUNT=2",
        "FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3;COUNT=2",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=3;COUNT=2",
        "FREQ=WEEKLY;INTERVAL=32767;BYMONTH=3;COUNT=2147483647",
        "FREQ=SECONDLY;UNTIL=99991231",
    };
    const struct zone *z = tzif_zone(UTC, 0, arena);
    static int64_t at[RECUR_MAX_STEPS + 1];

    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        struct recur *r;

        CU_ASSERT_EQUAL_FATAL(recur_parse(rules[i], arena, &r, NULL), 0);
        CU_ASSERT_TRUE(recur_list(r, z, at_of(z, "2026-11-21 09:00"), INT64_MAX,
                                  ARRAY_LEN(at), at) <= RECUR_MAX_STEPS);
        CU_ASSERT_EQUAL(recur_list(r, z, INT64_MAX, INT64_MAX, 1, at), 0);
        CU_ASSERT_EQUAL(recur_list(r, z, INT64_MIN, INT64_MAX, 1, at), 0);
    }
}

/* The same dates said in two ways: by an interval alone, which is counted here, and
 * with a part that adds occurrences, which libical expands. */
static void test_even_steps(void)
{
    static const struct {
        const char *even, *parts;
    } cases[] = {
        { "FREQ=HOURLY;COUNT=9999;INTERVAL=12", "FREQ=DAILY;COUNT=9999;BYHOUR=1,13" },
        { "FREQ=HOURLY;INTERVAL=24;COUNT=9999", "FREQ=DAILY;COUNT=9999;BYHOUR=1" },
        { "FREQ=MINUTELY;INTERVAL=720;COUNT=999", "FREQ=DAILY;COUNT=999;BYHOUR=1,13" },
        { "FREQ=SECONDLY;INTERVAL=21600;COUNT=999",
          "FREQ=DAILY;COUNT=999;BYHOUR=1,7,13,19" },
        { "FREQ=DAILY;COUNT=9999", "FREQ=DAILY;COUNT=9999;BYHOUR=1" },
        { "FREQ=DAILY;INTERVAL=3;COUNT=99", "FREQ=DAILY;INTERVAL=3;COUNT=99;BYHOUR=1" },
        { "FREQ=DAILY;INTERVAL=5;BYDAY=MO,SA;COUNT=99",
          "FREQ=DAILY;INTERVAL=5;BYDAY=MO,SA;COUNT=99;BYHOUR=1" },
        { "FREQ=WEEKLY;COUNT=999", "FREQ=WEEKLY;COUNT=999;BYDAY=SA" },
        { "FREQ=WEEKLY;INTERVAL=3;COUNT=99",
          "FREQ=WEEKLY;INTERVAL=3;COUNT=99;BYHOUR=1" },
        { "FREQ=DAILY;UNTIL=20270401", "FREQ=DAILY;UNTIL=20270401;BYHOUR=1" },
    };
    static int64_t even[RECUR_MAX], parts[RECUR_MAX];
    const struct zone *z = tzif_zone(NEW_YORK, 0, arena);
    int64_t start_at = at_of(z, "2026-11-21 01:30");

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct recur *a, *b;
        size_t n;

        CU_ASSERT_EQUAL_FATAL(recur_parse(cases[i].even, arena, &a, NULL), 0);
        CU_ASSERT_EQUAL_FATAL(recur_parse(cases[i].parts, arena, &b, NULL), 0);
        n = recur_list(a, z, start_at, INT64_MAX, RECUR_MAX, even);
        CU_ASSERT(n > 10);
        CU_ASSERT_EQUAL_FATAL(recur_list(b, z, start_at, INT64_MAX, RECUR_MAX, parts),
                              n);
        if (memcmp(even, parts, n * sizeof(*even)) != 0)
            fprintf(stderr, "%s and %s\n", cases[i].even, cases[i].parts);
        CU_ASSERT_EQUAL(memcmp(even, parts, n * sizeof(*even)), 0);
    }
}

static void test_horizon(void)
{
    const struct zone *z = tzif_zone(UTC, 0, arena);
    int64_t start_at = at_of(z, "2026-11-21 09:00"), at[10];
    struct recur *r;

    CU_ASSERT_EQUAL_FATAL(recur_parse("FREQ=DAILY;COUNT=10", arena, &r, NULL), 0);
    CU_ASSERT_EQUAL(recur_list(r, z, start_at, start_at + 3 * 86400, 10, at), 3);
    CU_ASSERT_EQUAL(recur_list(r, z, start_at, start_at + 3 * 86400 + 1, 10, at), 4);
    CU_ASSERT_EQUAL(recur_list(r, z, start_at, start_at, 10, at), 0);
    CU_ASSERT_EQUAL(recur_list(r, z, start_at, INT64_MAX, 4, at), 4);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "occurrences are where the rule says", test_occurrences },
        { "a start in the hour that comes twice is kept",
          test_start_in_the_second_showing },
        { "bad rules are refused with their codes", test_refused },
        { "an occurrence is no longer than its rule allows", test_lengths },
        { "the day that loses an hour counts", test_short_day },
        { "dates that are equally far are those of the library", test_even_steps },
        { "no rule makes a question long", test_bounded },
        { "the horizon is not crossed", test_horizon },
    };
    int status;

    arena = arena_new();
    status = unit_main("cal/recur", cases, ARRAY_LEN(cases));
    arena_free(arena);
    return status;
}
