/* Unit tests of lib/base/shares: who has how much.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/shares.h"

#include "../unit.h"

static void test_a_part_counts_in_the_whole(void)
{
    struct budget whole = { 0 }, part = { .part_of = &whole };

    budget_recount(&whole, 0, 5);
    budget_recount(&part, 0, 100);
    CU_ASSERT_EQUAL(whole.bytes, 105);
    CU_ASSERT_EQUAL(part.bytes, 100);
    budget_recount(&part, 100, 30);
    CU_ASSERT_EQUAL(whole.bytes, 35);
    CU_ASSERT_EQUAL(part.bytes, 30);
    budget_recount(NULL, 0, 1000); /* counted nowhere */
}

static void test_a_share_lives_as_long_as_its_holders(void)
{
    struct shares all = { 0 };
    struct share *a = share_hold(&all, "a"), *b = share_hold(&all, "b");

    CU_ASSERT_PTR_EQUAL(share_hold(&all, "a"), a);
    CU_ASSERT_EQUAL(a->n, 2);
    share_drop(&all, a);
    CU_ASSERT_PTR_EQUAL(share_find(&all, "a"), a);
    share_drop(&all, a);
    CU_ASSERT_PTR_NULL(share_find(&all, "a"));
    share_drop(&all, b);
    share_drop(&all, NULL);
    CU_ASSERT_PTR_NULL(all.by_key);
}

/* Its connections may have ended before what they asked for is saved. */
static void test_a_share_outlives_its_holders_until_all_is_saved(void)
{
    struct shares all = { 0 };
    struct share *a = share_hold(&all, "a");

    share_unsaved(&all, a, 0, 10);
    share_drop(&all, a);
    CU_ASSERT_PTR_EQUAL(share_find(&all, "a"), a);
    CU_ASSERT_EQUAL(a->n, 0);
    CU_ASSERT_EQUAL(all.unsaved.bytes, 10);
    share_unsaved(&all, a, 10, 0);
    CU_ASSERT_PTR_NULL(share_find(&all, "a"));
}

static void test_the_largest_share_is_found(void)
{
    struct shares all = { 0 };
    struct share *a, *b, *c;

    CU_ASSERT_PTR_NULL(shares_with_most(&all));
    CU_ASSERT_PTR_NULL(shares_with_most_memory(&all));
    a = share_hold(&all, "a");
    b = share_hold(&all, "b");
    c = share_hold(&all, "c");
    CU_ASSERT_PTR_EQUAL(shares_with_most(&all), a); /* made first */
    share_hold(&all, "b");
    budget_recount(&c->memory, 0, 7);
    budget_recount(&a->memory, 0, 6);
    CU_ASSERT_PTR_EQUAL(shares_with_most(&all), b);
    CU_ASSERT_PTR_EQUAL(shares_with_most_memory(&all), c);
    CU_ASSERT_EQUAL(all.memory.bytes, 13);
    budget_recount(&c->memory, 7, 0);
    budget_recount(&a->memory, 6, 0);
    share_drop(&all, b);
    share_drop(&all, b);
    share_drop(&all, a);
    share_drop(&all, c);
}

static const struct unit_case cases[] = {
    { "what a part counts counts in the whole", test_a_part_counts_in_the_whole },
    { "a share lives as long as its holders",
      test_a_share_lives_as_long_as_its_holders },
    { "a share outlives its holders until all is saved",
      test_a_share_outlives_its_holders_until_all_is_saved },
    { "the largest share is found", test_the_largest_share_is_found },
};

int main(void)
{
    return unit_main("base/shares", cases, ARRAY_LEN(cases));
}
