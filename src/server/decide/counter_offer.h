/* counter_offer.h - a scheduler's yes to an alteration with other times than were asked
 * for: OfferResv (doc/design/050-push.md).
 *
 * An open alteration may say that it is content with less: the reservations behind it
 * are moved to make room (pbs_ralter --push), or it is extended by less than a whole
 * step (auto_extend). What becomes of all reservations is judged together, and made in
 * one decision or not at all. Nobody but the one that is altered has an open question
 * meanwhile, so there is nothing that a crash could leave half-moved.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_COUNTER_OFFER_H
#define SERVER_DECIDE_COUNTER_OFFER_H

#include "server/decide/resv_answer.h"

/* Take the offer for the reservation a->r, whose alteration is open; body->offers[0] is
 * about it, or about the later occurrence of it that is altered, and the others are
 * about those that it moves: reservations by their id, occurrences of a series by their
 * name ("S5[3].svr"). Like a yes it is refused (15016, the reason is logged) when it
 * does not hold, and nothing has changed then:
 * - the question allows no other times than the wanted ones, or not these;
 * - one that would be moved has started, is maintenance, did not begin behind a->r, is
 *   being altered itself, is named twice, gets another length, would begin earlier or
 *   more than PUSH_FARTHEST_S later, or any would meet another occurrence of its
 *   series, with all of them where they would be then;
 * - vnodes do not hold beside all others (resv_fit()).
 * An alteration that has become impossible is denied, as by any answer. */
int counter_offer_take(const struct resv_answer *a,
                       const struct body_offer_resv *body) MUST_CHECK;

#endif
