/* run_vnodes.h - the vnodes that a request gives to a job (attributes.md 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RUN_VNODES_H
#define SERVER_DECIDE_RUN_VNODES_H

#include "server/model/model.h"

struct run_vnodes {
    struct exec_vnode ev;
    const char *text; /* the job's exec_vnode */
};

/* Read what RunJob says. Names without resources get what the chunks of the job's
 * schedselect ask for, in their order; one such name alone gets all chunks, and names
 * beyond the chunks are not looked at. All of *ret lives in the arena or in 'text'.
 * PBSE_UNKNODE, PBSE_BADNODESPEC, PBSE_BADATVAL, PBSE_UNKRESC; PBSE_IVALREQ for "-",
 * the vnodes of a suspended job. */
int run_vnodes_read(const struct model *m, const struct job *job, const char *text,
                    struct arena *arena, struct run_vnodes *ret,
                    struct diag *why) MUST_CHECK;

#endif
