/* timeline.c - a timeline as a whole: made, changed and asked. How steps are kept is
 * told in timeline_priv.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline_priv.h"

#include <string.h>

/* A timeline without any step yet; the caller puts the first one in. */
static struct timeline *timeline_empty(struct arena *arena, size_t n_res, size_t cap)
{
    struct timeline *t = ARENA_NEW(arena, struct timeline);

    t->arena = arena;
    t->n_res = n_res;
    t->answer = timeline_vectors(t, 1);
    timeline_reserve_blocks(t, cap);
    return t;
}

struct timeline *timeline_new(struct arena *arena, size_t n, const int64_t *capacity)
{
    struct timeline *t;
    struct block *b;

    MUST(n > 0);
    t = timeline_empty(arena, n, 1);
    b = block_new(t, FIRST_STEPS);
    b->n = 1;
    b->at[0] = INT64_MIN;
    memcpy(b->free, capacity, n * sizeof(*capacity));
    timeline_insert_block(t, 0, b);
    return t;
}

struct timeline *timeline_copy(struct arena *arena, struct timeline *t)
{
    struct timeline *copy = timeline_empty(arena, t->n_res, t->n);

    for (size_t i = 0; i < t->n; i++) {
        const struct block *from = block_settled(t, t->v[i]);
        struct block *to = block_new(copy, from->n);

        block_append(copy, to, from, 0, from->n);
        timeline_insert_block(copy, i, to);
    }
    return copy;
}

