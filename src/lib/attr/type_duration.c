/* type_duration.c - durations: [[H:]M:]S[.frac], kept in seconds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/number_ops.h"

#include <inttypes.h>
#include <string.h>

/* Read a fraction of a second; half a second and more rounds up. */
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

        /* There are three parts at most: a colon never parts days from hours. */
        if (n == 0 || part == 3)
            return PBSE_BADATVAL;
        for (; n > 0; n--, text++)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, *text - '0', &value))
                return PBSE_BADATVAL;
        /* Every further part makes those before it 60 times as much. Minutes and
         * seconds above 59 are taken: "90:00" is an hour and a half. */
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
    uint64_t left = s < 0 ? 0 - (uint64_t)s : (uint64_t)s;

    if (s < 0)
        buf_add_char(out, '-');
    /* There are no days: hours grow beyond two digits. */
    buf_add_uint(out, left / 3600, 2);
    buf_add_char(out, ':');
    buf_add_uint(out, left / 60 % 60, 2);
    buf_add_char(out, ':');
    buf_add_uint(out, left % 60, 2);
}

DECODER(decode_duration)
{
    int64_t s;
    int err = duration_parse(text, &s);

    return err ? err : number_set(v, s);
}

static void print_duration(const struct attr_value *v, struct buf *out)
{
    duration_print(v->u.num, out);
}

/* A sum beyond the range is refused, unlike that of plain numbers, which stay at its
 * end (number_add()). */
static int add_duration(struct attr_value *v, const struct attr_value *more)
{
    int64_t sum;

    if (__builtin_add_overflow(v->u.num, more->u.num, &sum))
        return PBSE_BADATVAL;
    return number_set(v, sum);
}

/* A duration has no sign, so a difference below 0 is refused. */
static int subtract_duration(struct attr_value *v, const struct attr_value *less)
{
    if (less->u.num > v->u.num)
        return PBSE_BADATVAL;
    return number_set(v, v->u.num - less->u.num);
}

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
    /* This type takes the same texts, and prints the number of seconds. */
    .name = "duration in seconds",
    .wire_type = 1,
    .decode = decode_duration,
    .print = number_print,
    .add = add_duration,
    .subtract = subtract_duration,
    NUMBER_OPS,
};
