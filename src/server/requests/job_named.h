/* job_named.h - what the id of a request names: a job, an array as a whole ("7[]"), or
 * subjobs of an array ("7[3]", "7[1-5:2]").
 *
 * Most requests are for jobs and whole arrays: job_access.h. This is for those that
 * subjobs know too, since they are about what runs: signals, Rerun.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_NAMED_H
#define SERVER_REQUESTS_JOB_NAMED_H

#include "lib/attr/indices.h"
#include "server/decide/request.h"

struct job_named {
    const struct job *job;   /* the job or array; of subjobs, their array */
    bool subjobs;            /* these places of it are named */
    struct index_set places; /* when 'subjobs' is set */
};

/* Find what is named and is not over: 15001, 15139; an array that has none of the
 * indices is 15001. The caller ends it with job_named_fini(). */
int job_named_find(const struct model *m, const struct request *rq, const char *id,
                   struct job_named *ret, struct diag *why) MUST_CHECK;
void job_named_fini(struct job_named *named);

/* Jobs in state R, in the order of their starts; the list is the arena's. */
struct job_list {
    size_t n;
    const struct job **v;
};

/* What of it runs: the job itself, or subjobs. 15016 when nothing does, and 15159 when
 * all subjobs that are named are over.
 * Time: linear in the subjobs of the array that are objects. */
int job_named_running(const struct model *m, const struct request *rq,
                      const struct job_named *named, struct job_list *ret,
                      struct diag *why) MUST_CHECK;

#endif
