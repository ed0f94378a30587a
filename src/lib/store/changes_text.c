/* changes_text.c - see changes_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/changes_text.h"

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

static void add_bytes(struct buf *out, const char *text, size_t len)
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

static void add_name(struct buf *out, const char *name)
{
    buf_add_char(out, '"');
    add_bytes(out, name, strlen(name));
    buf_add_str(out, "\",");
}

static void add_value(struct buf *out, const char *value)
{
    size_t len = value ? strlen(value) : 0;

    if (!value) {
        buf_add_str(out, "null");
        return;
    }
    buf_add_char(out, '"');
    add_bytes(out, value, MIN_OF(len, (size_t)STORE_JOURNAL_BYTES));
    if (len > STORE_JOURNAL_BYTES)
        buf_printf(out, "... (%zu bytes)", len);
    buf_add_char(out, '"');
}

void changes_to_text(const struct store_record *r, struct buf *out)
{
    MUST(r->n > 0); /* without changes the journal has NULL */
    buf_clear(out);
    for (size_t i = 0; i < r->n; i++) {
        buf_add_str(out, i ? ",[" : "[[");
        add_name(out, r->changes[i].attr);
        add_name(out, r->changes[i].resource);
        add_value(out, r->changes[i].before);
        buf_add_char(out, ',');
        add_value(out, r->changes[i].after);
        buf_add_char(out, ']');
    }
    buf_add_char(out, ']');
}
