/* deadlines.h - many points in time, of which the earliest is asked for.
 *
 * A 'struct deadline' is a member of whatever has the deadline; STRUCT_OF() leads back.
 * Setting, moving and taking one costs the logarithm of how many there are, asking for
 * the next one nothing. Those that are due at the same time come in the order in which
 * they were set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_DEADLINES_H
#define LIB_BASE_DEADLINES_H

#include "lib/base/base.h"

#define DEADLINE_NEVER INT64_MAX

/* A zeroed one is not set. */
struct deadline {
    int64_t at;
    uint64_t order;
    size_t place; /* in the heap, + 1; 0: not set */
};

/* A zeroed struct is empty. */
struct deadlines {
    struct deadline **heap;
    size_t n;
    size_t cap;
    uint64_t last_order;
};

/* Free the heap. Its members are structs of others and stay as they are. */
void deadlines_fini(struct deadlines *ds);

/* 'd' is due at 'at' from now on, whatever it was; DEADLINE_NEVER takes it away.
 * Setting it to what it is changes nothing, its order neither. It must stay where it is
 * in memory while it is set. */
void deadline_set(struct deadlines *ds, struct deadline *d, int64_t at);

/* When the next one is due, DEADLINE_NEVER when none is set. */
int64_t deadlines_next(const struct deadlines *ds);

/* The first of those that are due at 'now_at', 'max' of them at most, in the order in
 * which they would be taken; how many. Time: the square of that number. */
size_t deadlines_due(const struct deadlines *ds, int64_t now_at, struct deadline **ret,
                     size_t max);

/* Take away and return the first of those that are due at 'now_at'; NULL: there is
 * none.
 */
struct deadline *deadlines_take(struct deadlines *ds, int64_t now_at) MUST_CHECK;

#endif
