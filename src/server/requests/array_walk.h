/* array_walk.h - what runs of an array, looked at in slices (doc/design/006).
 *
 * The places of those that run are remembered when the request begins: one that starts
 * while it goes on is not meant. Each is looked at in its turn, and may have ended by
 * then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_ARRAY_WALK_H
#define SERVER_REQUESTS_ARRAY_WALK_H

#include "server/requests/job_named.h"

struct array_walk {
    const char *array_id;
    struct index_set places;
    size_t place; /* the next one */
};

/* The jobs are subjobs of the array; the id is copied into the arena. */
void array_walk_init(struct array_walk *w, const struct job *array,
                     const struct job_list *jobs, struct arena *arena);
void array_walk_fini(struct array_walk *w);

/* Call 'each' for the next of them that still run, as many as a slice may have when
 * each of them costs 'cost', in the units of request_slice_cost(). True: all have had
 * their turn, or the array is gone. */
typedef void (*array_walk_fn)(void *arg, const struct job *job);
bool array_walk_slice(struct array_walk *w, const struct model *m,
                      const struct request *rq, size_t cost, array_walk_fn each,
                      void *arg) MUST_CHECK;

#endif
