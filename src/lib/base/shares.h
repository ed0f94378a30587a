/* shares.h - who has how much of what a daemon has for all: connections and memory.
 *
 * A budget counts bytes and is a part of a larger one: what is charged to it is charged
 * to that one too. A share is what one party has: the connections of one user, or of
 * the strangers at one address, and the budget of their memory. A share is forgotten
 * when its party has nothing any more.
 *
 * Nothing here refuses anything: whoever charges looks at the sums and decides.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_SHARES_H
#define LIB_BASE_SHARES_H

#include "lib/base/base.h"

struct budget {
    size_t bytes;
    struct budget *part_of; /* NULL: of none; must outlive this one */
};

/* What was counted with 'before' bytes takes 'after' bytes now. 'b' may be NULL. */
void budget_recount(struct budget *b, size_t before, size_t after);

struct share {
    const char *key; /* whose it is */
    size_t n;        /* holders: share_hold() less share_drop() */
    struct budget memory;
    struct budget
        unsaved; /* memory of what was decided for it and is not durable yet */
};

/* A zeroed struct has no shares. The budgets are what those of all its shares are part
 * of; it may be moved only while there are none. */
struct shares {
    struct share_entry *by_key; /* private to shares.c */
    struct budget memory, unsaved;
};

/* The share of 'key', made when there is none, with one holder more. Never NULL. */
struct share *share_hold(struct shares *all, const char *key);

/* One holder less; what its budget 'memory' counts of his must be taken back before.
 * The share ends with its last holder, or when nothing of it is unsaved any more.
 * share_drop(all, NULL) is fine. */
void share_drop(struct shares *all, struct share *s);

/* As budget_recount() of its budget 'unsaved'; with 'after' 0 that may end the share.
 */
void share_unsaved(struct shares *all, struct share *s, size_t before, size_t after);

/* NULL when that party has nothing. */
struct share *share_find(const struct shares *all, const char *key);

/* The share with the most holders, with the most memory; among equals the one that was
 * made first. NULL when there is none. Time: linear in the number of shares. */
struct share *shares_with_most(const struct shares *all);
struct share *shares_with_most_memory(const struct shares *all);

#endif
