/* node_indirect.h - resources of a vnode that are those of another one:
 * "resources_available.sz = @other" (attributes.md 6.4).
 *
 * References are kept beside the values, as "resource=vnode" in hf_indirect: the value
 * of a typed resource has no room for them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_NODE_INDIRECT_H
#define SERVER_REQUESTS_NODE_INDIRECT_H

#include "server/requests/manager.h"

/* The vnode that a resource of this one refers to, NULL when it is the vnode's own.
 * 'references' is the value of hf_indirect. */
const char *node_reference(const struct attr_value *references, const char *resource);

/* The i-th reference as "@vnode" with the name of its resource; NULL behind the last.
 */
const char *node_reference_at(const struct attr_value *references, size_t i,
                              struct arena *arena, const char **ret_vnode);

/* Take references out of a list of changes and put them into the edit; a plain value,
 * or none, ends a reference. 'rest' gets the other changes. 15062, 15067, 15112, 15113;
 * 15027 for taking away what another vnode refers to. */
int node_take_references(struct manager *g, const struct object *o, struct edit *e,
                         const struct wire_attrs *changes,
                         struct wire_attrs *rest) MUST_CHECK;

/* A record of the vnode, which refers with that resource, without the reference. */
struct record *node_forget_reference(struct manager *g, const struct object *o,
                                     const char *resource);

/* True when some vnode refers to a resource of that one. */
bool node_is_referred_to(const struct model *m, const char *vnode);

#endif
