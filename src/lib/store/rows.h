/* rows.h - rows of the journal become records.
 *
 * A query for records gives one row for each change of a record, or one row without a
 * change; rows of one record follow one another. Columns: seq, at, actor, fact, op,
 * kind, id, note, attr, resource, before, after.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_ROWS_H
#define LIB_STORE_ROWS_H

#include "lib/store/backend.h"

enum {
    ROW_SEQ,
    ROW_AT,
    ROW_ACTOR,
    ROW_FACT,
    ROW_OP,
    ROW_KIND,
    ROW_ID,
    ROW_NOTE,
    ROW_ATTR,
    ROW_RESOURCE,
    ROW_BEFORE,
    ROW_AFTER,
    ROW_COLUMNS
};

struct rows;
/* Whole records go to 'each', whose texts are good during the call. */
struct rows *rows_new(store_each_fn each, void *arg);
void rows_free(struct rows *r);

/* The next row; texts are copied, NULL is NULL. Returns what 'each' returned when the
 * row begins another record than the last one, else 0. */
int rows_add(struct rows *r, const char *const *columns) MUST_CHECK;

/* No row follows: hand the last record over. */
int rows_end(struct rows *r) MUST_CHECK;

#endif
