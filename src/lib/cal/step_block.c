/* step_block.c - one block of steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline_priv.h"

#include <string.h>

int64_t *timeline_vectors(struct timeline *t, size_t n)
{
    return arena_zero(t->arena, n * t->n_res * sizeof(int64_t));
}

void block_reserve(struct timeline *t, struct block *b, size_t cap)
{
    int64_t *at, *has;

    if (cap <= b->cap)
        return;
    at = arena_alloc(t->arena, cap * sizeof(*at));
    has = arena_alloc(t->arena, cap * t->n_res * sizeof(*has));
    if (b->n > 0) {
        memcpy(at, b->at, b->n * sizeof(*at));
        memcpy(has, b->free, b->n * t->n_res * sizeof(*has));
    }
    b->at = at;
    b->free = has;
    b->cap = cap;
    MUST(b->n <= b->cap);
}

struct block *block_new(struct timeline *t, size_t cap)
{
    struct block *b = t->spare;

    if (b) {
        t->spare = b->next_spare;
    } else {
        b = ARENA_NEW(t->arena, struct block);
        b->later = timeline_vectors(t, 3);
        b->least = b->later + t->n_res;
        b->most = b->least + t->n_res;
    }
    /* A spare block has the room of its last life, and what it was owed then. */
    vector_fill(t->n_res, b->later, 0);
    b->owes = false;
    b->stale = true;
    b->n = 0;
    block_reserve(t, b, cap);
    return b;
}

void block_settle(const struct timeline *t, struct block *b)
{
    for (size_t i = 0; i < b->n; i++)
        vector_add(t->n_res, FREE(t, b, i), b->later, 1);
    vector_fill(t->n_res, b->later, 0);
    b->owes = false;
}

void block_sum_up(const struct timeline *t, struct block *b)
{
    MUST(b->n > 0);
    if (!b->stale)
        return;
    block_settled(t, b);
    vector_fill(t->n_res, b->least, INT64_MAX);
    vector_fill(t->n_res, b->most, INT64_MIN);
    /* Over all steps once; a claim in the middle of the block makes it necessary, one
     * of the whole block does not. */
    for (size_t i = 0; i < b->n; i++) {
        vector_lower(t->n_res, b->least, FREE(t, b, i));
        vector_raise(t->n_res, b->most, FREE(t, b, i));
    }
    b->stale = false;
}

void block_add(const struct timeline *t, struct block *b, size_t from, size_t to,
               const int64_t *amounts, int sign)
{
    MUST(from < to && to <= b->n);
    if (from == 0 && to == b->n) {
        /* The whole block gets the same: it is noted, and added to the steps when
         * somebody looks at them. Least and most move along. */
        vector_add(t->n_res, b->later, amounts, sign);
        b->owes = true;
        if (!b->stale) {
            vector_add(t->n_res, b->least, amounts, sign);
            vector_add(t->n_res, b->most, amounts, sign);
        }
        return;
    }
    block_settled(t, b);
    for (size_t i = from; i < to; i++)
        vector_add(t->n_res, FREE(t, b, i), amounts, sign);
    b->stale = true;
}

void block_append(const struct timeline *t, struct block *to, const struct block *from,
                  size_t first, size_t n)
{
    MUST(first + n <= from->n && to->n + n <= to->cap);
    MUST(!from->owes && !to->owes); /* else the steps would change in between */
    memcpy(&to->at[to->n], &from->at[first], n * sizeof(*to->at));
    memcpy(FREE(t, to, to->n), FREE(t, from, first), n * t->n_res * sizeof(*to->free));
    to->n += n;
    to->stale = true;
}
