/* placement_set.h - vnodes that share the value of a resource, such as a switch: jobs
 * and reservations go into one such set when one can hold them (scheduling.md 16).
 *
 * A comma list of resources makes one list of sets out of all their values. A vnode
 * with several values is in several sets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_PLACEMENT_SET_H
#define SCHEDULER_PLAN_PLACEMENT_SET_H

#include "scheduler/plan/world.h"

struct placement_set {
    const char *name; /* "switch=A"; of vnodes without the resource: switch="" */
    size_t n;
    size_t cap;
    size_t *vnodes;  /* in the world's order */
    int64_t size[4]; /* what sets are ordered by: ncpus and mem, in total and free */
};

struct placement_sets {
    const char *keys;  /* names of resources, separated by commas */
    const char *queue; /* whose vnodes they are made of; NULL: of vnodes without one */
    size_t n;
    size_t cap;
    struct placement_set *v;
    size_t *order; /* indexes in v, as the sets are tried */
    struct placement_sets *next;
};

/* The resources whose values make the sets for a request, NULL: there are none. Its own
 * place=group=R counts first, then the queue's node_group_key, then the server's; those
 * two only when the server has turned them on. 'queue' is the job's, NULL for a
 * reservation. */
const char *placement_set_keys(const struct snapshot *s, const struct request *rq,
                               const struct snap_queue *queue);

/* The sets of these resources among the vnodes of a queue, smallest first; made once
 * per plan. Cost of the first call: the number of vnodes, times that of the keys. Lives
 * as long as the world. */
struct placement_sets *placement_sets_find(struct world *w, const char *keys,
                                           const char *queue);

/* Put the smallest set first: total ncpus, then total mem, then what is free of them.
 * 'free' is [world_slot()]. */
void placement_sets_order(const struct world *w, struct placement_sets *sets,
                          const int64_t *free);

#endif
