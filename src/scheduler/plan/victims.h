/* victims.h - whom a job that cannot start makes leave (scheduling.md 22).
 *
 * Running jobs of lower levels are candidates: the lowest level first, and of one level
 * the one that started last. So many of them are taken as suffice, and of these the
 * ones that turn out not to be needed are left alone. Jobs of reservations neither
 * preempt nor are they preempted. Whether the job then fits is asked of the same world
 * as for any other job, so that what is promised to a reservation stays its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_VICTIMS_H
#define SCHEDULER_PLAN_VICTIMS_H

#include "scheduler/plan/plan.h"

/* A job that cannot start, or go on. */
struct preemptor {
    const struct snap_job *job;
    const char *id;          /* of the step: the job, or a subjob of the array */
    bool asked;              /* command 11: above all levels, held by no limit */
    const char *queue;       /* whose own vnodes it uses; NULL: those of no queue */
    int64_t end_at;          /* when it would end */
    enum plan_failure lacks; /* why it cannot, as failure_log() has it */
    const char *resource, *numbers;
    const struct demand *own; /* a suspended job: what it needs where it is; NULL: it
                                 goes wherever there is room */
};

/* What is known of candidates in one plan; a zeroed one knows nothing. */
struct preempting;

/* Make others leave for the job. True: the step with which they leave is there, and
 * they have left the world and all counts; 'found' (where who->own is NULL) is a place
 * for the job that is free now, and the caller takes it. False: all is as it was.
 * 'notes' says what was tried, and goes with the step.
 *
 * Nothing is done where all jobs have one level. With n candidates of which k suffice:
 * about 2 log k searches for vnodes and n + 4 k changes of timelines. */
bool preempt_for(struct planner *pl, struct preempting **p, const struct preemptor *who,
                 struct placement *found, struct plan_notes *notes);

/* Nobody can help the job by leaving: 'notes' says so, where somebody of a lower level
 * runs. */
void preempt_hopeless(struct planner *pl, struct preempting **p,
                      const struct preemptor *who, struct plan_notes *notes);

/* Forget who was tried in vain; its memory is the plan's. NULL is fine. */
void preempt_fini(struct preempting *p);

#endif
