/* job_prune.h - a job whose MoM goes on without hosts that have failed (attribute
 * tolerate_node_failures; doc/design/079).
 *
 * The MoM decides, and says where the job lies now. What follows is the same as of a
 * release that somebody has asked for (job_release.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_PRUNE_H
#define SERVER_DECIDE_JOB_PRUNE_H

#include "server/decide/request.h"

/* Has its owner said that it may lose hosts? */
bool job_may_lose_hosts(const struct job *job);

/* The signs of a release after which 'rest' is left of the job's exec_vnode, in the
 * arena. PBSE_BADSTATE: that text is no row of its chunks, or lacks the first one. */
int job_prune_signs(const struct model *m, const struct job *job, const char *rest,
                    struct arena *arena, const char **ret_signs,
                    struct diag *why) MUST_CHECK;

#endif
