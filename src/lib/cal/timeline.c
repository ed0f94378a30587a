/* timeline.c - steps in an array sorted by time, with a tree of minima above them.
 *
 * Step i holds from at[i] until at[i + 1], the first one from the beginning of time and
 * the last one for ever. Changes are rare and touch the array; questions are many, so
 * the tree is made anew by the first question after a change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline.h"

#include <assert.h>
#include <string.h>

struct timeline {
    struct arena *arena;
    size_t n_resources;
    size_t n; /* steps, at least 1 */
    size_t cap;
    int64_t *at;
    int64_t *free;   /* [step * n_resources + resource] */
    int64_t *minima; /* bottom-up tree, leaf i at [(n + i) * n_resources] */
    bool minima_valid;
};

static void grow(struct timeline *t, size_t cap)
{
    size_t row_bytes = t->n_resources * sizeof(int64_t);
    int64_t *at = arena_alloc(t->arena, cap * sizeof(int64_t));
    int64_t *amounts = arena_alloc(t->arena, cap * row_bytes);

    if (t->n > 0) {
        memcpy(at, t->at, t->n * sizeof(int64_t));
        memcpy(amounts, t->free, t->n * row_bytes);
    }
    t->at = at;
    t->free = amounts;
    t->minima = arena_alloc(t->arena, 2 * cap * row_bytes);
    t->cap = cap;
    t->minima_valid = false;
}

struct timeline *timeline_new(struct arena *arena, size_t n, const int64_t *capacity)
{
    struct timeline *t = arena_zero(arena, sizeof(*t));

    assert(n > 0);
    t->arena = arena;
    t->n_resources = n;
    grow(t, 4);
    t->n = 1;
    t->at[0] = INT64_MIN;
    memcpy(t->free, capacity, n * sizeof(int64_t));
    return t;
}

struct timeline *timeline_copy(struct arena *arena, const struct timeline *t)
{
    struct timeline *copy = arena_zero(arena, sizeof(*copy));

    copy->arena = arena;
    copy->n_resources = t->n_resources;
    grow(copy, t->n + 2);
    copy->n = t->n;
    memcpy(copy->at, t->at, t->n * sizeof(int64_t));
    memcpy(copy->free, t->free, t->n * t->n_resources * sizeof(int64_t));
    return copy;
}

