/* pg_schema.h - the tables in PostgreSQL, and who may write them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PG_SCHEMA_H
#define LIB_STORE_PG_SCHEMA_H

#include "lib/store/pg_link.h"

/* The lease of a store: the session's lock, and the epoch that commits check. */
struct pg_lease {
    int64_t epoch;
    char pid[24], since[64]; /* of the session that had the lock last */
};

/* First opening: take the lock, make the tables or bring them up to date, begin a new
 * epoch. PBSE_OBJBUSY when another server has the lock. */
int pg_schema_open(struct pg_link *l, const char *holder, struct pg_lease *lease,
                   struct diag *why) MUST_CHECK;

/* After a lost connection: take the lock again, which proves that the old session has
 * ended, and read the number of the last record. PBSE_OBJBUSY when another server has
 * begun an epoch meanwhile. */
int pg_schema_resume(struct pg_link *l, struct pg_lease *lease, uint64_t *last_seq,
                     struct diag *why) MUST_CHECK;

/* Are there tables in the schema, ours or not? */
int pg_schema_exists(struct pg_link *l, bool *exists, struct diag *why) MUST_CHECK;
/* Rename the schema after the time. PBSE_OBJBUSY when a server uses it. */
int pg_schema_put_aside(struct pg_link *l, int64_t now_at, struct diag *why) MUST_CHECK;

#endif
