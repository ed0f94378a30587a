/* Tests of what limits count at instants to come (src/scheduler/plan/ahead.c): in
 * random stories the largest sum is that of a count at each instant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ahead.h"

#include "lib/base/rnd.h"

#include "../unit.h"

#include <stdio.h>

enum {
    STORIES = 500,
    STEPS = 40,
    HORIZON = 12, /* instants of a story */
};

struct span {
    int64_t start_at, end_at, amount;
};

struct story {
    struct rnd rnd;
    struct ahead ahead;
    struct arena *arena;
    size_t n_has, n_promises;
    struct span has[STEPS], promises[STEPS];
};

static int64_t pick(struct story *st, int64_t n)
{
    return rnd_range(&st->rnd, 0, n - 1);
}

static int64_t count(const struct span *v, size_t n, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (v[i].start_at <= at && at < v[i].end_at)
            sum += v[i].amount;
    return sum;
}

/* Instant for instant. */
static int64_t most(const struct story *st, int64_t end_at)
{
    int64_t ret = count(st->has, st->n_has, 0);

    for (int64_t at = 0; at < end_at; at++)
        ret = MAX_OF(ret, count(st->has, st->n_has, at) +
                              count(st->promises, st->n_promises, at));
    return ret;
}

static void come(struct story *st)
{
    struct span x = { 0, 1 + pick(st, HORIZON), pick(st, 4) };

    st->has[st->n_has++] = x;
    ahead_has(&st->ahead, st->arena, x.end_at, x.amount);
}

static void go(struct story *st)
{
    size_t i = (size_t)pick(st, (int64_t)st->n_has);
    struct span x = st->has[i];

    st->has[i] = st->has[--st->n_has];
    ahead_has_not(&st->ahead, x.end_at, x.amount);
}

static void promise(struct story *st)
{
    struct span x = { 1 + pick(st, HORIZON), 0, pick(st, 4) };

    x.end_at = x.start_at + 1 + pick(st, HORIZON);
    st->promises[st->n_promises++] = x;
    ahead_promise(&st->ahead, st->arena, x.start_at, x.end_at, x.amount);
}

static void the_largest_sum_is_that_of_all_instants(void)
{
    for (uint64_t seed = 1; seed <= STORIES; seed++) {
        struct story st = { .rnd = rnd_seeded(seed), .arena = arena_new() };

        for (int i = 0; i < STEPS; i++) {
            int64_t what = pick(&st, 5), end_at = pick(&st, 2 * HORIZON);

            if (what < 2)
                come(&st);
            else if (what < 4 && st.n_has > 0)
                go(&st);
            else
                promise(&st);
            CU_ASSERT_EQUAL(ahead_most(&st.ahead, count(st.has, st.n_has, 0), end_at),
                            most(&st, end_at));
        }
        arena_free(st.arena);
    }
}

static void absurd_amounts_stay_in_range(void)
{
    struct arena *arena = arena_new();
    struct ahead a = { 0 };

    for (int i = 0; i < 3; i++)
        ahead_has(&a, arena, 100, INT64_MAX);
    ahead_promise(&a, arena, 50, 60, INT64_MAX);
    CU_ASSERT_EQUAL(ahead_most(&a, 0, 51), INT64_MAX);
    CU_ASSERT_EQUAL(ahead_most(&a, 0, 50), 0);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the largest sum is that of all instants",
          the_largest_sum_is_that_of_all_instants },
        { "absurd amounts stay in range", absurd_amounts_stay_in_range },
    };

    return unit_main("ahead", cases, ARRAY_LEN(cases));
}
