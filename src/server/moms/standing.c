/* standing.c - IDLE: a host that has too much to do, or is in use, has stopped a job or
 * lets it go on (tpp.md 5.1, execution.md 30). The server is told and not asked.
 *
 * The message has no run version. It is about the present run all the same: the MoM has
 * taken that, she has one job with the id, and what she said of an earlier run came
 * before that on the same stream. At each registration she says of all jobs that she
 * has ever stopped how it is with them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/suspension.h"
#include "server/model/job_state.h"
#include "server/moms/moms_priv.h"

void mom_take_standing(struct moms *ms, struct moms_turn *t, struct mom *mom,
                       const struct is_message *msg)
{
    const struct job *job = model_job(t->m, msg->job_id);
    bool stands = msg->stands != 0;

    /* Of a job that ends, or that the MoM has not, it means nothing any more. */
    if (!job || job_state(job) != 'R' || !obj_num(&job->obj, JOB_A_HF_SENT, 0) ||
        !mom_has_job(ms, t, mom, job) || job_stopped_by_host(job) == stands)
        return;
    suspension_by_host(
        job, stands,
        moms_record(t, stands ? FACT_JOB_STANDS : FACT_JOB_STOOD, OBJ_JOB, job->obj.id),
        t->out->arena);
}
