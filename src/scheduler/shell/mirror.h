/* mirror.h - the snapshot that is kept between cycles, of a server that tells what has
 * changed (doc/design/042-mirror.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_MIRROR_H
#define SCHEDULER_SHELL_MIRROR_H

#include "scheduler/shell/shell.h"

/* Find out whether the server tells what has changed, and takes many answers in one
 * request. Once for a connection; a server that refuses to say does neither. */
void mirror_ask_server(struct shell *sh);

/* Bring the snapshot up to date: sh->mirror, of which the next plan is made; what it
 * was told lives in 'arena'. What is kept is dropped and asked for anew where it does
 * not go with what the server says. After an error there is none; when the server has
 * refused or answered amiss twice, sh->can_mirror is false. */
int mirror_update(struct shell *sh, struct arena *arena, struct diag *why) MUST_CHECK;

/* What a plan is made of: the snapshot that is kept, or one that is the caller's to
 * free, where the server does not tell what has changed or it is not to be kept. */
int mirror_snapshot(struct shell *sh, struct arena *arena, struct snapshot **ret,
                    struct diag *why) MUST_CHECK;

/* Forget what is kept: the connection ends, or what all objects depend on has changed.
 */
void mirror_drop(struct shell *sh);

#endif
