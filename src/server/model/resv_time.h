/* resv_time.h - the times of a reservation as pure arithmetic: the window derived from
 * what a user gave, and when the next attempt to replace lost vnodes is due.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_TIME_H
#define SERVER_MODEL_RESV_TIME_H

#include "lib/base/diag.h"
#include "server/model/model.h"

/* What was given, as bits of resv_times.given. */
enum resv_given {
    GIVEN_START = 1 << 0,
    GIVEN_END = 1 << 1,
    GIVEN_WALLTIME = 1 << 2, /* Resource_List.walltime, which is what -D sends */
    GIVEN_DURATION = 1 << 3,
};

struct resv_times {
    uint32_t given; /* enum resv_given bits */
    int64_t start_at;
    int64_t end_at;
    int64_t walltime_s;
    int64_t duration_s;
};

/* Derive what was not given (reservations.md 5.3). On success all four values agree;
 * otherwise 15086 and *t is as before. 'may_be_past': a reservation made from a job may
 * have started already. */
int resv_times_derive(struct resv_times *t, int64_t now_at, bool may_be_past,
                      struct diag *why) MUST_CHECK;

/* The same for an alteration (reservations.md 13.6): *t has the present start, end and
 * duration but for those that were given. A new start must not be past. 15086. */
int resv_times_alter(struct resv_times *t, int64_t now_at, struct diag *why) MUST_CHECK;

/* reserve_retry_time in force when the server attribute is unset. */
#define RESV_RETRY_TIME_S 600

/* reserve_retry_time as it is in force. */
int64_t resv_retry_time_s(const struct model *m);

/* The attempt right before the start comes this much earlier than the start, while
 * vnodes can still be replaced freely. */
#define RESV_RETRY_EARLY_S 5

/* When to try next, at 'now_at': one interval on, but never across the attempt right
 * before the start, nor from there across the start itself. */
int64_t resv_next_retry(int64_t now_at, int64_t start_at, int64_t interval_s);

#endif
