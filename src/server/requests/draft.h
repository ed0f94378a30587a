/* draft.h - an object's attributes while a request that sets them is being decided.
 *
 * Attributes that came over the wire are decoded into a copy, one by one and in order
 * (attributes.md 2); the first failure is the answer, with the offending name in its
 * text. What the copy then holds becomes the changes of one record.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_DRAFT_H
#define SERVER_REQUESTS_DRAFT_H

#include "server/requests/request.h"

struct draft {
    const struct attr_table *table;
    const struct resource_defs *defs;
    struct arena *arena;
    struct attr_value *value; /* one per row; memory outside the arena: draft_fini() */
    bool *touched;            /* one per row: set or unset here */
};

/* Empty, or a copy of an object's attributes when 'from' is not NULL. */
void draft_init(struct draft *d, const struct attr_table *table, const struct model *m,
                const struct object *from, struct arena *arena);
void draft_fini(struct draft *d);

/* Steps 1 to 4 for one entry: 15002, 15003, 15014, 15035 ... with the name appended.
 * 'rights' are enum attr_who bits. */
int draft_take(struct draft *d, const struct wire_attr *a, uint32_t rights,
               struct diag *why) MUST_CHECK;

/* The value checks of every touched row (step 5): errors carry no name. */
int draft_check(const struct draft *d, struct diag *why) MUST_CHECK;

/* Our own settings: must succeed, a text that does not decode is our mistake. */
void draft_set(struct draft *d, int attr, const char *resource, const char *text);
void draft_set_num(struct draft *d, int attr, int64_t value);
void draft_unset(struct draft *d, int attr, const char *resource);

bool draft_is_set(const struct draft *d, int attr);
const char *draft_str(const struct draft *d, int attr, const char *unset);
int64_t draft_num(const struct draft *d, int attr, int64_t unset);
struct resources *draft_resources(struct draft *d, int attr);

/* Add to 'rec' one change for every touched value, resource lists by member. Texts are
 * in the draft's arena. */
void draft_record(const struct draft *d, struct record *rec);

/* code text, blank, name[.resource]: the text that names an attribute (wire.md 8.1).
 * Codes found inside a select come with their text and keep it. */
int attr_refuse(struct diag *why, int code, const char *name, const char *resource);

#endif
