/* terminations.h - $action terminate: a script of the administrator ends jobs, in the
 * place of SIGTERM (execution.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_TERMINATIONS_H
#define MOM_SHELL_TERMINATIONS_H

#include "mom/shell/shell.h"

/* Run it for the job, in a process of its own; then mom_terminated(), at once when it
 * cannot be run. It goes on when the job ends: perhaps it has more to do. */
void terminations_start(struct shell *s, const char *job_id, struct mom_out *out);

#endif
