/* Unit tests of lib/cal/timeline.c: cases on one vnode of 8 cpus, and random histories
 * against an oracle that keeps every second in an array.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline.h"

#include "../unit.h"
#include "lib/base/rnd.h"

#include <stdio.h>
#include <string.h>

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

/* The oracle: what is free in every second of [0, SECONDS), before it and after it. */
enum {
    SECONDS = 500,
    INSTANTS = SECONDS + 2,
    RESOURCES = 3,
};

struct oracle {
    int64_t has[INSTANTS][RESOURCES]; /* [0]: before all, [INSTANTS - 1]: after all */
};

static size_t instant(int64_t at)
{
    return at < 0 ? 0 : at >= SECONDS ? INSTANTS - 1 : (size_t)at + 1;
}

/* The instants of a span are [instant(start_at), behind(end_at)). */
static size_t behind(int64_t end_at)
{
    return end_at <= 0 ? 1 : end_at > SECONDS ? INSTANTS : (size_t)end_at + 1;
}

static bool oracle_suffices(const struct oracle *o, size_t i, const int64_t *amounts)
{
    for (size_t r = 0; r < RESOURCES; r++)
        if (amounts[r] > 0 && o->has[i][r] < amounts[r])
            return false;
    return true;
}

static int64_t oracle_least(const struct oracle *o, size_t r, int64_t start_at,
                            int64_t end_at)
{
    int64_t least = INT64_MAX;

    for (size_t i = instant(start_at); i < behind(end_at); i++)
        least = MIN_OF(least, o->has[i][r]);
    return least;
}

static int64_t oracle_most(const struct oracle *o, size_t r, int64_t start_at,
                           int64_t end_at)
{
    int64_t most = INT64_MIN;

    for (size_t i = instant(start_at); i < behind(end_at); i++)
        most = MAX_OF(most, o->has[i][r]);
    return most;
}

/* Every start is tried, from the last short second backwards it is known to fail. */
static int64_t oracle_earliest(const struct oracle *o, int64_t not_before,
                               int64_t duration_s, const int64_t *amounts)
{
    int64_t start_at = not_before;

    for (;;) {
        int64_t end_at, short_at = INT64_MIN;

        if (__builtin_add_overflow(start_at, duration_s, &end_at))
            end_at = TIMELINE_NEVER;
        for (size_t i = instant(start_at); i < behind(end_at); i++)
            if (!oracle_suffices(o, i, amounts))
                short_at = (int64_t)i - 1; /* its second; -1: before all */
        if (short_at == INT64_MIN)
            return start_at;
        if (short_at >= SECONDS)
            return TIMELINE_NEVER;
        start_at = short_at + 1;
    }
}

static int64_t oracle_next_change(const struct oracle *o, int64_t after_at)
{
    for (size_t i = instant(after_at) + 1; i < INSTANTS; i++)
        if (memcmp(o->has[i], o->has[i - 1], sizeof(o->has[i])) != 0)
            return (int64_t)i - 1;
    return TIMELINE_NEVER;
}

/* Random histories. */

struct history {
    struct rnd rnd;
    struct timeline *t;
    struct oracle o;
    int64_t longest_s; /* of a claim */
};

static void history_init(struct history *h, struct arena *arena, uint64_t seed,
                         int64_t longest_s)
{
    static const int64_t capacity[RESOURCES] = { 50, 80, 20 };

    h->rnd = rnd_seeded(seed);
    h->longest_s = longest_s;
    h->t = timeline_new(arena, RESOURCES, capacity);
    for (size_t i = 0; i < INSTANTS; i++)
        memcpy(h->o.has[i], capacity, sizeof(capacity));
}

static int64_t random_end(struct history *h, int64_t start_at)
{
    if (rnd_percent(&h->rnd, 3))
        return TIMELINE_NEVER;
    return start_at + rnd_range(&h->rnd, 0, h->longest_s);
}

static int64_t random_start(struct history *h)
{
    if (rnd_percent(&h->rnd, 3))
        return INT64_MIN;
    return rnd_range(&h->rnd, -5, SECONDS - 1);
}

static void apply_both(struct history *h, int64_t start_at, int64_t end_at,
                       const int64_t *amounts, int sign)
{
    /* what is before and what is beyond are one instant each to the oracle */
    if (end_at != TIMELINE_NEVER)
        end_at = MIN_OF(end_at, SECONDS);
    if (start_at < 0 && start_at < end_at) {
        start_at = INT64_MIN;
        end_at = MAX_OF(end_at, 0);
    }
    if (sign < 0)
        timeline_claim(h->t, start_at, end_at, amounts);
    else
        timeline_release(h->t, start_at, end_at, amounts);
    for (size_t i = instant(start_at); start_at < end_at && i < behind(end_at); i++)
        for (size_t r = 0; r < RESOURCES; r++)
            h->o.has[i][r] += sign * amounts[r];
}

