/* ahead.c - see ahead.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ahead.h"

int64_t ahead_sum(int64_t a, int64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

/* Of all that is promised and starts before 'end_at', this much more. */
static void add_before(struct ahead *a, int64_t end_at, int64_t amount)
{
    for (size_t i = 0; i < a->promises.n; i++)
        if (a->promises.v[i].start_at < end_at)
            a->promises.v[i].sum = ahead_sum(a->promises.v[i].sum, amount);
}

void ahead_has(struct ahead *a, struct arena *arena, int64_t end_at, int64_t amount)
{
    ARENA_ROOM(arena, &a->ends, v, 4);
    a->ends.v[a->ends.n++] = (struct ahead_end){ end_at, amount };
    add_before(a, end_at, amount);
}

void ahead_has_not(struct ahead *a, int64_t end_at, int64_t amount)
{
    size_t i = a->ends.n;

    /* Who has come last leaves first. */
    while (i > 0 &&
           (a->ends.v[i - 1].end_at != end_at || a->ends.v[i - 1].amount != amount))
        i--;
    MUST(i > 0);
    a->ends.v[i - 1] = a->ends.v[--a->ends.n];
    add_before(a, end_at, -amount);
}

/* All that is there at that instant. */
static int64_t sum_at(const struct ahead *a, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < a->ends.n; i++)
        if (a->ends.v[i].end_at > at)
            sum = ahead_sum(sum, a->ends.v[i].amount);
    for (size_t i = 0; i < a->promises.n; i++)
        if (a->promises.v[i].start_at <= at && a->promises.v[i].end_at > at)
            sum = ahead_sum(sum, a->promises.v[i].amount);
    return sum;
}

void ahead_promise(struct ahead *a, struct arena *arena, int64_t start_at,
                   int64_t end_at, int64_t amount)
{
    struct ahead_promise new = { start_at, end_at, amount,
                                 ahead_sum(sum_at(a, start_at), amount) };

    for (size_t i = 0; i < a->promises.n; i++) {
        struct ahead_promise *p = &a->promises.v[i];

        if (p->start_at >= start_at && p->start_at < end_at)
            p->sum = ahead_sum(p->sum, amount);
    }
    ARENA_ROOM(arena, &a->promises, v, 4);
    a->promises.v[a->promises.n++] = new;
}

int64_t ahead_most(const struct ahead *a, int64_t now, int64_t end_at)
{
    for (size_t i = 0; i < a->promises.n; i++)
        if (a->promises.v[i].start_at < end_at)
            now = MAX_OF(now, a->promises.v[i].sum);
    return now;
}
