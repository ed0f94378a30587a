/* link_references.c - resources that a vnode borrows from another one (indirect.h).
 *
 * What is on a vnode is taken off the sums before its references change, and counted
 * again afterwards, since it is summed where the references point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Count what is counted on the vnode, on or off. */
static void node_count(const struct model *m, const struct node *n, int sign)
{
    for (size_t i = 0; i < n->n_occurrences + n->n_jobs; i++) {
        const struct occurrence *oc = i < n->n_occurrences ? n->occurrences[i] : NULL;
        const struct job *j = oc ? NULL : n->jobs[i - n->n_occurrences];
        const struct bookings *list = oc ? &oc->bookings : &j->bookings;

        /* Only what is counted in the sums moves with the reference. */
        if (oc ? !oc->counted : !j->counted_in_vnodes)
            continue;
        for (size_t k = 0; k < list->n; k++)
            if (list->v[k].node == n)
                booking_count(m, &list->v[k], sign);
    }
}

static void borrow(struct node *n, const char *resource, size_t len, struct node *home)
{
    n->borrowed = xrealloc(n->borrowed, (n->n_borrowed + 1) * sizeof(*n->borrowed));
    n->borrowed[n->n_borrowed++] =
        (struct borrowed){ .resource = xstrndup(resource, len), .home = home };
}

void node_drop_borrowed(struct node *n)
{
    for (size_t i = 0; i < n->n_borrowed; i++)
        free(n->borrowed[i].resource);
    free(n->borrowed);
    n->borrowed = NULL;
    n->n_borrowed = 0;
}

static void lend(struct model *m, struct node *n, const char *reference)
{
    size_t len = strcspn(reference, "=");
    struct object *o =
        find_object(m, OBJ_NODE, reference + len + (reference[len] != 0));
    struct node *home = o ? STRUCT_OF(o, struct node, obj) : NULL;

    if (!home) {
        /* The home may be loaded later; adopt_references() makes the link then. */
        n->n_dangling++;
        m->n_dangling++;
        return;
    }
    /* A home knows each of them once. */
    home->referrers = array_remove(home->referrers, &home->n_referrers, n);
    home->referrers =
        array_insert(home->referrers, &home->n_referrers, n, home->n_referrers);
    borrow(n, reference, len, home);
}

void link_references(struct model *m, struct node *n)
{
    const struct attr_value *v = obj_attr(&n->obj, NODE_A_HF_INDIRECT);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        lend(m, n, v->u.list.v[i]);
    node_count(m, n, 1);
}

void unlink_references(struct model *m, struct node *n)
{
    /* The sums go while the references still say where they are. */
    node_count(m, n, -1);
    for (size_t i = 0; i < n->n_borrowed; i++) {
        struct node *home = n->borrowed[i].home;

        home->referrers = array_remove(home->referrers, &home->n_referrers, n);
    }
    node_drop_borrowed(n);
    m->n_dangling -= n->n_dangling;
    n->n_dangling = 0;
}

/* A new vnode may be one that others refer to already. */
void adopt_references(struct model *m)
{
    struct object *o;

    if (m->n_dangling == 0)
        return;
    DL_FOREACH (m->kinds[OBJ_NODE].first, o) {
        struct node *n = STRUCT_OF(o, struct node, obj);

        if (n->n_dangling == 0)
            continue;
        /* All references of the vnode are made again: a single one cannot be added
         * below sums that are counted. */
        unlink_references(m, n);
        link_references(m, n);
    }
}

void node_removed(struct model *m, struct node *n)
{
    /* Each turn takes one borrower off the list, for the vnode cannot be found any
     * more. */
    while (n->n_referrers > 0) {
        struct node *borrower = n->referrers[0];

        unlink_references(m, borrower);
        link_references(m, borrower);
    }
}
