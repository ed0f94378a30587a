/* pg_text.c - texts and arrays of them, as PostgreSQL takes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_text.h"

#include <string.h>

/* PostgreSQL takes valid UTF-8 only. A byte that belongs to no valid character is
 * stored as the character U+10FF00 + byte, of a range that no text uses: F4 8F
 * BC..BF 80..BF. */
#define PRIVATE_HEAD "\xf4\x8f"

static bool is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Bytes of the valid character at 's', 0 when there is none (RFC 3629). */
static size_t char_len(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    /* The NUL at the end of the text is no tail, so no test below reads beyond it. Left
     * out are characters in more bytes than they need (c0, c1, e0 80, f0 80), the
     * surrogates (ed a0) and what is above U+10FFFF (f4 90). */
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return is_tail(s[1]) ? 2 : 0;
    if ((s[0] & 0xf0) == 0xe0) {
        if (!is_tail(s[1]) || !is_tail(s[2]) || (s[0] == 0xe0 && s[1] < 0xa0) ||
            (s[0] == 0xed && s[1] > 0x9f))
            return 0;
        return 3;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        if (!is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3]) ||
            (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
            return 0;
        return 4;
    }
    return 0;
}

/* True for the characters that stand for single bytes; such a character in a text of
 * a user is stored byte by byte, so that it comes back as it was. */
static bool is_private(const unsigned char *s)
{
    return s[0] == 0xf4 && s[1] == 0x8f && s[2] >= 0xbc;
}

static bool is_plain(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s >= 0x80)
            return false;
    return true;
}

const char *pg_text_out(const char *s, struct arena *arena)
{
    const unsigned char *at = (const unsigned char *)s;
    struct buf b = { 0 };
    const char *made;

    if (!s || is_plain(s))
        return s;
    while (*at) {
        size_t len = char_len(at);

        if (len > 0 && !(len == 4 && is_private(at))) {
            buf_add(&b, at, len);
            at += len;
        } else {
            buf_add_str(&b, PRIVATE_HEAD);
            /* The upper two bits of the byte go into the third byte of the character,
             * the lower six into the fourth. */
            buf_add_char(&b, (char)(0xbc + (*at >> 6)));
            buf_add_char(&b, (char)(0x80 + (*at & 0x3f)));
            at++;
        }
    }
    made = arena_strndup(arena, b.data, b.len);
    buf_fini(&b);
    return made;
}

const char *pg_text_in(const char *s, struct arena *arena)
{
    const unsigned char *at = (const unsigned char *)s;
    char *made, *to;

    if (!s || is_plain(s))
        return s;
    /* The text only becomes shorter, so it is rewritten in its place. */
    made = to = arena_strdup(arena, s);
    while (*at) {
        if (is_private(at) && is_tail(at[3])) {
            *to++ = (char)((at[2] - 0xbc) << 6 | (at[3] & 0x3f));
            at += 4;
        } else {
            *to++ = (char)*at++;
        }
    }
    *to = '\0';
    return made;
}

static void next_element(struct buf *b)
{
    buf_add_char(b, b->len == 0 ? '{' : ',');
}

void pg_array_text(struct buf *b, const char *s, struct arena *arena)
{
    next_element(b);
    if (!s) {
        /* Without quotes it means that there is no value; a text "NULL" has quotes. */
        buf_add_str(b, "NULL");
        return;
    }
    buf_add_char(b, '"');
    for (s = pg_text_out(s, arena); *s; s++) {
        /* Within quotes only these two need a backslash. */
        size_t plain = strcspn(s, "\"\\");

        buf_add(b, s, plain);
        s += plain;
        if (!*s)
            break;
        buf_add_char(b, '\\');
        buf_add_char(b, *s);
    }
    buf_add_char(b, '"');
}

void pg_array_number(struct buf *b, int64_t n)
{
    next_element(b);
    buf_printf(b, "%" PRId64, n);
}

const char *pg_array_end(struct buf *b)
{
    MUST(b->len == 0 || b->data[0] == '{');
    buf_add_str(b, b->len == 0 ? "{}" : "}");
    return b->data;
}
