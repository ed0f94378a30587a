/* list_edit.h - a list of texts that several operations change, sorted once.
 *
 * A request may name the same list in thousands of entries with = += -=. A list edit
 * only gathers what they say; list_edit_end() carries all of it out together. The
 * result is the same as if each operation had been carried out by itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_LIST_EDIT_H
#define LIB_ATTR_LIST_EDIT_H

#include "lib/attr/value.h"

/* One member, as it came. */
struct list_part {
    char *text;
    size_t at;   /* its place in the order of arrival */
    size_t when; /* number of the operation that brought it */
    bool less;   /* it takes an equal one away */
    bool gone;   /* it was taken away */
};

/* How the members of a type of lists are ordered: a comparison for qsort() of
 * 'struct list_part *', which tells equal ones apart by 'at'. NULL: in the order of
 * arrival. A list that has an order holds no text twice. */
struct list_kind {
    int (*by_order)(const void *a, const void *b);
};

struct list_edit;

/* Begin with the members of *v, which is left unset; 'type' has a list kind. */
struct list_edit *list_edit_begin(const struct attr_type *type, struct attr_value *v);

/* The operation number 'when' (they only rise) with a decoded value of the same type,
 * whose members go over to the edit. WIRE_OP_DECR takes away, for each member the first
 * equal one; WIRE_OP_INCR adds; all others replace what was there. */
void list_edit_apply(struct list_edit *l, struct attr_value *other, enum wire_op op,
                     size_t when);

/* Carry everything out and end the edit: 0, and the list is in *v, which was unset.
 * PBSE_DUPLIST when an operation brought a text that was there already; *when (may be
 * NULL) is the number of the first such operation then, and *v is as it was before
 * list_edit_begin(). Time: n log n for n members in all operations. */
int list_edit_end(struct list_edit *l, struct attr_value *v, size_t *when) MUST_CHECK;

#endif
