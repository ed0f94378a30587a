/* job_access.c - see job_access.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_access.h"

#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/model/job_hosts.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"

bool requester_is_staff(const struct request *rq)
{
    return (rq->who->rights & WHO_STAFF) != 0;
}

int job_live(const struct model *m, const char *id, const struct job **ret,
             struct diag *why)
{
    const struct job *job = model_job(m, id);

    /* A job that moved away is its new server's; LocateJob says where it is. */
    if (!job || job_state(job) == 'M')
        return diag_code(why, PBSE_UNKJOBID);
    if (job->past)
        return diag_code(why, PBSE_HISTJOBID);
    *ret = job;
    return 0;
}

int job_for_request(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why)
{
    const struct job *job;
    int err = job_live(m, id, &job, why);

    /* Whether a job exists is told to everybody, and only then whose it is. */
    if (err)
        return err;
    if (!requester_is_staff(rq) &&
        !requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, "")))
        return diag_code(why, PBSE_PERM);
    *ret = job;
    return 0;
}

int job_mom_is_heard(const struct job *job, struct decision *out)
{
    const struct node *n = job_first_node(job);

    /* Only for a job that its MoM has taken is the MoM needed. */
    if (job_state(job) != 'R' || !obj_num(&job->obj, JOB_A_HF_SENT, 0) || !n ||
        node_may_be_reached(n))
        return 0;
    decide_log(out, LOG_EV_ERROR, LOG_IN_REQUEST, "", "%s", pbse_text(PBSE_NORELYMOM));
    return diag_code(&out->why, PBSE_NORELYMOM);
}
