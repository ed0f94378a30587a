/* accrual.h - what kind of time passes for a job, and how much of it made the job
 * eligible (attributes.md 14.6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_ACCRUAL_H
#define SERVER_DECIDE_ACCRUAL_H

#include "server/decide/request.h"

/* Values of accrue_type. */
enum accrual {
    ACCRUAL_INITIAL,
    ACCRUAL_INELIGIBLE,
    ACCRUAL_ELIGIBLE,
    ACCRUAL_RUNNING,
    ACCRUAL_EXITING,
    N_ACCRUALS,
};

/* "eligible_time", as the log calls it; a number that is none of them: that of 0. */
const char *accrual_name(int64_t type);

/* The kind that the job's state says, or the one it has where only a scheduler knows.
 */
int64_t accrual_of(const struct job *job, struct arena *arena);

/* All eligible time until 'at', that of the period which goes on included; seconds. Of
 * a job that is over: until its end. */
int64_t accrual_total_s(const struct object *job, int64_t at);

/* Does the total grow as time passes? */
bool accrual_grows(const struct object *job);

#endif
