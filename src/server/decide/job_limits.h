/* job_limits.h - limits of how many jobs, and of how much, users, groups and projects
 * may have in a queue and in the complex (attributes.md 5 and 9).
 *
 * They are held against tallies that follow the jobs (model/job_tally.h): a check costs
 * the same however many jobs there are. Asked when a job comes in, when it is committed
 * (others may have come in between), and when an alteration makes it ask for more or
 * count for another project.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_LIMITS_H
#define SERVER_DECIDE_JOB_LIMITS_H

#include "server/decide/request.h"

/* Whom the job would count for. */
struct job_entity {
    const char *user, *group, *project;
    const struct job *was; /* the job before an alteration; NULL for a new one */
    size_t weight;         /* for how many jobs it counts: job_weight() */
    bool is_here; /* it moves: in the complex it counts already, in the queue not yet */
};

/* Check 10: max_queued, then queued_jobs_threshold, of the queue, then of the server.
 * 15142 with the words of attributes.md 5. */
int job_keeps_count_limits(const struct model *m, const struct queue *q,
                           const struct job_entity *who, struct diag *why) MUST_CHECK;

/* Check 12: the same of the sums of resources, with what the job asks for. 15143. What
 * an altered job asked for already, for the same entity, is not refused. */
int job_keeps_amount_limits(const struct model *m, const struct queue *q,
                            const struct job_entity *who, const struct resources *asked,
                            struct diag *why) MUST_CHECK;

#endif
