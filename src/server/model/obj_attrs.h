/* obj_attrs.h - the attribute values of an object, where only those that have been set
 * take memory.
 *
 * A job has some 150 attributes and sets 30 of them. A byte for each row says where its
 * value is, among pieces of a few values each, which never move: who points to a value
 * may do so as long as the object is there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_OBJ_ATTRS_H
#define SERVER_MODEL_OBJ_ATTRS_H

#include "lib/attr/value.h"

#define OBJ_ATTRS_PIECE 8 /* values */
#define OBJ_ATTRS_MAX   255

struct obj_attrs {
    uint8_t *place; /* [row] 1 and the place of its value; 0: it was never set */
    uint8_t n;      /* places in use */
    struct attr_value **pieces;
};

extern const struct attr_value obj_attrs_unset;

static inline struct attr_value *obj_attrs_at(const struct obj_attrs *a, size_t row)
{
    size_t at = (size_t)a->place[row] - 1;

    return &a->pieces[at / OBJ_ATTRS_PIECE][at % OBJ_ATTRS_PIECE];
}

/* The value of a row; one that is not set when it never was. */
static inline const struct attr_value *obj_attrs_get(const struct obj_attrs *a,
                                                     size_t row)
{
    return a->place[row] ? obj_attrs_at(a, row) : &obj_attrs_unset;
}

/* Ready for so many rows. The owner clears the values before obj_attrs_fini(). */
void obj_attrs_init(struct obj_attrs *a, size_t n_rows);
void obj_attrs_fini(struct obj_attrs *a);

/* The value of a row, to be written. */
struct attr_value *obj_attrs_put(struct obj_attrs *a, size_t row);

/* A copy in the arena that may be written without touching the other one; what its
 * values point to is the other's. No value of it is ever cleared. */
struct obj_attrs obj_attrs_view(const struct obj_attrs *from, size_t n_rows,
                                struct arena *arena);
/* One without values. */
struct obj_attrs obj_attrs_blank(size_t n_rows, struct arena *arena);
/* Write a value of such a copy. */
void obj_attrs_view_put(struct obj_attrs *view, size_t row, struct attr_value value,
                        struct arena *arena);

#endif
