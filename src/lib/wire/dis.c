/* dis.c - DIS integers and strings.
 *
 * An integer is sign and digits; more than one digit are announced by their count in
 * front of the sign, and so on. The reader never trusts a count further than the bytes
 * that are present and the digits the type can hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/dis.h"

#include <string.h>

#define MOST_LEVELS 30 /* of counts of counts */
#define MOST_DIGITS 20 /* of a 64-bit number */

const char *dis_error_text(enum dis_error e)
{
    static const char *const texts[] = {
        [DIS_OK] = "No error",
        [DIS_OVERFLOW] = "Input value too large to convert to this type",
        [DIS_HUGE] = "Tried to write floating point infinity",
        [DIS_BAD_SIGN] = "Negative sign on an unsigned datum",
        [DIS_LEADING_ZERO] = "Input count or value has leading zero",
        [DIS_NON_DIGIT] = "Non-digit found where a digit was expected",
        [DIS_NULL_STRING] = "Input string has an embedded ASCII NUL",
        [DIS_EOD] = "Premature end of message",
        [DIS_NO_MEMORY] = "Unable to malloc enough space for string",
        [DIS_PROTOCOL] = "Supporting protocol failure",
        [DIS_NO_COMMIT] = "Protocol failure in commit",
        [DIS_EOF] = "End of File",
    };

    /* The texts are those of PBS, which old clients print as they are (wire.md 2). */
    return (unsigned)e < ARRAY_LEN(texts) ? texts[e] : "";
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next 'count' digits as one number. */
static enum dis_error get_digits(struct dis_in *in, size_t count, uint64_t *ret)
{
    uint64_t value = 0;

    /* Refused before the digits are read: the bytes may hold millions of them. */
    if (count > MOST_DIGITS)
        return DIS_OVERFLOW;
    for (size_t i = 0; i < count; i++, in->at++) {
        if (in->at == in->end)
            return DIS_EOD;
        if (!is_digit(*in->at))
            return DIS_NON_DIGIT;
        if (i == 0 && *in->at == '0' && count > 1)
            return DIS_LEADING_ZERO;
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*in->at - '0'), &value))
            return DIS_OVERFLOW;
    }
    *ret = value;
    return DIS_OK;
}

/* Read up to the sign and past it, and say how many digits follow. Each count is the
 * number of digits of the next one; the last one is that of the value. */
static enum dis_error get_count(struct dis_in *in, size_t *ret_count, bool *ret_minus)
{
    uint64_t count = 1;

    for (int level = 0; level <= MOST_LEVELS; level++) {
        enum dis_error e;

        if (in->at == in->end)
            return DIS_EOD;
        if (*in->at == '+' || *in->at == '-') {
            *ret_minus = *in->at++ == '-';
            *ret_count = (size_t)count;
            return DIS_OK;
        }
        /* A count of 0 digits has no number behind it. */
        if (*in->at == '0')
            return DIS_LEADING_ZERO;
        e = get_digits(in, (size_t)count, &count);
        if (e)
            return e;
    }
    return DIS_PROTOCOL;
}

static enum dis_error get_number(struct dis_in *in, uint64_t *ret, bool *ret_minus)
{
    size_t count;
    enum dis_error e = get_count(in, &count, ret_minus);

    return e ? e : get_digits(in, count, ret);
}

/* Nearly every number of a message looks like "+7" or "3+123". What is not one of these
 * to the last byte is left to the general reader, errors too; nine digits fit every
 * type. */
