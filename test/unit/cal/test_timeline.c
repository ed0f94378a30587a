/* Unit tests of lib/cal/timeline.c: cases on one vnode of 8 cpus, and random histories
 * against an oracle that keeps every second in an array.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline.h"

#include "../unit.h"

#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* 8 cpus, 6 of them taken in [200, 400). */
static struct timeline *busy_night(struct arena *arena)
{
    static const int64_t cpus[] = { 8 };
    static const int64_t taken[] = { 6 };
    struct timeline *t = timeline_new(arena, 1, cpus);

    timeline_claim(t, 200, 400, taken);
    return t;
}

static void test_least(void)
{
    static const struct {
        const char *story;
        int64_t start_at, end_at, expect;
    } cases[] = {
        { "ends where the claim begins", 100, 200, 8 },
        { "touches its first second", 100, 201, 2 },
        { "touches its last second", 399, 500, 2 },
        { "begins where it ends", 400, 500, 8 },
        { "lies within", 250, 260, 2 },
        { "covers all of time", INT64_MIN, INT64_MAX, 2 },
    };
    struct arena *arena = arena_new();
    struct timeline *t = busy_night(arena);

    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t got = timeline_least(t, 0, cases[i].start_at, cases[i].end_at);

        if (got != cases[i].expect)
            fprintf(stderr, "%s: got %lld\n", cases[i].story, (long long)got);
        CU_ASSERT_EQUAL(got, cases[i].expect);
    }
    arena_free(arena);
}

static void test_earliest(void)
{
    static const struct {
        const char *story;
        int64_t not_before, duration_s, amount, expect_at;
    } cases[] = {
        { "fits before the claim", 0, 200, 8, 0 },
        { "one second too long before it", 0, 201, 8, 400 },
        { "small enough to lie beside it", 0, 1000, 2, 0 },
        { "asked for within it", 300, 10, 3, 400 },
        { "late", 500, 10, 8, 500 },
        { "more than there is", 0, 1, 9, TIMELINE_NEVER },
    };
    struct arena *arena = arena_new();
    struct timeline *t = busy_night(arena);

    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t amount = cases[i].amount;
        int64_t got =
            timeline_earliest(t, cases[i].not_before, cases[i].duration_s, &amount);

        if (got != cases[i].expect_at)
            fprintf(stderr, "%s: got %lld\n", cases[i].story, (long long)got);
        CU_ASSERT_EQUAL(got, cases[i].expect_at);
    }
    arena_free(arena);
}

static void test_release_undoes_claim(void)
{
    static const int64_t cpus[] = { 8 };
    static const int64_t taken[] = { 3 };
    struct arena *arena = arena_new();
    struct timeline *t = timeline_new(arena, 1, cpus);
    struct timeline *before = timeline_copy(arena, t);

    timeline_claim(t, 10, 20, taken);
    CU_ASSERT_FALSE(timeline_same(t, before, 0));
    CU_ASSERT_TRUE(timeline_same(t, before, 20));
    timeline_release(t, 10, 20, taken);
    CU_ASSERT_TRUE(timeline_same(t, before, INT64_MIN));
    CU_ASSERT_EQUAL(timeline_next_change(t, 0), TIMELINE_NEVER);
    arena_free(arena);
}

static void test_claim_for_ever(void)
{
    static const int64_t taken[] = { 8 };
    struct arena *arena = arena_new();
    struct timeline *t = busy_night(arena);

    timeline_claim(t, 400, TIMELINE_NEVER, taken);
    CU_ASSERT_EQUAL(timeline_least(t, 0, 1000000, INT64_MAX), 0);
    timeline_claim(t, 50, 50, taken); /* an empty span */
    CU_ASSERT_EQUAL(timeline_least(t, 0, 0, 100), 8);
    arena_free(arena);
}

