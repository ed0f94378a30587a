/* field.c - encode and decode by the table of fields.
 *
 * Every kind is a row: how it is written, how it is read, and the least bytes it takes.
 * Lists are read in two steps: the count is compared with the entries that the bytes
 * left can hold at most, then the memory is taken; so a short message can never ask for
 * much (doc/design/004-decoding-memory.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/field.h"

#include <string.h>

#define LEAST_STRING_BYTES 2 /* "+0", also any integer */
#define LEAST_TEXT_BYTES   5 /* "+1", "+1x": a length, and a string that is not empty */
#define LEAST_ATTR_BYTES   10 /* size, name, flag, value and operator */

typedef void put_fn(struct buf *out, const struct wire_field *f, const char *base);
typedef enum dis_error get_fn(struct dis_in *in, const struct wire_field *f,
                              char *base);

/* Members are reached by casts. That is sound because every offset comes from
 * offsetof() of the struct whose fields are read. */
#define AT(base, f, type)    (*(type *)(void *)((base) + (f)->offset))
#define PEEK(base, f, type)  (*(const type *)(const void *)((base) + (f)->offset))
#define OTHER(base, f, type) (*(type *)(void *)((base) + (f)->other))
#define SPY(base, f, type)   (*(const type *)(const void *)((base) + (f)->other))

static void put_uint(struct buf *out, const struct wire_field *f, const char *base)
{
    dis_put_uint(out, PEEK(base, f, uint32_t));
}

static enum dis_error get_uint(struct dis_in *in, const struct wire_field *f,
                               char *base)
{
    return dis_get_uint(in, &AT(base, f, uint32_t));
}

static void put_int(struct buf *out, const struct wire_field *f, const char *base)
{
    dis_put_int(out, PEEK(base, f, int32_t));
}

static enum dis_error get_int(struct dis_in *in, const struct wire_field *f, char *base)
{
    return dis_get_int(in, &AT(base, f, int32_t));
}

static void put_ulong(struct buf *out, const struct wire_field *f, const char *base)
{
    dis_put_uint(out, PEEK(base, f, uint64_t));
}

static enum dis_error get_ulong(struct dis_in *in, const struct wire_field *f,
                                char *base)
{
    return dis_get_ulong(in, &AT(base, f, uint64_t));
}

static void put_long(struct buf *out, const struct wire_field *f, const char *base)
{
    dis_put_int(out, PEEK(base, f, int64_t));
}

static enum dis_error get_long(struct dis_in *in, const struct wire_field *f,
                               char *base)
{
    return dis_get_long(in, &AT(base, f, int64_t));
}

static void put_string(struct buf *out, const struct wire_field *f, const char *base)
{
    dis_put_string(out, PEEK(base, f, char *));
}

static enum dis_error get_string(struct dis_in *in, const struct wire_field *f,
                                 char *base)
{
    return dis_get_string(in, f->max, &AT(base, f, const char *));
}

/* The same, but bytes of any kind are taken: a script or message may have a NUL in
 * it, and ends there for readers of a string. */
static enum dis_error get_text(struct dis_in *in, const struct wire_field *f,
                               char *base)
{
    size_t len;

    return dis_get_bytes(in, f->max, &AT(base, f, const char *), &len);
}

static void put_opt_string(struct buf *out, const struct wire_field *f,
                           const char *base)
{
    const char *s = PEEK(base, f, char *);

    dis_put_int(out, s ? 1 : 0);
    if (s)
        dis_put_string(out, s);
}

static enum dis_error get_opt_string(struct dis_in *in, const struct wire_field *f,
                                     char *base)
{
    int32_t flag;
    enum dis_error e = dis_get_int(in, &flag);

    /* An absent string is NULL, also when the flag cannot be read. */
    AT(base, f, const char *) = NULL;
    return e || flag == 0 ? e : get_string(in, f, base);
}

/* A string with its length once more in front of it, as some messages have it. */
static void put_len_string(struct buf *out, const struct wire_field *f,
                           const char *base)
{
    const char *s = PEEK(base, f, char *);
    size_t len = s ? strlen(s) : 0;

    dis_put_int(out, (int64_t)len);
    if (len > 0 || f->kind == WIRE_LEN_STRING)
        dis_put_string(out, s);
}

/* The length in front is checked against the string that follows. */
static enum dis_error get_len_string(struct dis_in *in, const struct wire_field *f,
                                     char *base)
{
    int32_t len;
    enum dis_error e = dis_get_int(in, &len);

    AT(base, f, const char *) = "";
    if (e)
        return e;
    /* The length is signed on the wire, so a partner can send one below 0. */
    if (len < 0 || (len == 0 && f->kind == WIRE_LEN_STRING))
        return DIS_PROTOCOL;
    if (len == 0)
        return DIS_OK;
    e = get_string(in, f, base);
    if (!e && strlen(AT(base, f, const char *)) != (size_t)len)
        e = DIS_PROTOCOL;
    return e;
}

