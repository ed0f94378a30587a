/* find_out.h - what the core needs to know of the world outside, found out by threads
 * (doc/design/032).
 *
 * Name services may be slow or hang, a disk may, and Python takes its time. Each need
 * is an errand of a few threads; its answer enters the core as an input. Accounts,
 * hosts and files have threads of their own: a service that hangs keeps those of its
 * kind and nothing else, and who needs its answers is refused after a while (svr.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_FIND_OUT_H
#define SERVER_SHELL_FIND_OUT_H

#include "server/shell/shell.h"

struct find_out *find_out_new(struct shell *sh);
void find_out_free(struct find_out *f); /* NULL is fine; waits for nobody */

/* svr_learned() follows in a later turn, or at once when too much is asked. */
void find_out_begin(struct find_out *f, const struct need *need);

#endif
