/* Unit tests of lib/io/heap.c: when it is looked for memory that lies free.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/heap.h"

#include "../unit.h"

#define MIB ((size_t)1 << 20)

/* There is a look, which leaves so much. */
static bool looks(struct heap_watch *w, size_t mib, size_t n_kept, size_t left_mib)
{
    bool look = heap_is_to_look(w, mib * MIB, n_kept);

    if (look) {
        size_t explained = n_kept * HEAP_OBJECT_BYTES;

        w->surplus = left_mib * MIB > explained ? left_mib * MIB - explained : 0;
    }
    return look;
}

static void test_a_burst_is_looked_for(void)
{
    struct heap_watch w = { 0 };

    CU_ASSERT_FALSE(looks(&w, 12, 100, 12));
    CU_ASSERT_TRUE(looks(&w, 120, 100, 20));
    CU_ASSERT_FALSE(looks(&w, 21, 100, 21));
    CU_ASSERT_TRUE(looks(&w, 120, 100, 20)); /* and the next one */
}

/* Holes between what is kept stay, and are not looked at again and again. */
static void test_what_cannot_go_back_is_left_alone(void)
{
    struct heap_watch w = { 0 };

    CU_ASSERT_TRUE(looks(&w, 120, 100, 110));
    for (int i = 0; i < 10; i++)
        CU_ASSERT_FALSE(looks(&w, 110 + (size_t)i, 100, 0));
    /* Part of it has gone by itself: from there on it counts. */
    CU_ASSERT_FALSE(looks(&w, 40, 100, 0));
    CU_ASSERT_TRUE(looks(&w, 110, 100, 40));
}

static void test_what_is_kept_is_not_free(void)
{
    struct heap_watch w = { 0 };

    /* A history of 100,000 jobs that grows. */
    for (size_t n = 0; n <= 100000; n += 1000)
        CU_ASSERT_FALSE(looks(&w, 15 + n * 5 / 1000, n, 0));
    /* It is forgotten. */
    CU_ASSERT_TRUE(looks(&w, 515, 100, 20));
    CU_ASSERT_FALSE(looks(&w, 20, 100, 20));
}

static void test_looks_are_rarer_the_more_there_is(void)
{
    struct heap_watch w = { 0 };
    int n = 0;

    /* Objects that are larger than most. */
    for (size_t mib = 10; mib < 4000; mib++)
        n += looks(&w, mib, 100, mib);
    CU_ASSERT_TRUE(n > 2 && n < 15);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a burst is looked for", test_a_burst_is_looked_for },
        { "what cannot go back is left alone", test_what_cannot_go_back_is_left_alone },
        { "what is kept is not free", test_what_is_kept_is_not_free },
        { "looks are rarer the more there is", test_looks_are_rarer_the_more_there_is },
    };

    return unit_main("heap", cases, ARRAY_LEN(cases));
}
