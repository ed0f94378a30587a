/* job_checkpoint.c - see job_checkpoint.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_checkpoint.h"

#include <string.h>

static const char *const words[CHECKPOINT_REASONS] = {
    [CHECKPOINT_TO_HOLD] = "hold",
    [CHECKPOINT_TO_STOP] = "stop",
    [CHECKPOINT_TO_DELAY] = "delay",
    [CHECKPOINT_TO_PREEMPT] = "preempt",
};

const char *checkpoint_word(enum checkpoint_reason reason)
{
    MUST(reason < CHECKPOINT_REASONS);
    return words[reason];
}

enum checkpoint_reason checkpoint_reason_named(const char *word)
{
    for (enum checkpoint_reason i = CHECKPOINT_NOT + 1; i < CHECKPOINT_REASONS; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return CHECKPOINT_NOT;
}
