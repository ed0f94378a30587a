/* base64.c - see base64.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/base64.h"

#include <string.h>

#define LINE_BYTES 512

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One to three bytes as four characters. */
static void print_group(const unsigned char *p, size_t n, struct buf *out)
{
    uint32_t bits =
        (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);
    char four[4] = { alphabet[bits >> 18], alphabet[bits >> 12 & 63],
                     n > 1 ? alphabet[bits >> 6 & 63] : '=',
                     n > 2 ? alphabet[bits & 63] : '=' };

    buf_add(out, four, sizeof(four));
}

void base64_print(const char *data, size_t len, struct buf *out)
{
    const unsigned char *p = (const unsigned char *)data;

    while (len > 0) {
        size_t line = MIN_OF(len, LINE_BYTES);

        for (size_t i = 0; i < line; i += 3)
            print_group(p + i, MIN_OF(line - i, 3), out);
        buf_add_char(out, '\n');
        p += line;
        len -= line;
    }
}

/* The value of a character, -1 when it has none. */
static int value_of(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;

    return at ? (int)(at - alphabet) : -1;
}

/* Four characters as one to three bytes; only the last group of a line is padded. */
static bool read_group(const char *p, bool last, struct buf *out)
{
    uint32_t bits = 0;
    size_t n = 4;

    if (last && p[3] == '=')
        n = p[2] == '=' ? 2 : 3;
    for (size_t i = 0; i < 4; i++) {
        int v = i < n ? value_of(p[i]) : 0;

        if (v < 0)
            return false;
        bits = bits << 6 | (uint32_t)v;
    }
    for (size_t i = 0; i + 1 < n; i++)
        buf_add_char(out, (char)(bits >> (16 - 8 * i) & 0xff));
    return true;
}

static bool read_line(const char *p, size_t len, struct buf *out)
{
    /* Groups do not go on in the next line, so each line has whole ones. */
    if (len % 4 != 0)
        return false;
    for (size_t i = 0; i < len; i += 4)
        if (!read_group(p + i, i + 4 == len, out))
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool base64_read(const char *text, size_t len, struct buf *out)
{
    const char *end = text + len;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;

        while (text < stop && is_blank(*text))
            text++;
        while (stop > text && is_blank(stop[-1]))
            stop--;
        if (!read_line(text, (size_t)(stop - text), out))
            return false;
        text = next;
    }
    return true;
}
