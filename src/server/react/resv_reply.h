/* resv_reply.h - answers to those who wait for a reservation: "-I" of pbs_rsub and
 * pbs_ralter (reservations.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_RESV_REPLY_H
#define SERVER_REACT_RESV_REPLY_H

#include "server/decide/request.h"

/* The reply when until_at of what it waits for has passed. */
void resv_wait_is_over(const struct model *m, const struct wait_for *wait_for,
                       struct arena *arena, struct wire_reply *ret);

#endif
