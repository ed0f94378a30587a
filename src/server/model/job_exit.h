/* job_exit.h - what the exit status of a run means for its job (execution.md 20).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_EXIT_H
#define SERVER_MODEL_JOB_EXIT_H

#include "lib/base/base.h"

enum job_exit {
    JOB_EXIT_OK = 0,
    JOB_EXIT_FAIL1 = -1,
    JOB_EXIT_FAIL2 = -2,
    JOB_EXIT_RETRY = -3,
    JOB_EXIT_INITABT = -4,
    JOB_EXIT_BAD_USER = -10,
    JOB_EXIT_RERUN = -11,
    JOB_EXIT_CHECKPOINTED = -12,
    JOB_EXIT_BAD_PASSWORD = -13,
    JOB_EXIT_MS_FAIL = -20,
};

/* More starts than this and the job gets a system hold. */
#define JOB_MAX_RUNS 20

enum job_fate {
    FATE_END,     /* it ran, well or not */
    FATE_ABORT,   /* it could not run: ended, and its owner is told */
    FATE_REQUEUE, /* back into the queue */
    FATE_HOLD,    /* back into the queue, held */
};

struct job_verdict {
    enum job_fate fate;
    const char *comment; /* for the job, NULL: none */
    const char *log;     /* words for the log, NULL: none */
};

/* What a run with that end leaves of an image of its job. */
enum job_image {
    IMAGE_NONE,
    IMAGE_STAYS, /* the one that it began with, if it did */
    IMAGE_MADE,
};
enum job_image job_exit_image(int32_t status);

/* The limit that was exceeded by a run with that exit status, as comments name it;
 * NULL: none. */
const char *job_exit_limit(int64_t status);

/* 'rerunnable': Rerunable of the job; 'doomed': its deletion was asked for, so it never
 * returns to the queue. */
struct job_verdict job_exit_verdict(int32_t status, bool rerunnable, bool doomed);

#endif
