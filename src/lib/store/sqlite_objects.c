/* sqlite_objects.c - see sqlite_objects.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/sqlite_objects.h"

#include "lib/store/object_rows.h"

static const char *text(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

/* What the object was made with is read with its first row only. */
static int take_row(sqlite3_stmt *st, struct object_rows *rows)
{
    uint64_t seq = (uint64_t)sqlite3_column_int64(st, 0);
    int err = 0;

    if (!object_rows_is_at(rows, seq))
        err = object_rows_begin(rows, seq, text(st, 1), text(st, 2), text(st, 3));
    if (!err && sqlite3_column_type(st, 4) != SQLITE_NULL)
        object_rows_change(rows, text(st, 4), text(st, 5), text(st, 6));
    return err;
}

int sqlite_each_object(const struct sqlite_file *f, sqlite3_stmt *st,
                       store_each_fn each, void *arg, struct diag *why)
{
    struct object_rows *rows = object_rows_new(each, arg, why);
    int rc = SQLITE_DONE, err = 0;

    while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW)
        err = take_row(st, rows);
    if (!err && rc != SQLITE_DONE)
        err = sqlite_file_error(f, why);
    if (!err)
        err = object_rows_end(rows);
    object_rows_free(rows);
    return err;
}
