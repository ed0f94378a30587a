/* edit.h - a set of attribute changes being put together (attributes.md 2).
 *
 * An edit holds decoded copies of the attributes of one object that a request touches,
 * beside the object, never inside it. When all is well edit_commit() writes the
 * differences into a record; when anything is refused the edit is dropped and nothing
 * has changed. Works for objects that do not exist yet.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_EDIT_H
#define SERVER_DECIDE_EDIT_H

#include "server/decide/request.h"
#include "server/model/job_phase.h"

struct edit {
    const struct attr_table *table;
    const struct resource_defs *defs;
    const struct object *o; /* NULL for a new one */
    struct attr_value *v;   /* one per row; meaningful where touched[] */
    bool *touched;
};

/* The caller ends it with edit_fini() in every case. 'o' may be NULL. */
void edit_init(struct edit *e, const struct model *m, enum obj_kind kind,
               const struct object *o);
void edit_fini(struct edit *e);

/* The value as it would be: the edit's, else the object's, else an unset one. */
const struct attr_value *edit_value(const struct edit *e, int attr);
int64_t edit_num(const struct edit *e, int attr, int64_t unset);
const char *edit_str(const struct edit *e, int attr, const char *unset);

/* One change without any permission check. Refused with the decoder's code; 'why' then
 * names the attribute as wire.md 8.1 says. 'resource' NULL when there is none. */
int edit_set(struct edit *e, int attr, const char *resource, const char *text,
             enum wire_op op, struct diag *why) MUST_CHECK;
void edit_set_num(struct edit *e, int attr, int64_t num);
void edit_set_str(struct edit *e, int attr, const char *text);
void edit_unset(struct edit *e, int attr, const char *resource);

/* Bytes of memory that the attributes will have together, that row not counted (-1:
 * all are). */
size_t edit_bytes(const struct edit *e, int but);

/* Defaults of the table's rows that are still unset. */
void edit_defaults(struct edit *e);

/* A request's attribute list in its order, each with name look-up (15002), write
 * permission (15003; for daemons the entry is skipped instead), a resource list's
 * member (15035; 15014 for a name that none could have, except where a job is altered),
 * its permission (15003, within a select 15108), decoding, operator; an empty value
 * unsets and goes first, and is refused for a resource of a new job or reservation
 * (15014). Then each touched row's own check. */
int edit_list(struct edit *e, const struct wire_attrs *attrs, uint32_t rights,
              struct diag *why) MUST_CHECK;
/* The steps before the rows' checks, and those checks alone. How much a request may say
 * is in lib/attr/bounds.h; beyond it 15014 or 15004 with the reason. */
int edit_list_entries(struct edit *e, const struct wire_attrs *attrs, uint32_t rights,
                      struct diag *why) MUST_CHECK;
/* The same steps for a handler that looks at each entry in its turn, and puts empty
 * values first itself where it wants that: the values of lists are whole only after
 * edit_entries_end(), which ends it in every case. Each returns the first refusal;
 * that a list names something twice (PBSE_DUPLIST) may come at the end. */
struct edit_entries *edit_entries_begin(struct edit *e, uint32_t rights);
int edit_entries_add(struct edit_entries *en, const struct wire_attr *a,
                     struct diag *why) MUST_CHECK;
int edit_entries_end(struct edit_entries *en, struct diag *why) MUST_CHECK;
int edit_check_rows(const struct edit *e, struct diag *why) MUST_CHECK;

/* The changes that an event makes to the edit's job, whose object there must be. */
void edit_job_event(struct edit *e, enum job_event event, int64_t now_at);

/* Append what differs from the object to the record, texts in the arena. True when
 * anything does. */
bool edit_commit(const struct edit *e, struct arena *arena, struct record *rec);

#endif
