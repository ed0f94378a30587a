/* route_away.h - destinations of a routing queue that are at other servers: what they
 * have said to a job (doc/design/060-routing.md).
 *
 * A job asks one of them after the other, each by a transfer (job_transfer.h). What
 * those have said that refused it is stored with the job until its round is over: until
 * one has taken it, or all have been asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_ROUTE_AWAY_H
#define SERVER_DECIDE_ROUTE_AWAY_H

#include "server/decide/need.h"

/* Jobs of one routing queue that are on their way to other servers at a time. */
#define ROUTE_AWAY_MAX 64

enum route_word {
    ROUTE_NOT_ASKED,
    ROUTE_SAID_LATER, /* it may take the job another time */
    ROUTE_SAID_NEVER,
};

/* 'said': text of hf_route_said, NULL when nobody was asked. */
enum route_word route_word_of(const char *said, const char *destination);

/* The text with one more destination, which has not taken the job; in the arena. */
const char *route_word_add(const char *said, const char *destination,
                           const struct finding *answer, struct arena *arena);

#endif
