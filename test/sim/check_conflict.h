/* check_conflict.h - maintenance takes its vnodes from all whose window it meets, and
 * from nobody else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_CONFLICT_H
#define TEST_SIM_CHECK_CONFLICT_H

#include "server/engine/svr.h"

struct sim;

#define TAKERS_MAX 16

/* Maintenance that was given vnodes or other times in this turn. */
struct takers {
    size_t n;
    char ids[TAKERS_MAX][64];
};

/* A record is about to be applied to 'm'. */
void check_conflict_record(struct sim *s, const struct model *m,
                           const struct record *rec);

/* The turn is over. */
void check_conflicts_settled(struct sim *s, const struct model *m);

#endif
