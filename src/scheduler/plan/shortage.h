/* shortage.h - amounts, and what was short, in words for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SHORTAGE_H
#define SCHEDULER_PLAN_SHORTAGE_H

#include "scheduler/sched.h"
#include "scheduler/snapshot/snapshot.h"

/* The amount as comments show it: sizes in the largest unit that divides them
 * (scheduling.md 14.4). In the arena. */
const char *amount_text(struct arena *arena, const struct res *res, int64_t amount);

/* "(R: 4 A: 2 T: 2)": what is asked for, what is left, what there is. In the arena. */
const char *numbers_text(struct arena *arena, const struct res *res, int64_t asked,
                         int64_t left, int64_t total);

/* "chunk 1 needs 40 of ncpus, at most 24 is free": which part of the request found no
 * room, and what it would have needed; "" when somebody has it, who is named instead,
 * or when it was no matter of room. In the arena, or static. */
const char *shortage_words(const struct plan_short *why, struct arena *arena);

#endif
