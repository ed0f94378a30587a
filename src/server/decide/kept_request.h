/* kept_request.h - a long request that is carried out whole, whatever happens to the
 * server (doc/design/006).
 *
 * Each slice of a long request is a fact of its own. Where some objects changed and
 * others not would be wrong, the first slice that changes anything keeps the request as
 * an object (OBJ_REQUEST), and each later one its place, in the transaction with what
 * the slice has changed. From then on the request is carried out to its end with the
 * rights that its user had, also if these are taken away, the store is lost or the
 * server is about to end. A server that starts and finds such an object goes on behind
 * that place. The engine removes the object in the turn that ends the request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_KEPT_REQUEST_H
#define SERVER_DECIDE_KEPT_REQUEST_H

#include "server/decide/request.h"

/* For the handler of a parked request, in each slice that decides and is not its last
 * one: the objects that were made up to the record 'place' (those from it on, where it
 * goes backwards) have had their turn. */
void kept_request_note(const struct model *m, const struct request *rq,
                       struct decision *out, uint64_t place);

/* The object of a request of which something is fact, NULL while there is none. */
const struct object *kept_request_find(const struct model *m, const struct progress *p);

/* What such an object says; only what kept_request_read() was content with. */
uint64_t kept_request_place(const struct object *o);
uint32_t kept_request_rights(const struct object *o);

/* Read one that the store has given back: the request and who asked for it, without a
 * connection, in the arena. False: it cannot be read, 'why' says what is wrong. */
bool kept_request_read(const struct object *o, struct arena *arena,
                       struct wire_request *ret_wire, struct requester *ret_who,
                       struct diag *why) MUST_CHECK;

#endif
