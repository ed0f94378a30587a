/* checkpoints.h - images of jobs on disk, and the scripts that make them
 * (execution.md 25, doc/design/066).
 *
 *   ID.CK      the image: a directory that the script fills
 *   ID.CK.old  the image before, while another one is being made
 *   ID.CK.prev the image before on the host of a sister, which does not know whether
 *              the other hosts have made the last one
 *   ID.CL      what became of the script; locked while the process that runs it lives
 *
 * That process outlives the MoM, so what the script has ended with is known even when
 * the MoM was killed meanwhile. The directory of images is root's alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_CHECKPOINTS_H
#define MOM_SHELL_CHECKPOINTS_H

#include "mom/shell/shell.h"

/* Choose the directory: 'option' (-C), the environment, $checkpoint_path, or the one of
 * the home. PBSE_SYSTEM with words when somebody else may write there. */
int checkpoints_open(struct shell *s, const char *option, struct diag *why) MUST_CHECK;

/* Carry out MOM_CHECKPOINT, with a script for each task, and MOM_ABANDON. */
void checkpoints_make(struct shell *s, const struct mom_effect *e, struct mom_out *out);
void checkpoints_abandon(struct shell *s, const char *job_id);
/* Carry out MOM_GO_BACK. */
void checkpoints_go_back(struct shell *s, const char *job_id, bool has_before);

/* The job is forgotten: nothing of its images stays. */
void checkpoints_drop(struct shell *s, const char *job_id);

/* After a restart, for each job that was found: an image that was not completed goes,
 * and the one before takes its place. Not for one whose script the core will ask for.
 */
void checkpoints_settle(struct shell *s, const char *job_id);
/* What an earlier MoM of this host has not removed to the end. */
void checkpoints_sweep(struct shell *s);
void checkpoints_close(struct shell *s);

/* Where the image of a job lies. */
const char *checkpoints_path(const char *dir, const char *job_id, char path[PATH_MAX]);

#endif
