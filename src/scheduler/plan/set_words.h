/* set_words.h - what the log says of the placement sets that a search tries
 * (scheduling.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SET_WORDS_H
#define SCHEDULER_PLAN_SET_WORDS_H

#include "scheduler/plan/placement_set.h"

/* Lines, in the order in which things were found out; all of it in 'arena'. */
struct set_words {
    struct arena *arena;
    size_t n, cap;
    const char **v;
};

/* The set is looked at. */
void set_words_tried(struct set_words *sw, const struct placement_set *set);

/* All its vnodes together have less of the resource than is asked for, even with nobody
 * on them; 'left' is what they have now. */
void set_words_small(struct set_words *sw, const struct placement_set *set,
                     const struct res *res, int64_t asked, int64_t left, int64_t total);

/* No set could ever hold it, so that any vnodes may. */
void set_words_spans(struct set_words *sw);

#endif