static void put_bytes(struct buf *out, const struct wire_field *f, const char *base)
{
    const struct wire_bytes *b = &PEEK(base, f, struct wire_bytes);

    dis_put_bytes(out, b->data, b->len);
}

static enum dis_error get_bytes(struct dis_in *in, const struct wire_field *f,
                                char *base)
{
    struct wire_bytes *b = &AT(base, f, struct wire_bytes);

    return dis_get_bytes(in, f->max, &b->data, &b->len);
}

static void put_size(struct buf *out, const struct wire_field *f, const char *base)
{
    /* The number travels in 32 bits, and so does the length of the bytes themselves. */
    MUST(SPY(base, f, struct wire_bytes).len <= UINT32_MAX);
    dis_put_uint(out, SPY(base, f, struct wire_bytes).len);
}

static void put_attrs(struct buf *out, const struct wire_field *f, const char *base)
{
    wire_put_attrs(out, &PEEK(base, f, struct wire_attrs));
}

static enum dis_error get_attrs(struct dis_in *in, const struct wire_field *f,
                                char *base)
{
    return wire_get_attrs(in, f->kind == WIRE_ATTRS, &AT(base, f, struct wire_attrs));
}

static void put_strings(struct buf *out, const struct wire_field *f, const char *base)
{
    const struct wire_strings *list = &PEEK(base, f, struct wire_strings);

    /* A list without a count ends at an empty string, so none of its own may be empty.
     */
    if (f->kind == WIRE_STRINGS)
        dis_put_uint(out, list->n);
    for (size_t i = 0; i < list->n; i++)
        dis_put_string(out, list->v[i]);
    if (f->kind == WIRE_STRINGS_TO_EMPTY)
        dis_put_string(out, "");
}

/* Read a count. It is refused when the bytes that are left cannot hold so many entries
 * of at least 'least' bytes each. */
static enum dis_error get_count(struct dis_in *in, size_t least, size_t *ret)
{
    uint32_t count;
    enum dis_error e = dis_get_uint(in, &count);

    MUST(least > 0); /* every entry takes some bytes, or any count would do */
    if (!e && count > (size_t)(in->end - in->at) / least)
        e = DIS_EOD;
    if (!e)
        *ret = count;
    return e;
}

static enum dis_error get_strings(struct dis_in *in, const struct wire_field *f,
                                  char *base)
{
    struct wire_strings *list = &AT(base, f, struct wire_strings);
    enum dis_error e = get_count(in, LEAST_STRING_BYTES, &list->n);

    if (e)
        return e;
    list->v = ARENA_ARRAY(in->arena, const char *, list->n);
    for (size_t i = 0; i < list->n && !e; i++)
        e = dis_get_string(in, f->max, &list->v[i]);
    return e;
}

/* Count the strings before the empty one that ends the list, or before the end of the
 * message where that may end it. 'in' is a copy, so nothing is read. */
static enum dis_error count_to_empty(struct dis_in in, const struct wire_field *f,
                                     size_t *ret)
{
    size_t len, n = 0;

    while (f->kind != WIRE_STRINGS_TO_END || in.at != in.end) {
        enum dis_error e = dis_skip_string(&in, f->max, &len);

        if (e)
            return e;
        if (len == 0)
            break;
        n++;
    }
    *ret = n;
    return DIS_OK;
}

static enum dis_error get_strings_to_empty(struct dis_in *in,
                                           const struct wire_field *f, char *base)
{
    struct wire_strings *list = &AT(base, f, struct wire_strings);
    size_t empty;
    enum dis_error e = count_to_empty(*in, f, &list->n);

    if (e)
        return e;
    list->v = ARENA_ARRAY(in->arena, const char *, list->n);
    for (size_t i = 0; i < list->n && !e; i++)
        e = dis_get_string(in, f->max, &list->v[i]);
    if (!e && (f->kind != WIRE_STRINGS_TO_END || in->at != in->end))
        e = dis_skip_string(in, f->max, &empty);
    return e;
}

static void put_numbers(struct buf *out, const struct wire_field *f, const char *base)
{
    const struct wire_numbers *list = &PEEK(base, f, struct wire_numbers);

    for (size_t i = 0; i < list->n; i++)
        dis_put_uint(out, list->v[i]);
    if (f->kind == WIRE_NUMBERS_TO_ZERO)
        dis_put_uint(out, 0);
}

