/* ranks.h - many things in the order of their ranks; a thing may get another rank.
 *
 * A 'struct ranked' is a member of whatever has the rank; STRUCT_OF() leads back. Those
 * of one rank stand in the order of a second number. Adding and removing one costs the
 * logarithm of how many there are, and so does finding the one behind a place. A place
 * is two numbers, which need not be those of one that is there: who goes through them
 * all remembers a place, and nothing that comes or goes meanwhile does him harm.
 *
 * It is a binary tree of which the two sides below each node differ in height by one at
 * most (an AVL tree), since people choose the ranks: no choice makes it deep.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_RANKS_H
#define LIB_BASE_RANKS_H

#include "lib/base/base.h"

struct rank_place {
    int64_t rank;
    uint64_t seq; /* the order of those that have the same rank */
};

/* Before it and behind it there is nothing; no member has either. */
#define RANK_PLACE_FIRST ((struct rank_place){ INT64_MIN, 0 })
#define RANK_PLACE_LAST  ((struct rank_place){ INT64_MAX, UINT64_MAX })

static inline bool rank_is_before(struct rank_place a, struct rank_place b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.seq < b.seq;
}

static inline bool rank_is_same(struct rank_place a, struct rank_place b)
{
    return a.rank == b.rank && a.seq == b.seq;
}

/* A zeroed one is in no order. */
struct ranked {
    struct ranked *left, *right;
    struct rank_place place;
    uint32_t height; /* of the tree that it is the root of; 0: it is in none */
};

/* A zeroed struct is empty. It has no memory of its own: its members are structs of
 * others. */
struct ranks {
    struct ranked *root;
};

static inline bool ranked_is_there(const struct ranked *r)
{
    return r->height > 0;
}

/* 'r', which is in no order, stands at that place from now on, where no other one is,
 * and must stay where it is in memory. */
void ranks_add(struct ranks *rs, struct ranked *r, struct rank_place place);

/* It is in no order any more; it must be in this one. */
void ranks_remove(struct ranks *rs, struct ranked *r);

/* The first one behind the place, NULL when there is none. */
struct ranked *ranks_behind(const struct ranks *rs, struct rank_place place);

/* Assert that the tree is in order and balanced; returns how many are in it. */
size_t ranks_check(const struct ranks *rs);

#endif
