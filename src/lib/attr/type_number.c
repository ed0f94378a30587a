/* type_number.c - types whose value is one number: booleans, integers, durations,
 * times, hold sets, vnode states; and floats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_state.h"
#include "lib/attr/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a decoder gets and does not need. */
#define DECODER(name)                                                                  \
    static int name(struct attr_value *v, const struct resource_defs *defs UNUSED,     \
                    const char *resource UNUSED, const char *text)

static int set_num(struct attr_value *v, int64_t num)
{
    v->u.num = num;
    v->set = true;
    return 0;
}

static int compare_num(const struct attr_value *a, const struct attr_value *b)
{
    return (a->u.num > b->u.num) - (a->u.num < b->u.num);
}

static void clear_plain(struct attr_value *v)
{
    *v = (struct attr_value){ 0 };
}

static void copy_plain(struct attr_value *to, const struct attr_value *from)
{
    *to = *from;
}

static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t saturated_difference(int64_t a, int64_t b)
{
    int64_t difference;

    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? INT64_MAX : INT64_MIN;
    return difference;
}

static int add_num(struct attr_value *v, const struct attr_value *more)
{
    return set_num(v, saturated_sum(v->u.num, more->u.num));
}

static int subtract_num(struct attr_value *v, const struct attr_value *less)
{
    return set_num(v, saturated_difference(v->u.num, less->u.num));
}

static int add_bits(struct attr_value *v, const struct attr_value *more)
{
    return set_num(v, v->u.num | more->u.num);
}

static int subtract_bits(struct attr_value *v, const struct attr_value *less)
{
    return set_num(v, v->u.num & ~less->u.num);
}

static void print_num(const struct attr_value *v, struct buf *out)
{
    buf_printf(out, "%" PRId64, v->u.num);
}

/* booleans */

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

int bool_parse(const char *text, bool *ret)
{
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

    return err ? err : set_num(v, b);
}

static void print_bool(const struct attr_value *v, struct buf *out)
{
    buf_add_str(out, v->u.num ? "True" : "False");
}

DECODER(decode_bool_words)
{
    char word[8];
    size_t len = strlen(text);

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

/* integers */

DECODER(decode_long)
{
    const char *digits = text + (*text == '-' || *text == '+');

    /* Daemons send an empty text for zero. */
    if (*text && (!*digits || digits[strspn(digits, "0123456789")]))
        return PBSE_BADATVAL;
    return set_num(v, strtoll(text, NULL, 10)); /* saturates */
}

DECODER(decode_int64)
{
    char *end;
    long long num;

    if (!*text || isspace((unsigned char)*text))
        return PBSE_BADATVAL;
    errno = 0;
    num = strtoll(text, &end, 0);
    if (*end || end == text || errno == ERANGE)
        return PBSE_BADATVAL;
    return set_num(v, num);
}

/* floats */

DECODER(decode_float)
{
    char *end;
    double real = strtod(text, &end);

    if (*end || end == text || isspace((unsigned char)*text) || !isfinite(real))
        return PBSE_BADATVAL;
    v->u.real = real;
    v->set = true;
    return 0;
}

static void print_float(const struct attr_value *v, struct buf *out)
{
    buf_printf(out, "%.4f", v->u.real);
    while (out->data[out->len - 1] == '0')
        out->data[--out->len] = '\0';
    if (out->data[out->len - 1] == '.')
        out->data[--out->len] = '\0';
}

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

/* durations: [[H:]M:]S[.frac] */

/* Three digits of a fraction are considered; half a second rounds up. */
static bool parse_fraction(const char *text, bool *round_up)
{
    size_t n = strspn(text, "0123456789");

    *round_up = *text >= '5';
    return n > 0 && !text[n];
}

int duration_parse(const char *text, int64_t *ret_s)
{
    int64_t total = 0;
    bool round_up = false;

    for (int part = 0;; part++) {
        int64_t value = 0;
        size_t n = strspn(text, "0123456789");

        if (n == 0 || part == 3)
            return PBSE_BADATVAL;
        for (; n > 0; n--, text++)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, *text - '0', &value))
                return PBSE_BADATVAL;
        if (__builtin_mul_overflow(total, 60, &total) ||
            __builtin_add_overflow(total, value, &total))
            return PBSE_BADATVAL;
        if (*text != ':')
            break;
        text++;
    }
    if (*text == '.' ? !parse_fraction(text + 1, &round_up) : *text != '\0')
        return PBSE_BADATVAL;
    if (__builtin_add_overflow(total, round_up, &total))
        return PBSE_BADATVAL;
    *ret_s = total;
    return 0;
}

