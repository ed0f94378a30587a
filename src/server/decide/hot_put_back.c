/* hot_put_back.c - see hot_put_back.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/hot_put_back.h"

#include "server/model/hot_start.h"
#include "server/model/job_state.h"

#define NOTE "hot start"

static struct record *about(const struct object *o, const char *actor, int64_t now_at,
                            struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_SET, o->kind, o->id, actor, now_at);

    rec->note = NOTE;
    return rec;
}

/* A run that is to end is not sought: neither one that is being deleted, nor one that
 * was asked to go back to its queue. */
static bool is_sought(const struct job *job)
{
    return job_state(job) == 'R' && !obj_is_set(&job->obj, JOB_A_HF_KILL_BY) &&
           !obj_num(&job->obj, JOB_A_HF_REQUEUE, 0);
}

void hot_start_begin(const struct model *m, const char *actor, int64_t now_at,
                     struct decision *out)
{
    size_t n = m->n_hot;
    struct record *rec;

    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (!is_sought(TO_JOB(o)))
            continue;
        /* Jobs that are sought already, from an earlier start, are in m->n_hot. */
        n += !TO_JOB(o)->hot;
        rec = about(o, actor, now_at, out);
        /* The vnodes are kept apart from exec_vnode, which the job loses when its run
         * is lost. */
        record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL,
                      obj_str(o, JOB_A_EXEC_VNODE, NULL));
    }
    /* With nobody to look for, the hot start is over before it begins. */
    if (n == 0)
        return;
    rec = about(m->server, actor, now_at, out);
    record_change_num(rec, out->arena, SERVER_A_HF_HOT_UNTIL, now_at + HOT_START_S);
}

void hot_start_end(const struct model *m, const char *actor, int64_t now_at,
                   struct decision *out)
{
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (job_ran_before(TO_JOB(o)))
            record_change(about(o, actor, now_at, out), out->arena, JOB_A_HF_HOT_VNODES,
                          NULL, NULL);
    }
    /* The mark of the server goes last, when no job is sought any more. */
    if (hot_start_is_on(m))
        record_change(about(m->server, actor, now_at, out), out->arena,
                      SERVER_A_HF_HOT_UNTIL, NULL, NULL);
}
