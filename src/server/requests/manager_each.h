/* manager_each.h - a Manager request about many objects: all vnodes, those of a host,
 * all queues. It takes several turns when it is long (doc/design/006).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_MANAGER_EACH_H
#define SERVER_REQUESTS_MANAGER_EACH_H

#include "server/requests/manager.h"

/* What is done to each of them. */
struct manager_each {
    enum obj_kind kind;
    bool backwards;   /* from the youngest to the oldest */
    bool tries_first; /* as long as one refuses, none is changed */
    size_t cost;      /* of one, in the units of request_slice_cost() */
    /* One object: 0 or why it refuses, a code with g->out->why. Without 'decides' it is
     * only tried, and nothing is put into the decision. */
    int (*one)(struct manager *g, const struct object *o, bool decides);
    /* Would the others say the same? Then it is the refusal of the request. May be
     * NULL: none is. Asked while the objects are tried. */
    bool (*is_for_all)(int code);
    /* Lines of the log: behind the first object that was changed, and when all have had
     * their turn. Both may be NULL. */
    void (*begins)(struct manager *g);
    void (*ends)(struct manager *g);
};

/* All objects of the kind, or the vnodes of a host, which may be gone in later slices.
 * What is refused is told in a reply with 15069 and the names in order of creation;
 * with 'tries_first' it refuses the request, unless the object has changed its mind
 * between two turns. Once one is changed the others have their turn whatever happens.
 * 0, or a refusal. */
int manager_each(struct manager *g, const struct manager_each *what, const char *host);

#endif
