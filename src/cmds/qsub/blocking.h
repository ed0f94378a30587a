/* blocking.h - qsub -W block=true: wait for the end of the job (cli.md 3.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_BLOCKING_H
#define CMDS_QSUB_BLOCKING_H

#include "cmds/qsub/callback.h"

/* From now on a signal is for blocking_run(): whoever reads the id of the job may
 * interrupt qsub. */
void blocking_hold(struct callback *c);

/* Wait for the end of the job that was submitted with the port of 'c'. The exit status:
 * that of the job; 3 when it has not ended by itself; 2 after a signal, on which the
 * job is deleted. */
int blocking_run(struct callback *c, const char *server, const char *job_id);

#endif
