/* job_of_end.h - what becomes of a running job before the server ends (operations.md
 * 12).
 *
 * What can be checkpointed is, and held, unless its MoM finds that it cannot
 * (moms/checkpointing.c). Immediate: what else may be run again is requeued, the rest
 * is killed, and the server waits for both. Delayed: what may be run again is requeued,
 * and the server waits for the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_OF_END_H
#define SERVER_DECIDE_JOB_OF_END_H

#include "server/decide/request.h"

struct end_of_server {
    enum server_stop how; /* delayed or immediate */
    const char *actor;    /* who asked for it: "user@host" */
    int64_t now_at;
};

/* Append the record that the job, which keeps the server (job_end.h), is requeued,
 * killed or checkpointed, or a line for the log that it runs on. Nothing for one of
 * which this, or another end, is decided already. */
void job_of_end(const struct job *job, const struct end_of_server *c,
                struct decision *out);

#endif