enum {
    SECONDS = 60,
    RESOURCES = 3,
    ROUNDS = 300,
    CHANGES = 40
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int64_t naive_least(int64_t free[SECONDS][RESOURCES], size_t r, int64_t from,
                           int64_t to)
{
    int64_t least = INT64_MAX;

    for (int64_t s = from; s < to; s++)
        least = free[s][r] < least ? free[s][r] : least;
    return least;
}

static int64_t naive_earliest(int64_t free[SECONDS][RESOURCES], int64_t duration_s,
                              const int64_t *amounts)
{
    for (int64_t from = 0; from + duration_s <= SECONDS; from++) {
        bool fits = true;

        for (size_t r = 0; r < RESOURCES; r++)
            if (amounts[r] > 0 &&
                naive_least(free, r, from, from + duration_s) < amounts[r])
                fits = false;
        if (fits)
            return from;
    }
    return TIMELINE_NEVER;
}

/* One random change in both; the oracle knows the seconds [0, SECONDS) only. */
static void random_change(struct timeline *t, int64_t free[SECONDS][RESOURCES],
                          uint64_t *seed)
{
    int64_t from = (int64_t)(next_random(seed) % SECONDS);
    int64_t to = from + (int64_t)(next_random(seed) % 20);
    int sign = next_random(seed) % 3 ? -1 : 1;
    int64_t amounts[RESOURCES];

    for (size_t r = 0; r < RESOURCES; r++)
        amounts[r] = (int64_t)(next_random(seed) % 4);
    if (sign < 0)
        timeline_claim(t, from, to, amounts);
    else
        timeline_release(t, from, to, amounts);
    for (int64_t s = from; s < to && s < SECONDS; s++)
        for (size_t r = 0; r < RESOURCES; r++)
            free[s][r] += sign * amounts[r];
}

static void compare_once(struct timeline *t, int64_t free[SECONDS][RESOURCES],
                         uint64_t *seed)
{
    int64_t from = (int64_t)(next_random(seed) % SECONDS);
    int64_t to = from + 1 + (int64_t)(next_random(seed) % (uint64_t)(SECONDS - from));
    int64_t least[RESOURCES];
    int64_t amounts[RESOURCES];
    int64_t duration_s = 1 + (int64_t)(next_random(seed) % 12);
    int64_t expect_at;

    timeline_least_all(t, from, to, least);
    for (size_t r = 0; r < RESOURCES; r++) {
        CU_ASSERT_EQUAL(least[r], naive_least(free, r, from, to));
        CU_ASSERT_EQUAL(timeline_least(t, r, from, to), least[r]);
        amounts[r] = (int64_t)(next_random(seed) % 12);
    }
    CU_ASSERT_EQUAL(timeline_fits(t, from, to, amounts),
                    (!amounts[0] || least[0] >= amounts[0]) &&
                        (!amounts[1] || least[1] >= amounts[1]) &&
                        (!amounts[2] || least[2] >= amounts[2]));
    expect_at = naive_earliest(free, duration_s, amounts);
    if (expect_at != TIMELINE_NEVER)
        CU_ASSERT_EQUAL(timeline_earliest(t, 0, duration_s, amounts), expect_at);
}

static void test_random_histories(void)
{
    uint64_t seed = 20261121;

    for (int round = 0; round < ROUNDS; round++) {
        static const int64_t capacity[RESOURCES] = { 10, 20, 5 };
        int64_t free[SECONDS][RESOURCES];
        struct arena *arena = arena_new();
        struct timeline *t = timeline_new(arena, RESOURCES, capacity);

        for (int s = 0; s < SECONDS; s++)
            for (size_t r = 0; r < RESOURCES; r++)
                free[s][r] = capacity[r];
        for (int i = 0; i < CHANGES; i++) {
            random_change(t, free, &seed);
            compare_once(t, free, &seed);
        }
        arena_free(arena);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the least of a span is what is free all through it", test_least },
        { "the earliest start is exact to the second", test_earliest },
        { "a release undoes a claim", test_release_undoes_claim },
        { "a claim may last for ever and may be empty", test_claim_for_ever },
        { "random histories agree with every second counted", test_random_histories },
    };

    return unit_main("cal/timeline", cases, COUNT(cases));
}
