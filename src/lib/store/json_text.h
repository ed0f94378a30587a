/* json_text.h - strings of JSON (RFC 8259), written and read.
 *
 * Bytes that are no UTF-8 are kept as they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_JSON_TEXT_H
#define LIB_STORE_JSON_TEXT_H

#include "lib/base/buf.h"

/* Add the bytes of a text as they stand within quotes. */
void json_add_bytes(struct buf *out, const char *text, size_t len);

/* Read the string that begins at the quote '*at', in its own place: what was escaped
 * becomes shorter. *at is behind its end then. NULL: there is no string, or one of
 * which a text cannot be made (it has a NUL). */
char *json_string_in_place(char **at) MUST_CHECK;

#endif
