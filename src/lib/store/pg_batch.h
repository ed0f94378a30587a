/* pg_batch.h - a batch on its way to PostgreSQL, as sets of rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PG_BATCH_H
#define LIB_STORE_PG_BATCH_H

#include "lib/store/batch_sum.h"
#include "lib/store/pg_link.h"

/* Prepare the statements; once for each connection. */
int pg_batch_prepare(struct pg_link *l, struct diag *why) MUST_CHECK;

struct pg_step {
    uint64_t old_seq, new_seq;
    int64_t epoch;
};

/* Write everything in a transaction, and leave it open when it all fits: the caller
 * sends pg_batch_commit() next. Otherwise it is rolled back: PBSE_SAVE_ERR, or
 * PBSE_OBJBUSY when the store is at another epoch or record than 'step' says. */
int pg_batch_write(struct pg_link *l, const struct store_batch *batch,
                   const struct net *net, const struct pg_step *step,
                   struct diag *why) MUST_CHECK;

/* PBSE_SAVE_ERR; when the connection is gone then, the commit is in doubt. */
int pg_batch_commit(struct pg_link *l, struct diag *why) MUST_CHECK;

#endif
