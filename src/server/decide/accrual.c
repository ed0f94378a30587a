/* accrual.c - see accrual.h.
 *
 * A job has an accrue_type as long as the server counts (eligible_time_enable). What is
 * stored is the sum of the periods that are over, and when the present one began.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/accrual.h"

#include "lib/attr/job_attrs.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"

#include <string.h>

const char *accrual_name(int64_t type)
{
    static const char *const names[N_ACCRUALS] = {
        [ACCRUAL_INITIAL] = "initial_time",   [ACCRUAL_INELIGIBLE] = "ineligible_time",
        [ACCRUAL_ELIGIBLE] = "eligible_time", [ACCRUAL_RUNNING] = "run_time",
        [ACCRUAL_EXITING] = "exit_time",
    };

    return names[type > 0 && type < N_ACCRUALS ? type : ACCRUAL_INITIAL];
}

/* A user who holds a job waits by himself, and so does who lets it wait for another
 * one; other holds are the site's. */
static int64_t of_holds(const struct job *job, struct arena *arena)
{
    const char *holds = job_holds_text(job, arena);

    if (strchr(holds, 'u') ||
        (strchr(holds, 's') && obj_is_set(&job->obj, JOB_A_DEPEND)))
        return ACCRUAL_INELIGIBLE;
    return ACCRUAL_ELIGIBLE;
}

int64_t accrual_of(const struct job *job, struct arena *arena)
{
    int64_t now = obj_num(&job->obj, JOB_A_ACCRUE_TYPE, ACCRUAL_INITIAL);

    switch (job_state(job)) {
    case 'R':
        return job_is_suspended(job) ? ACCRUAL_ELIGIBLE : ACCRUAL_RUNNING;
    case 'E':
        return ACCRUAL_EXITING;
    case 'W':
        return ACCRUAL_INELIGIBLE;
    case 'H':
        return of_holds(job, arena);
    case 'B':
        /* It waits as long as some of its subjobs do (scheduling.md 25). */
        if (job->array->waiting.n == 0)
            return ACCRUAL_INELIGIBLE;
        return now == ACCRUAL_INELIGIBLE ? now : ACCRUAL_ELIGIBLE;
    case 'Q':
    case 'T':
        /* It is new, or back from a run; of the others a scheduler says it. */
        return now == ACCRUAL_INELIGIBLE ? now : ACCRUAL_ELIGIBLE;
    default:
        return now;
    }
}

static bool is_eligible(const struct object *job)
{
    return obj_num(job, JOB_A_ACCRUE_TYPE, ACCRUAL_INITIAL) == ACCRUAL_ELIGIBLE;
}

int64_t accrual_total_s(const struct object *job, int64_t at)
{
    int64_t total_s = obj_num(job, JOB_A_ELIGIBLE_TIME, 0);
    int64_t since_at = obj_num(job, JOB_A_SAMPLE_STARTTIME, at);
    /* For a job that is over no time passes. */
    int64_t until_at = MIN_OF(at, obj_num(job, JOB_A_HISTORY_TIMESTAMP, at));

    /* A clock may have been set back meanwhile. */
    if (!is_eligible(job) || until_at <= since_at ||
        __builtin_add_overflow(total_s, until_at - since_at, &total_s))
        return obj_num(job, JOB_A_ELIGIBLE_TIME, 0);
    return total_s;
}

bool accrual_grows(const struct object *job)
{
    return is_eligible(job) && !obj_is_set(job, JOB_A_HISTORY_TIMESTAMP);
}
