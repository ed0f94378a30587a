/* changes.h - which objects look different since a record, and which have gone.
 *
 * A scheduler that keeps what it was shown asks only for the rest (doc/design/042).
 * Every kind has a list of its objects in the order in which they last looked new, so
 * an answer costs what changed and not what exists. Of the objects that have gone, the
 * last CHANGES_MAX_GONE are remembered. Nothing is kept for each of those who ask.
 *
 * This is derived and lasts as long as the process: a model that is loaded remembers
 * nothing that went before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_CHANGES_H
#define SERVER_MODEL_CHANGES_H

#include "server/model/model.h"

#define CHANGES_MAX_GONE 16384

struct changes;

/* The writers are model_apply() and looks_new(). */
struct changes *changes_new(void);
void changes_free(struct changes *c);

/* A new object enters its list; one that is removed, or becomes history, at record
 * 'seq' leaves it, and vnodes, queues, reservations and jobs are remembered. One that
 * is not in its list stays outside. */
void changes_add(struct changes *c, struct object *o);
void changes_remove(struct changes *c, struct object *o, uint64_t seq);
/* The same without being remembered: what was loaded was never shown. */
void changes_drop(struct changes *c, struct object *o);
/* The object becomes the one that changed last, if it is in its list. */
void changes_move(struct changes *c, struct object *o);
/* What went at 'seq' or before is not known. */
void changes_forget(struct changes *c, uint64_t seq);

/* True when somebody who has seen everything up to record 'since' can be told the
 * rest: nothing that went after it is forgotten, resources are defined as they were,
 * and the record has been. */
bool changes_are_known(const struct model *m, uint64_t since);

/* Do more than 'most' objects of a kind look different since that record? Time: as many
 * steps. */
bool changes_are_more(const struct model *m, enum obj_kind kind, uint64_t since,
                      size_t most);

/* The objects of a kind that look different since that record, in order of creation: an
 * array in 'arena', of pointers that hold until the next record. 0 asks for all. */
const struct object **changes_since(const struct model *m, enum obj_kind kind,
                                    uint64_t since, struct arena *arena, size_t *ret_n);

/* The ids that went since that record, oldest first, in 'arena'. One that was created
 * again is among them. */
const char **changes_gone(const struct model *m, enum obj_kind kind, uint64_t since,
                          struct arena *arena, size_t *ret_n);

/* Assert that the lists have every object once, in the order of shown_seq. */
void changes_check(const struct model *m);

#endif
