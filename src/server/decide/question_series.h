/* question_series.h - what a yes does that is about all occurrences of a series: it
 * carries the vnodes of each (lib/attr/execvnodes.h, doc/design/041-standing.md).
 *
 * All of it holds or nothing is taken: each occurrence is judged against the model as
 * it is now, and everything is written in one batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_QUESTION_SERIES_H
#define SERVER_DECIDE_QUESTION_SERIES_H

#include "server/decide/edit.h"
#include "server/decide/resv_answer.h"

/* A yes to a new series: confirm it with all its occurrences. 15014 when the answer is
 * not about as many, 15086 when all have passed, 15028 when one does not hold. */
int series_confirm(const struct resv_answer *a) MUST_CHECK;

/* The same for a new series whose first occurrence is to be altered: 'e' is what the
 * open proposal wants of it, read by proposal_read(), and the others stay as they were
 * submitted. All of it is confirmed, and the proposal made, in one decision. */
int series_confirm_altered(const struct resv_answer *a,
                           const struct edit *e) MUST_CHECK;

/* A yes to a confirmed series with degraded occurrences: those of them that are offered
 * other vnodes get them; what is well keeps what it has. *ret_moved is false, and
 * nothing is written, when there is none. Errors as above. */
int series_replace(const struct resv_answer *a, bool *ret_moved) MUST_CHECK;

#endif
