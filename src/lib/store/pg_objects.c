/* pg_objects.c - see pg_objects.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_objects.h"

#include "lib/store/pg_text.h"

#include <libpq-fe.h>
#include <stdlib.h>

enum {
    COLUMN_SEQ,
    COLUMN_PART,
    COLUMN_KIND,
    COLUMN_ID,
    COLUMN_MADE,
    COLUMN_ATTR,
    COLUMN_RESOURCE,
    COLUMN_VALUE
};

static const char *text(const PGresult *res, int row, int column, struct arena *arena)
{
    return PQgetisnull(res, row, column)
               ? NULL
               : pg_text_in(PQgetvalue(res, row, column), arena);
}

int pg_object_rows(struct object_rows *rows, const PGresult *res, struct arena *arena)
{
    int err = 0;

    for (int i = 0; i < PQntuples(res) && !err; i++) {
        uint64_t seq = strtoull(PQgetvalue(res, i, COLUMN_SEQ), NULL, 10);

        if (PQgetisnull(res, i, COLUMN_ATTR))
            err = object_rows_begin(rows, seq, text(res, i, COLUMN_KIND, arena),
                                    text(res, i, COLUMN_ID, arena),
                                    text(res, i, COLUMN_MADE, arena));
        else
            object_rows_change(rows, text(res, i, COLUMN_ATTR, arena),
                               text(res, i, COLUMN_RESOURCE, arena),
                               text(res, i, COLUMN_VALUE, arena));
    }
    /* The rows were copied. */
    arena_clear(arena);
    return err;
}
