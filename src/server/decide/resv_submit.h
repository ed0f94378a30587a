/* resv_submit.h - a reservation is asked for: by SubmitResv, or by a job that wants one
 * for itself (reservations.md 4, 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_SUBMIT_H
#define SERVER_DECIDE_RESV_SUBMIT_H

#include "server/decide/request.h"

/* The handler of SubmitResv, whose body 'rq' has. */
int resv_submit(const struct model *m, const struct request *rq, struct decision *out);

#endif
