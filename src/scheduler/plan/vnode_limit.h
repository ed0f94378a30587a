/* vnode_limit.h - how many jobs may run on a vnode: max_running, max_user_run and
 * max_group_run of it (scheduling.md 13).
 *
 * Where no vnode has such a limit nothing is counted. Jobs of reservations are held up
 * by none: what is promised is not asked again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_VNODE_LIMIT_H
#define SCHEDULER_PLAN_VNODE_LIMIT_H

#include "scheduler/plan/plan.h"

/* [vnode] those that have no room for another job of its owner; NULL: all have. '*why'
 * is the limit of the first of them. Valid until the next call.
 * Time: linear in the jobs on vnodes with limits; nothing for a job whose owner is that
 * of the job before. */
const bool *vnode_limit_closes(struct planner *pl, const struct snap_job *j,
                               enum plan_failure *why);

/* The limit that keeps a job which is suspended from going on where it is; FAIL_NONE:
 * there is none. */
enum plan_failure vnode_limit_at(struct planner *pl, const struct snap_job *j,
                                 const struct placement *at);

/* The job has been started there since, or goes on there. */
void vnode_limit_took(struct planner *pl, const struct snap_job *j,
                      const struct placement *found);

#endif
