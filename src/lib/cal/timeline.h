/* timeline.h - how much of several resources is free, instant by instant.
 *
 * A timeline belongs to one vnode. It is piecewise constant over all of time: claims
 * take amounts away during a span, releases give them back. The question it answers is
 * the heart of every reservation: what is free all through [start, end)?
 *
 * Units: instants (*_at) are seconds since the epoch, amounts whatever the caller
 * counts in. Amounts may become negative: what is promised twice by force stays
 * visible.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_TIMELINE_H
#define LIB_CAL_TIMELINE_H

#include "lib/base/arena.h"

#define TIMELINE_NEVER INT64_MAX

struct timeline;

/* A timeline of 'n' >= 1 resources with 'capacity' free throughout, in 'arena'. */
struct timeline *timeline_new(struct arena *arena, size_t n, const int64_t *capacity);

/* A copy that changes on its own. */
struct timeline *timeline_copy(struct arena *arena, struct timeline *t);

/* Take amounts[0 .. n) away during [start_at, end_at), or give them back. An empty span
 * changes nothing. Linear in the blocks of steps (16 to 32, or all of a few) that the
 * span covers. */
void timeline_claim(struct timeline *t, int64_t start_at, int64_t end_at,
                    const int64_t *amounts);
void timeline_release(struct timeline *t, int64_t start_at, int64_t end_at,
                      const int64_t *amounts);

/* What is free at every instant of the span (start_at < end_at): of one resource, or of
 * each into least[0 .. n). O(log steps), after a change also linear in the blocks that
 * it covered. Questions tidy up: no two at once. */
int64_t timeline_least(struct timeline *t, size_t resource, int64_t start_at,
                       int64_t end_at);
void timeline_least_all(struct timeline *t, int64_t start_at, int64_t end_at,
                        int64_t *least);

/* The most that is free of each resource at some instant of the span (start_at <
 * end_at), into most[0 .. n). Linear in the blocks of the span. */
void timeline_most_all(struct timeline *t, int64_t start_at, int64_t end_at,
                       int64_t *most);

/* True when amounts[0 .. n) are free all through the span. */
bool timeline_fits(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts);

/* The first instant >= not_before at which the amounts are free for 'duration_s' > 0,
 * or TIMELINE_NEVER. It is not_before or an instant at which something is given back.
 * O(log steps) for each stretch before it that is blocked, or free but too short;
 * within a blocked one steps are looked at only where each resource suffices somewhere
 * in the same block. */
int64_t timeline_earliest(struct timeline *t, int64_t not_before, int64_t duration_s,
                          const int64_t *amounts);

/* The first instant > after_at at which something changes, or TIMELINE_NEVER. */
int64_t timeline_next_change(const struct timeline *t, int64_t after_at);

/* True when both are free in the same way at every instant >= from_at. */
bool timeline_same(struct timeline *a, struct timeline *b, int64_t from_at);

/* True when the structure is whole: blocks and steps ascend, steps that follow one
 * another differ, and what is known of each block agrees with its steps. For tests and
 * for builds with checks; linear in the number of steps. */
bool timeline_is_whole(struct timeline *t);

#endif
