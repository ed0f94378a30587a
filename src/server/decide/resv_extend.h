/* resv_extend.h - reservations that extend themselves while jobs of them run: the
 * attributes auto_extend and auto_extend_max, and on_end=extend
 * (doc/design/049-auto-extend.md).
 *
 * Shortly before its end such a reservation asks the schedulers for one step more, with
 * a proposal like that of pbs_ralter -E (resv_proposal.h). Nobody is displaced: a no
 * means that it ends as planned. The end that a person asked for is kept, so that the
 * steps together stay below auto_extend_max, and so that what was added ends as soon as
 * no job needs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_EXTEND_H
#define SERVER_DECIDE_RESV_EXTEND_H

#include "server/decide/request.h"

/* The step of a reservation whose on_end says extend and that names none, in seconds.
 */
#define EXTEND_STEP_S 600

/* From when on it asks for the next step, if a job of it runs then; INT64_MAX: it does
 * not, or has asked before this end already. */
int64_t resv_extend_at(const struct model *m, const struct resv *r);

/* Append the record that asks for it; it is the first one of the decision. 'asks' are
 * the schedulers, from question_asks(); resv_extend_at() has come. */
void resv_extend_ask(const struct model *m, const struct resv *r, const char *asks,
                     const char *actor, int64_t now_at, struct decision *out);

/* When the current occurrence is over: as resv_over_at() says, or at the end that was
 * asked for when it has extended itself beyond and no job runs in it any more. */
int64_t resv_extended_over_at(const struct model *m, const struct resv *r);

#endif
