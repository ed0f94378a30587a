/* object_rows.h - rows of the tables 'objects' and 'changed' become objects.
 *
 * An object is what it was made with (made_text.h) and, over that, the rows of what
 * has changed since. Rows of one object follow one another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_OBJECT_ROWS_H
#define LIB_STORE_OBJECT_ROWS_H

#include "lib/store/backend.h"

struct object_rows;

/* 'each' gets every object as store_load() hands it over. 'why' lives as long. */
struct object_rows *object_rows_new(store_each_fn each, void *arg, struct diag *why);
void object_rows_free(struct object_rows *r);

/* Is this the object whose rows come at present? */
bool object_rows_is_at(const struct object_rows *r, uint64_t seq) MUST_CHECK;

/* Another object begins; the one before is handed over. Texts are copied. Returns what
 * 'each' returned for that, or PBSE_SYSTEM when 'made' is no text of values. */
int object_rows_begin(struct object_rows *r, uint64_t seq, const char *kind,
                      const char *id, const char *made) MUST_CHECK;

/* A value that has changed since; NULL: the object has it no more. */
void object_rows_change(struct object_rows *r, const char *attr, const char *resource,
                        const char *value);

/* No row follows: hand the last object over. */
int object_rows_end(struct object_rows *r) MUST_CHECK;

#endif
