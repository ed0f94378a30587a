/* Unit tests of the heap of deadlines, against a plain search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/deadlines.h"
#include "lib/base/rnd.h"

#include "../unit.h"

#include <stdio.h>

#define MANY 200

static void test_the_earliest_comes_first(void)
{
    struct deadlines ds = { 0 };
    struct deadline d[4] = { 0 };

    CU_ASSERT_EQUAL(deadlines_next(&ds), DEADLINE_NEVER);
    deadline_set(&ds, &d[0], 30);
    deadline_set(&ds, &d[1], 10);
    deadline_set(&ds, &d[2], 20);
    deadline_set(&ds, &d[3], 10);
    CU_ASSERT_EQUAL(deadlines_next(&ds), 10);
    CU_ASSERT_PTR_NULL(deadlines_take(&ds, 9));
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 100), &d[1]); /* set before d[3] */
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 10), &d[3]);
    CU_ASSERT_PTR_NULL(deadlines_take(&ds, 10));
    deadline_set(&ds, &d[0], 5);
    deadline_set(&ds, &d[2], DEADLINE_NEVER);
    deadline_set(&ds, &d[2], DEADLINE_NEVER);
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 10), &d[0]);
    CU_ASSERT_EQUAL(deadlines_next(&ds), DEADLINE_NEVER);
    deadlines_fini(&ds);
}

static void test_setting_it_again_keeps_its_turn(void)
{
    struct deadlines ds = { 0 };
    struct deadline a = { 0 }, b = { 0 };

    deadline_set(&ds, &a, 7);
    deadline_set(&ds, &b, 7);
    deadline_set(&ds, &a, 7);
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 7), &a);
    deadline_set(&ds, &a, 7);
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 7), &b);
    CU_ASSERT_PTR_EQUAL(deadlines_take(&ds, 7), &a);
    deadlines_fini(&ds);
}

static struct deadline *search(struct deadline *d, int64_t now_at)
{
    struct deadline *best = NULL;

    for (size_t i = 0; i < MANY; i++)
        if (d[i].place && d[i].at <= now_at &&
            (!best || d[i].at < best->at ||
             (d[i].at == best->at && d[i].order < best->order)))
            best = &d[i];
    return best;
}

static void test_it_is_what_a_search_finds(void)
{
    struct rnd r = rnd_seeded(9);
    struct deadlines ds = { 0 };
    struct deadline d[MANY] = { 0 };

    for (int step = 0; step < 20000; step++) {
        int64_t now_at = rnd_range(&r, 0, 60);
        struct deadline *want;

        if (rnd_percent(&r, 60)) {
            deadline_set(&ds, &d[rnd_range(&r, 0, MANY - 1)],
                         rnd_percent(&r, 20) ? DEADLINE_NEVER : rnd_range(&r, 0, 50));
            continue;
        }
        want = search(d, now_at);
        CU_ASSERT_PTR_EQUAL_FATAL(deadlines_take(&ds, now_at), want);
        CU_ASSERT(!want || !want->place);
    }
    while (deadlines_take(&ds, 100))
        ;
    CU_ASSERT_PTR_NULL(search(d, 100));
    deadlines_fini(&ds);
}

static void test_those_that_are_due_are_told_in_their_order(void)
{
    static const size_t most[] = { 0, 1, 3, MANY / 2, MANY };
    struct rnd r = rnd_seeded(11);

    for (int64_t now_at = -1; now_at <= 51; now_at++)
        for (size_t i = 0; i < ARRAY_LEN(most); i++) {
            struct deadlines ds = { 0 };
            struct deadline d[MANY] = { 0 }, *due[MANY];
            size_t n;

            for (size_t k = 0; k < MANY; k++)
                deadline_set(&ds, &d[k], rnd_range(&r, 0, 50));
            n = deadlines_due(&ds, now_at, due, most[i]);
            CU_ASSERT_TRUE(n <= most[i]);
            for (size_t k = 0; k < n; k++)
                CU_ASSERT_PTR_EQUAL_FATAL(deadlines_take(&ds, now_at), due[k]);
            CU_ASSERT_EQUAL(n < most[i], n < most[i] && !deadlines_take(&ds, now_at));
            deadlines_fini(&ds);
        }
}

static const struct unit_case cases[] = {
    { "the earliest comes first", test_the_earliest_comes_first },
    { "setting it again keeps its turn", test_setting_it_again_keeps_its_turn },
    { "it is what a search finds", test_it_is_what_a_search_finds },
    { "those that are due are told in their order",
      test_those_that_are_due_are_told_in_their_order },
};

int main(void)
{
    return unit_main("base/deadlines", cases, ARRAY_LEN(cases));
}
