/* find_out.h - what has to be known of the world outside, found out by threads
 * (doc/design/032).
 *
 * Name services may be slow or hang, a disk may, and Python takes its time. Each need
 * is an errand of a few threads. What the core needs enters it as an input; what the
 * shell needs goes to lookups.h. Accounts, hosts, peers and files have threads of their
 * own: a service that hangs keeps those of its kind and nothing else, and who needs its
 * answers is told after a while that nobody knows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_FIND_OUT_H
#define SERVER_SHELL_FIND_OUT_H

#include "server/shell/shell.h"

/* The threads run from now on, and have nothing to do. */
struct find_out *find_out_new(struct shell *sh);
void find_out_free(struct find_out *f); /* NULL is fine; waits for nobody */

/* Both live until it returns. */
typedef void (*found_fn)(void *arg, const struct need *need,
                         const struct finding *finding);

/* 'found' is called in a later turn. False: too much is asked already, and it is not
 * called. */
bool find_out_begin(struct find_out *f, const struct need *need, found_fn found,
                    void *arg) MUST_CHECK;

/* svr_learned() follows in a later turn, or at once when too much is asked. */
void find_out_for_core(struct find_out *f, const struct need *need);

#endif
