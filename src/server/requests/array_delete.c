/* array_delete.c - see array_delete.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/array_delete.h"

#include "lib/base/log.h"
#include "server/decide/array_run.h"
#include "server/decide/job_end.h"
#include "server/model/job_state.h"
#include "server/requests/job_access.h"

/* Is the MoM of a subjob away? Then that is noted, and the subjob is not deleted. */
static bool is_out_of_reach(const struct job *job, uint32_t flags,
                            struct array_deletion *ret, struct decision *out)
{
    int err = flags & JOB_END_FORCE ? 0 : job_mom_is_heard(job, out);

    if (!err)
        return false;
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id, "Delete failed %d", err);
    /* Only the first one is told to the client. */
    if (!ret->err)
        *ret = (struct array_deletion){ err, arena_strdup(out->arena, job->obj.id) };
    return true;
}

struct array_deletion array_delete(const struct model *m, const struct request *rq,
                                   const struct job *array, uint32_t flags,
                                   struct decision *out)
{
    struct array_deletion ret = { 0 };

    for (const struct job *j = array->array->first; j; j = j->array_next)
        (void)is_out_of_reach(j, flags, &ret, out);
    job_delete_records(m, array, rq->actor, rq->now_at, flags, out);
    return ret;
}

/* Whether there was anything to delete. */
static bool delete_one(const struct model *m, const struct request *rq,
                       const struct subjob *s, struct index_set *cut, uint32_t flags,
                       struct array_deletion *ret, struct decision *out)
{
    const char *name = s->job ? s->job->obj.id : NULL;

    if (s->end || (s->job && job_state(s->job) == 'X'))
        return false;
    if (name && (array_was_decided(out, name, FACT_JOB_KILLED) ||
                 array_was_decided(out, name, FACT_SUBJOB_DELETED)))
        return true;
    if (!s->job)
        index_set_put(cut, s->place, true);
    else if (!is_out_of_reach(s->job, flags, ret, out))
        job_delete_records(m, s->job, rq->actor, rq->now_at, flags, out);
    return true;
}

struct array_deletion subjobs_delete(const struct model *m, const struct request *rq,
                                     const char *id, const struct job *array,
                                     const struct index_set *places, uint32_t flags,
                                     struct decision *out)
{
    struct array_deletion ret = { 0 };
    struct index_set cut;
    bool any = false;

    /* The request has deleted the array as a whole. */
    if (array_was_decided(out, array->obj.id, FACT_JOB_DELETED) ||
        array_was_decided(out, array->obj.id, FACT_JOB_WITHDRAWN))
        return ret;
    index_set_init(&cut, &places->range, false);
    for (size_t at = 0; (at = index_set_next(places, at)) != INDEX_NO_PLACE; at++) {
        const struct subjob s = subjob_at(m, array, at, rq->arena);

        any |= delete_one(m, rq, &s, &cut, flags, &ret, out);
    }
    if (cut.n > 0)
        array_cut_record(array, &cut, rq->actor, rq->now_at, out);
    index_set_fini(&cut);
    return any ? ret : (struct array_deletion){ PBSE_NOHISTARRAYSUBJOB, id };
}
