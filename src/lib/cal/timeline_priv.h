/* timeline_priv.h - a timeline from the inside, for timeline.c, step_block.c,
 * timeline_steps.c and timeline_tree.c.
 *
 * A step holds from its instant until the next one's, the first from the beginning of
 * time and the last for ever. Steps that follow one another differ. They are kept in
 * order in blocks of at most BLOCK_STEPS: a change moves the rest of two blocks and
 * tells those between what they all get ('later'), a question walks two blocks and asks
 * the tree about those between. Most vnodes have a few steps, which are one block and
 * need no tree.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_TIMELINE_PRIV_H
#define LIB_CAL_TIMELINE_PRIV_H

#include "lib/cal/timeline.h"

#define BLOCK_STEPS 32
#define FIRST_STEPS 4

/* Some steps in a row. A vector has one number for each resource. */
struct block {
    size_t n, cap; /* n > 0 */
    int64_t *at;
    int64_t *free;         /* a vector for each step, without 'later' */
    int64_t *later;        /* what is to be added to each step before it is looked at */
    int64_t *least, *most; /* of all steps, with 'later'; unless 'stale' */
    bool owes;             /* 'later' is not zero */
    bool stale;
    struct block *next_spare;
};

struct timeline {
    struct arena *arena;
    size_t n_res;
    size_t n, cap; /* blocks, n > 0 */
    struct block **v;
    int64_t *begin_at;   /* of each block, side by side: they are searched */
    struct block *spare; /* blocks that became empty */
    int64_t *answer;     /* room for a vector */
    /* Vectors of the tree's nodes; node i > 0 is above 2i and 2i + 1. */
    int64_t *least, *most;
    size_t n_leaves;
    size_t stale_from, stale_to; /* of the blocks: what the tree does not know yet */
};

/* Where a step is: the number of its block, and its number in the block. */
struct step_place {
    size_t block, step;
};

#define FREE(t, b, i)  (&(b)->free[(i) * (t)->n_res])
#define LEAST(t, node) (&(t)->least[(node) * (t)->n_res])
#define MOST(t, node)  (&(t)->most[(node) * (t)->n_res])

static inline void vector_add(size_t n_res, int64_t *to, const int64_t *amounts,
                              int sign)
{
    for (size_t r = 0; r < n_res; r++)
        to[r] += sign * amounts[r];
}

static inline void vector_lower(size_t n_res, int64_t *least, const int64_t *to)
{
    for (size_t r = 0; r < n_res; r++)
        least[r] = MIN_OF(least[r], to[r]);
}

static inline void vector_raise(size_t n_res, int64_t *most, const int64_t *to)
{
    for (size_t r = 0; r < n_res; r++)
        most[r] = MAX_OF(most[r], to[r]);
}

static inline void vector_fill(size_t n_res, int64_t *to, int64_t amount)
{
    for (size_t r = 0; r < n_res; r++)
        to[r] = amount;
}

/* Room for 'n' vectors, all zero, in the timeline's arena. */
int64_t *timeline_vectors(struct timeline *t, size_t n);

/* An empty block with room for 'cap' steps; one that became empty is used again. */
struct block *block_new(struct timeline *t, size_t cap);

/* Make room for 'cap' steps; the steps that are there stay. */
void block_reserve(struct timeline *t, struct block *b, size_t cap);

/* Add to each step what all of them are owed; see block_settled(). */
void block_settle(const struct timeline *t, struct block *b);

/* The block with its steps as they are, which is needed before anybody looks at single
 * steps. */
static inline struct block *block_settled(const struct timeline *t, struct block *b)
{
    if (b->owes)
        block_settle(t, b);
    return b;
}

/* Make b->least and b->most true again. */
void block_sum_up(const struct timeline *t, struct block *b);

/* Add sign * amounts to the steps [from, to) of the block; constant in the number of
 * steps when they are all. */
void block_add(const struct timeline *t, struct block *b, size_t from, size_t to,
               const int64_t *amounts, int sign);

/* Append the steps [first, first + n) of 'from' to 'to', which has room. Both are
 * settled. */
void block_append(const struct timeline *t, struct block *to, const struct block *from,
                  size_t first, size_t n);

/* Make room for 'cap' blocks; those that are there stay. */
void timeline_reserve_blocks(struct timeline *t, size_t cap);

/* Put the block, which has steps, at place 'i' among the blocks. */
void timeline_insert_block(struct timeline *t, size_t i, struct block *b);

/* The tree does not know of the blocks [from, to) any more. */
void timeline_mark_stale(struct timeline *t, size_t from, size_t to);

/* The step that holds at 'at'. Time: logarithmic in the number of steps. */
struct step_place timeline_find(const struct timeline *t, int64_t at);

/* Make a step begin at 'at', with what is free there already. */
void timeline_begin_step(struct timeline *t, int64_t at);

/* Take the step that begins at 'at' away when nothing changes there. */
void timeline_end_step(struct timeline *t, int64_t at);

/* Make the tree true again. */
void timeline_refresh_tree(struct timeline *t);

/* Lower least[] to the least of the blocks [first, last), by the tree. */
void timeline_least_of_blocks(struct timeline *t, size_t first, size_t last,
                              int64_t *least);

#endif
