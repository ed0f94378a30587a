/* classes.h - how many kinds of jobs a cycle has, for its log (scheduling.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_CLASSES_H
#define SCHEDULER_PLAN_CLASSES_H

#include "scheduler/plan/plan.h"

/* Jobs of this scheduler that wait or run are of one class when they ask for the same,
 * for as long, and nothing that the site has set tells them apart: whose they are
 * counts where users, groups or projects have limits, and their queue where it has
 * limits, resources, vnodes or a reservation of its own, or is stopped. 0: there are no
 * jobs. Time: linear in jobs and vnodes. */
size_t classes_count(struct planner *pl);

#endif
