/* number_ops.h - what the types whose value is one integer have in common.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_NUMBER_OPS_H
#define LIB_ATTR_NUMBER_OPS_H

#include "lib/attr/value.h"

/* The head of a decoder that needs neither definitions nor the name of a resource. */
#define DECODER(name)                                                                  \
    static int name(struct attr_value *v, const struct resource_defs *defs UNUSED,     \
                    const char *resource UNUSED, const char *text)

/* Set the value; returns 0. */
int number_set(struct attr_value *v, int64_t num);

/* What types of numbers have in common in their rows (attr_type of value.h): order,
 * the value when unset, a copy, and the decimal text. */
int number_compare(const struct attr_value *a, const struct attr_value *b);
void number_clear(struct attr_value *v);
void number_copy(struct attr_value *to, const struct attr_value *from);
void number_print(const struct attr_value *v, struct buf *out);

/* Sum and difference; one beyond the range becomes the end of the range. */
int number_add(struct attr_value *v, const struct attr_value *more);
int number_subtract(struct attr_value *v, const struct attr_value *less);

/* The same of sets of bits: all bits of both, and the bits that are not in 'less'. */
int number_add_bits(struct attr_value *v, const struct attr_value *more);
int number_subtract_bits(struct attr_value *v, const struct attr_value *less);

#define NUMBER_OPS .compare = number_compare, .clear = number_clear, .copy = number_copy

#endif
