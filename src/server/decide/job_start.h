/* job_start.h - giving vnodes to a queued job: the one door to a run, for requests
 * (job_run.c) and for the server itself (rules/hot_rules.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_START_H
#define SERVER_DECIDE_JOB_START_H

#include "server/decide/request.h"

struct job_start {
    const struct model *m;
    const struct svr_config *cfg;
    const struct job *job; /* in state Q */
    const char *vnodes;    /* as RunJob says them: run_vnodes.h */
    const char *actor;
    int64_t now_at;
    /* Refused with 15046 when something of it is held or promised to others; a
     * manager's qrun may overfill a vnode. */
    bool needs_room;
};

/* Append the record with which the job runs. A refusal leaves no record. */
int job_start(const struct job_start *st, struct decision *out) MUST_CHECK;

/* May a suspended job go on on its vnodes, which 'vnodes' is? Refused like a start;
 * else the comment that it has then, in the decision's arena. */
int job_may_go_on(const struct job_start *st, const char **ret_comment,
                  struct decision *out) MUST_CHECK;

#endif
