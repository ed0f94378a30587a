/* push.h - an alteration that has no room is answered by moving the reservations behind
 * it (pbs_ralter --push, doc/design/050-push.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_PUSH_H
#define SCHEDULER_PLAN_PUSH_H

#include "scheduler/plan/question.h"

/* Must others be moved, wherever there is room, since the altered occurrence would meet
 * the next one of its series? Then *v is the no that push_find() starts from. */
bool push_is_needed(const struct question *q, struct verdict *v);

/* The alteration that 'q' asks about found no room, and its question allows to move
 * others: make *v a yes that does, with the places of all, or complete the reason of
 * the no. After a yes what the reservation and those that are moved have in the world
 * is dropped; what they will have is booked for those that are moved. After a no the
 * world is as it was. */
void push_find(struct question *q, struct verdict *v);

#endif