static inline bool get_short(struct dis_in *in, uint64_t *ret)
{
    const char *at = in->at;
    size_t left = (size_t)(in->end - at), count;
    uint64_t value = 0;

    if (left >= 2 && at[0] == '+' && is_digit(at[1])) {
        *ret = (uint64_t)(at[1] - '0');
        in->at = at + 2;
        return true;
    }
    if (left < 4 || at[0] < '2' || at[0] > '9' || at[1] != '+' || at[2] == '0')
        return false;
    count = (size_t)(at[0] - '0');
    if (left < 2 + count)
        return false;
    for (at += 2; count > 0; count--, at++) {
        if (!is_digit(*at))
            return false;
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *ret = value;
    in->at = at;
    return true;
}

static enum dis_error get_unsigned(struct dis_in *in, uint64_t max, uint64_t *ret)
{
    struct dis_in ahead = *in;
    uint64_t value;
    bool minus;
    size_t count;
    enum dis_error e = get_count(&ahead, &count, &minus);

    /* The sign is judged before the digits, so that "-0" is refused, too. */
    if (!e && minus)
        e = DIS_BAD_SIGN;
    if (!e)
        e = get_digits(&ahead, count, &value);
    if (!e && value > max)
        e = DIS_OVERFLOW;
    if (e)
        return e;
    in->at = ahead.at;
    *ret = value;
    return DIS_OK;
}

/* The range is wider by one below zero. The value is negated as unsigned, since the
 * lowest number has no positive counterpart. */
static enum dis_error get_signed(struct dis_in *in, int64_t max, int64_t *ret)
{
    struct dis_in ahead = *in;
    uint64_t value;
    bool minus;
    enum dis_error e = get_number(&ahead, &value, &minus);

    if (!e && value > (uint64_t)max + (minus ? 1 : 0))
        e = DIS_OVERFLOW;
    if (e)
        return e;
    in->at = ahead.at;
    *ret = minus ? (int64_t)(0 - value) : (int64_t)value;
    return DIS_OK;
}

enum dis_error dis_get_uint(struct dis_in *in, uint32_t *ret)
{
    uint64_t value;
    enum dis_error e = DIS_OK;

    if (!get_short(in, &value))
        e = get_unsigned(in, UINT32_MAX, &value);
    if (!e)
        *ret = (uint32_t)value;
    return e;
}

enum dis_error dis_get_ulong(struct dis_in *in, uint64_t *ret)
{
    return get_short(in, ret) ? DIS_OK : get_unsigned(in, UINT64_MAX, ret);
}

enum dis_error dis_get_int(struct dis_in *in, int32_t *ret)
{
    uint64_t few;
    int64_t value;
    enum dis_error e;

    if (get_short(in, &few)) {
        *ret = (int32_t)few;
        return DIS_OK;
    }
    e = get_signed(in, INT32_MAX, &value);
    if (!e)
        *ret = (int32_t)value;
    return e;
}

enum dis_error dis_get_long(struct dis_in *in, int64_t *ret)
{
    return get_signed(in, INT64_MAX, ret);
}

/* Find counted bytes where they lie in the message, without a copy. 'max' 0: no limit
 * but the end of the message. */
static inline enum dis_error view_bytes(struct dis_in *in, size_t max, const char **ret,
                                        size_t *ret_len)
{
    const char *start = in->at;
    uint32_t len;
    enum dis_error e = dis_get_uint(in, &len);

    if (!e && max > 0 && len > max)
        e = DIS_OVERFLOW;
    if (!e && len > (size_t)(in->end - in->at))
        e = DIS_EOD;
    if (e) {
        in->at = start;
        return e;
    }
    *ret = in->at;
    *ret_len = len;
    in->at += len;
    return DIS_OK;
}

/* The same for a text: a NUL within would hide what comes behind it. */
static inline enum dis_error view_string(struct dis_in *in, size_t max,
                                         const char **ret, size_t *ret_len)
{
    const char *start = in->at;
    enum dis_error e = view_bytes(in, max, ret, ret_len);

    if (!e && memchr(*ret, '\0', *ret_len)) {
        in->at = start;
        e = DIS_NULL_STRING;
    }
    return e;
}

/* An empty text takes no memory. */
static inline const char *text_of(struct arena *arena, const char *p, size_t len)
{
    return len > 0 ? arena_text(arena, p, len) : "";
}

enum dis_error dis_get_bytes(struct dis_in *in, size_t max, const char **ret,
                             size_t *ret_len)
{
    const char *p;
    enum dis_error e = view_bytes(in, max, &p, ret_len);

    if (!e)
        *ret = text_of(in->arena, p, *ret_len);
    return e;
}

enum dis_error dis_get_string(struct dis_in *in, size_t max, const char **ret)
{
    const char *p;
    size_t len;
    enum dis_error e = view_string(in, max, &p, &len);

    if (!e)
        *ret = text_of(in->arena, p, len);
    return e;
}

enum dis_error dis_skip_string(struct dis_in *in, size_t max, size_t *ret_len)
{
    const char *p;

    return view_string(in, max, &p, ret_len);
}

/* A number is written backwards: its digits, the sign, then the count of these digits,
 * the count of that count, until a count has one digit. */
static void put_number(struct buf *out, uint64_t value, char sign)
{
    char text[MOST_DIGITS + 8];
    char *at = text + sizeof(text);
    size_t count;

    for (;;) {
        char *end = at;

        do {
            *--at = (char)('0' + value % 10);
            value /= 10;
        } while (value > 0);
        count = (size_t)(end - at);
        if (sign)
            *--at = sign;
        sign = '\0';
        if (count == 1)
            break;
        value = count;
    }
    /* Twenty digits, the sign, "20" and "2" need 24 of the 28 bytes. */
    MUST(at >= text);
    buf_add(out, at, (size_t)(text + sizeof(text) - at));
}

void dis_put_uint(struct buf *out, uint64_t value)
{
    put_number(out, value, '+');
}

void dis_put_int(struct buf *out, int64_t value)
{
    if (value < 0)
        put_number(out, 0 - (uint64_t)value, '-');
    else
        put_number(out, (uint64_t)value, '+');
}

void dis_put_bytes(struct buf *out, const void *p, size_t len)
{
    dis_put_uint(out, len);
    buf_add(out, p, len);
}

void dis_put_string(struct buf *out, const char *s)
{
    dis_put_bytes(out, s ? s : "", s ? strlen(s) : 0);
}
