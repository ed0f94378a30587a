/* together.h - proposals about several reservations. No command opens one yet, so the
 * simulator comes in by the door that one will use (resv_proposal.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_TOGETHER_H
#define TEST_SIM_TOGETHER_H

#include "server/model/model.h"

struct sim;
struct record;

#define TOGETHER_MAX 4

/* What one of the reservations is to be. */
struct together_part {
    const char *id;
    int64_t start_at; /* one that runs keeps its start */
    int64_t end_at;
};

/* Propose all of it at once, as a manager. Nothing happens when one of the reservations
 * cannot be altered that way, or when the server does not serve. */
void together_open(struct sim *s, const struct together_part *parts, size_t n,
                   bool force);

/* A record is about to be applied to 'm': what becomes of the parts. */
void check_together_before(struct sim *s, const struct model *m,
                           const struct record *rec);
/* The turn is over: all parts of a proposal are open, or made, or none is. */
void check_together_settled(struct sim *s, const struct model *m);

#endif
