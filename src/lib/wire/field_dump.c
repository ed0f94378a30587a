/* field_dump.c - a body as one line for people.
 *
 * Tests, the simulator and fuzzers compare messages by these lines, so two bodies that
 * differ must not print the same. What a partner wrote goes through put_escaped().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/field.h"

#include <string.h>

/* Everything that a terminal might obey is written as an escape. So are bytes above
 * ASCII, whose meaning depends on the terminal. */
static void put_escaped(struct buf *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c == '\n')
            buf_add_str(out, "\\n");
        else if (c == '\'' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c > 0x7e)
            buf_printf(out, "\\x%02x", c);
        else
            buf_add_char(out, (char)c);
    }
}

void wire_dump_text(struct buf *out, const char *s, size_t len)
{
    MUST(s || len == 0);
    buf_add_char(out, '\'');
    put_escaped(out, s, len);
    buf_add_char(out, '\'');
}

/* An absent string is told from one whose text is "-" by the quotes. */
static void dump_string(struct buf *out, const char *s)
{
    if (s)
        wire_dump_text(out, s, strlen(s));
    else
        buf_add_char(out, '-');
}

void wire_dump_attrs(struct buf *out, const struct wire_attrs *list)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        const struct wire_attr *a = &list->v[i];

        if (i)
            buf_add_char(out, ' ');
        /* Names come from the partner as values do, and may hold any byte but NUL. */
        put_escaped(out, a->name, strlen(a->name));
        if (a->resource) {
            buf_add_char(out, '.');
            put_escaped(out, a->resource, strlen(a->resource));
        }
        buf_add_char(out, '=');
        dump_string(out, a->value);
        /* Operator 0 is WIRE_OP_SET, which nearly every entry has. */
        if (a->op)
            buf_printf(out, " op%" PRIu32, a->op);
    }
    buf_add_char(out, ']');
}

static void dump_strings(struct buf *out, const struct wire_strings *list)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i)
            buf_add_char(out, ' ');
        dump_string(out, list->v[i]);
    }
    buf_add_char(out, ']');
}

static void dump_numbers(struct buf *out, const struct wire_numbers *list)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < list->n; i++)
        buf_printf(out, "%s%" PRIu32, i ? " " : "", list->v[i]);
    buf_add_char(out, ']');
}

/* Records may hold records themselves. How deep they go is fixed by the tables, so no
 * message can make this recursion long. */
static void dump_records(struct buf *out, const struct wire_field *f, size_t n,
                         const char *record)
{
    MUST(n == 0 || record);
    buf_add_char(out, '[');
    for (size_t i = 0; i < n; i++, record += f->record_bytes) {
        buf_add_str(out, i ? " {" : "{");
        wire_dump(out, f->fields, record);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void dump_value(struct buf *out, const struct wire_field *f, const char *base)
{
    const void *at = base + f->offset;
    const struct wire_bytes *bytes = at; /* read for WIRE_BYTES only */

    /* There is no default: a new kind without a case here is a warning of the compiler.
     */
    switch (f->kind) {
    case WIRE_END:
        break;
    case WIRE_UINT:
    case WIRE_SIZE: /* as it came; the bytes that it counts are a field of their own */
        buf_printf(out, "%" PRIu32, *(const uint32_t *)at);
        break;
    case WIRE_INT:
        buf_printf(out, "%" PRId32, *(const int32_t *)at);
        break;
    case WIRE_ULONG:
        buf_printf(out, "%" PRIu64, *(const uint64_t *)at);
        break;
    case WIRE_LONG:
        buf_printf(out, "%" PRId64, *(const int64_t *)at);
        break;
    case WIRE_STRING:
    case WIRE_TEXT:
    case WIRE_OPT_STRING:
    case WIRE_LEN_STRING:
    case WIRE_OPT_LEN_STRING:
        dump_string(out, *(const char *const *)at);
        break;
    case WIRE_BYTES:
        wire_dump_text(out, bytes->data, bytes->len);
        break;
    case WIRE_ATTRS:
    case WIRE_ATTRS_LAX:
    case WIRE_ATTRS_OR_END:
        wire_dump_attrs(out, at);
        break;
    case WIRE_STRINGS:
    case WIRE_STRINGS_TO_EMPTY:
    case WIRE_STRINGS_TO_END:
        dump_strings(out, at);
        break;
    case WIRE_NUMBERS_TO_END:
    case WIRE_NUMBERS_TO_ZERO:
        dump_numbers(out, at);
        break;
    case WIRE_RECORDS:
        dump_records(out, f, *(const size_t *)at,
                     *(const char *const *)(const void *)(base + f->other));
        break;
    }
}

void wire_dump(struct buf *out, const struct wire_field *fields, const void *from)
{
    for (const struct wire_field *f = fields; f->kind != WIRE_END; f++) {
        buf_printf(out, "%s%s=", f == fields ? "" : " ", f->name);
        dump_value(out, f, from);
    }
}
