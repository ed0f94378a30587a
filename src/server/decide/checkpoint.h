/* checkpoint.h - what the records of a job say of its image (doc/design/066).
 *
 * An image is asked for first (hf_checkpoint), and the job's MoM is told. That there is
 * one is known from the end of the run alone: the job is back in its queue then, with
 * hf_image and the vnodes that it has to run on again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_CHECKPOINT_H
#define SERVER_DECIDE_CHECKPOINT_H

#include "server/decide/request.h"
#include "server/model/job_checkpoint.h"

/* Does the job itself allow it: it runs, its user has not said no, and it has no
 * terminal? Whether its MoM can do it the MoM alone knows. */
bool job_can_checkpoint(const struct job *job);

/* The same, and nothing else is being done to it (15016), and its MoM is there (15070).
 */
int checkpoint_may_begin(const struct job *job, struct decision *out) MUST_CHECK;

/* Of FACT_JOB_MODIFIED: its MoM is to make an image and end it, or not any more. The
 * answer is FACT_JOB_OBIT with status -12, or REASON_NOT_CHECKPOINTED. */
void checkpoint_ask(struct record *rec, struct arena *arena,
                    enum checkpoint_reason reason);
enum checkpoint_reason checkpoint_asked(const struct job *job);
/* ... because the server ends? */
bool checkpoint_is_to_stop(const struct job *job);

/* It waits for a run that goes on from its image. */
bool job_has_image(const struct job *job);
/* The run that has made it, which its MoM knows it by. */
int64_t job_image_run(const struct job *job);

/* Of FACT_JOB_OBIT: whether there is one after a run with that end. */
void checkpoint_note_end(const struct job *job, int32_t status, struct record *rec,
                         struct arena *arena);
/* The image is lost, or not wanted: its next run begins anew. */
void checkpoint_forget(const struct job *job, struct record *rec, struct arena *arena);

#endif
