/* checkpoint.c - see checkpoint.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/checkpoint.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/model/job_phase.h"

#include <string.h>

bool job_can_checkpoint(const struct job *job)
{
    return job_phase(job) == JOB_RUNNING && obj_num(&job->obj, JOB_A_HF_SENT, 0) &&
           strcmp(obj_str(&job->obj, JOB_A_CHECKPOINT, "u"), "n") != 0 &&
           !obj_is_set(&job->obj, JOB_A_INTERACTIVE);
}

int checkpoint_may_begin(const struct job *job, struct decision *out)
{
    static const int in_the_way[] = { JOB_A_HF_KILL_BY, JOB_A_HF_REQUEUE,
                                      JOB_A_HF_RELEASE, JOB_A_HF_SUSPEND,
                                      JOB_A_HF_CHECKPOINT };

    if (!job_can_checkpoint(job))
        return diag_code(&out->why, PBSE_BADSTATE);
    for (size_t i = 0; i < ARRAY_LEN(in_the_way); i++)
        if (obj_is_set(&job->obj, in_the_way[i]))
            return diag_code(&out->why, PBSE_BADSTATE);
    return job_is_out_of_reach(job) ? diag_code(&out->why, PBSE_NORELYMOM) : 0;
}

void checkpoint_ask(struct record *rec, struct arena *arena,
                    enum checkpoint_reason reason)
{
    record_change(rec, arena, JOB_A_HF_CHECKPOINT, NULL, checkpoint_word(reason));
}

enum checkpoint_reason checkpoint_asked(const struct job *job)
{
    return checkpoint_reason_named(obj_str(&job->obj, JOB_A_HF_CHECKPOINT, ""));
}

bool checkpoint_is_to_stop(const struct job *job)
{
    enum checkpoint_reason reason = checkpoint_asked(job);

    return reason == CHECKPOINT_TO_STOP || reason == CHECKPOINT_TO_DELAY;
}

int64_t job_image_run(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_HF_IMAGE, 0);
}

bool job_has_image(const struct job *job)
{
    return job_image_run(job) > 0;
}

void checkpoint_note_end(const struct job *job, int32_t status, struct record *rec,
                         struct arena *arena)
{
    enum job_image image = job_exit_image(status);

    if (image == IMAGE_MADE || (image == IMAGE_STAYS && job_has_image(job)))
        record_change_num(rec, arena, JOB_A_HF_IMAGE,
                          obj_num(&job->obj, JOB_A_RUN_VERSION, 0));
    else
        record_change(rec, arena, JOB_A_HF_IMAGE, NULL, NULL);
    /* From now on it counts as preempted, as one that was requeued for another one. */
    if (image == IMAGE_MADE && checkpoint_asked(job) == CHECKPOINT_TO_PREEMPT)
        record_change_num(rec, arena, JOB_A_PTIME, rec->at);
    /* Who has stopped the server lets it go on. */
    if (status == JOB_EXIT_CHECKPOINTED && checkpoint_is_to_stop(job))
        record_change(rec, arena, JOB_A_HF_OBIT_COMMENT, NULL,
                      "Job held, checkpointed on Server shutdown");
}

void checkpoint_forget(const struct job *job, struct record *rec, struct arena *arena)
{
    if (!job_has_image(job))
        return;
    record_change(rec, arena, JOB_A_HF_IMAGE, NULL, NULL);
    if (!job_is_at_mom(job))
        record_change(rec, arena, JOB_A_EXEC_VNODE, NULL, NULL);
}
