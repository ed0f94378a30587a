/* depend_search.h - a search through jobs along their dependencies, which looks at each
 * job once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DEPEND_SEARCH_H
#define SERVER_DECIDE_DEPEND_SEARCH_H

#include "server/model/model.h"

struct depend_search {
    struct depend_met *by_job, *stack; /* NULL at first */
    struct arena *arena;               /* where what was met is noted */
};

/* The job is to be looked at, unless the search has met it before. */
void depend_search_meet(struct depend_search *s, const struct job *job);

/* The next one, NULL: all were looked at. */
const struct job *depend_search_next(struct depend_search *s);

/* The search is over; its memory is the arena's. */
void depend_search_fini(struct depend_search *s);

#endif
