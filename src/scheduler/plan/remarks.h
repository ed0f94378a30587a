/* remarks.h - what a cycle tells of reservations besides its steps (reservations.md
 * 23).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_REMARKS_H
#define SCHEDULER_PLAN_REMARKS_H

#include "scheduler/plan/plan.h"

/* planning_strays() and planning_occurrences() of sched.h. */
void strays_each(const struct planner *pl, stray_fn each, void *arg);
void occurrences_each(const struct planner *pl, occurrence_fn each, void *arg);

#endif