/* Count the numbers before the 0, or before the end of the message. */
static enum dis_error count_numbers(struct dis_in in, const struct wire_field *f,
                                    size_t *ret)
{
    uint32_t number;
    size_t n = 0;

    while (f->kind == WIRE_NUMBERS_TO_ZERO || in.at != in.end) {
        enum dis_error e = dis_get_uint(&in, &number);

        if (e)
            return e;
        if (number == 0 && f->kind == WIRE_NUMBERS_TO_ZERO)
            break;
        n++;
    }
    *ret = n;
    return DIS_OK;
}

static enum dis_error get_numbers(struct dis_in *in, const struct wire_field *f,
                                  char *base)
{
    struct wire_numbers *list = &AT(base, f, struct wire_numbers);
    uint32_t zero;
    enum dis_error e = count_numbers(*in, f, &list->n);

    if (e)
        return e;
    list->v = ARENA_ARRAY(in->arena, uint32_t, list->n);
    for (size_t i = 0; i < list->n && !e; i++)
        e = dis_get_uint(in, &list->v[i]);
    return !e && f->kind == WIRE_NUMBERS_TO_ZERO ? dis_get_uint(in, &zero) : e;
}

static void put_attrs_or_end(struct buf *out, const struct wire_field *f,
                             const char *base)
{
    if (PEEK(base, f, struct wire_attrs).n > 0)
        put_attrs(out, f, base);
}

static enum dis_error get_attrs_or_end(struct dis_in *in, const struct wire_field *f,
                                       char *base)
{
    return in->at == in->end ? DIS_OK : get_attrs(in, f, base);
}

static void put_records(struct buf *out, const struct wire_field *f, const char *base)
{
    size_t n = PEEK(base, f, size_t);
    const char *record = SPY(base, f, char *);

    MUST(n == 0 || record);
    dis_put_uint(out, n);
    for (size_t i = 0; i < n; i++, record += f->record_bytes)
        wire_encode(out, f->fields, record);
}

static enum dis_error get_records(struct dis_in *in, const struct wire_field *f,
                                  char *base)
{
    size_t n;
    char *record;
    enum dis_error e = get_count(in, wire_least_bytes(f->fields), &n);

    if (e)
        return e;
    MUST(f->record_bytes > 0);
    /* Zeroed, as wire_decode() wants it. get_count() has bounded the product by the
     * bytes that are left. */
    record = arena_zero(in->arena, n * f->record_bytes);
    AT(base, f, size_t) = n;
    OTHER(base, f, char *) = record;
    for (size_t i = 0; i < n && !e; i++, record += f->record_bytes)
        e = wire_decode(in, f->fields, record);
    return e;
}

/* clang-format off */
static const struct {
    put_fn *put;
    get_fn *get;
    size_t least_bytes;
} kinds[] = {
    [WIRE_UINT] = { put_uint, get_uint, LEAST_STRING_BYTES },
    [WIRE_INT] = { put_int, get_int, LEAST_STRING_BYTES },
    [WIRE_ULONG] = { put_ulong, get_ulong, LEAST_STRING_BYTES },
    [WIRE_LONG] = { put_long, get_long, LEAST_STRING_BYTES },
    [WIRE_STRING] = { put_string, get_string, LEAST_STRING_BYTES },
    [WIRE_TEXT] = { put_string, get_text, LEAST_STRING_BYTES },
    [WIRE_OPT_STRING] = { put_opt_string, get_opt_string, LEAST_STRING_BYTES },
    [WIRE_LEN_STRING] = { put_len_string, get_len_string, LEAST_TEXT_BYTES },
    [WIRE_OPT_LEN_STRING] = { put_len_string, get_len_string, LEAST_STRING_BYTES },
    [WIRE_BYTES] = { put_bytes, get_bytes, LEAST_STRING_BYTES },
    [WIRE_SIZE] = { put_size, get_uint, LEAST_STRING_BYTES },
    [WIRE_ATTRS] = { put_attrs, get_attrs, LEAST_STRING_BYTES },
    [WIRE_ATTRS_LAX] = { put_attrs, get_attrs, LEAST_STRING_BYTES },
    [WIRE_STRINGS] = { put_strings, get_strings, LEAST_STRING_BYTES },
    [WIRE_STRINGS_TO_EMPTY] = { put_strings, get_strings_to_empty, LEAST_STRING_BYTES },
    [WIRE_STRINGS_TO_END] = { put_strings, get_strings_to_empty, 0 },
    [WIRE_NUMBERS_TO_END] = { put_numbers, get_numbers, 0 },
    [WIRE_NUMBERS_TO_ZERO] = { put_numbers, get_numbers, LEAST_STRING_BYTES },
    [WIRE_ATTRS_OR_END] = { put_attrs_or_end, get_attrs_or_end, 0 },
    [WIRE_RECORDS] = { put_records, get_records, LEAST_STRING_BYTES },
};
/* clang-format on */

