/* edit_text.h - an edit as one text, so that a change that is not made yet can be kept
 * in an attribute.
 *
 * The text is a row of entries "3:abc": a length in bytes, a colon, the bytes. Three
 * entries are one step: the attribute's name, the resource ("" when there is none), and
 * "=" with the canonical text of the value, or "-" when the step unsets it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_EDIT_TEXT_H
#define SERVER_DECIDE_EDIT_TEXT_H

#include "server/decide/edit.h"

/* What the edit touches of those attributes, in the arena; "" when it touches none. A
 * resource list is kept whole. */
const char *edit_to_text(const struct edit *e, const int *attrs, size_t n,
                         struct arena *arena);

/* Make the steps in 'e', which the caller has initialised. False when the text is none,
 * or names what does not exist (a resource may be gone since); 'e' then has the steps
 * before that one. */
bool edit_from_text(struct edit *e, const char *text, struct arena *arena) MUST_CHECK;

#endif
