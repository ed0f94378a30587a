/* buf.c - see buf.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This is the first memory of a buffer; most texts never outgrow it. */
#define SMALLEST_BYTES 256

void buf_fini(struct buf *b)
{
    free(b->data);
    *b = (struct buf){ 0 };
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

char *buf_reserve(struct buf *b, size_t more)
{
    size_t need = b->len + more + 1;

    /* The sum wraps around only when 'more' is a length that was computed wrongly. */
    MUST(need > more);
    if (need > b->cap) {
        /* Doubling keeps the cost of many small additions linear in their sum. */
        b->cap = MAX_OF(MAX_OF(b->cap * 2, need), (size_t)SMALLEST_BYTES);
        b->data = xrealloc(b->data, b->cap);
    }
    return b->data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t len)
{
    char *at = buf_reserve(b, len);

    /* Without bytes, 'p' may be NULL, which memcpy() does not allow. */
    if (len > 0)
        memcpy(at, p, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_add_str(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_add_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_add_uint(struct buf *b, uint64_t n, int width)
{
    char text[20]; /* the digits of the largest number */
    char *at = text + sizeof(text);

    MUST(width >= 1 && width <= (int)sizeof(text));
    while (n > 0 || text + sizeof(text) - at < width) {
        *--at = (char)('0' + n % 10);
        n /= 10;
    }
    buf_add(b, at, (size_t)(text + sizeof(text) - at));
}

void buf_add_in_quotes(struct buf *b, const char *value)
{
    bool single = strchr(value, '"') != NULL;

    buf_add_char(b, single ? '\'' : '"');
    for (; *value; value++) {
        /* The quote that ends the value cannot stand in it. This is how JSON may write
         * it, and most values with double quotes are JSON. */
        if (single && *value == '\'')
            buf_add_str(b, "\\u0027");
        else
            buf_add_char(b, *value);
    }
    buf_add_char(b, single ? '\'' : '"');
}

void buf_add_quoted(struct buf *b, const char *value)
{
    /* A newline is shown as a blank later on, and a quote in front would be taken for
     * the beginning of a value in quotes. */
    if (value[strcspn(value, " \t\n\v\f\r")] || *value == '"' || *value == '\'')
        buf_add_in_quotes(b, value);
    else
        buf_add_str(b, value);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    int len;

    va_start(ap, fmt);
    /* The first pass only measures. It uses 'ap' up, so the second begins anew. */
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    MUST(len >= 0);
    char *at = buf_reserve(b, (size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(at, (size_t)len + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)len;
}

void buf_eat(struct buf *b, size_t len)
{
    MUST(len <= b->len);
    if (len == 0)
        return;
    /* The bytes that stay move to the front, so the cost is their number. */
    memmove(b->data, b->data + len, b->len - len);
    b->len -= len;
    b->data[b->len] = '\0';
}

char *buf_take(struct buf *b)
{
    char *s;

    /* A buffer that never had anything gives an empty text to free, not NULL. */
    if (!b->data)
        buf_add(b, "", 0);
    s = b->data;
    *b = (struct buf){ 0 };
    return s;
}
