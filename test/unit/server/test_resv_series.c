/* test_resv_series.c - the occurrences of a standing reservation: their times in zones
 * of both hemispheres, what is refused, and the records that make the later ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/base/date.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"
#include "test/unit/cal/tzif.h"

#include <string.h>

#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define SYDNEY   "AEST-10AEDT,M10.1.0,M4.1.0/3"
#define UTC      "UTC0"
#define HOUR     3600
#define DAY      86400

static struct arena *arena;

/* "2027-11-21 09:00" in the zone's clocks. */
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

/* Windows as the zone's clocks show them: "03-14 01:30/02:30". */
static const char *listed(const struct zone *z, const struct series_times *times)
{
    const char *text = "";

    for (size_t i = 0; i < times->n; i++) {
        int64_t at = times->v[i].start_at, end_at = times->v[i].end_at;
        struct date s = date_of(at, zone_offset_s(z, at));
        struct date e = date_of(end_at, zone_offset_s(z, end_at));

        text =
            arena_printf(arena, "%s%s%02d-%02d %02d:%02d/%02d:%02d", text, i ? " " : "",
                         s.month, s.day, s.hour, s.minute, e.hour, e.minute);
    }
    return text;
}

static void test_windows(void)
{
    static const struct {
        const char *rule, *zone, *start;
        int64_t duration_s;
        const char *expect;
    } cases[] = {
        { "FREQ=DAILY;COUNT=2", UTC, "2027-03-13 09:00", HOUR,
          "03-13 09:00/10:00 03-14 09:00/10:00" },
        /* one only is a series too */
        { "FREQ=DAILY;COUNT=1", UTC, "2027-03-13 09:00", 1, "03-13 09:00/09:00" },
        /* the start need not be an occurrence */
        { "FREQ=WEEKLY;BYDAY=MO;COUNT=2", SYDNEY, "2027-03-13 09:00", HOUR,
          "03-15 09:00/10:00 03-22 09:00/10:00" },
        /* clocks go on an hour at two o'clock: in March there, in October here */
        { "FREQ=DAILY;COUNT=3", NEW_YORK, "2027-03-13 02:30", HOUR,
          "03-13 02:30/03:30 03-14 03:30/04:30 03-15 02:30/03:30" },
        { "FREQ=DAILY;COUNT=3", SYDNEY, "2027-10-02 02:30", HOUR,
          "10-02 02:30/03:30 10-03 03:30/04:30 10-04 02:30/03:30" },
        { "FREQ=HOURLY;COUNT=3", SYDNEY, "2027-10-03 01:00", HOUR,
          "10-03 01:00/03:00 10-03 03:00/04:00 10-03 04:00/05:00" },
        /* a window may go over the gap: it is as long as the others */
        { "FREQ=DAILY;COUNT=2", SYDNEY, "2027-10-02 01:00", 2 * HOUR,
          "10-02 01:00/03:00 10-03 01:00/04:00" },
        /* they go back an hour: the first showing counts, once */
        { "FREQ=DAILY;COUNT=3", NEW_YORK, "2027-11-06 01:30", HOUR,
          "11-06 01:30/02:30 11-07 01:30/01:30 11-08 01:30/02:30" },
        { "FREQ=DAILY;COUNT=3", SYDNEY, "2027-04-03 02:30", HOUR,
          "04-03 02:30/03:30 04-04 02:30/02:30 04-05 02:30/03:30" },
        { "FREQ=HOURLY;COUNT=3", SYDNEY, "2027-04-04 01:00", HOUR,
          "04-04 01:00/02:00 04-04 02:00/02:00 04-04 03:00/04:00" },
        /* a day of 25 hours has room for 24 */
        { "FREQ=DAILY;COUNT=2", SYDNEY, "2027-04-03 12:00", DAY,
          "04-03 12:00/11:00 04-04 12:00/12:00" },
    };

    arena = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct zone *z = tzif_zone(cases[i].zone, 0, arena);
        struct series_times times;

        CU_ASSERT_EQUAL_FATAL(
            resv_series_expand(cases[i].rule, z, at_of(z, cases[i].start),
                               cases[i].duration_s, arena, &times, NULL),
            0);
        EXPECT_TEXT(listed(z, &times), cases[i].expect);
    }
    arena_free(arena);
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *rule, *zone, *start;
        int64_t duration_s;
        int code;
    } cases[] = {
        { "nonsense", NULL, "2027-03-13 09:00", HOUR, PBSE_BAD_ICAL_TZ },
        { "nonsense", UTC, "2027-03-13 09:00", HOUR, PBSE_BAD_RRULE_SYNTAX },
        { "FREQ=DAILY", UTC, "2027-03-13 09:00", 2 * DAY, PBSE_BAD_RRULE_SYNTAX2 },
        { "FREQ=DAILY;UNTIL=20270312", UTC, "2027-03-13 09:00", 2 * DAY,
          PBSE_BADTSPEC },
        { "FREQ=DAILY;COUNT=3", UTC, "2027-03-13 09:00", DAY + 1,
          PBSE_BAD_RRULE_DAILY },
        { "FREQ=HOURLY;COUNT=3", UTC, "2027-03-13 09:00", HOUR + 1,
          PBSE_BAD_RRULE_HOURLY },
        /* a day of 23 hours has no room for 24 */
        { "FREQ=DAILY;COUNT=2", SYDNEY, "2027-10-02 12:00", DAY, PBSE_BADTSPEC },
        { "FREQ=DAILY;COUNT=2", NEW_YORK, "2027-03-13 12:00", DAY, PBSE_BADTSPEC },
        { "FREQ=MINUTELY;COUNT=10001", UTC, "2027-03-13 09:00", 60, PBSE_BADTSPEC },
    };

    arena = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct zone *utc = tzif_zone(UTC, 0, arena);
        const struct zone *z =
            cases[i].zone ? tzif_zone(cases[i].zone, 0, arena) : NULL;
        struct series_times times = { .n = 77 };
        int err =
            resv_series_expand(cases[i].rule, z, at_of(z ? z : utc, cases[i].start),
                               cases[i].duration_s, arena, &times, NULL);

        if (err != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].rule, err);
        CU_ASSERT_EQUAL(err, cases[i].code);
        CU_ASSERT_EQUAL(times.n, 77);
    }
    arena_free(arena);
}

