/* Unit tests of lib/cal/zone.c and zone_rule.c: offsets by table and by rule, civil
 * time to instants around changes, and files that are none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/zone.h"

#include "lib/base/date.h"
#include "lib/cal/zone_rule.h"

#include "../unit.h"
#include "tzif.h"

#define HOUR_S 3600

static int64_t civil(int year, int month, int day, int hour, int minute)
{
    return date_at(
        (struct date){
            .year = year, .month = month, .day = day, .hour = hour, .minute = minute },
        0);
}

static void test_table_then_rule(void)
{
    static const struct tzif_change changes[] = { { -1000, 1 }, { 1000, 2 } };
    static const int32_t offsets[] = { 100, 200, 300 };
    struct arena *arena = arena_new();
    struct buf b = { 0 };
    struct zone *z;

    tzif_make(&b, changes, 2, offsets, 3, "<+05>-5");
    z = zone_parse("Test/One", b.data, b.len, arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(z);
    CU_ASSERT_STRING_EQUAL(zone_name(z), "Test/One");
    CU_ASSERT_EQUAL(zone_offset_s(z, INT64_MIN), 100);
    CU_ASSERT_EQUAL(zone_offset_s(z, -1001), 100);
    CU_ASSERT_EQUAL(zone_offset_s(z, -1000), 200);
    CU_ASSERT_EQUAL(zone_offset_s(z, 999), 200);
    CU_ASSERT_EQUAL(zone_offset_s(z, 1000), 5 * HOUR_S);
    CU_ASSERT_EQUAL(zone_offset_s(z, INT64_MAX), 5 * HOUR_S);
    buf_clear(&b);
    tzif_make(&b, changes, 2, offsets, 3, ""); /* no rule: the last one stays */
    z = zone_parse("Test/Two", b.data, b.len, arena);
    CU_ASSERT_EQUAL(zone_offset_s(z, 1000), 300);
    buf_clear(&b);
    tzif_header(&b, '\0', 2, 3);
    tzif_block(&b, changes, 2, offsets, 3, 4);
    z = zone_parse("Test/Old", b.data, b.len, arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(z);
    CU_ASSERT_EQUAL(zone_offset_s(z, -1000), 200);
    CU_ASSERT_EQUAL(zone_offset_s(z, 5000), 300);
    buf_fini(&b);
    arena_free(arena);
}

static void test_rules(void)
{
    static const struct {
        const char *rule;
        int year, month, day, hour; /* UTC */
        int offset_m;
    } cases[] = {
        { "EST5EDT,M3.2.0,M11.1.0", 2027, 3, 14, 6, -5 * 60 },
        { "EST5EDT,M3.2.0,M11.1.0", 2027, 3, 14, 7, -4 * 60 },
        { "EST5EDT,M3.2.0,M11.1.0", 2027, 11, 7, 5, -4 * 60 },
        { "EST5EDT,M3.2.0,M11.1.0", 2027, 11, 7, 6, -5 * 60 },
        { "CET-1CEST,M3.5.0,M10.5.0/3", 2027, 3, 28, 0, 60 },
        { "CET-1CEST,M3.5.0,M10.5.0/3", 2027, 3, 28, 1, 120 },
        { "CET-1CEST,M3.5.0,M10.5.0/3", 2027, 10, 31, 0, 120 },
        { "CET-1CEST,M3.5.0,M10.5.0/3", 2027, 10, 31, 1, 60 },
        /* the other half of the world */
        { "AEST-10AEDT,M10.1.0,M4.1.0/3", 2027, 1, 1, 0, 660 },
        { "AEST-10AEDT,M10.1.0,M4.1.0/3", 2027, 7, 1, 0, 600 },
        { "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", 2027, 6, 1, 0, -120 },
        { "<+0530>-5:30", 2027, 6, 1, 0, 330 },
        { "IST-1GMT0,M10.5.0,M3.5.0/1", 2027, 1, 1, 0, 0 },
        { "AAA3BBB,J60/0,J300/0", 2028, 3, 1, 2, -180 },
        { "AAA3BBB,J60/0,J300/0", 2028, 3, 1, 3, -120 },
        { "AAA3BBB,59/0,300/0", 2028, 2, 29, 3, -120 },
        { "UTC0", 2027, 6, 1, 0, 0 },
    };
    struct zone_rule r;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t at =
            civil(cases[i].year, cases[i].month, cases[i].day, cases[i].hour, 0);

        CU_ASSERT_TRUE_FATAL(zone_rule_parse(cases[i].rule, &r));
        if (zone_rule_offset_s(&r, at) != cases[i].offset_m * 60)
            fprintf(stderr, "%s: case %zu\n", cases[i].rule, i);
        CU_ASSERT_EQUAL(zone_rule_offset_s(&r, at), cases[i].offset_m * 60);
    }
}

