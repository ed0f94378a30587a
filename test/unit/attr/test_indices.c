/* Unit tests of the indices of job arrays: ranges, lists of ranges, sets
 * (attributes.md 10, 14.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/indices.h"
#include "lib/base/diag.h"

#include "../unit.h"

#include <string.h>

static void test_ranges_of_submissions(void)
{
    static const struct {
        const char *text;
        int err;
        int64_t first, last, step;
    } cases[] = {
        { "0-3", 0, 0, 3, 1 },
        { "0-8:2", 0, 0, 8, 2 },
        { "7-8:100", 0, 7, 8, 100 },
        { "9223372036854775805-9223372036854775806", 0, INT64_MAX - 2, INT64_MAX - 1,
          1 },
        { "", PBSE_BADATVAL, 0, 0, 0 },
        { "5", PBSE_BADATVAL, 0, 0, 0 },
        { "1-1", PBSE_BADATVAL, 0, 0, 0 },
        { "5-3", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2:", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2:0", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2,4", PBSE_BADATVAL, 0, 0, 0 },
        { "-1-2", PBSE_BADATVAL, 0, 0, 0 },
        { "1--2", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2:-1", PBSE_BADATVAL, 0, 0, 0 },
        { " 1-2", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2 ", PBSE_BADATVAL, 0, 0, 0 },
        { "1-2%", PBSE_BADATVAL, 0, 0, 0 },
        { "0x1-2", PBSE_BADATVAL, 0, 0, 0 },
        { "1-9223372036854775807", PBSE_ATVALERANGE, 0, 0, 0 },
        { "1-99999999999999999999", PBSE_ATVALERANGE, 0, 0, 0 },
        { "1-2:99999999999999999999", PBSE_ATVALERANGE, 0, 0, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct index_range r = { 0 };

        if (index_range_parse(cases[i].text, &r) != cases[i].err)
            fprintf(stderr, "'%s'\n", cases[i].text);
        CU_ASSERT_EQUAL(index_range_parse(cases[i].text, &r), cases[i].err);
        CU_ASSERT_EQUAL(r.first, cases[i].first);
        CU_ASSERT_EQUAL(r.last, cases[i].last);
        CU_ASSERT_EQUAL(r.step, cases[i].step);
    }
}

static void test_lists_of_ranges(void)
{
    static const struct {
        const char *text;
        size_t n;   /* ranges that are read */
        bool whole; /* to the end */
    } cases[] = {
        { "3", 1, true },
        { "2-6:2", 1, true },
        { "1,3-4,9-20:5", 3, true },
        { "4-4", 1, true },
        { "1,", 0, false },
        { "1,,2", 1, false },
        { "5-3", 0, false },
        { "1-", 0, false },
        { "1-2:0", 0, false },
        { "1:2", 0, false },
        { "1-2:3:4", 0, false },
        { "", 0, true },
        { "99999999999999999999", 0, false },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *at = cases[i].text;
        struct index_range r;
        size_t n = 0;

        while (*at && index_list_next(&at, &r))
            n++;
        if (n != cases[i].n || !*at != cases[i].whole)
            fprintf(stderr, "'%s': %zu\n", cases[i].text, n);
        CU_ASSERT_EQUAL(n, cases[i].n);
        CU_ASSERT_EQUAL(!*at, cases[i].whole);
    }
}

static void test_places(void)
{
    const struct index_range r = { .first = 3, .last = 12, .step = 4 };

    CU_ASSERT_EQUAL(index_range_count(&r), 3);
    CU_ASSERT_EQUAL(index_range_place(&r, 3), 0);
    CU_ASSERT_EQUAL(index_range_place(&r, 11), 2);
    CU_ASSERT_EQUAL(index_range_place(&r, 2), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_place(&r, 4), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_place(&r, 12), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_place(&r, 15), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_at(&r, 2), 11);
}

/* Every pair of small ranges, from every place on: by the definition. */
static void test_what_two_ranges_share(void)
{
    for (int64_t a = 0; a < 4 * 5 * 4 * 5; a++) {
        const struct index_range r = { a % 4, a % 4 + 11, 1 + a / 4 % 5 };
        const struct index_range list = { a / 20 % 4, a / 20 % 4 + 7, 1 + a / 80 };
        size_t n = (size_t)index_range_count(&r);

        for (size_t from = 0; from <= n; from++) {
            size_t expected = from;

            while (expected < n &&
                   index_range_place(&list, index_range_at(&r, expected)) ==
                       INDEX_NO_PLACE)
                expected++;
            CU_ASSERT_EQUAL(index_range_next(&r, &list, from),
                            expected < n ? expected : INDEX_NO_PLACE);
        }
    }
}

