/* holders.h - what reservations and running jobs have when a plan begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_HOLDERS_H
#define SCHEDULER_PLAN_HOLDERS_H

#include "scheduler/plan/plan.h"

/* Book what each of them has, as far as it is not booked since an earlier plan, and
 * give back what nobody has any more. Makes pl->series. The links have been made. */
void holders_book(struct planner *pl);

#endif
