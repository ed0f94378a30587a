/* made_text.h - what an object was made with, as one text.
 *
 * JSON (RFC 8259): an array with [attribute, resource, value] for each value, in the
 * order of their names. Bytes that are no UTF-8 are kept as they are. An object has
 * about 25 values, and a row for each would take most of the time of a submission, and
 * of a start that reads them again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_MADE_TEXT_H
#define LIB_STORE_MADE_TEXT_H

#include "lib/base/buf.h"
#include "lib/store/store.h"

/* Values in the making: v[n], the room is kept. */
struct value_list {
    size_t n, cap;
    struct store_change *v;
};

/* A copy of *c goes behind the others; its texts stay whose they are. */
void value_list_add(struct value_list *list, const struct store_change *c);
void value_list_fini(struct value_list *list);

/* By name, then by resource, byte for byte. */
int value_order(const struct store_change *a, const struct store_change *b);

/* Replace what is in 'out' by the text for these changes; of two to the same value the
 * later one counts. */
void made_to_text(const struct store_change *v, size_t n, struct arena *arena,
                  struct buf *out);

/* Replace what is in 'to' by the values of the text, in the order that they have there;
 * their texts are in the arena. False when it is no such text. */
bool made_from_text(const char *text, struct arena *arena,
                    struct value_list *to) MUST_CHECK;

#endif