static void test_no_rules(void)
{
    static const char *const bad[] = {
        "",
        "E5",
        "EST",
        "EST25",
        "EST5:60",
        "EST5EDT",
        "EST5EDT,M3",
        "EST5EDT,M3.2.0",
        "<EST5",
        "EST5EDT,M13.1.0,M4.1.0",
        "EST5EDT,M3.0.0,M4.1.0",
        "EST5EDT,M3.1.7,M4.1.0",
        "EST5EDT,J0,J5",
        "EST5EDT,366,3",
        "EST5EDT,M3.2.0,M11.1.0x",
        "EST5EDT,M3.2.0/168,M11.1.0",
    };
    struct zone_rule r;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (zone_rule_parse(bad[i], &r))
            fprintf(stderr, "%s was taken\n", bad[i]);
        CU_ASSERT_FALSE(zone_rule_parse(bad[i], &r));
    }
}

static void test_civil_time(void)
{
    struct arena *arena = arena_new();
    struct zone *z = tzif_zone("EST5EDT,M3.2.0,M11.1.0", -5 * HOUR_S, arena);

    CU_ASSERT_PTR_NOT_NULL_FATAL(z);
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 1, 1, 12, 0)),
                    civil(2027, 1, 1, 17, 0));
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 7, 1, 12, 0)),
                    civil(2027, 7, 1, 16, 0));
    /* never shown: by the offset before, so that it is 03:30 */
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 3, 14, 2, 30)),
                    civil(2027, 3, 14, 7, 30));
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 3, 14, 3, 30)),
                    civil(2027, 3, 14, 7, 30));
    /* shown twice: the first time */
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 11, 7, 1, 30)),
                    civil(2027, 11, 7, 5, 30));
    CU_ASSERT_EQUAL(zone_instant(z, civil(2027, 11, 7, 2, 0)),
                    civil(2027, 11, 7, 7, 0));
    for (int64_t at = civil(2027, 1, 1, 0, 0); at < civil(2028, 1, 1, 0, 0);
         at += 1799) {
        int64_t local_s = at + zone_offset_s(z, at);

        /* there and back, but for the second showing */
        CU_ASSERT_TRUE(zone_instant(z, local_s) == at ||
                       zone_instant(z, local_s) == at - HOUR_S);
    }
    arena_free(arena);
}

static void test_no_files(void)
{
    static const struct tzif_change back[] = { { 1000, 1 }, { 1000, 0 } };
    static const struct tzif_change far[] = { { 1000, 3 } };
    static const int32_t offsets[] = { 0, 100, 200000 };
    struct arena *arena = arena_new();
    struct arena *small = arena_new();
    struct buf b = { 0 };

    tzif_make(&b, back, 1, offsets, 2, "UTC0");
    for (size_t cut = 0; cut < b.len; cut++)
        CU_ASSERT_PTR_NULL(zone_parse("cut", b.data, cut, arena));
    CU_ASSERT_PTR_NOT_NULL(zone_parse("whole", b.data, b.len, arena));
    b.data[0] = 'X';
    CU_ASSERT_PTR_NULL(zone_parse("magic", b.data, b.len, arena));
    buf_clear(&b);
    tzif_make(&b, back, 2, offsets, 2, "UTC0");
    CU_ASSERT_PTR_NULL(zone_parse("not rising", b.data, b.len, arena));
    buf_clear(&b);
    tzif_make(&b, far, 1, offsets, 3, "UTC0");
    CU_ASSERT_PTR_NULL(zone_parse("no such type", b.data, b.len, arena));
    buf_clear(&b);
    tzif_make(&b, NULL, 0, &offsets[2], 1, "UTC0");
    CU_ASSERT_PTR_NULL(zone_parse("two days off", b.data, b.len, arena));
    buf_clear(&b);
    tzif_make(&b, back, 1, offsets, 2, "UTC");
    CU_ASSERT_PTR_NULL(zone_parse("no rule", b.data, b.len, arena));
    buf_clear(&b);
    tzif_header(&b, '2', UINT32_MAX, UINT32_MAX);
    CU_ASSERT_PTR_NULL(zone_parse("counts", b.data, b.len, small));
    CU_ASSERT_TRUE(arena_used_bytes(small) < 1000);
    buf_fini(&b);
    arena_free(small);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the table holds, and its rule behind it", test_table_then_rule },
        { "rules say when the clocks change", test_rules },
        { "what is no rule is refused", test_no_rules },
        { "civil time becomes instants, around changes too", test_civil_time },
        { "what is no zone file is refused before memory is taken", test_no_files },
    };

    return unit_main("cal/zone", cases, ARRAY_LEN(cases));
}
