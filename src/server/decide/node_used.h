/* node_used.h - when a vnode was last used: stamped when a job or a reservation leaves
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_NODE_USED_H
#define SERVER_DECIDE_NODE_USED_H

#include "server/decide/request.h"

/* Append a record for each vnode held that does not have this second already. */
void nodes_used_records(const struct bookings *held, const char *actor, int64_t now_at,
                        struct decision *out);

#endif
