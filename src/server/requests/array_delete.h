/* array_delete.h - the deletion of arrays and of what ids with indices name
 * (cli.md 5.1), a slice at a time (doc/design/006).
 *
 * A whole array is doomed with one record. Its subjobs that run are killed by a rule
 * (rules/array_rules.c); by force they are ended here. Whose MoM is away is not deleted
 * with the others, and the client is told the first one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_ARRAY_DELETE_H
#define SERVER_REQUESTS_ARRAY_DELETE_H

#include "lib/attr/indices.h"
#include "server/decide/request.h"

struct array_deletion {
    const char *named;    /* the id of the request */
    const char *array_id; /* the array may be gone between two slices */
    bool whole;           /* not just the places */
    uint32_t flags;       /* enum job_end_flag */
    struct index_set places;
    size_t place; /* the next one to be looked at */
    bool any;     /* there was something to delete */
    struct arena *arena;
    int err; /* 15070: this one is not deleted */
    const char *id;
};

/* Begin one; its texts are of the arena, which lives as long. 'places', which it takes
 * over, says which subjobs; NULL: the whole array. Ended with array_deletion_fini(). */
struct array_deletion array_deletion_begin(const struct job *array, const char *named,
                                           const struct index_set *places,
                                           uint32_t flags, struct arena *arena);
void array_deletion_fini(struct array_deletion *d);

/* The next slice: append records until '*cost' has reached 'most'. True when it is
 * done. */
bool array_deletion_go_on(const struct model *m, const struct request *rq,
                          struct array_deletion *d, size_t most, size_t *cost,
                          struct decision *out);

/* What became of it, and the id that it is told of: 0; 15070; 15159 when all subjobs
 * that were named are over. */
int array_deletion_code(const struct array_deletion *d, const char **ret_id);

/* About what the deletion costs of what that id names beside one job, in the units of
 * request_slice_cost(). */
size_t array_deletion_cost(const struct model *m, const struct request *rq,
                           const char *id, uint32_t flags);

#endif
