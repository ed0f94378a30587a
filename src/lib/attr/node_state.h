/* node_state.h - the bits of a vnode's state (attributes.md 11, wire.md 1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_NODE_STATE_H
#define LIB_ATTR_NODE_STATE_H

#include "lib/base/buf.h"

enum node_state {
    NODE_FREE = 0,
    NODE_OFFLINE = 0x1,
    NODE_DOWN = 0x2,
    NODE_UNRESOLVABLE = 0x8,
    NODE_JOB_BUSY = 0x10,
    NODE_STALE = 0x20,
    NODE_JOB_EXCLUSIVE = 0x40,
    NODE_BUSY = 0x80,
    NODE_STATE_UNKNOWN = 0x100,
    NODE_INITIALIZING = 0x400, /* never printed */
    NODE_PROVISIONING = 0x800,
    NODE_WAIT_PROVISIONING = 0x1000,
    NODE_RESV_EXCLUSIVE = 0x2000,
    NODE_OFFLINE_BY_MOM = 0x4000, /* printed as offline */
    NODE_MAINTENANCE = 0x20000,
    NODE_SLEEP = 0x40000,
    /* what a 'set node' may name */
    NODE_SETTABLE = NODE_OFFLINE | NODE_OFFLINE_BY_MOM | NODE_DOWN | NODE_SLEEP,
};

/* Append the names joined by ",", "free" when none is visible. */
void node_state_print(int64_t state, struct buf *out);

/* Names joined by ",", in any case. PBSE_BADNDATVAL for an unknown one, PBSE_MUTUALEX
 * for free with another. */
int node_state_parse(const char *text, int64_t *ret) MUST_CHECK;

#endif
