/* targets.h - preempt_targets: whom a job may preempt (scheduling.md 22.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_TARGETS_H
#define SCHEDULER_PLAN_TARGETS_H

#include "scheduler/snapshot/snapshot.h"

/* "NONE": nobody. */
bool targets_none(const char *targets);

/* Is the job one of those that "queue=Q,Resource_List.R=V" means: in one of the queues,
 * or asking for so much of one of the resources? */
bool targets_have(const struct snapshot *s, const char *targets,
                  const struct snap_job *j);

#endif
