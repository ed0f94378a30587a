/* resv_submit.h - a reservation is asked for: by SubmitResv, or by a job that wants one
 * for itself (reservations.md 4, 15.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SUBMIT_H
#define SERVER_DECIDE_RESV_SUBMIT_H

#include "server/decide/request.h"

/* The handler of SubmitResv: the resvsub hooks are asked before every other check
 * (reservations.md 5.2), and what they set is what is asked for then. */
int handle_submit_resv(const struct model *m, const struct request *rq,
                       struct decision *out);

#endif
