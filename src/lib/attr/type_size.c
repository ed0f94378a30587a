/* type_size.c - sizes: kept as written, brought to a common unit to be computed with.
 *
 * attributes.md 3: a value below one KiB counts as the next KiB; when one side is in
 * words and the other is not, the words become bytes; then the larger unit is scaled
 * down to the smaller.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/value.h"

#include <ctype.h>
#include <string.h>

#define WORD_BYTES 8

static const char units[] = "kmgtp";

static bool parse_digits(const char **text, uint64_t *ret)
{
    const char *p = *text;
    uint64_t number = 0;

    /* A number that does not fit is refused, not cut. */
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
            return false;
    if (p == *text)
        return false;
    *text = p;
    *ret = number;
    return true;
}

int size_parse(const char *text, struct size_value *ret)
{
    struct size_value s = { 0 };
    const char *unit;

    if (!parse_digits(&text, &s.number))
        return PBSE_BADATVAL;
    /* The letter at index i stands for 2 to the power of 10 * (i + 1). The test for the
     * end is needed because strchr() finds the NUL too. */
    unit = *text ? strchr(units, tolower((unsigned char)*text)) : NULL;
    if (unit) {
        s.shift = (uint8_t)(10 * (unit - units + 1));
        text++;
    }
    if (*text == 'b' || *text == 'B' || *text == 'w' || *text == 'W') {
        s.words = tolower((unsigned char)*text) == 'w';
        text++;
    }
    if (*text)
        return PBSE_BADATVAL;
    *ret = s;
    return 0;
}

static void size_print(const struct size_value *s, struct buf *out)
{
    MUST(s->shift % 10 == 0 && s->shift / 10 < sizeof(units));
    buf_add_uint(out, s->number, 1);
    if (s->shift)
        buf_add_char(out, units[s->shift / 10 - 1]);
    buf_add_char(out, s->words ? 'w' : 'b');
}

/* A word has 8 bytes on every host, so that a size means the same everywhere. */
static bool to_bytes(struct size_value *s)
{
    MUST(s->words);
    s->words = false;
    return !__builtin_mul_overflow(s->number, WORD_BYTES, &s->number);
}

static void to_kib(struct size_value *s)
{
    if (s->shift > 0)
        return;
    s->number = s->number / 1024 + (s->number % 1024 != 0);
    s->shift = 10;
}

static bool scale_down(struct size_value *s, uint8_t shift)
{
    uint8_t by = s->shift - shift;

    MUST(s->shift >= shift);
    if (s->number > UINT64_MAX >> by)
        return false;
    s->number <<= by;
    s->shift = shift;
    return true;
}

/* Bring both to one unit; false when a number does not fit. */
static bool normalise(struct size_value *a, struct size_value *b)
{
    if (a->words != b->words && !to_bytes(a->words ? a : b))
        return false;
    to_kib(a);
    to_kib(b);
    return a->shift > b->shift ? scale_down(a, b->shift) : scale_down(b, a->shift);
}

int64_t size_kib(const struct size_value *s)
{
    /* What is too large for the type counts as the largest number of KiB. */
    struct size_value kib = *s, one = { .number = 1, .shift = 10 };

    if (!normalise(&kib, &one) || kib.number > INT64_MAX)
        return INT64_MAX;
    return (int64_t)kib.number;
}

static int decode_size(struct attr_value *v, const struct resource_defs *defs UNUSED,
                       const char *resource UNUSED, const char *text)
{
    int err = size_parse(text, &v->u.size);

    if (!err)
        v->set = true;
    return err;
}

static void print_size(const struct attr_value *v, struct buf *out)
{
    size_print(&v->u.size, out);
}

static int add_size(struct attr_value *v, const struct attr_value *more)
{
    struct size_value a = v->u.size, b = more->u.size;

    /* With nothing to add to, the other one keeps the unit in which it was written. */
    if (!v->set || a.number == 0) {
        *v = *more;
        return 0;
    }
    if (!normalise(&a, &b) || __builtin_add_overflow(a.number, b.number, &a.number))
        return PBSE_BADATVAL;
    v->u.size = a;
    return 0;
}

static int subtract_size(struct attr_value *v, const struct attr_value *less)
{
    struct size_value a = v->u.size, b = less->u.size;

    if (!normalise(&a, &b) || b.number > a.number)
        return PBSE_BADATVAL;
    a.number -= b.number;
    v->u.size = a;
    v->set = true;
    return 0;
}

static int compare_size(const struct attr_value *x, const struct attr_value *y)
{
    struct size_value a = x->u.size, b = y->u.size;

    /* What does not fit in the other's unit is far larger, or equal in spirit: compare
     * both in KiB, where they are cut at the same maximum. */
    if (!normalise(&a, &b)) {
        a.number = (uint64_t)size_kib(&x->u.size);
        b.number = (uint64_t)size_kib(&y->u.size);
    }
    return (a.number > b.number) - (a.number < b.number);
}

static void clear_size(struct attr_value *v)
{
    *v = (struct attr_value){ 0 };
}

static void copy_size(struct attr_value *to, const struct attr_value *from)
{
    *to = *from;
}

const struct attr_type attr_size = {
    .name = "size",
    .wire_type = 5,
    .decode = decode_size,
    .print = print_size,
    .add = add_size,
    .subtract = subtract_size,
    .compare = compare_size,
    .clear = clear_size,
    .copy = copy_size,
};