void duration_print(int64_t s, struct buf *out)
{
    buf_printf(out, "%02" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
               (int)(s % 60));
}

DECODER(decode_duration)
{
    int64_t s;
    int err = duration_parse(text, &s);

    return err ? err : set_num(v, s);
}

static void print_duration(const struct attr_value *v, struct buf *out)
{
    duration_print(v->u.num, out);
}

static int add_duration(struct attr_value *v, const struct attr_value *more)
{
    int64_t sum;

    if (__builtin_add_overflow(v->u.num, more->u.num, &sum))
        return PBSE_BADATVAL;
    return set_num(v, sum);
}

/* A duration has no sign, so none can come out. */
static int subtract_duration(struct attr_value *v, const struct attr_value *less)
{
    if (less->u.num > v->u.num)
        return PBSE_BADATVAL;
    return set_num(v, v->u.num - less->u.num);
}

/* hold sets */

static const char hold_letters[] = "soup"; /* order of printing */

DECODER(decode_hold)
{
    int64_t bits = 0;

    if (!*text)
        return PBSE_BADATVAL;
    for (; *text; text++) {
        const char *at = strchr(hold_letters, *text);

        if (*text == 'n')
            bits = 0;
        else if (at)
            bits |= 1 << (at - hold_letters);
        else
            return PBSE_BADATVAL;
    }
    return set_num(v, bits);
}

static void print_hold(const struct attr_value *v, struct buf *out)
{
    if (!v->u.num)
        buf_add_char(out, 'n');
    for (int i = 0; hold_letters[i]; i++)
        if (v->u.num & (1 << i))
            buf_add_char(out, hold_letters[i]);
}

/* vnode states */

DECODER(decode_node_state)
{
    int64_t bits;
    int err = node_state_parse(text, &bits);

    return err ? err : set_num(v, bits);
}

static void print_node_state(const struct attr_value *v, struct buf *out)
{
    node_state_print(v->u.num, out);
}

static int subtract_node_state(struct attr_value *v, const struct attr_value *less)
{
    int64_t gone = less->u.num;

    if (gone & NODE_OFFLINE)
        gone |= NODE_OFFLINE_BY_MOM;
    return set_num(v, v->u.num & ~gone);
}

#define NUMBER_OPS .compare = compare_num, .clear = clear_plain, .copy = copy_plain

const struct attr_type attr_bool = {
    .name = "boolean",
    .wire_type = 11,
    .decode = decode_bool,
    .print = print_bool,
    .add = add_bits,
    .subtract = subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_bool_words = {
    .name = "boolean word",
    .wire_type = 11,
    .decode = decode_bool_words,
    .print = print_bool_words,
    .add = add_bits,
    .subtract = subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_long = {
    .name = "long",
    .wire_type = 1,
    .decode = decode_long,
    .print = print_num,
    .add = add_num,
    .subtract = subtract_num,
    NUMBER_OPS,
};

const struct attr_type attr_time = {
    .name = "time",
    .wire_type = 1,
    .decode = decode_long,
    .print = print_num,
    .add = add_num,
    .subtract = subtract_num,
    NUMBER_OPS,
};

const struct attr_type attr_int64 = {
    .name = "64-bit integer",
    .wire_type = 9,
    .decode = decode_int64,
    .print = print_num,
    .add = add_num,
    .subtract = subtract_num,
    NUMBER_OPS,
};

const struct attr_type attr_duration = {
    .name = "duration",
    .wire_type = 1,
    .decode = decode_duration,
    .print = print_duration,
    .add = add_duration,
    .subtract = subtract_duration,
    NUMBER_OPS,
};

const struct attr_type attr_seconds = {
    .name = "duration in seconds",
    .wire_type = 1,
    .decode = decode_duration,
    .print = print_num,
    .add = add_duration,
    .subtract = subtract_duration,
    NUMBER_OPS,
};

const struct attr_type attr_hold = {
    .name = "hold set",
    .wire_type = 1,
    .decode = decode_hold,
    .print = print_hold,
    .add = add_bits,
    .subtract = subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_node_state = {
    .name = "vnode state",
    .wire_type = 1,
    .decode = decode_node_state,
    .print = print_node_state,
    .add = add_bits,
    .subtract = subtract_node_state,
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
    .clear = clear_plain,
    .copy = copy_plain,
};
