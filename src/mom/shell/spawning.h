/* spawning.h - tasks of jobs that wait to be started.
 *
 * A task may ask for thousands of tasks in one breath, and the start of each is a fork
 * of this process. So only a few are started in a turn of the loop, and those of
 * several jobs take turns: whoever else wants something of the MoM is served in
 * between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SPAWNING_H
#define MOM_SHELL_SPAWNING_H

#include "mom/mom.h"

struct shell;

#define SPAWNING_A_TURN 4 /* starts */
#define SPAWNING_MOST_BYTES                                                            \
    (64u << 20) /* of a job's words and environments that wait */

/* Start the task of a MOM_SPAWN, now or in a later turn; 'e' is copied. One that finds
 * too much waiting is told as not started. */
void spawning_add(struct shell *s, const struct mom_effect *e, struct mom_out *out);
/* All of the job is being killed: what waits is told as not started, in a later turn.
 */
void spawning_end(struct shell *s, const char *job_id);
/* The job is gone: what waits is forgotten. */
void spawning_drop(struct shell *s, const char *job_id);
/* Forget all; NULL is fine for s->spawning. */
void spawning_close(struct shell *s);

#endif
