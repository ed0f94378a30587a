/* job_paths.h - where the output of a job goes that nobody has given a path
 * (tables/job-attributes.tsv).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_PATHS_H
#define SERVER_REQUESTS_JOB_PATHS_H

#include "server/decide/edit.h"

/* The value of a variable in the job's Variable_List; NULL: it is not there. */
const char *job_variable(const struct edit *job, const char *name);

/* Give the job HOST:DIR/NAME.oSEQ and .eSEQ, where it has no path: the directory is the
 * one of the submission, and 'number' is the job's. 'host' stands in for a host that
 * the variables do not name. */
void job_paths_default(struct edit *job, uint64_t number, const char *host,
                       struct arena *arena);

#endif
