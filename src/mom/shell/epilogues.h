/* epilogues.h - the epilogues of ending jobs, each in a process of its own, so that the
 * MoM waits for none of them (execution.md 21).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_EPILOGUES_H
#define MOM_SHELL_EPILOGUES_H

#include "mom/shell/shell.h"

/* Run the epilogue of the job, at once or when others have ended; then
 * mom_epilogue_done(), at once where there is none. */
void epilogues_start(struct shell *s, const struct mom_effect *e, struct mom_out *out);
/* End the job's epilogue, which is told as its end. */
void epilogues_kill(struct shell *s, const char *job_id);
/* The core has forgotten the job: end it, and tell nobody. */
void epilogues_drop(struct shell *s, const char *job_id);
void epilogues_close(struct shell *s);

#endif
