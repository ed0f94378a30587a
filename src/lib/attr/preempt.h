/* preempt.h - the words of the scheduler's preempt_order and preempt_prio
 * (scheduling.md 22). check.h says which texts may be set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_PREEMPT_H
#define LIB_ATTR_PREEMPT_H

#include "lib/base/base.h"

#define PREEMPT_METHODS_MAX 4  /* S, C, R, D */
#define PREEMPT_LEVELS_MAX  32 /* of preempt_prio that are told apart */

/* Ways to preempt a job, a letter each, in the order in which they are tried. */
struct preempt_methods {
    size_t n;
    char v[PREEMPT_METHODS_MAX];
};

/* Those of a preempt_order for a job with so many percent of its time left; -1: nobody
 * knows, and the first set counts. An order that was not checked gives what can be read
 * of it. */
struct preempt_methods preempt_methods_for(const char *order, int percent_left);

/* So much of its time a job has left, rounded down; -1 when 'wanted_s' is not above
 * 0. */
int preempt_percent_left(int64_t wanted_s, int64_t used_s);

/* What a job has to be for a level. */
enum preempt_condition {
    PREEMPT_EXPRESS = 1 << 0,     /* in a queue of a high priority */
    PREEMPT_NORMAL = 1 << 1,      /* every job is */
    PREEMPT_FAIRSHARE = 1 << 2,   /* its entity has used more than its share */
    PREEMPT_QUEUE_SOFT = 1 << 3,  /* over a soft limit of its queue */
    PREEMPT_SERVER_SOFT = 1 << 4, /* over one of the server */
};

/* The levels of a preempt_prio, highest first: enum preempt_condition bits each, of
 * which a job needs all. */
struct preempt_levels {
    size_t n;
    uint32_t v[PREEMPT_LEVELS_MAX];
};

/* What cannot be read is left out. */
struct preempt_levels preempt_levels_read(const char *prio);

/* The bit of a name of so many bytes, 0: it is none. */
uint32_t preempt_condition_find(const char *name, size_t len);

#endif
