/* route_wait.h - jobs of a routing queue that have found no place and wait for its next
 * pass (doc/design/060-routing.md), by whom they count for.
 *
 * Limits of jobs are the same for all jobs of one user, group and project. So whether a
 * destination has room is asked once for each such class, however many jobs wait in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_ROUTE_WAIT_H
#define SERVER_MODEL_ROUTE_WAIT_H

#include "server/model/model.h"

struct route_class {
    char *key;         /* "user/group/project" */
    struct job *first; /* by route_prev, route_next; in order of creation */
};

/* The job is marked (hf_route_tried) and is in the queue; or is no longer. Time: what
 * the search for its class takes; jobs come in order of creation or go to the front. */
void route_wait_add(struct queue *q, struct job *j);
void route_wait_remove(struct queue *q, struct job *j);

/* Of the classes of the queue, in the order of their keys: the place of the first that
 * does not come before 'key'. */
size_t route_class_from(const struct queue *q, const char *key);

/* The place of the class that a job of the queue belongs to, or of the one behind. */
size_t route_class_of(const struct queue *q, const struct job *j);

/* Free the classes of a queue that goes; for model_check(): the same jobs in the same
 * classes and the same order. */
void route_wait_free(struct queue *q);
bool route_wait_same(const struct queue *a, const struct queue *b);

#endif
