/* timeline_steps.c - the row of blocks: where a step is, and how it comes and goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline_priv.h"

#include <string.h>

/* A block with fewer steps is joined to the next one where both fit into one. */
#define FEW_STEPS 8

void timeline_mark_stale(struct timeline *t, size_t from, size_t to)
{
    /* One range for all: the next question makes what lies between anew with it, which
     * is cheaper than a list. */
    t->stale_from = MIN_OF(t->stale_from, from);
    t->stale_to = MAX_OF(t->stale_to, to);
}

void timeline_reserve_blocks(struct timeline *t, size_t cap)
{
    struct block **v = arena_alloc(t->arena, cap * sizeof(struct block *));
    int64_t *begin_at = arena_alloc(t->arena, cap * sizeof(*begin_at));

    if (t->n > 0) {
        memcpy(v, t->v, t->n * sizeof(struct block *));
        memcpy(begin_at, t->begin_at, t->n * sizeof(*begin_at));
    }
    t->v = v;
    t->begin_at = begin_at;
    t->cap = cap;
}

void timeline_insert_block(struct timeline *t, size_t i, struct block *b)
{
    size_t behind = t->n - i;

    MUST(i <= t->n && b->n > 0);
    if (t->n == t->cap)
        timeline_reserve_blocks(t, 2 * t->cap);
    /* Pointers move, steps do not: a row of 100,000 steps is some thousands of
     * pointers. */
    memmove(&t->v[i + 1], &t->v[i], behind * sizeof(struct block *));
    memmove(&t->begin_at[i + 1], &t->begin_at[i], behind * sizeof(*t->begin_at));
    t->v[i] = b;
    t->begin_at[i] = b->at[0];
    t->n++;
    timeline_mark_stale(t, i, t->n);
}

static void blocks_remove(struct timeline *t, size_t i)
{
    MUST(i < t->n && t->n > 1); /* one block has the step of the beginning of time */
    timeline_mark_stale(t, i, t->n);
    /* The arena takes nothing back, so blocks that come and go are used again. */
    t->v[i]->next_spare = t->spare;
    t->spare = t->v[i];
    t->n--;
    memmove(&t->v[i], &t->v[i + 1], (t->n - i) * sizeof(struct block *));
    memmove(&t->begin_at[i], &t->begin_at[i + 1], (t->n - i) * sizeof(*t->begin_at));
}

struct step_place timeline_find(const struct timeline *t, int64_t at)
{
    struct step_place p = { 0, 0 };
    size_t high = t->n;

    while (high - p.block > 1) {
        size_t mid = p.block + (high - p.block) / 2;

        if (t->begin_at[mid] <= at)
            p.block = mid;
        else
            high = mid;
    }
    high = t->v[p.block]->n;
    while (high - p.step > 1) {
        size_t mid = p.step + (high - p.step) / 2;

        if (t->v[p.block]->at[mid] <= at)
            p.step = mid;
        else
            high = mid;
    }
    MUST(t->v[p.block]->at[p.step] <= at); /* the first step holds from INT64_MIN on */
    return p;
}

/* Move half of a full block into a new block behind it. */
static void halve(struct timeline *t, size_t i)
{
    struct block *b = block_settled(t, t->v[i]), *half = block_new(t, BLOCK_STEPS);

    MUST(b->n == BLOCK_STEPS);
    block_append(t, half, b, BLOCK_STEPS / 2, BLOCK_STEPS / 2);
    b->n = BLOCK_STEPS / 2;
    b->stale = true;
    timeline_mark_stale(t, i, i + 1);
    timeline_insert_block(t, i + 1, half);
}

bool timeline_is_whole(struct timeline *t)
{
    const int64_t *before = NULL;

    for (size_t i = 0; i < t->n; i++) {
        struct block *b = t->v[i];

        block_sum_up(t, b);
        block_settled(t, b);
        if (b->n == 0 || b->n > b->cap || t->begin_at[i] != b->at[0])
            return false;
        for (size_t k = 0; k < b->n; k++) {
            const int64_t *free = FREE(t, b, k);

            if (before && memcmp(before, free, t->n_res * sizeof(*free)) == 0)
                return false;
            if (k > 0 && b->at[k] <= b->at[k - 1])
                return false;
            before = free;
        }
        if (i > 0 && b->at[0] <= t->v[i - 1]->at[t->v[i - 1]->n - 1])
            return false;
    }
    return t->begin_at[0] == INT64_MIN;
}

void timeline_begin_step(struct timeline *t, int64_t at)
{
    struct step_place p = timeline_find(t, at);
    struct block *b = t->v[p.block];

    /* Something changes there already. */
    if (b->at[p.step] == at)
        return;
    if (b->n == BLOCK_STEPS) {
        halve(t, p.block);
        p = timeline_find(t, at);
        b = t->v[p.block];
    }
    if (b->n == b->cap)
        block_reserve(t, b, 2 * b->cap);
    memmove(&b->at[p.step + 1], &b->at[p.step], (b->n - p.step) * sizeof(*b->at));
    memmove(FREE(t, b, p.step + 1), FREE(t, b, p.step),
            (b->n - p.step) * t->n_res * sizeof(*b->free));
    b->at[p.step + 1] = at; /* what is free is that of the step before */
    b->n++;
    MUST(b->at[p.step] < at && (p.step + 2 == b->n || at < b->at[p.step + 2]));
}

/* Join a block of few steps to the next one, so that steps which come and go do not
 * leave a long row of nearly empty blocks. */
static void join_few(struct timeline *t, size_t i)
{
    struct block *b = t->v[i], *next;

    if (i + 1 == t->n || b->n >= FEW_STEPS || b->n + t->v[i + 1]->n > BLOCK_STEPS)
        return;
    next = block_settled(t, t->v[i + 1]);
    block_settled(t, b);
    block_reserve(t, b, BLOCK_STEPS);
    block_append(t, b, next, 0, next->n);
    timeline_mark_stale(t, i, i + 1);
    blocks_remove(t, i + 1);
}

/* Take a step away: what is free there is what is free in the step before. */
static void remove_step(struct timeline *t, struct step_place p)
{
    struct block *b = t->v[p.block];

    b->n--;
    if (b->n == 0) {
        blocks_remove(t, p.block);
        return;
    }
    memmove(&b->at[p.step], &b->at[p.step + 1], (b->n - p.step) * sizeof(*b->at));
    memmove(FREE(t, b, p.step), FREE(t, b, p.step + 1),
            (b->n - p.step) * t->n_res * sizeof(*b->free));
    b->stale = true;
    t->begin_at[p.block] = b->at[0];
    timeline_mark_stale(t, p.block, p.block + 1);
    join_few(t, p.block);
}

void timeline_end_step(struct timeline *t, int64_t at)
{
    struct step_place p = timeline_find(t, at), before = p;
    const struct block *b = block_settled(t, t->v[p.block]), *prev;

    /* There is no step before the first one. */
    if (at == INT64_MIN)
        return;
    /* The step before may be the last one of the block before. */
    if (p.step == 0)
        before = (struct step_place){ p.block - 1, t->v[p.block - 1]->n };
    before.step--;
    prev = block_settled(t, t->v[before.block]);
    if (memcmp(FREE(t, prev, before.step), FREE(t, b, p.step),
               t->n_res * sizeof(*b->free)) == 0)
        remove_step(t, p);
}
