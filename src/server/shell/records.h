/* records.h - the core's records as the store's rows, and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_RECORDS_H
#define SERVER_SHELL_RECORDS_H

#include "lib/store/store.h"
#include "server/engine/svr.h"

/* Texts are shared with 'rec', the list of changes is in 'arena'. */
struct store_record records_to_store(const struct record *rec, struct arena *arena);

/* Load every stored object into the core. PBSE_SYSTEM with words for a row of a kind or
 * attribute that this program does not know, and for two rows that are one object. */
int records_load(struct store *store, struct svr *svr, struct diag *why) MUST_CHECK;

/* Hand over the denials of reservations that the journal has of the last day. */
int records_load_denials(struct store *store, struct svr *svr, int64_t now_at,
                         struct diag *why) MUST_CHECK;

#endif
