/* ends.h - instants in order, each the end of something: the next one after an instant
 * is asked for.
 *
 * A treap: a tree ordered by instant, in which a number that looks random decides who
 * stands above whom, so that it stays flat. A 'struct end_node' is a member of what
 * ends; STRUCT_OF() leads back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_ENDS_H
#define SCHEDULER_PLAN_ENDS_H

#include "lib/base/base.h"

struct end_node {
    int64_t at;
    uint64_t number; /* of the one who was added: who was first is first among equals */
    uint64_t height; /* the highest stands above all */
    struct end_node *left, *right;
};

/* Add one, with a number that no other has, or take one away that is there: in the
 * logarithm of how many there are. It must stay where it is in memory meanwhile. */
void ends_add(struct end_node **root, struct end_node *e, int64_t at, uint64_t number);
void ends_remove(struct end_node **root, struct end_node *e);

/* The first that ends after 'at'; the next one behind 'e'. NULL: there is none. */
struct end_node *ends_after(struct end_node *root, int64_t at);
struct end_node *ends_next(struct end_node *root, const struct end_node *e);

#endif
