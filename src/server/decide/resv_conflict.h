/* resv_conflict.h - a maintenance reservation takes vnodes of others (reservations.md
 * 14.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_CONFLICT_H
#define SERVER_DECIDE_RESV_CONFLICT_H

#include "server/decide/request.h"

/* Append, for each occurrence of other reservations that has some of these vnodes in
 * that window, the record by which it is in conflict: what it holds on the hosts of
 * these vnodes is taken from it, one that has not begun is to be given other vnodes at
 * once, and one that runs and has nothing left starts no more jobs. 'maint' takes
 * nothing from itself nor from other maintenance. Windows that only touch do not meet:
 * nobody holds a vnode at the instant at which it is given back.
 * Cost: the occurrences on these vnodes in the window. */
void resv_conflict_record(const struct model *m, const struct resv *maint,
                          const struct exec_vnode *vnodes, struct window window,
                          const char *actor, int64_t now_at, struct decision *out);

#endif
