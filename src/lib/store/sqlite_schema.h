/* sqlite_schema.h - the file of a store: found sound, brought up to date, and held.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_SQLITE_SCHEMA_H
#define LIB_STORE_SQLITE_SCHEMA_H

#include "lib/base/diag.h"

#include <sqlite3.h>

struct sqlite_file {
    sqlite3 *db;
    char *path;
    int lock_fd; /* the file itself, locked; closed last */
    int64_t epoch;
    uint64_t last_seq;
};

/* Open or make the file, with tables of the current layout in it, and begin an epoch.
 * PBSE_OBJBUSY: another process holds it. PBSE_SYSTEM with words otherwise, also for a
 * file that is damaged, somebody else's or of a newer version: it is left as it was.
 * sqlite_file_close() ends it in any case. */
int sqlite_file_open(struct sqlite_file *f, const char *path, const char *holder,
                     struct diag *why) MUST_CHECK;
void sqlite_file_close(struct sqlite_file *f);

/* The last error of the database as words that say what to do. Returns PBSE_SYSTEM. */
int sqlite_file_error(const struct sqlite_file *f, struct diag *why) MUST_CHECK;

/* One number from a query; false when it fails or there is none. */
bool sqlite_file_ask(const struct sqlite_file *f, const char *sql,
                     int64_t *ret) MUST_CHECK;

#endif
