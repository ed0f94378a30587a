/* printable.c - see printable.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/printable.h"

#include <string.h>

enum {
    DELETE = 127,
    C1_LEAD = 0xc2, /* of the control characters U+0080 to U+009f in UTF-8 */
    C1_FIRST = 0x80,
    C1_LAST = 0x9f,
};

static bool is_ascii_control(unsigned char c)
{
    return c < ' ' || c == DELETE;
}

static bool is_c1(unsigned char c)
{
    return c >= C1_FIRST && c <= C1_LAST;
}

/* How many bytes follow the first byte of a character in UTF-8; 0 when this byte begins
 * no such character. */
static size_t n_following(unsigned char c)
{
    if (c >= 0xc2 && c <= 0xdf)
        return 1;
    if (c >= 0xe0 && c <= 0xef)
        return 2;
    return c >= 0xf0 && c <= 0xf4 ? 3 : 0;
}

/* Some first bytes leave the second one less room: outside of it lie longer forms of
 * characters that have a shorter one, halves of pairs of UTF-16, and numbers beyond the
 * last character. A lax reader takes e0 82 9b for the control character U+009b. */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second <= 0x9f;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second <= 0x8f;
    default:
        return true;
    }
}

/* The length of the character at 'p' when it is one of UTF-8 beyond ASCII that is no
 * control character, else 0. */
static size_t wide_len(const unsigned char *p, size_t len)
{
    size_t n = n_following(*p);

    if (n == 0 || n >= len || (*p == C1_LEAD && is_c1(p[1])) || !second_fits(*p, p[1]))
        return 0;
    for (size_t i = 1; i <= n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n + 1;
}

/* The length of the control character at 'p', 0: it is another one. A lone byte that
 * older terminals take for a control character is one. */
static size_t control_len(const unsigned char *p, size_t len)
{
    if (is_ascii_control(*p) || is_c1(*p))
        return 1;
    return *p == C1_LEAD && len > 1 && is_c1(p[1]) ? 2 : 0;
}

static void add_control(struct buf *out, unsigned char c)
{
    if (c == '\t')
        buf_add_char(out, '\t');
    else if (c == '\n')
        buf_add_char(out, ' ');
    else if (is_ascii_control(c))
        buf_printf(out, "^%c", c ^ 0x40);
    else
        buf_add_char(out, '?');
}

/* How many bytes from 'p' on are shown as they are. */
static size_t plain_len(const unsigned char *p, size_t len)
{
    size_t n = 0;

    while (n < len) {
        size_t wide;

        if (p[n] >= ' ' && p[n] < DELETE) { /* nearly all are */
            n++;
            continue;
        }
        wide = wide_len(p + n, len - n);

        if (wide == 0 && control_len(p + n, len - n) > 0)
            break;
        n += wide ? wide : 1;
    }
    return n;
}

void buf_add_printable(struct buf *out, const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;

    while (len > 0) {
        size_t n = plain_len(p, len);

        buf_add(out, p, n);
        if (n < len) {
            add_control(out, p[n]);
            n += control_len(p + n, len - n);
        }
        p += n;
        len -= n;
    }
}

static void replace_controls(char *text, bool ascii)
{
    unsigned char *p = (unsigned char *)text;
    size_t len = strlen(text);

    while (len > 0) {
        size_t n = plain_len(p, len);
        size_t bad = n < len ? control_len(p + n, len - n) : 0;

        if (bad > 0 && (ascii || !is_ascii_control(p[n])))
            memset(p + n, '?', bad);
        p += n + bad;
        len -= n + bad;
    }
}

void printable_cell(char *text)
{
    replace_controls(text, true);
}

void printable_text(char *text)
{
    replace_controls(text, false);
}

bool has_control(const char *text)
{
    size_t len = strlen(text);

    return plain_len((const unsigned char *)text, len) < len;
}
