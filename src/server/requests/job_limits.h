/* job_limits.h - limits of how many jobs, and of how much, users, groups and projects
 * may have in a queue and in the complex (attributes.md 5 and 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_LIMITS_H
#define SERVER_REQUESTS_JOB_LIMITS_H

#include "server/requests/request.h"

/* Whose job it would be. */
struct job_entity {
    const char *user, *group, *project;
};

/* Check 10: max_queued, then queued_jobs_threshold, of the queue, then of the server.
 * 15142 with the words of attributes.md 5. Linear in the jobs where a limit is set. */
int job_keeps_count_limits(const struct model *m, const struct queue *q,
                           const struct job_entity *who, struct diag *why) MUST_CHECK;

/* Check 12: the same of the sums of resources, with what the new job asks for. 15143. */
int job_keeps_amount_limits(const struct model *m, const struct queue *q,
                            const struct job_entity *who,
                            const struct resources *wanted,
                            struct diag *why) MUST_CHECK;

#endif
