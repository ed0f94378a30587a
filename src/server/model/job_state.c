/* job_state.c - see job_state.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"

#include "lib/attr/job_attrs.h"

#include <string.h>

char job_state(const struct job *job)
{
    return (char)obj_num(&job->obj, JOB_A_JOB_STATE, 'T');
}

int64_t job_substate(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_SUBSTATE, JOB_SUB_TRANSIT_IN);
}

bool job_is_at_mom(const struct job *job)
{
    char state = job_state(job);

    return state == 'R' || state == 'E';
}

struct job_standing job_settle(const char *holds, int64_t execution_at, bool stage_in,
                               int64_t now_at)
{
    if (strpbrk(holds, "uosp"))
        return (struct job_standing){ 'H', JOB_SUB_HELD };
    if (execution_at > now_at)
        return (struct job_standing){ 'W', JOB_SUB_WAITING };
    if (stage_in)
        return (struct job_standing){ 'Q', JOB_SUB_PRE_STAGE_IN };
    return (struct job_standing){ 'Q', JOB_SUB_QUEUED };
}

const char *job_holds_text(const struct job *job, struct arena *arena)
{
    const char *text = NULL;

    if (obj_is_set(&job->obj, JOB_A_HOLD_TYPES))
        text = attr_value_text(job_rows[JOB_A_HOLD_TYPES].type,
                               obj_attr(&job->obj, JOB_A_HOLD_TYPES), arena);
    return text ? text : "n";
}

struct job_standing job_settle_now(const struct job *job, int64_t now_at,
                                   struct arena *arena)
{
    return job_settle(job_holds_text(job, arena),
                      obj_num(&job->obj, JOB_A_EXECUTION_TIME, 0),
                      obj_is_set(&job->obj, JOB_A_STAGEIN), now_at);
}
