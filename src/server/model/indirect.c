/* indirect.c - see indirect.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/indirect.h"

#include <string.h>
#include <strings.h>

const char *node_reference(const struct attr_value *references, const char *resource)
{
    size_t len = strlen(resource);

    for (size_t i = 0; references->set && i < references->u.list.n; i++) {
        const char *member = references->u.list.v[i];

        /* The character behind the name tells a whole name from the beginning of a
         * longer one. */
        if (strncasecmp(member, resource, len) == 0 && member[len] == '=')
            return member + len + 1;
    }
    return NULL;
}

const char *node_reference_at(const struct attr_value *references, size_t i,
                              struct arena *arena, const char **ret_vnode)
{
    const char *member;
    size_t len;

    if (!references->set || i >= references->u.list.n)
        return NULL;
    member = references->u.list.v[i];
    len = strcspn(member, "=");
    /* Clients see a reference as "@vnode" in the place of the value. */
    *ret_vnode = arena_printf(arena, "@%s", member + len + (member[len] == '='));
    return arena_strndup(arena, member, len);
}

const struct node *node_home(const struct node *n, const char *resource)
{
    /* A vnode borrows few resources, mostly none. */
    for (size_t i = 0; i < n->n_borrowed; i++)
        if (strcasecmp(n->borrowed[i].resource, resource) == 0)
            return n->borrowed[i].home;
    return n;
}

bool node_shares(const struct node *n, const char *resource)
{
    if (node_home(n, resource) != n)
        return true;
    /* A vnode that lends the resource shares it with those who borrow. */
    for (size_t i = 0; i < n->n_referrers; i++)
        if (node_home(n->referrers[i], resource) == n)
            return true;
    return false;
}

int64_t bookings_at_home(const struct bookings *list, const struct node *home,
                         const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < list->n; i++)
        if (node_home(list->v[i].node, resource) == home)
            sum += resources_amount(&list->v[i].amount, resource, 0);
    return sum;
}

int64_t offer_at_home(const struct model *m, const struct exec_vnode *offer,
                      const struct node *home, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < offer->n; i++)
        for (size_t k = 0; k < offer->chunks[i].n; k++) {
            const struct vnode_part *share = &offer->chunks[i].parts[k];
            const struct node *n = model_node(m, share->vnode);

            if (n && node_home(n, resource) == home &&
                /* The amounts are a scheduler's or an administrator's numbers. A sum
                 * that is too large fits nowhere. */
                __builtin_add_overflow(sum, vnode_part_amount(share, resource), &sum))
                return INT64_MAX;
        }
    return sum;
}

struct claims claims_at_home(const struct node *home, const char *resource,
                             const struct occurrence *own, struct window window,
                             int64_t now_at, struct arena *arena)
{
    struct claims all = claims_on(home, own, window, now_at, arena);

    /* What is claimed of the resource at any vnode that borrows it is claimed at the
     * home. */
    for (size_t i = 0; i < home->n_referrers; i++) {
        const struct node *n = home->referrers[i];

        if (node_home(n, resource) == home) {
            struct claims more = claims_on(n, own, window, now_at, arena);

            claims_join(&all, &more, arena);
        }
    }
    return all;
}
