/* names.h - a list of names that is filled, sorted and then asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_NAMES_H
#define SCHEDULER_PLAN_NAMES_H

#include "lib/base/arena.h"

struct names_entry {
    const char *name;
    size_t index;
};

struct names {
    size_t n;
    size_t max;
    bool sorted; /* names_find() may be called, names_add() no more */
    struct names_entry *v;
};

/* An empty list with room for 'max' names, in the arena. */
void names_init(struct names *names, struct arena *arena, size_t max);

/* Add the name of object number 'index'; the text is not copied. NULL adds nothing. */
void names_add(struct names *names, const char *name, size_t index);

/* Bring all names into order; nothing is added afterwards. */
void names_sort(struct names *names);

/* The lowest index that was added with this name, SIZE_MAX when there is none. Time:
 * logarithmic. */
size_t names_find(const struct names *names, const char *name);

#endif
