/* node_indirect.h - setting and ending references: "resources_available.sz = @other"
 * (attributes.md 6.4; what they mean is in model/indirect.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_NODE_INDIRECT_H
#define SERVER_REQUESTS_NODE_INDIRECT_H

#include "server/model/indirect.h"
#include "server/requests/manager.h"

/* Take references out of a list of changes and put them into the edit; a plain value,
 * or none, ends a reference. 'rest' gets the other changes. 15062, 15067, 15112, 15113;
 * 15027 for taking away what another vnode refers to. */
int node_take_references(struct manager *g, const struct object *o, struct edit *e,
                         const struct wire_attrs *changes,
                         struct wire_attrs *rest) MUST_CHECK;

/* A record of the vnode, which refers with that resource, without the reference. */
struct record *node_forget_reference(struct manager *g, const struct object *o,
                                     const char *resource);

#endif
