/* find_out.h - what the core needs to know of the world outside, found out by threads.
 *
 * Name services may be slow or hang. Each question is a job of a few threads; its
 * answer enters the core as an input. A service that hangs keeps its threads and
 * nothing else: who needs its answers is refused after a while (svr.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_FIND_OUT_H
#define SERVER_SHELL_FIND_OUT_H

#include "server/shell/shell.h"

struct find_out *find_out_new(struct shell *sh);
void find_out_free(struct find_out *f); /* NULL is fine; waits for nobody */

/* svr_learned() follows in a later turn. */
void find_out_begin(struct find_out *f, const struct need *need);

#endif
