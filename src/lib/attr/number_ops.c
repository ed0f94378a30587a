/* number_ops.c - see number_ops.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/number_ops.h"

#include <inttypes.h>

int number_set(struct attr_value *v, int64_t num)
{
    v->u.num = num;
    v->set = true;
    return 0;
}

int number_compare(const struct attr_value *a, const struct attr_value *b)
{
    /* A difference of two numbers may overflow, their comparisons cannot. */
    return (a->u.num > b->u.num) - (a->u.num < b->u.num);
}

void number_clear(struct attr_value *v)
{
    /* A number owns no memory: to clear it and to copy it are assignments. */
    *v = (struct attr_value){ 0 };
}

void number_copy(struct attr_value *to, const struct attr_value *from)
{
    *to = *from;
}

/* A sum beyond the range stays at its end. Users write any 64-bit number, and += must
 * not turn a very large limit into a negative one. */
static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;

    /* Only a negative number leads out of the range downwards. */
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

int number_add(struct attr_value *v, const struct attr_value *more)
{
    return number_set(v, saturated_sum(v->u.num, more->u.num));
}

int number_subtract(struct attr_value *v, const struct attr_value *less)
{
    return number_set(v, saturated_difference(v->u.num, less->u.num));
}

/* For a mask, += sets the bits that are named and -= clears them; the others stay. */
int number_add_bits(struct attr_value *v, const struct attr_value *more)
{
    return number_set(v, v->u.num | more->u.num);
}

int number_subtract_bits(struct attr_value *v, const struct attr_value *less)
{
    return number_set(v, v->u.num & ~less->u.num);
}

void number_print(const struct attr_value *v, struct buf *out)
{
    if (v->u.num < 0)
        buf_add_char(out, '-');
    /* The smallest number has no positive one of its own type. */
    buf_add_uint(out, v->u.num < 0 ? 0 - (uint64_t)v->u.num : (uint64_t)v->u.num, 1);
}
