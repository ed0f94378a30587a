/* pg_objects.h - the objects in PostgreSQL, read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PG_OBJECTS_H
#define LIB_STORE_PG_OBJECTS_H

#include "lib/store/object_rows.h"
#include "lib/store/pg_link.h"

/* A query for the objects 'o' of that condition: a row for each, with what it was made
 * with, and behind it a row for each value that has changed since. */
#define PG_OBJECT_ROWS(which)                                                          \
    "SELECT * FROM (SELECT o.seq, 0 AS part, o.kind, o.id, o.made, NULL AS attr,"      \
    " NULL AS resource, NULL AS value FROM objects o WHERE " which                     \
    " UNION ALL SELECT o.seq, 1, NULL, NULL, NULL, c.attr, c.resource, c.value"        \
    " FROM objects o JOIN changed c ON c.seq = o.seq WHERE " which                     \
    ") r ORDER BY seq, part, attr COLLATE \"C\", resource COLLATE \"C\""

/* Take the rows of a result of it, with their texts brought back to the bytes that were
 * stored. The arena is cleared. Returns as object_rows_begin() does. */
int pg_object_rows(struct object_rows *rows, const PGresult *res,
                   struct arena *arena) MUST_CHECK;

#endif
