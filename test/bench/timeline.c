/* timeline.c - what the tree of a timeline is worth against walking its steps.
 *
 *   test/bench/timeline [--rounds N]
 *
 * The same steps twice: as a timeline, and as an array that is walked from the first
 * step in question to the last and moved up for a new one. Both are asked the same, in
 * turns in one run, and must answer the same; printed are the times of each, median of
 * the rounds, and how many times as fast the tree is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline.h"
#include "lib/base/rnd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESOURCES   5
#define CAPACITY    100
#define MOST_ROUNDS 99
#define STEP_S      60

/* Walking. */

struct row {
    int64_t at;
    int64_t has[RESOURCES];
};

struct rows {
    size_t n, cap;
    struct row *v;
};

static size_t row_at(const struct rows *l, int64_t at)
{
    size_t low = 0, high = l->n;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (l->v[mid].at <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static size_t rows_split(struct rows *l, int64_t at)
{
    size_t i = row_at(l, at);

    if (l->v[i].at == at)
        return i;
    if (l->n == l->cap) {
        l->cap = MAX_OF(l->cap * 2, (size_t)16);
        l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
    }
    memmove(&l->v[i + 1], &l->v[i], (l->n - i) * sizeof(*l->v));
    l->v[i + 1].at = at;
    l->n++;
    return i + 1;
}

static void rows_claim(struct rows *l, int64_t start_at, int64_t end_at,
                       const int64_t *amounts, int sign)
{
    size_t first = rows_split(l, start_at), last = rows_split(l, end_at);

    for (size_t i = first; i < last; i++)
        for (size_t r = 0; r < RESOURCES; r++)
            l->v[i].has[r] += sign * amounts[r];
}

static void rows_least(const struct rows *l, int64_t start_at, int64_t end_at,
                       int64_t *least)
{
    size_t i = row_at(l, start_at);

    memcpy(least, l->v[i].has, sizeof(l->v[i].has));
    for (i++; i < l->n && l->v[i].at < end_at; i++)
        for (size_t r = 0; r < RESOURCES; r++)
            least[r] = MIN_OF(least[r], l->v[i].has[r]);
}

static bool row_fits(const struct row *row, const int64_t *amounts)
{
    for (size_t r = 0; r < RESOURCES; r++)
        if (amounts[r] > 0 && row->has[r] < amounts[r])
            return false;
    return true;
}

static int64_t rows_earliest(const struct rows *l, int64_t not_before,
                             int64_t duration_s, const int64_t *amounts)
{
    int64_t start_at = not_before;

    for (size_t i = row_at(l, not_before); i < l->n; i++) {
        if (!row_fits(&l->v[i], amounts))
            start_at = i + 1 < l->n ? l->v[i + 1].at : TIMELINE_NEVER;
        else if (i + 1 == l->n || l->v[i + 1].at - start_at >= duration_s)
            return start_at;
    }
    return TIMELINE_NEVER;
}

/* The same for both. */

struct pair {
    size_t n_steps;
    struct timeline *tree;
    struct rows rows;
};

static void pair_claim(struct pair *p, int64_t start_at, int64_t end_at,
                       const int64_t *amounts)
{
    timeline_claim(p->tree, start_at, end_at, amounts);
    rows_claim(&p->rows, start_at, end_at, amounts, -1);
}

/* A vnode whose steps all leave something and never all: each begins with a claim of
 * its own length. */
static void pair_fill(struct pair *p, size_t n_steps, struct arena *arena)
{
    const int64_t capacity[RESOURCES] = { CAPACITY, CAPACITY, CAPACITY, CAPACITY,
                                          CAPACITY };
    struct rnd rnd = rnd_seeded(n_steps);

    p->n_steps = n_steps;
    p->tree = timeline_new(arena, RESOURCES, capacity);
    p->rows.v = xmalloc(sizeof(*p->rows.v));
    p->rows.n = p->rows.cap = 1;
    p->rows.v[0].at = INT64_MIN;
    memcpy(p->rows.v[0].has, capacity, sizeof(capacity));
    for (size_t i = 0; i < n_steps; i++) {
        int64_t amounts[RESOURCES];

        for (size_t r = 0; r < RESOURCES; r++)
            amounts[r] = rnd_range(&rnd, 1, CAPACITY / 2);
        pair_claim(p, (int64_t)i * STEP_S, (int64_t)(i + 1) * STEP_S, amounts);
    }
}

/* What is asked. */

typedef int64_t ask_fn(struct pair *p, bool tree, struct rnd *rnd);

static int64_t ask_least(struct pair *p, bool tree, struct rnd *rnd)
{
    int64_t end_at = (int64_t)p->n_steps * STEP_S, least[RESOURCES];
    int64_t from_at = rnd_range(rnd, 0, end_at / 2);
    int64_t sum = 0;

    if (tree)
        timeline_least_all(p->tree, from_at, from_at + end_at / 2, least);
    else
        rows_least(&p->rows, from_at, from_at + end_at / 2, least);
    for (size_t r = 0; r < RESOURCES; r++)
        sum += least[r];
    return sum;
}

/* All of one resource: only after the last step. */
static int64_t ask_earliest_late(struct pair *p, bool tree, struct rnd *rnd)
{
    const int64_t amounts[RESOURCES] = { CAPACITY, 1, 1, 1, 1 };
    int64_t from_at = rnd_range(rnd, 0, STEP_S);

    return tree ? timeline_earliest(p->tree, from_at, 10 * STEP_S, amounts)
                : rows_earliest(&p->rows, from_at, 10 * STEP_S, amounts);
}

/* Room enough from the beginning, for as long as all steps. */
static int64_t ask_earliest_long(struct pair *p, bool tree, struct rnd *rnd)
{
    const int64_t amounts[RESOURCES] = { CAPACITY / 2, CAPACITY / 2, 1, 1, 1 };
    int64_t from_at = rnd_range(rnd, 0, STEP_S);
    int64_t duration_s = (int64_t)p->n_steps * STEP_S;

    return tree ? timeline_earliest(p->tree, from_at, duration_s, amounts)
                : rows_earliest(&p->rows, from_at, duration_s, amounts);
}

/* Something usual: many stretches are too short. */
static int64_t ask_earliest_gaps(struct pair *p, bool tree, struct rnd *rnd)
{
    const int64_t amounts[RESOURCES] = { 60, 60, 1, 1, 1 };
    int64_t from_at = rnd_range(rnd, 0, STEP_S);

    return tree ? timeline_earliest(p->tree, from_at, 40 * STEP_S, amounts)
                : rows_earliest(&p->rows, from_at, 40 * STEP_S, amounts);
}

/* A claim of half the time is made, asked about and given back. */
static int64_t ask_change(struct pair *p, bool tree, struct rnd *rnd)
{
    const int64_t amounts[RESOURCES] = { 1, 1, 1, 1, 1 };
    int64_t end_at = (int64_t)p->n_steps * STEP_S, least[RESOURCES];
    int64_t from_at = rnd_range(rnd, 0, (int64_t)p->n_steps / 2) * STEP_S;

    if (tree) {
        timeline_claim(p->tree, from_at, from_at + end_at / 2, amounts);
        timeline_least_all(p->tree, 0, end_at, least);
        timeline_release(p->tree, from_at, from_at + end_at / 2, amounts);
    } else {
        rows_claim(&p->rows, from_at, from_at + end_at / 2, amounts, -1);
        rows_least(&p->rows, 0, end_at, least);
        rows_claim(&p->rows, from_at, from_at + end_at / 2, amounts, 1);
    }
    return least[0];
}

/* Times. */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double once_ns(struct pair *p, ask_fn *ask, bool tree, size_t times,
                      int64_t *ret_sum)
{
    struct rnd rnd = rnd_seeded(7);
    double begin = now_s();

    *ret_sum = 0;
    for (size_t i = 0; i < times; i++)
        *ret_sum += ask(p, tree, &rnd) & 0xffffff;
    return (now_s() - begin) * 1e9 / (double)times;
}

static void compare(const char *what, struct pair *p, ask_fn *ask, size_t rounds)
{
    double tree_ns[MOST_ROUNDS], rows_ns[MOST_ROUNDS];
    size_t times = 200000 / p->n_steps + 20;

    for (size_t i = 0; i < rounds; i++) {
        int64_t a, b;

        tree_ns[i] = once_ns(p, ask, true, times, &a);
        rows_ns[i] = once_ns(p, ask, false, times, &b);
        if (a != b) {
            fprintf(stderr, "%s: the answers differ\n", what);
            exit(1);
        }
    }
    qsort(tree_ns, rounds, sizeof(*tree_ns), by_size);
    qsort(rows_ns, rounds, sizeof(*rows_ns), by_size);
    printf("%7zu steps  %-36s walked %10.0f ns  tree %8.0f ns  x %.2f\n", p->n_steps,
           what, rows_ns[rounds / 2], tree_ns[rounds / 2],
           rows_ns[rounds / 2] / tree_ns[rounds / 2]);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 10, 1000, 100000 };
    size_t rounds = 9;

    if (argc == 3 && strcmp(argv[1], "--rounds") == 0)
        rounds = (size_t)strtoul(argv[2], NULL, 10);
    rounds = MIN_OF(MAX_OF(rounds, (size_t)1), (size_t)MOST_ROUNDS);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct arena *arena = arena_new();
        struct pair p = { 0 };

        pair_fill(&p, sizes[i], arena);
        compare("least through half of them", &p, ask_least, rounds);
        compare("earliest: behind all of them", &p, ask_earliest_late, rounds);
        compare("earliest: at once, through all", &p, ask_earliest_long, rounds);
        compare("earliest: gaps that are too short", &p, ask_earliest_gaps, rounds);
        compare("claim half, ask, give back", &p, ask_change, rounds);
        free(p.rows.v);
        arena_free(arena);
    }
    return 0;
}
