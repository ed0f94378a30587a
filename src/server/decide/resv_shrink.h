/* resv_shrink.h - fewer chunks of a reservation, in an edit that becomes a proposal.
 *
 * Which vnodes go with the chunks is the schedulers' to say: of a running reservation
 * those that are lost first, then those without jobs (reservations.md 13.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SHRINK_H
#define SERVER_DECIDE_RESV_SHRINK_H

#include "server/decide/edit.h"

/* Want this select: the edit's resources and schedselect follow. The codes of select,
 * and 15183 when it is more than the reservation has, or something else. */
int resv_shrink_to(struct edit *e, const struct model *m, const struct resv *r,
                   const char *select, struct arena *arena,
                   struct diag *why) MUST_CHECK;

/* The select without the chunks on whose vnodes no job of the reservation is, in the
 * arena; NULL: each has one, or none has, or it is not known which vnodes are whose, as
 * while maintenance has taken some. */
const char *resv_busy_select(const struct model *m, const struct resv *r,
                             struct arena *arena);

#endif
