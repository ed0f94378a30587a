/* ahead.h - how many run of what is limited at each instant to come: those that run now
 * end one after the other, and what is promised to top jobs begins later
 * (scheduling.md 13).
 *
 * Between the starts of what is promised a sum only falls, so that its largest is found
 * now or at one of these starts, and only those are remembered.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_AHEAD_H
#define SCHEDULER_PLAN_AHEAD_H

#include "lib/base/arena.h"

/* So much ends then. */
struct ahead_end {
    int64_t end_at, amount;
};

/* So much is promised from then until then; 'sum' is all that there is at its start. */
struct ahead_promise {
    int64_t start_at, end_at, amount, sum;
};

/* Of one sum; a zeroed one has nothing. Its memory is the arena's. */
struct ahead {
    struct {
        size_t n, cap;
        struct ahead_end *v;
    } ends;
    struct {
        size_t n, cap;
        struct ahead_promise *v;
    } promises;
};

/* The sum of two, INT64_MAX when that is beyond all numbers: of absurd amounts a
 * thousand leave the range. */
int64_t ahead_sum(int64_t a, int64_t b);

/* 'amount' is there from now until 'end_at'; the second takes back what the first was
 * told. Time: what is promised; for the second also how many are there. */
void ahead_has(struct ahead *a, struct arena *arena, int64_t end_at, int64_t amount);
void ahead_has_not(struct ahead *a, int64_t end_at, int64_t amount);

/* 'amount' will be there during [start_at, end_at). Time: all that is there and all
 * that is promised. */
void ahead_promise(struct ahead *a, struct arena *arena, int64_t start_at,
                   int64_t end_at, int64_t amount);

/* The largest sum at the start of something that is promised before 'end_at', or 'now'
 * where that is larger. What ends when something starts is gone then. Time: what is
 * promised. */
int64_t ahead_most(const struct ahead *a, int64_t now, int64_t end_at);

#endif
