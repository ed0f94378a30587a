/* resv_submit.h - a reservation is asked for: by SubmitResv, or by a job that wants one
 * for itself (reservations.md 4, 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SUBMIT_H
#define SERVER_DECIDE_RESV_SUBMIT_H

#include "server/decide/request.h"

/* What SubmitResv does when its hooks have accepted it; 'rq' has its body. A rule calls
 * this one, because a rule cannot wait for a verdict. */
int resv_submit(const struct model *m, const struct request *rq, struct decision *out);

/* The handler of SubmitResv: the resvsub hooks are asked before every other check
 * (reservations.md 5.2), and what they set is what is asked for then. */
int handle_submit_resv(const struct model *m, const struct request *rq,
                       struct decision *out);

#endif
