/* node_life.h - the state of a vnode: what its MoM, the network and administrators
 * said of it, and what follows from the jobs and reservations on it.
 *
 * The lasting bits are in the internal attribute hf_state of the vnode; job-busy,
 * job-exclusive and resv-exclusive are derived from the links of the model and never
 * stored. Bit values and words are those of the node-states table (attributes.md 11).
 *
 * After a restart of the server or the loss of its router a vnode is state-unknown, but
 * its last known availability holds (NODE_LAST_KNOWN) until its MoM reports or the node
 * wait ends; only then does it count as unusable.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_NODE_LIFE_H
#define SERVER_MODEL_NODE_LIFE_H

#include "lib/attr/node_state.h"
#include "lib/base/attrs.h"
#include "server/model/model.h"

enum node_bit {
    NODE_DELETED = 0x4,       /* never printed */
    NODE_LAST_KNOWN = 0x8000, /* internal: state-unknown does not count yet */

    NODE_DERIVED = NODE_JOB_BUSY | NODE_JOB_EXCLUSIVE | NODE_RESV_EXCLUSIVE,
    /* Bits that make a vnode unusable for a reservation (reservations.md 12). */
    NODE_UNUSABLE = NODE_OFFLINE | NODE_DOWN | NODE_DELETED | NODE_UNRESOLVABLE |
                    NODE_STALE | NODE_STATE_UNKNOWN | NODE_OFFLINE_BY_MOM |
                    NODE_MAINTENANCE | NODE_SLEEP,
    /* Of them those that say no more than that it is not there today. */
    NODE_AWAY = NODE_OFFLINE | NODE_DOWN | NODE_OFFLINE_BY_MOM,
    /* A vnode that nobody has heard of yet. */
    NODE_INITIAL = NODE_STATE_UNKNOWN | NODE_DOWN,
};

/* How long the last known availability holds after a restart. */
#define NODE_WAIT_S 600

/* The stored bits; NODE_INITIAL when none are stored. */
uint32_t node_state_stored(const struct node *n);

/* Stored and derived bits. Linear in the jobs and reservations on the vnode. */
uint32_t node_state(const struct node *n);

/* False when a stored bit of NODE_UNUSABLE is set. state-unknown alone does not count
 * while the last known availability holds. */
bool node_is_usable(const struct node *n);
bool node_bits_usable(uint32_t bits);

/* False when its MoM is down, or unknown and nothing is known that might still hold. */
bool node_may_be_reached(const struct node *n);

/* After a restart vnodes are unknown until their MoMs have reported: true while some of
 * them are. Linear in the vnodes. */
bool nodes_are_awaited(const struct model *m);

/* "free", or the words in table order joined by ','. In the arena or constant. */
const char *node_state_text(uint32_t bits, struct arena *arena);

/* What a manager's change of 'state' makes of the stored bits: SET replaces the
 * settable ones, INCR and DECR change them. Refusals: 15067, 15068. */
int node_state_change(uint32_t stored, const char *text, enum wire_op op, uint32_t *ret,
                      struct diag *why) MUST_CHECK;

/* The vnode's MoM: the first host of Mom (without a domain: as stored), its service
 * port. The TPP address of the MoM is host:port+1. */
const char *node_mom_host(const struct node *n);
uint32_t node_mom_port(const struct node *n);

/* The resources_available.host of a vnode that nobody has said another one of: its
 * MoM's host without the domain; an address stays whole. In the arena. */
const char *node_default_host(const char *mom_host, struct arena *arena);

/* The natural vnode of the vnode's MoM: the first one known for that host and port,
 * whatever its name (attributes.md 11). */
const struct node *node_natural(const struct node *n);

#endif
