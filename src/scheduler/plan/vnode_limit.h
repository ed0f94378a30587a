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

/* The number of those whom the same vnodes are closed to as to this job, from 1: all
 * jobs of a user where vnodes limit users, of a group where they limit groups. 0: all
 * jobs are alike. */
size_t vnode_limit_owner(struct planner *pl, const struct snap_job *j);

/* The limit that keeps a job which is suspended from going on where it is; FAIL_NONE:
 * there is none. */
enum plan_failure vnode_limit_at(struct planner *pl, const struct snap_job *j,
                                 const struct placement *at);

/* The job has been started there since, or goes on there. */
void vnode_limit_took(struct planner *pl, const struct snap_job *j,
                      const struct placement *found);

/* The plan is over. */
void vnode_limit_fini(struct planner *pl);

#endif