/* Claims beyond what there is, and amounts below zero, are made like any other. */
static void random_change(struct history *h)
{
    int64_t start_at = random_start(h);
    int64_t end_at = start_at == INT64_MIN ? rnd_range(&h->rnd, 0, SECONDS)
                                           : random_end(h, start_at);
    int64_t amounts[RESOURCES];

    for (size_t r = 0; r < RESOURCES; r++)
        amounts[r] = rnd_range(&h->rnd, -1, 3);
    apply_both(h, start_at, end_at, amounts, rnd_percent(&h->rnd, 60) ? -1 : 1);
    /* Not after each change: the check itself brings the blocks up to date. */
    if (rnd_percent(&h->rnd, 5))
        CU_ASSERT_TRUE(timeline_is_whole(h->t));
}

static void compare_least(struct history *h)
{
    int64_t start_at = random_start(h);
    int64_t end_at = random_end(h, MAX_OF(start_at, -5));
    int64_t least[RESOURCES], amounts[RESOURCES];
    bool fits = true;

    end_at = MAX_OF(end_at, start_at + 1);
    timeline_least_all(h->t, start_at, end_at, least);
    for (size_t r = 0; r < RESOURCES; r++) {
        if (least[r] != oracle_least(&h->o, r, start_at, end_at))
            fprintf(stderr, "[%lld, %lld): got %lld\n", (long long)start_at,
                    (long long)end_at, (long long)least[r]);
        CU_ASSERT_EQUAL(least[r], oracle_least(&h->o, r, start_at, end_at));
        CU_ASSERT_EQUAL(timeline_least(h->t, r, start_at, end_at), least[r]);
        amounts[r] = least[r] + rnd_range(&h->rnd, -3, rnd_percent(&h->rnd, 20));
        fits = fits && (amounts[r] <= 0 || least[r] >= amounts[r]);
    }
    CU_ASSERT_EQUAL(timeline_fits(h->t, start_at, end_at, amounts), fits);
}

static void compare_most(struct history *h)
{
    int64_t start_at = random_start(h);
    int64_t end_at = random_end(h, MAX_OF(start_at, -5));
    int64_t most[RESOURCES];

    end_at = MAX_OF(end_at, start_at + 1);
    timeline_most_all(h->t, start_at, end_at, most);
    for (size_t r = 0; r < RESOURCES; r++)
        CU_ASSERT_EQUAL(most[r], oracle_most(&h->o, r, start_at, end_at));
}

static void compare_earliest(struct history *h)
{
    int64_t not_before = random_start(h), amounts[RESOURCES];
    const int64_t *some = h->o.has[rnd_range(&h->rnd, 0, INSTANTS - 1)];
    int64_t duration_s = rnd_percent(&h->rnd, 5)
                             ? INT64_MAX - rnd_range(&h->rnd, 0, 2 * SECONDS)
                             : rnd_range(&h->rnd, 1, h->longest_s + 1);
    int64_t got_at, expect_at;

    for (size_t r = 0; r < RESOURCES; r++)
        amounts[r] = some[r] - rnd_range(&h->rnd, -1, 4);
    got_at = timeline_earliest(h->t, not_before, duration_s, amounts);
    expect_at = oracle_earliest(&h->o, not_before, duration_s, amounts);
    if (got_at != expect_at)
        fprintf(stderr, "from %lld for %lld: got %lld, not %lld\n",
                (long long)not_before, (long long)duration_s, (long long)got_at,
                (long long)expect_at);
    CU_ASSERT_EQUAL(got_at, expect_at);
}

static void compare_changes(struct history *h)
{
    int64_t after_at = random_start(h);

    CU_ASSERT_EQUAL(timeline_next_change(h->t, after_at),
                    oracle_next_change(&h->o, after_at));
}

static void run_history(uint64_t seed, int64_t longest_s, int n_changes)
{
    struct arena *arena = arena_new();
    struct history h;

    history_init(&h, arena, seed, longest_s);
    for (int i = 0; i < n_changes; i++) {
        for (int n = rnd_percent(&h.rnd, 10) ? 30 : 1; n > 0; n--)
            random_change(&h);
        compare_least(&h);
        compare_most(&h);
        compare_earliest(&h);
        compare_changes(&h);
    }
    arena_free(arena);
}

