/* Unit tests of the random numbers that tests and stories take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/rnd.h"

#include "../unit.h"

#define SEEDS   200
#define NUMBERS 200

static bool are_shifted(struct rnd a, struct rnd b, int by)
{
    for (int i = 0; i < by; i++)
        (void)rnd_next(&a);
    for (int i = 0; i < 4; i++)
        if (rnd_next(&a) != rnd_next(&b))
            return false;
    return true;
}

/* Else their stories would be the same ones, told from another place on. */
static void test_neighbours_have_nothing_in_common(void)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int by = 0; by < 20; by++) {
            struct rnd a = rnd_seeded(seed), b = rnd_seeded(seed + 1);

            CU_ASSERT_FALSE(are_shifted(a, b, by));
            CU_ASSERT_FALSE(are_shifted(b, a, by));
        }
}

static void test_one_seed_has_the_same_numbers_again(void)
{
    struct rnd a = rnd_seeded(7), b = rnd_seeded(7);

    for (int i = 0; i < NUMBERS; i++)
        CU_ASSERT_EQUAL(rnd_next(&a), rnd_next(&b));
}

/* The first numbers of many seeds are as evenly spread as many numbers of one. */
static void test_first_numbers_are_spread(void)
{
    int n[10] = { 0 };

    for (uint64_t seed = 1; seed <= 10 * (uint64_t)SEEDS; seed++) {
        struct rnd r = rnd_seeded(seed);

        n[rnd_range(&r, 0, 9)]++;
    }
    for (int i = 0; i < 10; i++)
        CU_ASSERT(n[i] > SEEDS / 2 && n[i] < 2 * SEEDS);
}

static const struct unit_case cases[] = {
    { "neighbours have nothing in common", test_neighbours_have_nothing_in_common },
    { "one seed has the same numbers again", test_one_seed_has_the_same_numbers_again },
    { "first numbers of seeds are spread", test_first_numbers_are_spread },
};

int main(void)
{
    return unit_main("base/rnd", cases, ARRAY_LEN(cases));
}
