/* plan_check.h - a plan that uses what is kept of jobs that wait, beside one that does
 * not: both have to decide the same, and to tell the same. In builds with checks each
 * plan on a snapshot that is kept is compared so (doc/design/088-remembered-looks.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_PLAN_CHECK_H
#define SCHEDULER_PLAN_PLAN_CHECK_H

#include "scheduler/plan/jobs.h"

struct plan_check;

/* What a plan about jobs has to be, which lives as long as the result; in 'arena'. */
struct plan_check *plan_check_new(struct arena *arena, const struct plan *plan);

/* A job has no step: it must have been told so, and nothing is to be sent. */
void plan_check_passed(struct plan_check *c, const char *id, struct failure_words told);

/* The plan is complete. */
void plan_check_end(struct plan_check *c, const struct plan *plan);

/* Free what it has beside the arena; NULL is fine. */
void plan_check_fini(struct plan_check *c);

#endif
