/* records.h - the core's records as the store's rows, and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_RECORDS_H
#define SERVER_SHELL_RECORDS_H

#include "lib/store/store.h"
#include "server/engine/svr.h"
#include "server/shell/bundles.h"

/* Texts are shared with 'rec', the list of changes is in 'arena'. */
struct store_record records_to_store(const struct record *rec, struct arena *arena);

/* Whom the objects of a store are loaded into: 'load' applies the record to 'm', and
 * returns a change that cannot be read, or NULL (model_load()). */
struct records_into {
    const struct model *m;
    const struct change *(*load)(void *arg, const struct record *rec);
    void *arg;
};

/* Hand every stored object over. PBSE_SYSTEM with words for a row of a kind or
 * attribute that this program does not know, and for two rows that are one object.
 * 'bundles' (NULL: nobody's) learns which occurrences are stored together. */
int records_read(struct store *store, struct bundles *bundles,
                 const struct records_into *into, struct diag *why) MUST_CHECK;

/* The same into a core, whose links are made then. */
int records_load(struct store *store, struct bundles *bundles, struct svr *svr,
                 struct diag *why) MUST_CHECK;

/* Hand over the denials of reservations that the journal has of the last day. */
int records_load_denials(struct store *store, struct svr *svr, int64_t now_at,
                         struct diag *why) MUST_CHECK;

#endif
