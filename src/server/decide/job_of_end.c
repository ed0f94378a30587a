/* job_of_end.c - see job_of_end.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_of_end.h"

#include "lib/base/log.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/model/job_state.h"

#define LOG_EV_JOB_OF_END (LOG_EV_SYSTEM | LOG_EV_JOB | LOG_EV_DEBUG)

static struct record *about(const struct end_of_server *c, const struct job *job,
                            enum fact fact, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_JOB, job->obj.id, c->actor,
                      c->now_at);
}

static void requeue(const struct end_of_server *c, const struct job *job,
                    struct decision *out)
{
    struct record *rec = about(c, job, FACT_JOB_MODIFIED, out);

    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    /* A hot start takes it up where it was. */
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL,
                  obj_str(&job->obj, JOB_A_EXEC_VNODE, NULL));
    decide_log(out, LOG_EV_JOB_OF_END, LOG_IN_JOB, job->obj.id,
               "Requeued in queue: %s on Server shutdown",
               obj_str(&job->obj, JOB_A_QUEUE, ""));
}

static void kill_job(const struct end_of_server *c, const struct job *job,
                     struct decision *out)
{
    struct record *rec = about(c, job, FACT_JOB_KILLED, out);

    rec->reason = REASON_SHUTDOWN;
    record_change(rec, out->arena, JOB_A_HF_KILL_BY, NULL, c->actor);
    record_change_num(rec, out->arena, JOB_A_HF_KILL_AT, c->now_at);
    /* The server is about to end, so there is no time for a soft signal first. */
    record_change(rec, out->arena, JOB_A_HF_KILL_HARD, NULL, "True");
}

static bool checkpoint(const struct end_of_server *c, const struct job *job,
                       struct decision *out)
{
    struct decision trial = { .arena = out->arena };
    struct record *rec;

    if (checkpoint_may_begin(job, &trial))
        return false;
    rec = about(c, job, FACT_JOB_MODIFIED, out);
    rec->reason = REASON_CHECKPOINT;
    checkpoint_ask(rec, out->arena,
                   c->how == STOP_IMMEDIATE ? CHECKPOINT_TO_STOP : CHECKPOINT_TO_DELAY);
    return true;
}

void job_of_end(const struct job *job, const struct end_of_server *c,
                struct decision *out)
{
    const struct object *o = &job->obj;

    MUST(c->how == STOP_DELAYED || c->how == STOP_IMMEDIATE);
    if (job_state(job) != 'R' || obj_is_set(o, JOB_A_HF_KILL_BY) ||
        obj_num(o, JOB_A_HF_REQUEUE, 0))
        return; /* is on its way already */
    if (checkpoint(c, job, out))
        return;
    if (obj_num(o, JOB_A_RERUNABLE, 1))
        requeue(c, job, out);
    /* A job that may not run again is killed only when the end shall not wait for
     * it. */
    else if (c->how == STOP_IMMEDIATE)
        kill_job(c, job, out);
    else
        decide_log(out, LOG_EV_JOB_OF_END, LOG_IN_JOB, o->id,
                   "job running on at Server shutdown on Server shutdown");
}
