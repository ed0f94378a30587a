/* updates.h - how often comments and estimates of jobs are written (attr_update_period,
 * scheduling.md 30).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_UPDATES_H
#define SCHEDULER_SHELL_UPDATES_H

#include "scheduler/sched.h"

/* A zeroed one writes in each cycle. */
struct updates {
    int64_t period_s; /* 0: each cycle */
    int64_t last_at;  /* of the last cycle that was due and has written something; 0:
                         none has */
    int64_t now_at;   /* of this cycle */
    bool is_due;      /* in this cycle */
};

/* The scheduler's attribute, NULL: it is not set. Another value than before makes the
 * next cycle write. */
void updates_set_period(struct updates *u, const char *text);

/* A cycle begins. */
void updates_begin(struct updates *u, int64_t now_at);

/* The step without what is not to be written in this cycle: comment and estimate of a
 * job for which nothing else is to be sent. They are told again by a later plan, since
 * the server does not show them. */
struct plan_step updates_hold_back(const struct updates *u,
                                   const struct plan_step *step);

/* Something was sent. What leaves beside the period, with other attributes of a job,
 * does not put off the others. */
void updates_sent(struct updates *u);

#endif
