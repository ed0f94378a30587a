/* link_depend.c - a job and the jobs that it waits for (depend.h).
 *
 * The links are the waiting job's: they are made and taken away with it. What others
 * wait for is their end, so they lead to jobs that are over as well; those that are
 * over lead to nobody.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/depend.h"
#include "server/model/history.h"
#include "server/model/link_priv.h"

#include <stdlib.h>

static bool is_parent(const struct job *j, const struct job *parent)
{
    for (size_t i = 0; i < j->n_parents; i++)
        if (j->parents[i] == parent)
            return true;
    return false;
}

static void add_parent(struct model *m, struct job *j, struct job *parent)
{
    if (parent == j || is_parent(j, parent))
        return;
    j->parents = array_insert(j->parents, &j->n_parents, parent, j->n_parents);
    parent->children =
        array_insert(parent->children, &parent->n_children, j,
                     place_of_job(parent->children, parent->n_children, j));
    /* The first one that waits keeps it from being forgotten. */
    if (parent->n_children == 1)
        history_is_awaited(m, parent, true);
}

void link_depend(struct model *m, struct job *j)
{
    const char *text = obj_str(&j->obj, JOB_A_DEPEND, NULL);
    struct depend_list list;

    if (!text)
        return;
    arena_clear(m->scratch);
    if (!depend_parse(text, m->scratch, &list))
        return;
    for (size_t i = 0; i < list.n; i++) {
        bool here = list.v[i].job && !depend_is_remote(m, &list.v[i]);
        struct object *o = here ? find_object(m, OBJ_JOB, list.v[i].job) : NULL;

        if (o)
            add_parent(m, j, STRUCT_OF(o, struct job, obj));
    }
}

static void drop_child(struct model *m, struct job *parent, const struct job *child)
{
    parent->children = array_remove(parent->children, &parent->n_children, child);
    if (parent->n_children == 0)
        history_is_awaited(m, parent, false);
}

void unlink_depend(struct model *m, struct job *j)
{
    for (size_t i = 0; i < j->n_parents; i++)
        drop_child(m, j->parents[i], j);
    free(j->parents);
    j->parents = NULL;
    j->n_parents = 0;
}

/* It is out of the tables: nobody can wait for it any more. */
void job_removed(struct job *j)
{
    for (size_t i = 0; i < j->n_children; i++) {
        struct job *child = j->children[i];

        child->parents = array_remove(child->parents, &child->n_parents, j);
    }
    free(j->children);
    j->children = NULL;
    j->n_children = 0;
}
