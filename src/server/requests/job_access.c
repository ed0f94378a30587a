/* job_access.c - see job_access.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_access.h"

#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/job_end.h"
#include "server/decide/said_id.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"

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

int job_owner_or_staff(const struct model *m, const struct request *rq,
                       const struct job *job, struct diag *why)
{
    if (!requester_is_staff(rq) &&
        !requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, "")))
        return diag_code(why, PBSE_PERM);
    return 0;
}

/* Whether a job exists is told to everybody, and only then whose it is. */
static int check_live(const struct model *m, const struct request *rq, const char *id,
                      const struct job **ret, struct diag *why)
{
    int err = job_live(m, id, ret, why);

    return err ? err : job_owner_or_staff(m, rq, *ret, why);
}

int job_for_request(const struct model *m, const struct request *rq, const char *id,
                    const struct job **ret, struct diag *why)
{
    const char *said = said_job_id(m, rq, id), *indices;
    const struct job *array = array_of_indices(m, said, rq->arena, &indices);
    const struct job *job;
    int err = check_live(m, rq, array ? array->obj.id : said, &job, why);

    if (err)
        return err;
    if (array)
        return diag_code(why, array_has_indices(array, indices) ? PBSE_IVALREQ
                                                                : PBSE_UNKJOBID);
    /* Another server may have it already: only its forced deletion is left. */
    if (job_is_leaving(job) && rq->wire->number != BATCH_DELETE_JOB &&
        rq->wire->number != BATCH_DELETE_JOB_LIST)
        return diag_code(why, PBSE_BADSTATE);
    *ret = job;
    return 0;
}

int subjobs_for_request(const struct model *m, const struct request *rq, const char *id,
                        const struct job **ret_array, struct index_set *ret,
                        struct diag *why)
{
    const char *indices;
    const struct job *array = array_of_indices(m, id, rq->arena, &indices);
    int err = array ? check_live(m, rq, array->obj.id, &array, why) : 0;

    *ret_array = array;
    if (err || !array)
        return err;
    /* The array is whole at one of two servers, whichever it is. */
    if (job_is_leaving(array))
        return diag_code(why, PBSE_BADSTATE);
    return array_places(array, indices, ret) ? 0 : diag_code(why, PBSE_UNKJOBID);
}

int job_mom_is_heard(const struct job *job, struct decision *out)
{
    /* Only for a job that its MoM has taken is the MoM needed. */
    if (!job_is_out_of_reach(job))
        return 0;
    decide_log(out, LOG_EV_ERROR, LOG_IN_REQUEST, "", "%s", pbse_text(PBSE_NORELYMOM));
    return diag_code(&out->why, PBSE_NORELYMOM);
}