static void change(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts, int sign)
{
    struct step_place first, last;

    MUST(sign == 1 || sign == -1);
    if (start_at >= end_at)
        return;
    timeline_begin_step(t, start_at);
    if (end_at != TIMELINE_NEVER)
        timeline_begin_step(t, end_at);
    first = timeline_find(t, start_at);
    last = timeline_find(t, end_at - 1);
    MUST(t->v[first.block]->at[first.step] == start_at);
    MUST(first.block < last.block ||
         (first.block == last.block && first.step <= last.step));
    /* Both ends of the span begin a step now, so whole steps change. */
    for (size_t i = first.block; i <= last.block; i++)
        block_add(t, t->v[i], i == first.block ? first.step : 0,
                  i == last.block ? last.step + 1 : t->v[i]->n, amounts, sign);
    timeline_mark_stale(t, first.block, last.block + 1);
    if (end_at != TIMELINE_NEVER)
        timeline_end_step(t, end_at);
    timeline_end_step(t, start_at);
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

/* Lower least[] to the steps from 'from' on that begin before 'end_at'. True when
 * these are all further steps of the block, so that the next block may have more. */
static bool least_of_steps(const struct timeline *t, struct block *b, size_t from,
                           int64_t end_at, int64_t *least)
{
    size_t i = from;

    block_settled(t, b);
    for (; i < b->n && b->at[i] < end_at; i++)
        vector_lower(t->n_res, least, FREE(t, b, i));
    return i == b->n;
}

void timeline_least_all(struct timeline *t, int64_t start_at, int64_t end_at,
                        int64_t *least)
{
    struct step_place p = timeline_find(t, start_at);
    size_t last;

    MUST(start_at < end_at);
    vector_fill(t->n_res, least, INT64_MAX);
    if (!least_of_steps(t, t->v[p.block], p.step, end_at, least))
        return;
    last = timeline_find(t, end_at - 1).block;
    if (last == p.block)
        return;
    timeline_least_of_blocks(t, p.block + 1, last, least);
    (void)least_of_steps(t, t->v[last], 0, end_at, least);
}

int64_t timeline_least(struct timeline *t, size_t resource, int64_t start_at,
                       int64_t end_at)
{
    MUST(resource < t->n_res);
    timeline_least_all(t, start_at, end_at, t->answer);
    return t->answer[resource];
}

void timeline_most_all(struct timeline *t, int64_t start_at, int64_t end_at,
                       int64_t *most)
{
    struct step_place p = timeline_find(t, start_at);

    MUST(start_at < end_at);
    vector_fill(t->n_res, most, INT64_MIN);
    for (size_t i = p.block; i < t->n && (i == p.block || t->begin_at[i] < end_at);
         i++) {
        struct block *b = t->v[i];
        bool is_whole = i > p.block && i + 1 < t->n && t->begin_at[i + 1] <= end_at;

        if (is_whole) {
            block_sum_up(t, b);
            vector_raise(t->n_res, most, b->most);
            continue;
        }
        block_settled(t, b);
        for (size_t k = i == p.block ? p.step : 0; k < b->n; k++)
            if (b->at[k] < end_at)
                vector_raise(t->n_res, most, FREE(t, b, k));
    }
}

/* A resource of which nothing is asked for does not count: it may be below 0. */
static bool suffices(size_t n_res, const int64_t *has, const int64_t *amounts)
{
    for (size_t r = 0; r < n_res; r++)
        if (amounts[r] > 0 && has[r] < amounts[r])
            return false;
    return true;
}

bool timeline_fits(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts)
{
    timeline_least_all(t, start_at, end_at, t->answer);
    return suffices(t->n_res, t->answer, amounts);
}

/* A search for the first stretch that is long enough. */
struct search {
    struct timeline *t;
    const int64_t *amounts;
    int64_t not_before, duration_s;
    bool open; /* everything has sufficed since start_at */
    int64_t start_at, end_at;
};

/* Tell the search that from 'at' on all suffices ('enough'), or that something is
 * short. True: the stretch that was open until there is long enough. */
static bool reach(struct search *q, int64_t at, bool enough)
{
    if (q->open && at >= q->end_at)
        return true;
    if (enough && !q->open) {
        q->start_at = MAX_OF(at, q->not_before);
        if (__builtin_add_overflow(q->start_at, q->duration_s, &q->end_at))
            q->end_at = TIMELINE_NEVER;
    }
    q->open = enough;
    return false;
}

/* Tell the search of the steps of a block, one by one, from step 'from' on. */
static bool search_block(struct search *q, struct block *b, size_t from)
{
    block_settled(q->t, b);
    for (size_t i = from; i < b->n; i++)
        if (reach(q, b->at[i], suffices(q->t->n_res, FREE(q->t, b, i), q->amounts)))
            return true;
    return false;
}

/* Tell the search of the blocks [low, high) below a node, as far as they are 'first' or
 * behind it. When everything suffices in all of them, or something is short in all of
 * them, the first step says it for all, and they are not looked at. */
static bool search_tree(struct search *q, size_t node, size_t low, size_t high,
                        size_t first)
{
    struct timeline *t = q->t;
    size_t mid = low + (high - low) / 2;

    MUST(node < 2 * t->n_leaves && low < high);
    if (high <= first || low >= t->n)
        return false;
    if (low >= first) {
        if (suffices(t->n_res, LEAST(t, node), q->amounts))
            return reach(q, t->begin_at[low], true);
        if (!suffices(t->n_res, MOST(t, node), q->amounts))
            return reach(q, t->begin_at[low], false);
    }
    if (high - low == 1)
        return search_block(q, t->v[low], 0);
    return search_tree(q, 2 * node, low, mid, first) ||
           search_tree(q, 2 * node + 1, mid, high, first);
}

int64_t timeline_earliest(struct timeline *t, int64_t not_before, int64_t duration_s,
                          const int64_t *amounts)
{
    struct step_place p = timeline_find(t, not_before);
    struct search q = {
        .t = t, .amounts = amounts, .not_before = not_before, .duration_s = duration_s
    };

    MUST(duration_s > 0);
    if (search_block(&q, t->v[p.block], p.step))
        return q.start_at;
    if (p.block + 1 < t->n) {
        timeline_refresh_tree(t);
        if (search_tree(&q, 1, 0, t->n_leaves, p.block + 1))
            return q.start_at;
    }
    return q.open ? q.start_at : TIMELINE_NEVER;
}

int64_t timeline_next_change(const struct timeline *t, int64_t after_at)
{
    struct step_place p = timeline_find(t, after_at);

    if (p.step + 1 < t->v[p.block]->n)
        return t->v[p.block]->at[p.step + 1];
    return p.block + 1 < t->n ? t->begin_at[p.block + 1] : TIMELINE_NEVER;
}

static const int64_t *free_at(const struct timeline *t, int64_t at)
{
    struct step_place p = timeline_find(t, at);

    return FREE(t, block_settled(t, t->v[p.block]), p.step);
}

bool timeline_same(struct timeline *a, struct timeline *b, int64_t from_at)
{
    if (a->n_res != b->n_res)
        return false;
    for (;;) {
        int64_t next_at = timeline_next_change(a, from_at);

        if (memcmp(free_at(a, from_at), free_at(b, from_at),
                   a->n_res * sizeof(int64_t)) != 0 ||
            timeline_next_change(b, from_at) != next_at)
            return false;
        if (next_at == TIMELINE_NEVER)
            return true;
        from_at = next_at;
    }
}
