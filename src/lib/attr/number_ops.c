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
    return (a->u.num > b->u.num) - (a->u.num < b->u.num);
}

void number_clear(struct attr_value *v)
{
    *v = (struct attr_value){ 0 };
}

void number_copy(struct attr_value *to, const struct attr_value *from)
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

int number_add(struct attr_value *v, const struct attr_value *more)
{
    return number_set(v, saturated_sum(v->u.num, more->u.num));
}

int number_subtract(struct attr_value *v, const struct attr_value *less)
{
    return number_set(v, saturated_difference(v->u.num, less->u.num));
}

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
    buf_printf(out, "%" PRId64, v->u.num);
}
