/* Unit tests of lib/base/numbers: which is the lowest free one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/numbers.h"

#include "../unit.h"

static void test_a_number_is_free_when_it_was_dropped_as_often(void)
{
    struct numbers ns = { 0 };

    CU_ASSERT_EQUAL(numbers_free(&ns, 0), 0);
    CU_ASSERT_EQUAL(numbers_free(&ns, 40), 40);
    numbers_take(&ns, 0);
    numbers_take(&ns, 0);
    numbers_take(&ns, 2);
    CU_ASSERT_EQUAL(numbers_free(&ns, 0), 1);
    CU_ASSERT_EQUAL(numbers_free(&ns, 2), 3);
    numbers_drop(&ns, 0);
    CU_ASSERT_EQUAL(numbers_free(&ns, 0), 1);
    numbers_drop(&ns, 0);
    CU_ASSERT_EQUAL(numbers_free(&ns, 0), 0);
    numbers_fini(&ns);
}

static void test_a_full_row_is_followed_by_the_next_number(void)
{
    struct numbers ns = { 0 };

    for (size_t i = 0; i < 64; i++) {
        CU_ASSERT_EQUAL(numbers_free(&ns, 0), i);
        numbers_take(&ns, i);
    }
    CU_ASSERT_EQUAL(numbers_free(&ns, 63), 64);
    numbers_drop(&ns, 15);
    CU_ASSERT_EQUAL(numbers_free(&ns, 0), 15);
    CU_ASSERT_EQUAL(numbers_free(&ns, 16), 64);
    numbers_fini(&ns);
}

static void test_the_same_numbers_are_so_whatever_was_taken_before(void)
{
    struct numbers a = { 0 }, b = { 0 };

    numbers_take(&a, 3);
    CU_ASSERT_FALSE(numbers_same(&a, &b));
    numbers_take(&b, 500);
    CU_ASSERT_FALSE(numbers_same(&a, &b));
    CU_ASSERT_FALSE(numbers_same(&b, &a));
    numbers_take(&b, 3);
    numbers_drop(&b, 500);
    CU_ASSERT(numbers_same(&a, &b));
    CU_ASSERT(numbers_same(&b, &a));
    numbers_fini(&a);
    numbers_fini(&b);
}

/* Against a plain search, with numbers that come and go. */
static void test_a_plain_search_finds_the_same(void)
{
    enum {
        MOST = 300
    };
    uint32_t times[2 * MOST] = { 0 };
    struct numbers ns = { 0 };
    uint64_t seed = 7;

    for (int i = 0; i < 20000; i++) {
        size_t number, from, wanted;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        number = (seed >> 33) % MOST;
        from = (seed >> 45) % MOST;
        if (times[number] && (seed >> 60) < 4) {
            times[number]--;
            numbers_drop(&ns, number);
        } else {
            times[number]++;
            numbers_take(&ns, number);
        }
        for (wanted = from; times[wanted]; wanted++)
            ;
        CU_ASSERT_EQUAL_FATAL(numbers_free(&ns, from), wanted);
    }
    numbers_fini(&ns);
}

static const struct unit_case cases[] = {
    { "a number is free when it was dropped as often",
      test_a_number_is_free_when_it_was_dropped_as_often },
    { "a full row is followed by the next number",
      test_a_full_row_is_followed_by_the_next_number },
    { "the same numbers are so whatever was taken before",
      test_the_same_numbers_are_so_whatever_was_taken_before },
    { "a plain search finds the same", test_a_plain_search_finds_the_same },
};

int main(void)
{
    return unit_main("base/numbers", cases, ARRAY_LEN(cases));
}