/* The step that holds at 'at'. */
static size_t step_at(const struct timeline *t, int64_t at)
{
    size_t low = 0;
    size_t high = t->n;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (t->at[mid] <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Make a step begin at 'at'; returns its index. */
static size_t split(struct timeline *t, int64_t at)
{
    size_t i = step_at(t, at);
    size_t r = t->n_resources;

    if (t->at[i] == at)
        return i;
    if (t->n == t->cap)
        grow(t, t->cap * 2);
    memmove(&t->at[i + 2], &t->at[i + 1], (t->n - i - 1) * sizeof(int64_t));
    memmove(&t->free[(i + 2) * r], &t->free[(i + 1) * r],
            (t->n - i - 1) * r * sizeof(int64_t));
    t->at[i + 1] = at;
    memcpy(&t->free[(i + 1) * r], &t->free[i * r], r * sizeof(int64_t));
    t->n++;
    return i + 1;
}

/* Join step i to the one before when nothing changes there. */
static void join(struct timeline *t, size_t i)
{
    size_t r = t->n_resources;

    if (i == 0 || i >= t->n ||
        memcmp(&t->free[(i - 1) * r], &t->free[i * r], r * sizeof(int64_t)) != 0)
        return;
    memmove(&t->at[i], &t->at[i + 1], (t->n - i - 1) * sizeof(int64_t));
    memmove(&t->free[i * r], &t->free[(i + 1) * r],
            (t->n - i - 1) * r * sizeof(int64_t));
    t->n--;
}

static void change(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts, int sign)
{
    size_t first, last;

    if (start_at >= end_at)
        return;
    first = split(t, start_at);
    last = end_at == TIMELINE_NEVER ? t->n : split(t, end_at);
    for (size_t i = first; i < last; i++)
        for (size_t r = 0; r < t->n_resources; r++)
            t->free[i * t->n_resources + r] += sign * amounts[r];
    join(t, last);
    join(t, first);
    t->minima_valid = false;
}

void timeline_claim(struct timeline *t, int64_t start_at, int64_t end_at,
                    const int64_t *amounts)
{
    change(t, start_at, end_at, amounts, -1);
}

void timeline_release(struct timeline *t, int64_t start_at, int64_t end_at,
                      const int64_t *amounts)
{
    change(t, start_at, end_at, amounts, 1);
}

static void make_minima(struct timeline *t)
{
    size_t r = t->n_resources;

    memcpy(&t->minima[t->n * r], t->free, t->n * r * sizeof(int64_t));
    for (size_t i = (t->n - 1) * r + r; i-- > r;) {
        int64_t left = t->minima[i / r * 2 * r + i % r];
        int64_t right = t->minima[(i / r * 2 + 1) * r + i % r];

        t->minima[i] = left < right ? left : right;
    }
    t->minima_valid = true;
}

/* The steps [*first, *last) that the span touches; for more than one the minima are
 * ready. */
static void span_steps(struct timeline *t, int64_t start_at, int64_t end_at,
                       size_t *first, size_t *last)
{
    assert(start_at < end_at);
    *first = step_at(t, start_at);
    *last = step_at(t, end_at - 1) + 1;
    if (!t->minima_valid && *last - *first > 1)
        make_minima(t);
}

static int64_t least_of_steps(const struct timeline *t, size_t resource, size_t first,
                              size_t last)
{
    int64_t least = INT64_MAX;

    for (first += t->n, last += t->n; first < last; first /= 2, last /= 2) {
        int64_t v;

        if (first & 1) {
            v = t->minima[first++ * t->n_resources + resource];
            least = v < least ? v : least;
        }
        if (last & 1) {
            v = t->minima[--last * t->n_resources + resource];
            least = v < least ? v : least;
        }
    }
    return least;
}

/* A single step needs no tree. */
static int64_t least_of_span(const struct timeline *t, size_t resource, size_t first,
                             size_t last)
{
    if (first + 1 == last)
        return t->free[first * t->n_resources + resource];
    return least_of_steps(t, resource, first, last);
}

int64_t timeline_least(struct timeline *t, size_t resource, int64_t start_at,
                       int64_t end_at)
{
    size_t first, last;

    assert(resource < t->n_resources);
    span_steps(t, start_at, end_at, &first, &last);
    return least_of_span(t, resource, first, last);
}

void timeline_least_all(struct timeline *t, int64_t start_at, int64_t end_at,
                        int64_t *least)
{
    size_t first, last;

    span_steps(t, start_at, end_at, &first, &last);
    if (first + 1 == last) {
        memcpy(least, &t->free[first * t->n_resources],
               t->n_resources * sizeof(*least));
        return;
    }
    for (size_t r = 0; r < t->n_resources; r++)
        least[r] = least_of_steps(t, r, first, last);
}

bool timeline_fits(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts)
{
    size_t first, last;

    span_steps(t, start_at, end_at, &first, &last);
    for (size_t r = 0; r < t->n_resources; r++)
        if (amounts[r] > 0 && least_of_span(t, r, first, last) < amounts[r])
            return false;
    return true;
}

static bool step_fits(const struct timeline *t, size_t i, const int64_t *amounts)
{
    for (size_t r = 0; r < t->n_resources; r++)
        if (amounts[r] > 0 && t->free[i * t->n_resources + r] < amounts[r])
            return false;
    return true;
}

int64_t timeline_earliest(const struct timeline *t, int64_t not_before,
                          int64_t duration_s, const int64_t *amounts)
{
    int64_t start_at = not_before;

    for (size_t i = step_at(t, not_before); i < t->n; i++) {
        if (!step_fits(t, i, amounts))
            start_at = i + 1 < t->n ? t->at[i + 1] : TIMELINE_NEVER;
        else if (i + 1 == t->n || t->at[i + 1] - start_at >= duration_s)
            return start_at;
    }
    return TIMELINE_NEVER;
}

int64_t timeline_next_change(const struct timeline *t, int64_t after_at)
{
    size_t i = step_at(t, after_at) + 1;

    return i < t->n ? t->at[i] : TIMELINE_NEVER;
}

bool timeline_same(const struct timeline *a, const struct timeline *b, int64_t from_at)
{
    size_t i = step_at(a, from_at);
    size_t k = step_at(b, from_at);
    size_t row_bytes = a->n_resources * sizeof(int64_t);

    if (a->n_resources != b->n_resources || a->n - i != b->n - k)
        return false;
    if (a->n - i > 1 &&
        memcmp(&a->at[i + 1], &b->at[k + 1], (a->n - i - 1) * sizeof(int64_t)) != 0)
        return false;
    return memcmp(&a->free[i * a->n_resources], &b->free[k * b->n_resources],
                  (a->n - i) * row_bytes) == 0;
}
