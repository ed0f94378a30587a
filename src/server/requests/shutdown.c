/* shutdown.c - Shutdown: what becomes of running jobs before the server ends
 * (operations.md 12, wire.md 10.7).
 *
 * What can be checkpointed is, and held, unless its MoM finds that it cannot
 * (moms/checkpointing.c). Immediate: what else may be run again is requeued, the rest
 * is killed, and the server waits for both. Delayed: what may be run again is requeued,
 * and the server waits for the rest. Quick: jobs are left running.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/log.h"
#include "server/decide/checkpoint.h"
#include "server/decide/config.h"
#include "server/decide/job_end.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"

enum shutdown_bits {
    SHUTDOWN_MANNER = 0x0f,
    SHUTDOWN_SCHED = 0x10,
    SHUTDOWN_MOMS = 0x20,
    SHUTDOWN_SECONDARY_ONLY = 0x100,
};

enum shutdown_manner {
    MANNER_IMMEDIATE,
    MANNER_DELAY,
    MANNER_QUICK,
};

#define LOG_EV_JOB_OF_END (LOG_EV_SYSTEM | LOG_EV_JOB | LOG_EV_DEBUG)

static const char *manner_name(enum server_stop was, enum server_stop is,
                               uint32_t manner)
{
    static const char *const names[] = { "Immediate", "Delayed", "Quick" };

    if (was == STOP_IMMEDIATE && is == STOP_NOW)
        return "Forced";
    return manner < ARRAY_LEN(names) ? names[manner] : "Forced";
}

/* A second immediate request does not wait any longer. */
static enum server_stop how_to_stop(enum server_stop was, uint32_t manner)
{
    if (manner == MANNER_DELAY)
        return was > STOP_DELAYED ? was : STOP_DELAYED;
    if (manner == MANNER_IMMEDIATE && was < STOP_IMMEDIATE)
        return STOP_IMMEDIATE;
    return STOP_NOW;
}

static struct record *about(const struct request *rq, const struct job *job,
                            enum fact fact, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_JOB, job->obj.id, rq->actor,
                      rq->now_at);
}

static void requeue(const struct request *rq, const struct job *job,
                    struct decision *out)
{
    struct record *rec = about(rq, job, FACT_JOB_MODIFIED, out);

    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    /* A hot start takes it up where it was. */
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL,
                  obj_str(&job->obj, JOB_A_EXEC_VNODE, NULL));
    decide_log(out, LOG_EV_JOB_OF_END, LOG_IN_JOB, job->obj.id,
               "Requeued in queue: %s on Server shutdown",
               obj_str(&job->obj, JOB_A_QUEUE, ""));
}

static void kill_job(const struct request *rq, const struct job *job,
                     struct decision *out)
{
    struct record *rec = about(rq, job, FACT_JOB_KILLED, out);

    rec->reason = REASON_SHUTDOWN;
    record_change(rec, out->arena, JOB_A_HF_KILL_BY, NULL, rq->actor);
    record_change_num(rec, out->arena, JOB_A_HF_KILL_AT, rq->now_at);
    /* The server is about to end, so there is no time for a soft signal first. */
    record_change(rec, out->arena, JOB_A_HF_KILL_HARD, NULL, "True");
}

static bool checkpoint(const struct request *rq, const struct job *job,
                       enum server_stop how, struct decision *out)
{
    struct decision trial = { .arena = out->arena };
    struct record *rec;

    if (checkpoint_may_begin(job, &trial))
        return false;
    rec = about(rq, job, FACT_JOB_MODIFIED, out);
    rec->reason = REASON_CHECKPOINT;
    checkpoint_ask(rec, out->arena,
                   how == STOP_IMMEDIATE ? CHECKPOINT_TO_STOP : CHECKPOINT_TO_DELAY);
    return true;
}

static void end_job(const struct request *rq, const struct job *job,
                    enum server_stop how, struct decision *out)
{
    const struct object *o = &job->obj;

    if (job_state(job) != 'R' || obj_is_set(o, JOB_A_HF_KILL_BY) ||
        obj_num(o, JOB_A_HF_REQUEUE, 0))
        return; /* is on its way already */
    if (checkpoint(rq, job, how, out))
        return;
    if (obj_num(o, JOB_A_RERUNABLE, 1))
        requeue(rq, job, out);
    /* A job that may not run again is killed only when the end shall not wait for
     * it. */
    else if (how == STOP_IMMEDIATE)
        kill_job(rq, job, out);
    else
        decide_log(out, LOG_EV_JOB_OF_END, LOG_IN_JOB, o->id,
                   "job running on at Server shutdown on Server shutdown");
}

int handle_shutdown(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_number *body = rq->body;
    const char *server = log_server_name(rq->cfg, out->arena);
    uint32_t manner = body->value & SHUTDOWN_MANNER;
    enum server_stop how = how_to_stop(rq->view->stopping, manner);
    struct act *stop;

    if (body->value & SHUTDOWN_SECONDARY_ONLY)
        return diag_code(&out->why, PBSE_NOSUP);        /* there is no second server */
    MUST(how != STOP_NOT && how >= rq->view->stopping); /* an end is not taken back */
    decide_log(out, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER, server,
               "Shutdown request from %s ", rq->actor);
    decide_log(out, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER, server,
               "Starting to shutdown the server, type is %s",
               manner_name(rq->view->stopping, how, manner));
    /* A quick end leaves all jobs running; they are found again at the next start. */
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (how < STOP_NOW && job_keeps_server(TO_JOB(o)))
            end_job(rq, TO_JOB(o), how, out);
    }
    /* Schedulers and MoMs are told only when the request asks for it. */
    if (body->value & SHUTDOWN_SCHED)
        act_add(out, ACT_QUIT_SCHEDULERS);
    stop = act_add(out, ACT_STOP);
    stop->u.stop.how = how;
    stop->u.stop.quit_moms = body->value & SHUTDOWN_MOMS;
    return 0;
}
