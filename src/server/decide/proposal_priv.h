/* proposal_priv.h - what resv_proposal.c, proposal_grant.c and proposal_order.c share,
 * and nobody else sees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_PROPOSAL_PRIV_H
#define SERVER_DECIDE_PROPOSAL_PRIV_H

#include "server/decide/resv_proposal.h"

/* The later occurrence that the open one is about; NULL: the current one, or one that
 * has gone since. */
const struct occurrence *proposal_later(const struct model *m, const struct resv *r,
                                        struct arena *arena);

/* A record about the reservation, appended to the decision. */
struct record *proposal_record(const struct resv *r, enum fact fact, const char *actor,
                               int64_t now_at, struct decision *out);

/* Before an occurrence is altered for the first time: where the rule begins. Schedulers
 * of PBS compute the later occurrences from it (reservations.md 9.7). */
void proposal_keep_series_start(const struct resv *r, struct arena *arena,
                                struct record *rec);

/* Does the part leave the occurrences of its series in their order? */
bool proposal_part_keeps_order(const struct proposal_part *part);

#endif
