/* resv_series.h - the occurrences of a standing reservation: when they are, and the
 * records that make those that come later (reservations.md 9,
 * doc/design/040-occurrences.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SERIES_H
#define SERVER_DECIDE_RESV_SERIES_H

#include "lib/cal/recur.h"
#include "server/decide/request.h"
#include "server/model/resv_state.h"

/* When the occurrences of a series are. They are equally long, but for the first one
 * when that was altered. */
struct series_times {
    size_t n;         /* 1 to RECUR_MAX */
    struct window *v; /* rising, no two overlap; in the arena */
};

/* The occurrences of the rule within three years of 'start_at', which need not be one
 * of them. 'zone' is that of PBS_TZID, NULL when there is none of that name:
 * PBSE_BAD_ICAL_TZ. Else the errors of recur_parse() and recur_expand(), in this order;
 * *ret is written on success only. Cost: RECUR_MAX_STEPS steps twice, at most. */
int resv_series_expand(const char *rule, const struct zone *zone, int64_t start_at,
                       int64_t duration_s, struct arena *arena,
                       struct series_times *ret, struct diag *why) MUST_CHECK;

/* The times as hf_starts keeps them until the series is confirmed, in the arena:
 * starts, and "+SECONDS" behind those of occurrences that are not as long as the first
 * one, whose length is the duration of the reservation. */
const char *series_starts_text(const struct series_times *times, struct arena *arena);

/* Is it a series that is not confirmed yet? All of its occurrences are then asked about
 * together, and an alteration is about the first one. */
bool series_is_new(const struct resv *r);

/* The times of a new series; false when it is none. 'ret' is in the arena. */
bool series_times_read(const struct resv *r, struct arena *arena,
                       struct series_times *ret) MUST_CHECK;

/* Where the second occurrence of a new series begins; INT64_MAX: there is none. */
int64_t series_second_start_at(const struct resv *r);

/* A new series as it is asked about: a copy in the arena whose start and end are those
 * of its first occurrence, where the reservation itself still has the start that was
 * submitted. Any other reservation is returned as it is. */
const struct resv *series_first_as_resv(const struct resv *r, struct arena *arena);

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
