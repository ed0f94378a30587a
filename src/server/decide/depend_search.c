/* depend_search.c - see depend_search.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/depend_search.h"

#include <uthash.h>

struct depend_met {
    const struct job *job;
    struct depend_met *next; /* of the stack */
    UT_hash_handle hh;
};

void depend_search_meet(struct depend_search *s, const struct job *job)
{
    struct depend_met *x;

    HASH_FIND_PTR(s->by_job, &job, x);
    if (x)
        return;
    x = ARENA_NEW(s->arena, struct depend_met);
    x->job = job;
    x->next = s->stack;
    s->stack = x;
    HASH_ADD_PTR(s->by_job, job, x);
}

const struct job *depend_search_next(struct depend_search *s)
{
    const struct job *job = s->stack ? s->stack->job : NULL;

    if (s->stack)
        s->stack = s->stack->next;
    return job;
}

void depend_search_fini(struct depend_search *s)
{
    HASH_CLEAR(hh, s->by_job);
}
