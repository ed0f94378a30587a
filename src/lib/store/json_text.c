/* json_text.c - see json_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/json_text.h"

#include <string.h>

/* One byte that may not stand in a JSON string as it is. */
static void add_escaped(struct buf *out, unsigned char c)
{
    buf_printf(out, c == '"' || c == '\\' ? "\\%c" : "\\u%04x", c);
}

static bool is_plain(unsigned char c)
{
    return c >= ' ' && c != '"' && c != '\\';
}

void json_add_bytes(struct buf *out, const char *text, size_t len)
{
    size_t begin = 0;

    for (size_t i = 0; i < len; i++)
        if (!is_plain((unsigned char)text[i])) {
            buf_add(out, text + begin, i - begin);
            add_escaped(out, (unsigned char)text[i]);
            begin = i + 1;
        }
    buf_add(out, text + begin, len - begin);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits of \uXXXX; -1 when they are none, or no character of its own: NUL,
 * and a half of a pair. Whoever writes here escapes only control characters so. */
static int read_hex(const char *s)
{
    int n = 0;

    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(s[i]);

        if (digit < 0)
            return -1;
        n = n * 16 + digit;
    }
    return n == 0 || (n >= 0xd800 && n < 0xe000) ? -1 : n;
}

static char *put_utf8(char *to, unsigned c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | ((c >> 6) & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* What stands behind a backslash, at '*at', to '*to'. */
static bool read_escaped(const char **at, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found = **at ? strchr(letters, **at) : NULL;
    int c;

    if (found) {
        *(*to)++ = meant[found - letters];
        ++*at;
        return true;
    }
    c = **at == 'u' ? read_hex(*at + 1) : -1;
    if (c < 0)
        return false;
    *to = put_utf8(*to, (unsigned)c);
    *at += 5;
    return true;
}

char *json_string_in_place(char **at)
{
    char *text = *at + 1, *to;
    const char *from;
    size_t plain;

    if (**at != '"')
        return NULL;
    to = text;
    from = text;
    for (;;) {
        plain = strcspn(from, "\"\\");
        /* Until the first backslash everything is where it belongs. */
        if (to != from)
            memmove(to, from, plain);
        to += plain;
        from += plain;
        if (*from != '\\')
            break;
        from++;
        if (!read_escaped(&from, &to))
            return NULL;
    }
    if (*from != '"')
        return NULL;
    *at += from + 1 - *at;
    *to = '\0';
    return text;
}
