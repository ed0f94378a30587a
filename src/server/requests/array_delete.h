/* array_delete.h - the deletion of arrays and of what ids with indices name
 * (cli.md 5.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_ARRAY_DELETE_H
#define SERVER_REQUESTS_ARRAY_DELETE_H

#include "lib/attr/indices.h"
#include "server/decide/request.h"

/* A deletion that is not done for every subjob: the code, and the id that it is told
 * of. */
struct array_deletion {
    int err; /* 0: done */
    const char *id;
};

/* Append the records that delete an array. 15070 with the first subjob whose MoM is
 * away, which is not deleted; the others are. 'flags' is enum job_end_flag. */
struct array_deletion array_delete(const struct model *m, const struct request *rq,
                                   const struct job *array, uint32_t flags,
                                   struct decision *out);

/* The same of the subjobs that 'id' names, whose places in the array these are. 15159
 * when all of them are over. */
struct array_deletion subjobs_delete(const struct model *m, const struct request *rq,
                                     const char *id, const struct job *array,
                                     const struct index_set *places, uint32_t flags,
                                     struct decision *out);

#endif
