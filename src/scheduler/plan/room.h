/* room.h - what the jobs of one reservation may use: what the reservation has, less
 * what its jobs take of it.
 *
 * A plan looks at the jobs of one reservation after another (rules_order()), so there
 * is one room at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_ROOM_H
#define SCHEDULER_PLAN_ROOM_H

#include "scheduler/plan/plan.h"

struct room {
    const struct snap_resv *resv; /* NULL: no reservation yet */
    const struct resv_link *link;
    bool *has;     /* [vnode] is one of the reservation's; NULL: it has no vnodes */
    int64_t *free; /* [vnode * n_res] */
};

/* Make 'room' the room of 'r', unless it is that already. 'end_at' is the end of the
 * job that is looked at; it counts for a reservation that has not started only. A
 * reservation without vnodes leaves room->link->has_vnodes false and nothing to search.
 * Memory is the world's. */
void room_enter(struct planner *pl, struct room *room, const struct snap_resv *r,
                int64_t end_at);

/* Find vnodes for a job of the room's reservation until 'end_at' or the end of the
 * reservation. When it finds them it returns FAIL_NONE, puts them into *found and takes
 * them from the room, and from the world what the reservation does not name. Otherwise
 * the failure, with the details in *why. */
enum plan_failure room_search(struct planner *pl, struct room *room,
                              const struct snap_job *j, const char *id, int64_t end_at,
                              struct placement *found, struct plan_short *why);

/* Can a suspended job of the room's reservation go on where it is until 'end_at', or
 * the end of the reservation? It has its vnodes then, as from room_search(); else what
 * is short is in *ret_short, "" when that is no amount. */
bool room_goes_on(struct planner *pl, struct room *room, const struct snap_job *j,
                  int64_t end_at, const char **ret_short);

/* Does the request ask for a resource that the reservation does not name on all of its
 * vnodes? */
bool room_asks_beside(const struct world *w, const struct resv_link *resv,
                      const struct request *rq);

#endif
