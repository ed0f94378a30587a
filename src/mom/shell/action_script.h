/* action_script.h - the scripts of $action that are about one job: how they are called
 * (execution.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_ACTION_SCRIPT_H
#define MOM_SHELL_ACTION_SCRIPT_H

#include "mom/shell/plan.h"
#include "mom/shell/prologue.h"

struct action_call {
    const struct plan_host *host;
    enum config_action_kind kind;
    const char *job_id;
    const struct wire_attrs *attrs;
    int32_t session; /* of the task that it is about */
    uint32_t task;
    int32_t vnode;    /* that the task is on, as the job's vnodes are counted */
    const char *path; /* of the image; NULL: none */
};

struct action_words { /* in the arena of the call */
    char **argv, **envp;
};

/* The arguments with what stands for their "%x", and the environment. Asks for the
 * account of the job's user, so only for processes that serve one job. PBSE_SYSTEM with
 * words for the log: there is such an argument that nobody knows, or no account. */
int action_prepare(const struct action_call *c, struct arena *arena,
                   struct action_words *ret, struct diag *why) MUST_CHECK;

/* Run it to its end, with /dev/null in the place of all files, or in the session of the
 * caller and with the caller's descriptors 1 and 2. Its exit status, or a code of
 * script.h; a script that is missing is SCRIPT_UNFIT. What there is to say is logged.
 */
int action_call(const struct action_call *c, bool in_session, prologue_log_fn log,
                void *arg);

/* Log why it cannot be run. False: it can. */
bool action_is_unfit(const struct action_call *c, prologue_log_fn log, void *arg);

#endif
