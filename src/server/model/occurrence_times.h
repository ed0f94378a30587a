/* occurrence_times.h - the occurrences on a vnode, to be searched by time.
 *
 * They are kept in classes by length, each rising by start. What meets a window began
 * at most the length of its class before it, so a search looks at little more than what
 * it finds, also when a long occurrence is among many short ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_OCCURRENCE_TIMES_H
#define SERVER_MODEL_OCCURRENCE_TIMES_H

#include "lib/base/arena.h"

struct occurrence;

/* All 0 is empty. */
struct occurrence_times {
    size_t n_classes; /* class i: lengths of 2^i up to 2^(i+1) seconds */
    struct length_class *classes;
};

/* The time is oc->booked, which stays what it is until it is removed. Cost: a binary
 * search, and moving those of its class that begin later. */
void occurrence_times_add(struct occurrence_times *t, struct occurrence *oc);
/* Taking out what is not there is no error. */
void occurrence_times_remove(struct occurrence_times *t, struct occurrence *oc);

/* Those whose booked time meets [start_at, end_at), in no order that means anything;
 * the array is the arena's. Cost: a binary search for each class, and those found, and
 * those of their class that ended shortly before. */
struct occurrence **occurrence_times_find(const struct occurrence_times *t,
                                          int64_t start_at, int64_t end_at,
                                          struct arena *arena, size_t *ret_n);

#endif