size_t wire_least_bytes(const struct wire_field *fields)
{
    size_t sum = 0;

    for (; fields->kind != WIRE_END; fields++)
        /* Linear in the rows of a table, and asked for once per list, not per entry. */
        sum += kinds[fields->kind].least_bytes;
    return sum;
}

void wire_encode(struct buf *out, const struct wire_field *fields, const void *from)
{
    for (; fields->kind != WIRE_END; fields++)
        kinds[fields->kind].put(out, fields, from);
}

/* A size that was read must be the length of the bytes that came after it. */
static bool sizes_agree(const struct wire_field *fields, const char *base)
{
    for (; fields->kind != WIRE_END; fields++)
        if (fields->kind == WIRE_SIZE &&
            PEEK(base, fields, uint32_t) != SPY(base, fields, struct wire_bytes).len)
            return false;
    return true;
}

enum dis_error wire_decode(struct dis_in *in, const struct wire_field *fields, void *to)
{
    MUST(in->at <= in->end);
    for (const struct wire_field *f = fields; f->kind != WIRE_END; f++) {
        enum dis_error e = kinds[f->kind].get(in, f, to);

        if (e)
            return e;
    }
    return sizes_agree(fields, to) ? DIS_OK : DIS_PROTOCOL;
}

void wire_take_rest(struct dis_in *in, struct wire_bytes *ret)
{
    MUST(in->at <= in->end);
    ret->len = (size_t)(in->end - in->at);
    ret->data = arena_text(in->arena, in->at, ret->len);
    in->at = in->end;
}

enum dis_error wire_decode_whole(const struct wire_bytes *rest,
                                 const struct wire_field *fields, struct arena *arena,
                                 void *to)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = rest->data,
                         .end = rest->data + rest->len,
                         .arena = arena };
    enum dis_error e = wire_decode(&in, fields, to);

    /* One message is one frame: bytes behind it show that it was read in a wrong way.
     */
    if (!e && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e)
        arena_rewind(arena, &mark);
    return e;
}

/* The size that an entry announces: its texts with a NUL each. */
static size_t attr_size(const struct wire_attr *a)
{
    return strlen(a->name) + 1 + strlen(a->value) + 1 +
           (a->resource ? strlen(a->resource) + 1 : 0);
}

void wire_put_attrs(struct buf *out, const struct wire_attrs *list)
{
    dis_put_uint(out, list->n);
    for (size_t i = 0; i < list->n; i++) {
        const struct wire_attr *a = &list->v[i];

        dis_put_uint(out, attr_size(a));
        dis_put_string(out, a->name);
        /* The flag tells an entry without a resource from one whose name is empty. */
        dis_put_uint(out, a->resource ? 1 : 0);
        if (a->resource)
            dis_put_string(out, a->resource);
        dis_put_string(out, a->value);
        dis_put_uint(out, a->op);
    }
}

static enum dis_error get_attr(struct dis_in *in, bool check_size,
                               struct wire_attr *ret)
{
    uint32_t size, flag = 0;
    enum dis_error e = dis_get_uint(in, &size);

    if (!e)
        e = dis_get_string(in, 0, &ret->name);
    if (!e)
        e = dis_get_uint(in, &flag);
    if (!e && flag)
        e = dis_get_string(in, 0, &ret->resource);
    if (!e)
        e = dis_get_string(in, 0, &ret->value);
    if (!e)
        e = dis_get_uint(in, &ret->op);
    /* An announced size below that of the texts is wrong. In replies nobody looks at
     * it. */
    if (!e && check_size && size < attr_size(ret))
        e = DIS_PROTOCOL;
    return e;
}

enum dis_error wire_get_attrs(struct dis_in *in, bool check_size,
                              struct wire_attrs *ret)
{
    struct wire_attrs got = { 0 };
    enum dis_error e = get_count(in, LEAST_ATTR_BYTES, &got.n);

    if (e)
        return e;
    got.cap = got.n;
    /* Many requests have no attributes, and take no memory for them. */
    if (got.n > 0)
        got.v = ARENA_ARRAY(in->arena, struct wire_attr, got.n);
    for (size_t i = 0; i < got.n && !e; i++)
        e = get_attr(in, check_size, &got.v[i]);
    if (!e)
        *ret = got;
    return e;
}
