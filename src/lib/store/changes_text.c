/* changes_text.c - see changes_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/changes_text.h"

#include "lib/store/json_text.h"

#include <string.h>

static void add_name(struct buf *out, const char *name)
{
    buf_add_char(out, '"');
    json_add_bytes(out, name, strlen(name));
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
    json_add_bytes(out, value, MIN_OF(len, (size_t)STORE_JOURNAL_BYTES));
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
