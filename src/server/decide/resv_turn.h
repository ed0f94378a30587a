/* resv_turn.h - from one occurrence of a series to the next one (reservations.md 9.5).
 *
 * It takes two decisions. At the end of an occurrence its queue stops and its jobs are
 * killed by their own rule (resv_turn_over()). When none runs any more the next one
 * takes its turn (resv_turn_next()). Whatever a crash leaves, the rules go on from it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_TURN_H
#define SERVER_DECIDE_RESV_TURN_H

#include "server/decide/request.h"

/* When an occurrence is over: its end, less resv_post_processing_time; INT64_MAX when
 * it has no end. */
int64_t resv_over_at(const struct model *m, const struct occurrence *oc);

/* Append the records of the end of the current occurrence while later ones are left,
 * because its time is over (REASON_NONE) or somebody deletes it (REASON_CANCELLED): its
 * jobs are killed then whatever on_end says. An alteration of it that is open is
 * denied. */
void resv_turn_over(const struct model *m, const struct resv *r, enum reason reason,
                    const char *actor, int64_t now_at, struct decision *out);

/* Append the records that make the next occurrence the current one. Those whose end has
 * passed are skipped; when none is left the reservation ends. */
void resv_turn_next(const struct model *m, const struct resv *r, const char *actor,
                    int64_t now_at, struct decision *out);

/* Append the records that take out one occurrence, because somebody deletes it. The
 * others keep their index; a later one goes at once, the current one is over, and with
 * the last one the reservation ends. It may be over: resv_next(RESV_EV_OVER). */
void resv_turn_cancel(const struct model *m, const struct occurrence *oc,
                      const char *actor, int64_t now_at, struct decision *out);

/* Append the records that delete the later occurrences before 'until', NULL: all. */
void resv_turn_drop(const struct resv *r, const struct occurrence *until,
                    enum reason reason, const char *actor, int64_t now_at,
                    struct decision *out);

#endif
