/* Unit tests of the order by rank, against a plain search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/ranks.h"
#include "lib/base/rnd.h"

#include "../unit.h"

#include <string.h>

#define MANY 300

struct thing {
    struct ranked by_rank;
    bool there;
    struct rank_place place;
};

static struct ranked *search(struct thing *v, struct rank_place place)
{
    struct thing *best = NULL;

    for (size_t i = 0; i < MANY; i++)
        if (v[i].there && rank_is_before(place, v[i].place) &&
            (!best || rank_is_before(v[i].place, best->place)))
            best = &v[i];
    return best ? &best->by_rank : NULL;
}

static void add(struct ranks *rs, struct thing *t, int64_t rank, uint64_t seq)
{
    t->place = (struct rank_place){ rank, seq };
    t->there = true;
    ranks_add(rs, &t->by_rank, t->place);
}

static void drop(struct ranks *rs, struct thing *t)
{
    t->there = false;
    ranks_remove(rs, &t->by_rank);
}

static void test_it_is_what_a_search_finds(void)
{
    static struct thing v[MANY];
    struct rnd r = rnd_seeded(5);
    struct ranks rs = { 0 };
    size_t n = 0;

    memset(v, 0, sizeof(v));
    for (int step = 0; step < 4000; step++) {
        struct thing *t = &v[rnd_range(&r, 0, MANY - 1)];
        struct rank_place place = { rnd_range(&r, -1, 41),
                                    (uint64_t)rnd_range(&r, 0, MANY) };

        CU_ASSERT_EQUAL(ranked_is_there(&t->by_rank), t->there);
        n += t->there ? -(size_t)1 : 1;
        if (t->there)
            drop(&rs, t);
        else
            add(&rs, t, rnd_range(&r, 0, 40), (uint64_t)(t - v) + 1);
        CU_ASSERT_EQUAL(ranks_check(&rs), n);
        CU_ASSERT_PTR_EQUAL(ranks_behind(&rs, place), search(v, place));
    }
    CU_ASSERT(n > MANY / 4);
    while (rs.root)
        drop(&rs, STRUCT_OF(rs.root, struct thing, by_rank));
    CU_ASSERT_PTR_NULL(search(v, RANK_PLACE_FIRST));
}

/* Ranks that rise, fall, or fill a gap from its two ends. */
static int64_t chosen(int manner, int i)
{
    if (manner == 0)
        return i;
    return manner == 1 ? -i : i % 2 ? i : -i;
}

static void test_no_choice_of_ranks_makes_it_deep(void)
{
    static struct thing v[MANY];

    for (int manner = 0; manner < 3; manner++) {
        struct ranks rs = { 0 };

        memset(v, 0, sizeof(v));
        for (int i = 0; i < MANY; i++)
            add(&rs, &v[i], chosen(manner, i), 1);
        CU_ASSERT_EQUAL(ranks_check(&rs), MANY);
        CU_ASSERT(rs.root->height <= 12); /* 1.44 times the logarithm of 300 */
        for (int i = 0; i < MANY; i += 1 + manner)
            drop(&rs, &v[i]);
        ranks_check(&rs);
    }
}

static void test_equal_ranks_stand_by_the_second_number(void)
{
    struct thing v[3] = { 0 };
    struct ranks rs = { 0 };

    add(&rs, &v[0], 7, 3);
    add(&rs, &v[1], 7, 1);
    add(&rs, &v[2], 6, 9);
    CU_ASSERT_PTR_EQUAL(ranks_behind(&rs, RANK_PLACE_FIRST), &v[2].by_rank);
    CU_ASSERT_PTR_EQUAL(ranks_behind(&rs, v[2].place), &v[1].by_rank);
    CU_ASSERT_PTR_EQUAL(ranks_behind(&rs, v[1].place), &v[0].by_rank);
    CU_ASSERT_PTR_NULL(ranks_behind(&rs, v[0].place));
    CU_ASSERT_PTR_NULL(ranks_behind(&rs, RANK_PLACE_LAST));
}

static const struct unit_case cases[] = {
    { "it is what a search finds", test_it_is_what_a_search_finds },
    { "no choice of ranks makes it deep", test_no_choice_of_ranks_makes_it_deep },
    { "equal ranks stand by the second number",
      test_equal_ranks_stand_by_the_second_number },
};

int main(void)
{
    return unit_main("base/ranks", cases, ARRAY_LEN(cases));
}
