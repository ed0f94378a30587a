/* endless.h - jobs without a walltime: nobody knows when they give back what they have.
 *
 * They are planned for as if they ran for five years (scheduling.md 20.1), so that one
 * of them can be in the way of every reservation. Whoever is denied for that has to be
 * told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_ENDLESS_H
#define SCHEDULER_PLAN_ENDLESS_H

#include "scheduler/plan/plan.h"

/* Words to append to the reason of a denial when the request would fit in the window if
 * the jobs without a walltime were not there: they name the jobs. "" when it would not.
 * Cost: that of one search, where that can ask vnodes as it comes to them; else the
 * number of such jobs and of vnodes. The text is in the plan's
 * arena. */
const char *endless_advice(struct planner *pl, const struct request *rq,
                           int64_t start_at, int64_t end_at);

#endif
