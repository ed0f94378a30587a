/* job_wake.c - which scheduler hears of what happened to a job, and who waited for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/react/job_react.h"
#include "server/react/job_reply.h"
#include "server/react/reactions.h"

const struct object *job_of_reaction(const struct reaction *r)
{
    return r->gone ? r->gone : model_find(r->m, OBJ_JOB, r->rec->id);
}

/* The partition of the job's queue; jobs of the default one are every scheduler's
 * business that serves it. */
static const char *partition_of(const struct reaction *r, const struct object *o)
{
    const struct queue *q = model_queue(r->m, obj_str(o, JOB_A_QUEUE, ""));

    return q ? obj_str(&q->obj, QUEUE_A_PARTITION, NULL) : NULL;
}

static bool became_queued(const struct reaction *r)
{
    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (r->rec->changes[i].attr == JOB_A_JOB_STATE &&
            str_same(r->rec->changes[i].after, "Q"))
            return true;
    return false;
}

void react_job_wake(const struct reaction *r)
{
    const struct object *o = job_of_reaction(r);

    switch (r->rec->fact) {
    case FACT_JOB_QUEUED:
    case FACT_JOB_MODIFIED:
    case FACT_JOB_REQUEUED:
        if (became_queued(r))
            effect_wake_schedulers(r, partition_of(r, o), SCHED_NEW);
        break;
    case FACT_JOB_DELETED:
    case FACT_JOB_ENDED:
        effect_wake_schedulers(r, partition_of(r, o), SCHED_ENDED);
        break;
    default:
        break;
    }
}

/* --- those who wait -------------------------------------------------------------- */

static void refuse(struct wire_reply *ret, int code)
{
    *ret = (struct wire_reply){ .code = code,
                                .choice = REPLY_TEXT,
                                .text = pbse_text(code) };
}

bool job_held_reply(const struct record *rec, const struct hold_reply *hold,
                    struct arena *arena UNUSED, struct wire_reply *ret)
{
    if (rec->fact == FACT_JOB_DELETED || rec->fact == FACT_JOB_ENDED) {
        refuse(ret, PBSE_UNKJOBID);
        return true;
    }
    if (hold->deferred_run)
        return false; /* answered by the scheduler */
    if (rec->fact == FACT_JOB_SENT) {
        *ret = (struct wire_reply){ .choice = REPLY_NULL };
        return true;
    }
    if (rec->fact == FACT_JOB_REJECTED || rec->fact == FACT_JOB_REQUEUED) {
        int code = reason_code(rec->reason);

        refuse(ret, code ? code : PBSE_MOMREJECT);
        return true;
    }
    return false;
}
