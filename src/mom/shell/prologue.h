/* prologue.h - the administrator's scripts before a job begins and after it has ended:
 * mom_priv/prologue and mom_priv/epilogue (execution.md 16). The first is run by the
 * job's own process, the second by one that the MoM starts for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_PROLOGUE_H
#define MOM_SHELL_PROLOGUE_H

#include "mom/shell/plan.h"

/* A line for the MoM's log. */
typedef void (*prologue_log_fn)(void *arg, int event, const char *text);

/* Run the prologue, with what are now descriptors 1 and 2 for its output, and wait for
 * its end. 0: the job may begin; else the status it does not begin with. */
int prologue_run(const struct plan_host *host, const struct plan *p,
                 prologue_log_fn log, void *arg);

struct epilogue { /* what the script is told beside the account */
    const char *job_id;
    const struct wire_attrs *attrs;
    int32_t session, status;
    const char *asked, *used; /* resource lists */
};

/* The same of the epilogue: what it ended with, as script_run() says. Outputs of the
 * job are opened with the rights of its user. */
int epilogue_run(const struct plan_host *host, const struct epilogue *e,
                 prologue_log_fn log, void *arg);

/* The path of the epilogue; 'path' has PATH_MAX bytes. */
const char *epilogue_path(const struct plan_host *host, char *path);

#endif