/* The largest numbers that a list may have are not added up. */
static void test_ranges_far_away(void)
{
    const struct index_range r = { 1, 9, 1 };
    static const struct index_range lists[] = {
        { 5, 9, INT64_MAX - 1 },
        { 4, INT64_MAX - 1, INT64_MAX - 1 },
        { INT64_MAX - 2, INT64_MAX - 1, 1 },
    };

    CU_ASSERT_EQUAL(index_range_next(&r, &lists[0], 0), 4);
    CU_ASSERT_EQUAL(index_range_next(&r, &lists[0], 5), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_next(&r, &lists[1], 4), INDEX_NO_PLACE);
    CU_ASSERT_EQUAL(index_range_next(&r, &lists[2], 0), INDEX_NO_PLACE);
}

static void test_runs_of_places(void)
{
    const struct index_range r = { .first = 0, .last = 299, .step = 1 };
    struct index_set s, copy;

    index_set_init(&s, &r, false);
    for (size_t first = 0; first < 300; first += 37)
        for (size_t last = first; last < 300; last += 23) {
            index_set_put_run(&s, first, last, true);
            CU_ASSERT_EQUAL(s.n, last - first + 1);
            CU_ASSERT_EQUAL(index_set_next(&s, 0), first);
            CU_ASSERT_EQUAL(index_set_run_end(&s, first), last + 1);
            index_set_copy(&copy, &s);
            index_set_put_run(&s, first, last, false);
            CU_ASSERT_EQUAL(s.n, 0);
            CU_ASSERT_EQUAL(copy.n, last - first + 1);
            index_set_fini(&copy);
        }
    index_set_fini(&s);
}

static void check_print(const struct index_set *s, const char *text)
{
    struct buf out = { 0 };

    index_set_print(s, &out);
    CU_ASSERT_STRING_EQUAL(out.data, text);
    buf_fini(&out);
}

static void test_sets_are_shown_as_ranges(void)
{
    const struct index_range by_two = { .first = 0, .last = 8, .step = 2 };
    const struct index_range long_one = { .first = 1, .last = 300, .step = 1 };
    struct index_set s;

    index_set_init(&s, &by_two, true);
    check_print(&s, "0-8:2");
    index_set_put(&s, 0, false);
    index_set_put(&s, 0, false); /* it is not taken away twice */
    CU_ASSERT_EQUAL(s.n, 4);
    check_print(&s, "2-8:2");
    index_set_put(&s, 2, false);
    check_print(&s, "2,6-8:2");
    for (size_t i = 0; i < s.n_places; i++)
        index_set_put(&s, i, false);
    CU_ASSERT_EQUAL(s.n, 0);
    check_print(&s, "-");
    index_set_fini(&s);

    index_set_init(&s, &long_one, true);
    CU_ASSERT_EQUAL(s.n, 300);
    check_print(&s, "1-300");
    index_set_put(&s, 63, false);
    index_set_put(&s, 64, false);
    index_set_put(&s, 299, false);
    check_print(&s, "1-63,66-299");
    index_set_fini(&s);
}

/* Of every size around the borders of words each member is met once, in order. */
static void test_every_member_is_met(void)
{
    for (int64_t n = 2; n < 200; n++) {
        const struct index_range r = { .first = 0, .last = n - 1, .step = 1 };
        struct index_set s;
        size_t met = 0;

        index_set_init(&s, &r, true);
        for (size_t i = 0; i < (size_t)n; i += 3)
            index_set_put(&s, i, false);
        for (size_t at = 0; (at = index_set_next(&s, at)) != INDEX_NO_PLACE; at++) {
            CU_ASSERT_TRUE(index_set_has(&s, at) && at % 3);
            met++;
        }
        CU_ASSERT_EQUAL(met, s.n);
        CU_ASSERT_EQUAL(s.n, (size_t)n - ((size_t)n + 2) / 3);
        CU_ASSERT_FALSE(index_set_has(&s, (size_t)n));
        index_set_fini(&s);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the ranges that arrays are submitted with", test_ranges_of_submissions },
        { "lists of ranges", test_lists_of_ranges },
        { "each index has a place", test_places },
        { "what two ranges share", test_what_two_ranges_share },
        { "ranges far away", test_ranges_far_away },
        { "runs of places", test_runs_of_places },
        { "a set is shown as ranges", test_sets_are_shown_as_ranges },
        { "every member of a set is met", test_every_member_is_met },
    };

    return unit_main("attr indices", cases, ARRAY_LEN(cases));
}
