/* restart.h - a job goes on from its image: the process of the job runs the restart
 * script instead of the job's program (execution.md 25).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_RESTART_H
#define MOM_SHELL_RESTART_H

#include "mom/shell/action_script.h"

/* Of the caller's session, whose leader the caller is and stays until what the script
 * has restored has ended: it ends as the last of that does. With $restart_transmogrify
 * the script takes the caller's place. 'done' is called when the script has ended well,
 * or is about to take that place; without that the restart has failed. Descriptors 1
 * and 2 are the job's output. */
NORETURN void restart_run(const struct action_call *c, void (*done)(void *arg),
                          prologue_log_fn log, void *arg);

#endif
