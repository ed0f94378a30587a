/* jobs_beside.h - jobs of a running reservation that use what it does not have: vnodes
 * that maintenance took from it while they ran there, or resources that it does not
 * name (reservations.md 11).
 *
 * They run as long as the reservation does. So an alteration that lets it run longer
 * asks for that, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_JOBS_BESIDE_H
#define SCHEDULER_PLAN_JOBS_BESIDE_H

#include "scheduler/plan/question.h"

struct bookings {
    size_t n, cap;
    struct booking **v;
};

/* Has nobody else what these jobs would go on using until the end that is asked for? If
 * somebody has, 'why' names him. Linear in the jobs where the end is a later one. */
bool jobs_beside_fit(const struct question *q, struct plan_short *why) MUST_CHECK;

/* After a yes: they have it until then, whoever else has it, too. What is booked for
 * that is appended. */
void jobs_beside_take(const struct question *q, struct bookings *ret);

/* Give that back. */
void jobs_beside_give(const struct question *q, struct bookings *made);

#endif
