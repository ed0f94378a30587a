/* checkpointing.c - jobs of which their MoMs are to make an image (doc/design/066).
 *
 * Making one may take long, and the job may be deleted meanwhile: unlike other commands
 * this one does not keep the others from their way. A MoM that is lost is not waited
 * for; what it has made is in the job's obituary when it is back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/moms/moms_priv.h"

bool job_wants_image(const struct job *job)
{
    return checkpoint_asked(job) != CHECKPOINT_NOT && job_can_checkpoint(job);
}

#define LOG_EV_JOB_OF_END (LOG_EV_SYSTEM | LOG_EV_JOB | LOG_EV_DEBUG)

static void requeue(struct moms_turn *t, const struct job *job, struct record *rec)
{
    const char *vnodes = obj_str(&job->obj, JOB_A_EXEC_VNODE, NULL);

    record_change(rec, t->out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    /* A hot start takes it up where it was. */
    record_change(rec, t->out->arena, JOB_A_HF_HOT_VNODES, NULL, vnodes);
    effect_log(t->effects, t->m->seq, LOG_EV_JOB_OF_END, LOG_IN_JOB, job->obj.id,
               "Requeued in queue: %s on Server shutdown",
               obj_str(&job->obj, JOB_A_QUEUE, ""));
}

static void kill_job(struct moms_turn *t, const struct job *job)
{
    struct record *rec = moms_record(t, FACT_JOB_KILLED, OBJ_JOB, job->obj.id);

    rec->reason = REASON_SHUTDOWN;
    record_change(rec, t->out->arena, JOB_A_HF_KILL_BY, NULL, t->actor);
    record_change_num(rec, t->out->arena, JOB_A_HF_KILL_AT, t->now_at);
    record_change(rec, t->out->arena, JOB_A_HF_KILL_HARD, NULL, "True");
}

/* The server ends, and no image is made: the job goes the way of those that cannot have
 * one (requests/shutdown.c). */
static void stop_without_image(struct moms_turn *t, const struct job *job,
                               struct record *rec)
{
    if (obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        requeue(t, job, rec);
    else if (checkpoint_asked(job) == CHECKPOINT_TO_STOP)
        kill_job(t, job);
    else
        effect_log(t->effects, t->m->seq, LOG_EV_JOB_OF_END, LOG_IN_JOB, job->obj.id,
                   "job running on at Server shutdown on Server shutdown");
}

static void gives_up(struct moms_turn *t, const struct job *job, int code,
                     const char *words)
{
    struct record *rec = moms_record(t, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);

    rec->reason = REASON_NOT_CHECKPOINTED;
    rec->note =
        arena_printf(t->out->arena, "%d %s", code, words ? words : pbse_text(code));
    checkpoint_ask(rec, t->out->arena, CHECKPOINT_NOT);
    if (checkpoint_is_to_stop(job))
        stop_without_image(t, job, rec);
}

void image_without_mom(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    j->image_told = false;
    gives_up(t, job, PBSE_NORELYMOM, NULL);
}

void reply_to_image(struct moms_turn *t, struct mom_job *j, const struct job *job,
                    const struct wire_reply *reply)
{
    /* The obituary says what has come of it, which may take as long as an epilogue
     * does. Until then the job is not asked again. */
    if (reply->code == 0)
        return;
    j->image_told = false;
    if (!job_wants_image(job))
        return;
    gives_up(t, job, reply->code, reply->choice == REPLY_TEXT ? reply->text : NULL);
}
