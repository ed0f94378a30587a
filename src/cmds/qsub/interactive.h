/* interactive.h - qsub -I: wait for the job to start, and be its terminal
 * (cli.md 3.8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_INTERACTIVE_H
#define CMDS_QSUB_INTERACTIVE_H

#include "cmds/qsub/x11.h"

/* May a job be interactive here? Standard input and output have to be terminals; says
 * so otherwise. */
bool interactive_may_be(void);

/* Wait for the job that was submitted with the port of 'c', then carry its session, and
 * with it what its X programs say. The exit status. */
int interactive_run(struct callback *c, struct x11 *x, const char *server,
                    const char *job_id);

#endif
