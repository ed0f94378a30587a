/* attrs.h - the attribute list that every request and status reply carries (wire.md 6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ATTRS_H
#define LIB_BASE_ATTRS_H

#include "lib/base/arena.h"

/* Operators as they travel (wire.md 1). */
enum wire_op {
    WIRE_OP_SET = 0,
    WIRE_OP_UNSET = 1,
    WIRE_OP_INCR = 2,
    WIRE_OP_DECR = 3,
    WIRE_OP_EQ = 4,
    WIRE_OP_NE = 5,
    WIRE_OP_GE = 6,
    WIRE_OP_GT = 7,
    WIRE_OP_LE = 8,
    WIRE_OP_LT = 9,
    WIRE_OP_DFLT = 10,
};

/* One entry. Texts live in the arena of the message. */
struct wire_attr {
    const char *name;     /* never NULL */
    const char *resource; /* NULL when the entry has none */
    const char *value;    /* never NULL, may be empty */
    uint32_t op;          /* enum wire_op; unknown numbers are kept as received */
};

/* Order is significant and kept. */
struct wire_attrs {
    size_t n;
    size_t cap; /* private to wire_attrs_add() */
    struct wire_attr *v;
};

/* Append one entry. The texts are not copied: they must live as long as the list. */
void wire_attrs_add(struct wire_attrs *list, struct arena *arena, const char *name,
                    const char *resource, const char *value, uint32_t op);

/* The first entry of that name (case-insensitive) and resource (NULL: any), or NULL. */
const struct wire_attr *wire_attrs_find(const struct wire_attrs *list, const char *name,
                                        const char *resource);

/* Its value, or NULL. */
const char *wire_attrs_value(const struct wire_attrs *list, const char *name,
                             const char *resource);

#endif
