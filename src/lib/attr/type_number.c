/* type_number.c - booleans, integers, times and floats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/number_ops.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

int bool_parse(const char *text, bool *ret)
{
    /* These spellings and no others are taken; "yes" and "no" are not among them. */
    static const char *const yes[] = { "True", "TRUE", "true", "t", "T",
                                       "1",    "y",    "Y",    NULL };
    static const char *const no[] = { "False", "FALSE", "false", "f", "F",
                                      "0",     "n",     "N",     NULL };

    if (is_one_of(text, yes))
        *ret = true;
    else if (is_one_of(text, no))
        *ret = false;
    else
        return PBSE_BADATVAL;
    return 0;
}

DECODER(decode_bool)
{
    bool b;
    int err = bool_parse(text, &b);

    return err ? err : number_set(v, b);
}

static void print_bool(const struct attr_value *v, struct buf *out)
{
    buf_add_str(out, v->u.num ? "True" : "False");
}

/* This type takes the same words in any case, and prints them in small letters. */
DECODER(decode_bool_words)
{
    char word[8];
    size_t len = strlen(text);

    /* The longest word has five letters; a longer text is refused before it is copied.
     */
    if (len >= sizeof(word))
        return PBSE_BADATVAL;
    for (size_t i = 0; i <= len; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    return decode_bool(v, NULL, NULL, word);
}

static void print_bool_words(const struct attr_value *v, struct buf *out)
{
    buf_add_str(out, v->u.num ? "true" : "false");
}

DECODER(decode_long)
{
    const char *digits = text + (*text == '-' || *text == '+');

    /* Only digits are taken, so that strtoll() reads the whole text. Daemons send an
     * empty text for zero. */
    if (*text && (!*digits || digits[strspn(digits, "0123456789")]))
        return PBSE_BADATVAL;
    return number_set(v, strtoll(text, NULL, 10)); /* the ends of the range hold */
}

DECODER(decode_int64)
{
    char *end;
    long long num;

    if (!*text || isspace((unsigned char)*text))
        return PBSE_BADATVAL;
    errno = 0;
    /* Base 0 also takes hexadecimal and octal numbers. Unlike decode_long(), a number
     * out of range is refused. */
    num = strtoll(text, &end, 0);
    if (*end || end == text || errno == ERANGE)
        return PBSE_BADATVAL;
    return number_set(v, num);
}

DECODER(decode_float)
{
    char *end;
    double real = strtod(text, &end);

    /* strtod() takes "inf" and "nan", which no sum or comparison could live with. */
    if (*end || end == text || isspace((unsigned char)*text) || !isfinite(real))
        return PBSE_BADATVAL;
    v->u.real = real;
    v->set = true;
    return 0;
}

/* Four digits behind the point, without zeros at the end, as servers print floats. */
static void print_float(const struct attr_value *v, struct buf *out)
{
    MUST(isfinite(v->u.real)); /* decoding and sums refuse the others */
    buf_printf(out, "%.4f", v->u.real);
    while (out->data[out->len - 1] == '0')
        out->data[--out->len] = '\0';
    if (out->data[out->len - 1] == '.')
        out->data[--out->len] = '\0';
}

/* Add 'sign' times the other value. A sum that is no number any more is refused. */
static int add_float_times(struct attr_value *v, const struct attr_value *more,
                           int sign)
{
    double sum = v->u.real + sign * more->u.real;

    if (!isfinite(sum))
        return PBSE_BADATVAL;
    v->u.real = sum;
    v->set = true;
    return 0;
}

static int add_float(struct attr_value *v, const struct attr_value *more)
{
    return add_float_times(v, more, 1);
}

static int subtract_float(struct attr_value *v, const struct attr_value *less)
{
    return add_float_times(v, less, -1);
}

static int compare_float(const struct attr_value *a, const struct attr_value *b)
{
    return (a->u.real > b->u.real) - (a->u.real < b->u.real);
}

const struct attr_type attr_bool = {
    .name = "boolean",
    .wire_type = 11,
    .decode = decode_bool,
    .print = print_bool,
    .add = number_add_bits,
    .subtract = number_subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_bool_words = {
    .name = "boolean word",
    .wire_type = 11,
    .decode = decode_bool_words,
    .print = print_bool_words,
    .add = number_add_bits,
    .subtract = number_subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_long = {
    .name = "long",
    .wire_type = 1,
    .decode = decode_long,
    .print = number_print,
    .add = number_add,
    .subtract = number_subtract,
    NUMBER_OPS,
};

const struct attr_type attr_time = {
    .name = "time",
    .wire_type = 1,
    .decode = decode_long,
    .print = number_print,
    .add = number_add,
    .subtract = number_subtract,
    NUMBER_OPS,
};

const struct attr_type attr_int64 = {
    .name = "64-bit integer",
    .wire_type = 9,
    .decode = decode_int64,
    .print = number_print,
    .add = number_add,
    .subtract = number_subtract,
    NUMBER_OPS,
};

const struct attr_type attr_float = {
    .name = "float",
    .wire_type = 14,
    .decode = decode_float,
    .print = print_float,
    .add = add_float,
    .subtract = subtract_float,
    .compare = compare_float,
    .clear = number_clear,
    .copy = number_copy,
};
