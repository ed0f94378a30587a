/* buf.h - a byte buffer that grows at the end and is eaten from the front.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_BUF_H
#define LIB_BASE_BUF_H

#include "lib/base/base.h"

/* A zeroed struct is an empty buffer. 'data' may hold any bytes; one NUL byte always
 * follows the last one once something was added, so text can be printed from it. */
struct buf {
    char *data;
    size_t len;
    size_t cap;
};

/* Give the memory back; the buffer is as good as new. */
void buf_fini(struct buf *b);
void buf_clear(struct buf *b); /* empty it, keep the memory */

/* Add at the end: bytes, which may be none; a text; as printf() has it. */
void buf_add(struct buf *b, const void *p, size_t len);
void buf_add_str(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
/* A number in at least 'width' (1 to 20) decimal digits, with zeros before it: what
 * buf_printf() says more slowly, for texts of which a reply has many thousands. */
void buf_add_uint(struct buf *b, uint64_t n, int width);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A value of a list that is split at blanks, so that no value ends early or begins
 * another one: in quotes when it has white space or begins with a quote, else as it is
 * (operations.md 17). */
void buf_add_quoted(struct buf *b, const char *value);

/* Always in quotes: single ones when it has a double quote, where a single quote of its
 * own is written as \u0027. */
void buf_add_in_quotes(struct buf *b, const char *value);

/* Room for at least 'more' further bytes; returns where they go. The caller adds what
 * it wrote to b->len. */
char *buf_reserve(struct buf *b, size_t more) MUST_CHECK;

/* Drop the first 'len' bytes (len <= b->len). Linear in what remains. */
void buf_eat(struct buf *b, size_t len);

/* The text as a string of its own, never NULL; the buffer is empty afterwards.
 * The caller frees it. */
char *buf_take(struct buf *b) MUST_CHECK;

#endif
