/* changes_text.h - what a record changes, as one text for the journal.
 *
 * JSON (RFC 8259): an array with [attribute, resource, before, after] for each change,
 * null where a value was or is unset. Bytes that are no UTF-8 are kept as they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_CHANGES_TEXT_H
#define LIB_STORE_CHANGES_TEXT_H

#include "lib/base/buf.h"
#include "lib/store/store.h"

/* Replace what is in 'out' by the text. Of values longer than STORE_JOURNAL_BYTES the
 * front is in it, with their length. */
void changes_to_text(const struct store_record *r, struct buf *out);

#endif
