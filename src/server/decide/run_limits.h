/* run_limits.h - hard limits of running jobs: max_run, max_run_res and their old forms,
 * of a queue and of the server (attributes.md 5, scheduling.md 13). They hold for
 * whoever starts a job: for a scheduler, whose picture may be old, and for qrun.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RUN_LIMITS_H
#define SERVER_DECIDE_RUN_LIMITS_H

#include "server/decide/request.h"

/* Would the limits be kept with 'n' more running jobs that are like this one (which is
 * in no tally of running jobs)? 15142 for a limit of jobs, 15143 for one of a resource;
 * the words name it and are those that the scheduler writes into comments. Time: a few
 * look-ups, however many jobs there are; none where nothing is limited. */
int job_keeps_run_limits(const struct model *m, const struct job *job, size_t n,
                         struct arena *arena, struct diag *why) MUST_CHECK;

#endif
