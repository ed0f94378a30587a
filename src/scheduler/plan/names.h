/* names.h - a table of names, each with the index of what it stands for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_NAMES_H
#define SCHEDULER_PLAN_NAMES_H

#include "lib/base/arena.h"

#include <uthash.h>

struct names_entry {
    const char *name;
    size_t index;
    UT_hash_handle hh;
};

struct names {
    struct names_entry *table;
    size_t n, max;
    struct names_entry *v; /* [max], where those in the table are */
    /* Who asks often asks for the same name again. */
    const char *asked;
    size_t answer;
};

/* A table for up to 'max' names in that arena; end it with names_fini(). */
void names_init(struct names *names, struct arena *arena, size_t max);
void names_fini(struct names *names);

/* NULL names nothing. A name that is there already keeps its index. The name lives as
 * long as the table. */
void names_add(struct names *names, const char *name, size_t index);

/* The index of that name, which lives as long as the table; SIZE_MAX: there is none. */
size_t names_find(struct names *names, const char *name);

#endif
