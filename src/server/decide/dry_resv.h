/* dry_resv.h - a reservation as records would make it, for a dry run
 * (doc/design/046-dry-run.md).
 *
 * Nothing of it is in the model: it has copies of the attributes of the reservation
 * that the records are about, with their changes, and a queue of its own where they
 * would make one. What is decided about it becomes records that nobody takes up. An
 * occurrence that comes later can be made likewise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DRY_RESV_H
#define SERVER_DECIDE_DRY_RESV_H

#include "server/decide/edit.h"

struct dry_resv {
    struct resv r;      /* r.stands_for: the one in the model, NULL when it is new */
    struct queue queue; /* of a new one */
    struct edit edit, queue_edit;
};

/* What the records make of the reservation 'id': of 'was', or (NULL) a new one. The
 * lists are gone through in their order; records about other objects are passed over.
 * The caller ends it with dry_resv_fini(); until then neither 'was' nor its attributes
 * change. */
void dry_resv_init(struct dry_resv *d, const struct model *m, const char *id,
                   const struct resv *was, const struct records *const *lists,
                   size_t n_lists, struct arena *arena);
void dry_resv_fini(struct dry_resv *d);

struct dry_later {
    struct occurrence oc; /* of the reservation in the model */
    struct object obj;
    struct edit edit;
};

/* What the records make of an occurrence that comes later; the rest as above. */
void dry_later_init(struct dry_later *d, const struct model *m,
                    const struct occurrence *was, const struct records *const *lists,
                    size_t n_lists, struct arena *arena);
void dry_later_fini(struct dry_later *d);

#endif
