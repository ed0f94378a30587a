/* job_exit.c - see job_exit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_exit.h"

struct exit_row {
    enum job_fate fate;
    bool if_rerunnable; /* else it is aborted */
    const char *comment;
    const char *log;
};

/* clang-format off */
static const struct exit_row exit_rows[] = {
    [1] = { FATE_ABORT, false, NULL, NULL },    /* failed before its files were set up */
    [2] = { FATE_ABORT, false, NULL, NULL },    /* failed after */
    [3] = { FATE_REQUEUE, false, NULL, NULL },  /* retry */
    [4] = { FATE_REQUEUE, true, NULL,           /* the MoM was restarted */
            "Job aborted on PBS Server initialization" },
    [5] = { FATE_REQUEUE, false, NULL, NULL },
    [6] = { FATE_REQUEUE, false, NULL, NULL },
    [7] = { FATE_REQUEUE, false, NULL, NULL },  /* restart from checkpoint failed */
    [10] = { FATE_REQUEUE, false, NULL, NULL }, /* bad uid or gid */
    [11] = { FATE_REQUEUE, true, NULL, "Non-rerunable job deleted on requeue" },
    [12] = { FATE_HOLD, false, NULL, NULL },    /* checkpointed and killed */
    [13] = { FATE_HOLD, false, "job held due to bad password", NULL },
    [14] = { FATE_REQUEUE, false, NULL, NULL }, /* a sister failed */
    [15] = { FATE_REQUEUE, false, NULL, NULL },
    [16] = { FATE_REQUEUE, false, NULL, NULL }, /* rejected by a hook */
    [17] = { FATE_ABORT, false, NULL, NULL },
    [18] = { FATE_REQUEUE, false, NULL, NULL },
    [19] = { FATE_ABORT, false, NULL, NULL },
    [20] = { FATE_REQUEUE, true, NULL, "Non-rerunable job deleted on requeue" },
    [21] = { FATE_HOLD, false,
             "job held due to possible security breach of job tmpdir, failed to start",
             NULL },
    [22] = { FATE_REQUEUE, false, NULL, NULL },
    [23] = { FATE_ABORT, false, NULL, NULL },   /* no Kerberos credential */
    [30] = { FATE_REQUEUE, false, NULL, "Mom rejected job due to join job error" },
};
/* clang-format on */

/* The MoM keeps images after these ends and after no others (mom/job/resting.c): what
 * ends a run without anything being wrong with its image. */
static const struct {
    int32_t status;
    enum job_image image;
} image_rows[] = {
    { -3, IMAGE_STAYS }, /* it did not start */
    { -5, IMAGE_MADE },  /* the MoM was restarted, and there was a periodic one */
    { -7, IMAGE_STAYS }, /* its script has failed */
    { JOB_EXIT_CHECKPOINTED, IMAGE_MADE },
    { -15, IMAGE_MADE },
    { -30, IMAGE_STAYS }, /* another host did not join */
};

enum job_image job_exit_image(int32_t status)
{
    for (size_t i = 0; i < ARRAY_LEN(image_rows); i++)
        if (image_rows[i].status == status)
            return image_rows[i].image;
    return IMAGE_NONE;
}

struct job_verdict job_exit_verdict(int32_t status, bool rerunnable, bool doomed)
{
    struct exit_row row = { 0 };

    /* Only negative numbers are the MoM's own; others are the status of the job's
     * script. */
    if (status < 0 && status > -(int32_t)ARRAY_LEN(exit_rows))
        row = exit_rows[-status];
    /* A job that was to be deleted has ended by that, whatever else the MoM says. */
    if (doomed && row.fate != FATE_ABORT)
        return (struct job_verdict){ .fate = FATE_END };
    if (row.fate == FATE_REQUEUE && row.if_rerunnable) {
        if (rerunnable)
            return (struct job_verdict){ .fate = FATE_REQUEUE };
        return (struct job_verdict){ .fate = FATE_ABORT, .log = row.log };
    }
    return (struct job_verdict){ row.fate, row.comment, row.log };
}

const char *job_exit_limit(int64_t status)
{
    /* From -24 downwards (execution.md 20). */
    static const char *const limits[] = { "ncpus (burst)", "ncpus (sum)", "vmem",
                                          "mem",           "cput",        "walltime" };

    if (status > -24 || status <= -24 - (int64_t)ARRAY_LEN(limits))
        return NULL;
    return limits[-24 - status];
}
