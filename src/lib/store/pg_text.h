/* pg_text.h - texts and arrays of them, as PostgreSQL takes them.
 *
 * A database in UTF-8 refuses other bytes, and an attribute may hold any. Each byte
 * that is not part of a valid character travels as a private character of its own
 * (U+10FF00 and the byte), and so do the bytes of such a character; nothing is lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PG_TEXT_H
#define LIB_STORE_PG_TEXT_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

/* 's' itself when it is plain; NULL for NULL. */
const char *pg_text_out(const char *s, struct arena *arena);
const char *pg_text_in(const char *s, struct arena *arena);

/* An array in the making: "{a,b". NULL is NULL. End it with pg_array_end(). */
void pg_array_text(struct buf *b, const char *s, struct arena *arena);
void pg_array_number(struct buf *b, int64_t n);
const char *pg_array_end(struct buf *b);

#endif
