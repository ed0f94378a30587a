/* model_priv.h - what the files of the model share; nobody else includes it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_MODEL_PRIV_H
#define SERVER_MODEL_MODEL_PRIV_H

#include "server/model/changes.h"
#include "server/model/model.h"

/* Links of one object: taken away before it changes, made again afterwards. Sums follow
 * the links. */
void link_object(struct model *m, struct object *o);
void unlink_object(struct model *m, struct object *o);

/* A value of the job's took 'before' bytes and takes 'after' bytes now. */
void job_takes_bytes(struct model *m, struct job *j, size_t before, size_t after);

/* It is out of the tables: nobody borrows from it any more. */
void node_removed(struct model *m, struct node *n);

/* It is out of the tables: nobody waits for it. */
void job_removed(struct job *j);

/* It is out of the tables: its later occurrences are without it. */
void resv_removed(struct model *m, struct resv *r);

/* Free what a vnode borrows; it is unlinked or going. */
void node_drop_borrowed(struct node *n);

/* A status may show something else of the object from this record on. */
static inline void looks_new(const struct model *m, struct object *o)
{
    o->shown_seq = m->seq;
    changes_move(m->changes, o);
}

/* The object's links move: whoever shows something of it looks new (edges.h). Before
 * they are taken away, and after they were made again. */
void ends_look_new(struct model *m, const struct object *o);

/* Lookup for writers. */
struct object *find_object(const struct model *m, enum obj_kind kind, const char *id);

#endif