static void test_the_largest(void)
{
    struct series_times times;
    const struct zone *z;

    arena = arena_new();
    z = tzif_zone(UTC, 0, arena);
    CU_ASSERT_EQUAL_FATAL(resv_series_expand("FREQ=MINUTELY;COUNT=10000", z, NOW, 60,
                                             arena, &times, NULL),
                          0);
    CU_ASSERT_EQUAL_FATAL(times.n, RECUR_MAX);
    CU_ASSERT_EQUAL(times.v[9999].start_at, NOW + 9999 * 60);
    /* What lies behind the horizon is not promised. */
    CU_ASSERT_EQUAL_FATAL(
        resv_series_expand("FREQ=YEARLY;COUNT=9", z, NOW, 60, arena, &times, NULL), 0);
    CU_ASSERT_EQUAL(times.n, 3);
    arena_free(arena);
}

static void test_records_of_later_ones(void)
{
    struct window windows[] = { { NOW, NOW + 500 },
                                { NOW + 1000, NOW + 1500 },
                                { NOW + 5000, NOW + 5500 } };
    static const char *const vnodes[] = { "(vn[0]:ncpus=2)", "(vn[1]:ncpus=2)",
                                          "(vn[0]:ncpus=1)+(vn[2]:ncpus=1)" };
    const struct series_times times = { .n = 3, .v = windows };
    const struct occurrence *third;
    struct decision d;
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, NOW, 500);
    d = (struct decision){ .arena = w.arena };
    resv_series_make_later(model_resv(svr_model(w.s), "R1"), &times, vnodes,
                           "Scheduler@svr", NOW, &d);
    CU_ASSERT_EQUAL_FATAL(d.records.n, 2);
    world_take(&w, &d);
    third = occurrence_find(svr_model(w.s), "R1[3]");
    CU_ASSERT_PTR_NOT_NULL_FATAL(third);
    CU_ASSERT_STRING_EQUAL(third->values->id, "R1[3].svr");
    CU_ASSERT_EQUAL(occurrence_window(third).start_at, NOW + 5000);
    CU_ASSERT_EQUAL(occurrence_window(third).end_at, NOW + 5500);
    CU_ASSERT_EQUAL(occurrence_phase(third), PHASE_CONFIRMED);
    CU_ASSERT_EQUAL(third->bookings.n, 2);
    CU_ASSERT_EQUAL(model_resv(svr_model(w.s), "R1")->n_later, 2);
    world_restart(&w);
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "windows by the clocks of a zone", test_windows },
        { "what is refused, and in which order", test_what_is_refused },
        { "the largest series", test_the_largest },
        { "records of the later ones", test_records_of_later_ones },
    };

    return unit_main("resv_series", cases, ARRAY_LEN(cases));
}
