/* job_checkpoint.h - why a job's MoM is to make an image of it (doc/design/066).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_CHECKPOINT_H
#define SERVER_MODEL_JOB_CHECKPOINT_H

#include "server/model/model.h"

/* Why an image is made, and the job ends with it. */
enum checkpoint_reason {
    CHECKPOINT_NOT,
    CHECKPOINT_TO_HOLD,
    CHECKPOINT_TO_STOP,  /* the server ends: it is held by the system then */
    CHECKPOINT_TO_DELAY, /* the same, and the server waits for it if that cannot be */
    CHECKPOINT_TO_PREEMPT,
    CHECKPOINT_REASONS,
};

/* The word of hf_checkpoint, NULL for CHECKPOINT_NOT; and back. */
const char *checkpoint_word(enum checkpoint_reason reason);
enum checkpoint_reason checkpoint_reason_named(const char *word);

#endif
