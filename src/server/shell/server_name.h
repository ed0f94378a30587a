/* server_name.h - the server's name, and a store that was made under another name.
 *
 * The name (PBS_SERVER) is part of the ids of jobs and reservations and is the id of
 * the server object. When it is changed, or a store is brought to a host whose server
 * has another name, everything goes on: existing jobs and reservations keep their ids,
 * new ones get the new name (attributes.md 10). The server object in the store must
 * follow, because each change of the server is stored under the object's id.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_SERVER_NAME_H
#define SERVER_SHELL_SERVER_NAME_H

#include "lib/store/store.h"

/* PBSE_SYSTEM with words when that cannot be the end of an id: ids are parts of paths,
 * lists and lines. */
int server_name_check(const char *name, struct diag *why) MUST_CHECK;

/* Give the server object of the store this name, in one transaction with its journal
 * rows, which 'actor' and 'now_at' (seconds since 1970) go into. '*old' (in the arena)
 * is the former name, NULL when nothing had to be done. PBSE_SYSTEM with words when the
 * store has several servers, otherwise the error of store_load_kind() or
 * store_commit(); nothing is changed then. */
int server_name_claim(struct store *store, const char *name, const char *actor,
                      int64_t now_at, struct arena *arena, const char **old,
                      struct diag *why) MUST_CHECK;

#endif