/* Long claims make a few steps, short ones hundreds. */
static void test_random_histories(void)
{
    for (uint64_t seed = 0; seed < 60; seed++)
        run_history(seed, 1 + (int64_t)(seed * seed / 8), 120);
}

/* All that was claimed is given back. */

enum {
    MOST_CLAIMS = 400
};

struct claim {
    int64_t start_at, end_at;
    int64_t amounts[RESOURCES];
};

/* Hundreds of steps come and go, in any order. */
static void test_what_comes_goes(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        static struct claim claims[MOST_CLAIMS];
        struct arena *arena = arena_new();
        struct timeline *fresh, *copy;
        struct history h;
        size_t n = MOST_CLAIMS;

        history_init(&h, arena, seed, 20);
        fresh = timeline_copy(arena, h.t);
        for (size_t i = 0; i < n; i++) {
            struct claim *c = &claims[i];

            c->start_at = rnd_range(&h.rnd, 0, SECONDS - 1);
            c->end_at = random_end(&h, c->start_at + 1);
            for (size_t r = 0; r < RESOURCES; r++)
                c->amounts[r] = rnd_range(&h.rnd, 1, 100);
            apply_both(&h, c->start_at, c->end_at, c->amounts, -1);
            compare_earliest(&h);
        }
        copy = timeline_copy(arena, h.t);
        while (n > 0) {
            size_t i = (size_t)rnd_range(&h.rnd, 0, (int64_t)--n);

            CU_ASSERT_FALSE(timeline_same(h.t, fresh, INT64_MIN));
            apply_both(&h, claims[i].start_at, claims[i].end_at, claims[i].amounts, 1);
            claims[i] = claims[n];
            compare_least(&h);
            compare_most(&h);
            compare_earliest(&h);
            compare_changes(&h);
        }
        CU_ASSERT_TRUE(timeline_same(h.t, fresh, INT64_MIN));
        CU_ASSERT_EQUAL(timeline_next_change(h.t, INT64_MIN), TIMELINE_NEVER);
        CU_ASSERT_FALSE(timeline_same(copy, fresh, INT64_MIN));
        arena_free(arena);
    }
}

/* What comes and goes does not take memory for ever. */
static void test_memory_is_used_again(void)
{
    static const int64_t one[RESOURCES] = { 1, 2, 3 };
    struct arena *arena = arena_new();
    struct history h;
    size_t used = 0;

    history_init(&h, arena, 1, 20);
    for (int round = 0; round < 20; round++) {
        for (int64_t at = 0; at < 1000; at += 2)
            timeline_claim(h.t, at, at + 1, one);
        CU_ASSERT_EQUAL(timeline_least(h.t, 0, 0, 1000), 49);
        for (int64_t at = 0; at < 1000; at += 2)
            timeline_release(h.t, at, at + 1, one);
        CU_ASSERT_EQUAL(timeline_least(h.t, 0, 0, 1000), 50);
        if (round == 1)
            used = arena_used_bytes(arena);
    }
    CU_ASSERT_EQUAL(arena_used_bytes(arena), used);
    arena_free(arena);
}

/* Many steps come and go between two questions. */
static void test_what_nobody_sees(void)
{
    static const int64_t one[RESOURCES] = { 1, 2, 3 };
    struct arena *arena = arena_new();
    struct history h;

    history_init(&h, arena, 1, 20);
    for (int64_t at = 0; at < 200; at += 2)
        timeline_claim(h.t, at, at + 1, one);
    CU_ASSERT_EQUAL(timeline_least(h.t, 0, 0, 1000), 49);
    for (int64_t at = 200; at < 5000; at += 2)
        timeline_claim(h.t, at, at + 1, one);
    for (int64_t at = 100; at < 5000; at += 2)
        timeline_release(h.t, at, at + 1, one);
    CU_ASSERT_EQUAL(timeline_least(h.t, 0, 0, 1000), 49);
    CU_ASSERT_EQUAL(timeline_least(h.t, 0, 99, 1000), 50);
    CU_ASSERT_EQUAL(timeline_next_change(h.t, 98), 99);
    CU_ASSERT_EQUAL(timeline_next_change(h.t, 99), TIMELINE_NEVER);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the least of a span is what is free all through it", test_least },
        { "the earliest start is exact to the second", test_earliest },
        { "a release undoes a claim", test_release_undoes_claim },
        { "a claim may last for ever and may be empty", test_claim_for_ever },
        { "random histories agree with every second counted", test_random_histories },
        { "what comes goes, and nothing is left", test_what_comes_goes },
        { "memory is used again", test_memory_is_used_again },
        { "steps may come and go unseen", test_what_nobody_sees },
    };

    return unit_main("cal/timeline", cases, COUNT(cases));
}
