/* indirect.h - resources of a vnode that are those of another one (attributes.md 6.4).
 *
 * "resources_available.sz = @other" is kept in hf_indirect as "sz=other". What anybody
 * holds of such a resource is counted at the other vnode, its home, and has room as
 * long as the home has: the home and all that refer to it share one amount.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_INDIRECT_H
#define SERVER_MODEL_INDIRECT_H

#include "server/model/resv_claims.h"

/* The vnode that a resource of this one refers to, NULL when it is the vnode's own.
 * 'references' is the value of hf_indirect. */
const char *node_reference(const struct attr_value *references, const char *resource);

/* The i-th reference as "@vnode" with the name of its resource; NULL behind the last.
 */
const char *node_reference_at(const struct attr_value *references, size_t i,
                              struct arena *arena, const char **ret_vnode);

/* Where the resource of the vnode is: itself, or the vnode that it refers to. */
const struct node *node_home(const struct node *n, const char *resource);

/* True when more vnodes than this one draw on what its home has of the resource. */
bool node_shares(const struct node *n, const char *resource);

/* What these hold of the resource at its home, through whichever vnode. */
int64_t bookings_at_home(const struct bookings *list, const struct node *home,
                         const char *resource);
int64_t offer_at_home(const struct model *m, const struct exec_vnode *offer,
                      const struct node *home, const char *resource);

/* Claims on the resource at its home, through whichever vnode; else as claims_on(). */
struct claims claims_at_home(const struct node *home, const char *resource,
                             const struct occurrence *own, struct window window,
                             int64_t now_at, struct arena *arena);

#endif
