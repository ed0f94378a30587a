/* dis_float.c - DIS floating point: a coefficient and a power of ten (wire.md 2.3).
 *
 * Both directions go through decimal text: the C library rounds correctly there, and no
 * decimal point is ever written or read, so the locale does not matter.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/dis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KEPT   40   /* digits of a coefficient that can matter to a double */
#define MOST_DIGITS 9999 /* digits accepted at all */
#define EXACT       60   /* digits asked from the C library before rounding half up */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The count in front of a coefficient's sign. Unlike an integer's it may be large. */
static enum dis_error get_count(struct dis_in *in, size_t *ret, bool *ret_minus)
{
    size_t count = 1;

    for (int level = 0; level < 4; level++) {
        size_t value = 0;

        if (in->at == in->end)
            return DIS_EOD;
        if (*in->at == '+' || *in->at == '-') {
            *ret_minus = *in->at++ == '-';
            *ret = count;
            return DIS_OK;
        }
        if (*in->at == '0')
            return DIS_LEADING_ZERO;
        for (size_t i = 0; i < count; i++, in->at++) {
            if (in->at == in->end)
                return DIS_EOD;
            if (!is_digit(*in->at))
                return DIS_NON_DIGIT;
            value = value * 10 + (size_t)(*in->at - '0');
            if (value > MOST_DIGITS)
                return DIS_OVERFLOW;
        }
        count = value;
    }
    return DIS_OVERFLOW;
}

/* The coefficient's text with its sign; digits beyond MOST_KEPT are counted in
 * *ret_dropped and move the exponent instead. */
static enum dis_error get_coefficient(struct dis_in *in, char text[MOST_KEPT + 2],
                                      size_t *ret_dropped)
{
    size_t count, kept;
    bool minus;
    enum dis_error e = get_count(in, &count, &minus);

    if (e)
        return e;
    if (count > (size_t)(in->end - in->at))
        return DIS_EOD;
    for (size_t i = 0; i < count; i++)
        if (!is_digit(in->at[i]))
            return DIS_NON_DIGIT;
    if (count > 1 && *in->at == '0')
        return DIS_LEADING_ZERO;
    kept = MIN_OF(count, (size_t)MOST_KEPT);
    MUST(kept <= MOST_KEPT);
    text[0] = minus ? '-' : '+';
    memcpy(text + 1, in->at, kept);
    text[1 + kept] = '\0';
    in->at += count;
    *ret_dropped = count - kept;
    return DIS_OK;
}

enum dis_error dis_get_double(struct dis_in *in, double *ret)
{
    struct dis_in ahead = *in;
    char coefficient[MOST_KEPT + 2];
    char text[MOST_KEPT + 32];
    size_t dropped;
    int32_t exponent;
    double value;
    enum dis_error e = get_coefficient(&ahead, coefficient, &dropped);

    if (!e)
        e = dis_get_int(&ahead, &exponent);
    if (e)
        return e;
    snprintf(text, sizeof(text), "%se%lld", coefficient,
             (long long)exponent + (long long)dropped);
    value = strtod(text, NULL);
    if (isinf(value))
        return DIS_OVERFLOW;
    in->at = ahead.at;
    *ret = value;
    return DIS_OK;
}

/* Add one to the last of 'n' decimal digits; true when all were nines: the digits are
 * then 1 0 0 ... and stand for ten times as much. */
static bool increment(char *digits, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        if (digits[i] < '9') {
            digits[i]++;
            return false;
        }
        digits[i] = '0';
    }
    digits[0] = '1';
    return true;
}

/* "d.ddd...e+xx" of the C library into bare digits and the exponent of the first. */
static int split(double value, char digits[EXACT + 1])
{
    char text[EXACT + 32];
    char *at = text;
    int n = 0;

    snprintf(text, sizeof(text), "%.*e", EXACT - 1, fabs(value));
    for (; *at && *at != 'e'; at++)
        if (is_digit(*at) && n < EXACT)
            digits[n++] = *at;
    MUST(n == EXACT); /* the C library was asked for so many digits */
    digits[n] = '\0';
    return *at ? atoi(at + 1) : 0;
}

static void put_digits(struct buf *out, bool minus, const char *digits, int n)
{
    struct buf count = { 0 };

    if (n > 1) {
        dis_put_uint(&count, (uint64_t)n);
        /* a count travels like a number, but the sign after it is the value's */
        for (size_t i = 0; i < count.len; i++)
            if (count.data[i] != '+')
                buf_add_char(out, count.data[i]);
    }
    buf_add_char(out, minus ? '-' : '+');
    buf_add(out, digits, (size_t)n);
    buf_fini(&count);
}

enum dis_error dis_put_double(struct buf *out, double value, int digits_kept)
{
    char digits[EXACT + 1];
    int exponent, n = MIN_OF(MAX_OF(digits_kept, 1), 18);

    if (!isfinite(value))
        return DIS_HUGE;
    if (value == 0) {
        buf_add_str(out, "+0+0");
        return DIS_OK;
    }
    MUST(n > 0 && n < EXACT); /* digits[n] is the first one that is dropped */
    exponent = split(value, digits);
    if (digits[n] >= '5' && increment(digits, n))
        exponent++;
    exponent -= n - 1;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
        exponent++;
    }
    put_digits(out, value < 0, digits, n);
    dis_put_int(out, exponent);
    return DIS_OK;
}
