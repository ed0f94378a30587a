/* what_if.h - what a scheduler would have said of the same snapshot to a reservation
 * with another start. A file of its own, since the names of the snapshot's structs are
 * also names of the server's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_WHAT_IF_H
#define TEST_SIM_WHAT_IF_H

#include "scheduler/sched.h"

/* The start that an advance reservation that nobody has confirmed asks for;
 * RESV_START_OPEN for whatever comes first, 0: there is none of that id. */
int64_t what_is_asked(const struct snapshot *snap, const char *id);

/* The answer when its start is that one, in 'arena'; NULL: there is none. The snapshot
 * is as it was afterwards. */
const struct plan_step *what_if(struct snapshot *snap, const struct policy *policy,
                                int64_t now_at, const char *id, int64_t start_at,
                                struct arena *arena);

#endif
