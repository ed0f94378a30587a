/* holders.h - what reservations and running jobs have when a plan begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_HOLDERS_H
#define SCHEDULER_PLAN_HOLDERS_H

#include "scheduler/plan/plan.h"
#include "scheduler/plan/vnode_pool.h"

/* Book what each of them has, as far as it is not booked since an earlier plan, and
 * give back what nobody has any more. Makes pl->series. The links have been made. */
void holders_book(struct planner *pl);

/* Append a step for each job that runs for longer than its soft_walltime and of which
 * the server does not show what it is taken to last since. */
void holders_extend(struct planner *pl);

/* What a job uses beside what its running reservation has, and the time for which it
 * would have that in addition if the reservation ended at 'end_at', which is later than
 * its end. False: there is no such thing, or the job ends before. Until plan->w is
 * cleared. */
bool holders_beside(const struct planner *pl, const struct snap_job *j, int64_t end_at,
                    struct placement *ret, struct span *ret_more) MUST_CHECK;

/* When a job that runs gives back what it has; and the same of one that would end at
 * 'end_at', which a running reservation may bring about before. */
int64_t holders_end_at(const struct planner *pl, const struct snap_job *j);
int64_t holders_end_inside(const struct planner *pl, const struct snap_job *j,
                           int64_t end_at);

#endif
