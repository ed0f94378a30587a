/* resv_series.h - the occurrences of a standing reservation: when they are, and the
 * records that make those that come later (reservations.md 9,
 * doc/design/040-occurrences.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SERIES_H
#define SERVER_DECIDE_RESV_SERIES_H

#include "lib/cal/recur.h"
#include "server/decide/request.h"

/* When the occurrences of a series are. Each is as long as the others. */
struct series_times {
    size_t n;                /* 1 to RECUR_MAX */
    const int64_t *start_at; /* rising, no two overlap; in the arena */
    int64_t duration_s;
};

/* The occurrences of the rule within three years of 'start_at', which need not be one
 * of them. 'zone' is that of PBS_TZID, NULL when there is none of that name:
 * PBSE_BAD_ICAL_TZ. Else the errors of recur_parse() and recur_check(), in this order;
 * *ret is written on success only. Cost: RECUR_MAX_STEPS steps twice, at most. */
int resv_series_expand(const char *rule, const struct zone *zone, int64_t start_at,
                       int64_t duration_s, struct arena *arena,
                       struct series_times *ret, struct diag *why) MUST_CHECK;

/* The starts as hf_starts keeps them until the series is confirmed, in the arena. */
const char *series_starts_text(const struct series_times *times, struct arena *arena);

/* The times of a series that is not confirmed yet; false when it has none, because it
 * is confirmed or no series. 'ret' is in the arena. */
bool series_times_read(const struct resv *r, struct arena *arena,
                       struct series_times *ret) MUST_CHECK;

/* When the last one of them ends; INT64_MIN when it has none. */
int64_t series_unconfirmed_end_at(const struct resv *r);

/* Append one record for each occurrence after the first one, confirmed; 'vnodes' has
 * times->n texts in form of an exec_vnode, those of the first one included. The caller
 * gives the reservation itself the first one's times and vnodes, its index 1 and the
 * count. Texts are not copied. */
void resv_series_make_later(const struct resv *r, const struct series_times *times,
                            const char *const *vnodes, const char *actor,
                            int64_t now_at, struct decision *out);

#endif
