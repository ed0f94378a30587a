/* question_series.h - what a yes does that is about all occurrences of a series: it
 * carries the vnodes of each (lib/attr/execvnodes.h, doc/design/041-standing.md).
 *
 * All of it holds or nothing is taken: each occurrence is judged against the model as
 * it is now, and everything is written in one batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_QUESTION_SERIES_H
#define SERVER_DECIDE_QUESTION_SERIES_H

#include "server/decide/resv_answer.h"

/* It is a series, and not confirmed yet. */
bool series_is_new(const struct resv *r);

/* A yes to a new series: confirm it with all its occurrences. 15014 when the answer is
 * not about as many, 15086 when all have passed, 15028 when one does not hold. */
int series_confirm(const struct resv_answer *a) MUST_CHECK;

/* A yes to a confirmed series with degraded occurrences: those of them that are offered
 * other vnodes get them; what is well keeps what it has. *ret_moved is false, and
 * nothing is written, when there is none. Errors as above. */
int series_replace(const struct resv_answer *a, bool *ret_moved) MUST_CHECK;

#endif
