/* recur.h - the occurrences of a standing reservation (reservations.md 9.1).
 *
 * A rule is iCalendar's RRULE without its name, of which the parts FREQ, COUNT, UNTIL,
 * INTERVAL, WKST, BYDAY, BYHOUR and BYMONTH are taken. libical expands it in civil
 * time; the zone that is passed in makes instants of that.
 *
 * Two things are ours. An hour that clocks show twice is used once, the first time; one
 * that they skip is moved by the length of the gap, and what would then begin together
 * with the occurrence before it is left out. And work is bounded: whatever the rule, a
 * question costs at most RECUR_MAX_STEPS steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_RECUR_H
#define LIB_CAL_RECUR_H

#include "lib/base/diag.h"
#include "lib/cal/zone.h"

#define RECUR_MAX_TEXT  66    /* characters of a rule */
#define RECUR_MAX       10000 /* occurrences of a series */
#define RECUR_MAX_STEPS 30000 /* dates looked at for one question: 100 ms */
/* What lies further behind the start is not looked at: three years. */
#define RECUR_HORIZON_S (INT64_C(3) * 365 * 86400)

struct recur;

/* Parse a rule into the arena. PBSE_BAD_RRULE_SYNTAX for what is none or has a part
 * that is refused, PBSE_BAD_RRULE_SYNTAX2 when it has neither COUNT nor UNTIL. */
int recur_parse(const char *text, struct arena *arena, struct recur **ret,
                struct diag *why) MUST_CHECK;

/* The occurrences of a series of this length, if it may be. 'start_at' is where the
 * rule begins, which need not be an occurrence. PBSE_BADTSPEC: no occurrence at all,
 * more than RECUR_MAX, or two that overlap; PBSE_BAD_RRULE_YEARLY .. _SECONDLY: longer
 * than the rule's period. On success *ret_n is the number of occurrences up to the
 * horizon, at least 1, and their starts, rising, are in 'ret_at', which has room for
 * RECUR_MAX of them; it is scratch when there is an error. */
int recur_expand(const struct recur *r, const struct zone *z, int64_t start_at,
                 int64_t duration_s, int64_t *ret_at, size_t *ret_n,
                 struct diag *why) MUST_CHECK;

/* The first occurrences, rising, at most 'max' and none at or after 'before_at'.
 * Returns how many were written. */
size_t recur_list(const struct recur *r, const struct zone *z, int64_t start_at,
                  int64_t before_at, size_t max, int64_t *ret_at);

#endif
