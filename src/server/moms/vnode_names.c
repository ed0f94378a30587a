/* vnode_names.c - finding an entry of a MoM's list by its name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/vnode_report.h"

#include <string.h>

struct vnode_name {
    const struct is_vnode *vn;
    UT_hash_handle hh;
};

void vnode_names_add(struct vnode_name **names, const struct is_state *state,
                     struct arena *arena)
{
    for (size_t i = 0; i < state->n_vnodes; i++) {
        const struct is_vnode *vn = &state->vnodes[i];
        size_t len = strlen(vn->name);
        struct vnode_name *x;

        HASH_FIND(hh, *names, vn->name, len, x);
        if (x)
            continue;
        x = ARENA_NEW(arena, struct vnode_name);
        x->vn = vn;
        HASH_ADD_KEYPTR(hh, *names, vn->name, len, x);
    }
}

const struct is_vnode *vnode_names_find(const struct vnode_name *names,
                                        const char *name)
{
    struct vnode_name *x;

    HASH_FIND(hh, names, name, strlen(name), x);
    return x ? x->vn : NULL;
}

void vnode_names_clear(struct vnode_name **names)
{
    /* The entries are the arena's. */
    HASH_CLEAR(hh, *names);
}
