/* check_qmove.h - a reservation for a waiting job: either it is confirmed and the job
 * moves into it, or neither.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_QMOVE_H
#define TEST_SIM_CHECK_QMOVE_H

#include "server/engine/svr.h"

struct sim;

/* The records of a turn are about to be applied to 'm'. */
void check_qmove_turn(struct sim *s, const struct model *m, const struct effects *turn);
/* The turn is over. */
void check_qmove_settled(struct sim *s, const struct model *m);
/* These facts have become durable in one commit. */
void check_qmove_commit(struct sim *s, size_t n, const struct effect *const *facts);

#endif
