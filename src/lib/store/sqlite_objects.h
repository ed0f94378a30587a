/* sqlite_objects.h - the objects of an SQLite file, read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_SQLITE_OBJECTS_H
#define LIB_STORE_SQLITE_OBJECTS_H

#include "lib/store/sqlite_schema.h"
#include "lib/store/store.h"

/* The beginning of a query for objects 'o', with what has changed of each, 'c'. It ends
 * in ORDER BY o.seq, c.attr, c.resource. */
#define SQLITE_OBJECT_ROWS                                                             \
    "SELECT o.seq, o.kind, o.id, o.made, c.attr, c.resource, c.value"                  \
    " FROM objects o LEFT JOIN changed c ON c.seq = o.seq"

/* Run such a query and hand its objects over. The caller resets the statement. */
int sqlite_each_object(const struct sqlite_file *f, sqlite3_stmt *st,
                       store_each_fn each, void *arg, struct diag *why) MUST_CHECK;

#endif
