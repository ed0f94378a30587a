/* timeline_tree.c - the tree of what is least and most above the blocks.
 *
 * The tree is made current by the next question that needs it, and only above blocks
 * that changed. Its leaves are a power of two; those without a block have the least of
 * everything above and the most below all that may be asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline_priv.h"

#include <string.h>

/* Copy what is known of a block into its leaf. */
static void tree_leaf(struct timeline *t, size_t i)
{
    size_t node = t->n_leaves + i;

    MUST(i < t->n_leaves);
    if (i >= t->n) {
        vector_fill(t->n_res, LEAST(t, node), INT64_MAX);
        vector_fill(t->n_res, MOST(t, node), INT64_MIN);
        return;
    }
    block_sum_up(t, t->v[i]);
    memcpy(LEAST(t, node), t->v[i]->least, t->n_res * sizeof(int64_t));
    memcpy(MOST(t, node), t->v[i]->most, t->n_res * sizeof(int64_t));
}

/* Sum up the two nodes below. */
static void tree_node(struct timeline *t, size_t node)
{
    size_t bytes = t->n_res * sizeof(int64_t);

    memcpy(LEAST(t, node), LEAST(t, 2 * node), bytes);
    memcpy(MOST(t, node), MOST(t, 2 * node), bytes);
    vector_lower(t->n_res, LEAST(t, node), LEAST(t, 2 * node + 1));
    vector_raise(t->n_res, MOST(t, node), MOST(t, 2 * node + 1));
}

void timeline_refresh_tree(struct timeline *t)
{
    size_t first, last;

    if (t->n_leaves < t->n) {
        for (t->n_leaves = MAX_OF(t->n_leaves, (size_t)2); t->n_leaves < t->n;)
            t->n_leaves *= 2;
        t->least = timeline_vectors(t, 2 * t->n_leaves);
        t->most = timeline_vectors(t, 2 * t->n_leaves);
        timeline_mark_stale(t, 0, t->n_leaves);
    }
    /* Blocks that are gone since they were marked have no leaf to mend. */
    t->stale_to = MIN_OF(t->stale_to, t->n_leaves); /* there were more since */
    if (t->stale_from >= t->stale_to)
        return;
    for (size_t i = t->stale_from; i < t->stale_to; i++)
        tree_leaf(t, i);
    first = t->n_leaves + t->stale_from;
    last = t->n_leaves + t->stale_to - 1;
    for (first /= 2, last /= 2; first > 0; first /= 2, last /= 2)
        for (size_t node = first; node <= last; node++)
            tree_node(t, node);
    t->stale_from = SIZE_MAX;
    t->stale_to = 0;
    MUST(t->n <= t->n_leaves);
}

void timeline_least_of_blocks(struct timeline *t, size_t first, size_t last,
                              int64_t *least)
{
    MUST(last <= t->n);
    if (first >= last)
        return;
    timeline_refresh_tree(t);
    first += t->n_leaves;
    last += t->n_leaves;
    for (; first < last; first /= 2, last /= 2) {
        /* A node that is the right one of its pair has no partner in the span: it is
         * taken by itself, and so is the left one at the other end. All others are
         * seen through the node above. */
        if (first & 1)
            vector_lower(t->n_res, least, LEAST(t, first++));
        if (last & 1)
            vector_lower(t->n_res, least, LEAST(t, --last));
    }
}
