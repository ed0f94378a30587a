/* together.h - the parts of one proposal, planned as one.
 *
 * A server of ours may ask about a change of several reservations that is made as one
 * (doc/design/030-questions.md). Each part is a question of its own, and all parts have
 * the same number. Whoever looks at one part alone sees the others where they are now,
 * and refuses two reservations that change places. Here all parts leave their vnodes
 * first, and then each is searched beside those that have a new place already.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_TOGETHER_H
#define SCHEDULER_PLAN_TOGETHER_H

#include "scheduler/plan/question.h"

/* The first part that is to be answered of the proposal that 'r', which is to be
 * answered, is a part of; NULL when no other part is in the snapshot. Cost: the
 * reservations. */
const struct snap_resv *together_first(const struct planner *pl,
                                       const struct snap_resv *r);

/* Answer all parts of the proposal that 'r' is a part of, but for those that were
 * answered in this cycle. When all fit, each gets a yes. When some part finds no place,
 * whichever order is tried, that part is denied; each of the others is answered as if
 * it were alone, since who insists on the change (-W force) makes it of the parts that
 * have a yes. */
void plan_together(struct planner *pl, const struct snap_resv *r);

#endif
