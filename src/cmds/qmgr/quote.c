/* quote.c - values: quoted, escaped, plain (cli.md 1.10, 8.2).
 *
 * A quote opens a stretch anywhere in a value and the same character closes it, so
 * stretches of several kinds can stand side by side. An ampersand and control
 * characters are refused as ever, except inside $'...'. The end of a line may stand
 * inside quotes: only -c can have one there, since on standard input a line is a
 * command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    char letter;
    char meaning;
} escapes[] = {
    { '\\', '\\' }, { '\'', '\'' }, { '"', '"' },
    { 'n', '\n' },  { 'r', '\r' },  { 't', '\t' },
};

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* What stands behind a backslash; false with *at on it. A NUL byte cannot be written:
 * values are texts of C on their whole way. */
static bool read_escape(const char **at, struct buf *out)
{
    const char *p = *at + 1;
    int high, low;

    for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
        if (*p == escapes[i].letter) {
            buf_add_char(out, escapes[i].meaning);
            *at = p + 1;
            return true;
        }
    }
    if (*p != 'x' || (high = hex_digit(p[1])) < 0 || (low = hex_digit(p[2])) < 0 ||
        high + low == 0)
        return false;
    buf_add_char(out, (char)(high * 16 + low));
    *at = p + 3;
    return true;
}

/* The inside of $'...'; *at is behind the quote that opens it. */
static bool read_escaped(const char **at, struct buf *out, const char *start)
{
    while (**at && **at != '\'') {
        if (**at == '\\') {
            if (!read_escape(at, out))
                return false;
            continue;
        }
        if (is_control(**at))
            return false;
        buf_add_char(out, *(*at)++);
    }
    if (**at == '\0') {
        *at = start;
        return false;
    }
    ++*at;
    return true;
}

/* Between quotes of one kind, where the other kind and a backslash mean nothing. When
 * no quote closes it, the mistake is where the value begins (cli.md 8.3). */
static bool read_quoted(const char **at, struct buf *out, const char *start)
{
    const char quote = *(*at)++;

    for (; **at && **at != quote; ++*at) {
        if (**at == '&' || (is_control(**at) && **at != '\n'))
            return false;
        buf_add_char(out, **at);
    }
    if (**at == '\0') {
        *at = start;
        return false;
    }
    ++*at;
    return true;
}

static bool read_until(const char *ends, const char **at, struct buf *out)
{
    const char *start = *at;

    while (**at && !strchr(ends, **at)) {
        if ((*at)[0] == '$' && (*at)[1] == '\'') {
            *at += 2;
            if (!read_escaped(at, out, start))
                return false;
        } else if (**at == '"' || **at == '\'') {
            if (!read_quoted(at, out, start))
                return false;
        } else if (**at == '&' || is_control(**at)) {
            return false;
        } else {
            buf_add_char(out, *(*at)++);
        }
    }
    return *at > start;
}

bool qmgr_value_read(const char **at, struct buf *out)
{
    return read_until(", \t", at, out);
}

bool qmgr_word_read(const char **at, struct buf *out)
{
    return read_until(" \t", at, out);
}

enum quoting {
    QUOTE_NONE,
    QUOTE_DOUBLE,
    QUOTE_SINGLE,
    QUOTE_ESCAPED,
};

/* The plainest way that reads back as the same text. The old ways come before $'...',
 * because other makes of qmgr do not know that one. */
static enum quoting quoting_of(const char *text, const char *shown, size_t len)
{
    bool has_double = memchr(text, '"', len) != NULL;
    bool has_single = memchr(text, '\'', len) != NULL;
    bool special = len == 0 || *text == '#' || text[len - 1] == '\\';

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '&' || text[i] == '\t' || is_control(text[i]) ||
            shown[i] != text[i])
            return QUOTE_ESCAPED;
        special |= strchr(" ,;", text[i]) != NULL;
    }
    if (has_double)
        return has_single ? QUOTE_ESCAPED : QUOTE_SINGLE;
    return special || has_single ? QUOTE_DOUBLE : QUOTE_NONE;
}

static void add_escaped(const char *text, const char *shown, size_t len,
                        struct buf *out)
{
    buf_add_str(out, "$'");
    for (size_t i = 0; i < len; i++) {
        char letter = '\0';

        for (size_t e = 0; e < ARRAY_LEN(escapes); e++)
            if (text[i] == escapes[e].meaning && text[i] != '"')
                letter = escapes[e].letter;
        if (letter)
            buf_printf(out, "\\%c", letter);
        else if (is_control(text[i]) || shown[i] != text[i])
            buf_printf(out, "\\x%02x", (unsigned char)text[i]);
        else
            buf_add_char(out, text[i]);
    }
    buf_add_char(out, '\'');
}

void qmgr_value_quote(const char *text, size_t len, struct buf *out)
{
    static const char *const marks[] = {
        [QUOTE_NONE] = "", [QUOTE_DOUBLE] = "\"", [QUOTE_SINGLE] = "'"
    };
    /* Where 'shown' differs are the bytes of control characters beyond ASCII: a dump
     * that is looked at must not command the terminal. */
    char *shown = xstrndup(text, len);
    enum quoting how;

    printable_text(shown);
    how = quoting_of(text, shown, len);
    if (how == QUOTE_ESCAPED) {
        add_escaped(text, shown, len, out);
    } else {
        buf_add_str(out, marks[how]);
        buf_add(out, text, len);
        buf_add_str(out, marks[how]);
    }
    free(shown);
}

/* The first command of 'text', as qmgr_command_len() has it; *open: it ends within
 * quotes. Quotes are followed exactly as qmgr_value_read() reads them: else a ';' in a
 * value would begin a command. */
static size_t command_len(const char *text, const char **next, bool *open)
{
    char quote = '\0';
    bool escaped = false;
    const char *p = text;

    *next = NULL;
    for (; *p; p++) {
        if (quote) {
            if (escaped && *p == '\\' && p[1])
                p++;
            else if (*p == quote)
                quote = '\0';
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
            escaped = *p == '\'' && p > text && p[-1] == '$';
        } else if (*p == ';') {
            *next = p + 1;
            break;
        } else if (*p == '#' && (p == text || p[-1] == ' ' || p[-1] == '\t')) {
            /* A '#' that is glued to a text belongs to it (cli.md 8.1). */
            break;
        }
    }
    *open = quote != '\0';
    return (size_t)(p - text);
}

size_t qmgr_command_len(const char *text, const char **next)
{
    bool open;

    return command_len(text, next, &open);
}

bool qmgr_ends_in_quotes(const char *text)
{
    bool open;

    do
        command_len(text, &text, &open);
    while (text);
    return open;
}
