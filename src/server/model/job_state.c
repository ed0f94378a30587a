/* job_state.c - see job_state.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"

#include "lib/attr/job_attrs.h"

char job_state(const struct job *job)
{
    return (char)obj_num(&job->obj, JOB_A_JOB_STATE, 'T');
}

int64_t job_substate(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_SUBSTATE, JOB_SUB_TRANSIT_IN);
}

bool job_is_history(const struct job *job)
{
    char state = job_state(job);

    return state == 'M' || state == 'F';
}

bool job_is_leaving(const struct job *job)
{
    return job_state(job) == 'T';
}

bool job_is_at_mom(const struct job *job)
{
    char state = job_state(job);

    /* From the record that starts it until its end a job has its vnodes, whether or not
     * the MoM has heard of it yet. */
    return state == 'R' || state == 'E';
}

const char *job_holds_text(const struct job *job, struct arena *arena)
{
    const char *text = NULL;

    if (obj_is_set(&job->obj, JOB_A_HOLD_TYPES))
        text = attr_value_text(job_rows[JOB_A_HOLD_TYPES].type,
                               obj_attr(&job->obj, JOB_A_HOLD_TYPES), arena);
    /* "n" is the word of PBS for no hold. */
    return text ? text : "n";
}
