/* resource_sums.h - sums of resources that follow what is added and taken away.
 *
 * Resources assigned at vnodes, queues and the server are such sums. A user may ask for
 * any number that the type takes, so two amounts together may be beyond the type's
 * range. The sum is exact all the same: what was added can be taken away in any order,
 * and the rest is what the others have. Only what is shown stays at the end of the
 * range meanwhile.
 *
 * Of floats 2^-60 is the smallest part that counts, and an amount beyond 2^46 (7e13)
 * counts as that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RESOURCE_SUMS_H
#define LIB_ATTR_RESOURCE_SUMS_H

#include "lib/attr/value.h"

/* The exact sum of a member that is beyond the range of its type. */
struct sum_beyond;

/* Zeroed it is empty. */
struct resource_sums {
    struct resources shown; /* sums as status replies show them */
    size_t n_beyond;
    struct sum_beyond *beyond; /* in no order; almost always there is none */
};

/* Add 'sign' (1 or -1) times every consumable member of 'what', making members as
 * needed ("resources follow links"). At most what was added may be taken away; a sum
 * below 0 of a type without negative numbers becomes 0. */
void resource_sums_count(struct resource_sums *sums, const struct resources *what,
                         int sign);

/* Forget the sum of one resource, before its definition or its type goes. */
void resource_sums_remove(struct resource_sums *sums, const char *name);
void resource_sums_clear(struct resource_sums *sums);

#endif
