/* batch_sum.h - what a batch comes to: each object and each attribute once.
 *
 * The records of a batch follow one another; a store that writes sets of rows needs to
 * know what is different after all of them. Contradictions inside a batch (a change
 * after a removal) are found here; what it demands of the stored objects is 'needed'
 * and 'made', and the store checks that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_BATCH_SUM_H
#define LIB_STORE_BATCH_SUM_H

#include "lib/store/store.h"

struct net_object {
    const char *kind, *id;
    /* Of 'made' only: the record that made it, and the values that it has after the
     * whole batch; those that it has not are NULL. */
    uint64_t seq;
    size_t n;
    const struct store_change *values;
};

struct net_value {
    const char *kind, *id, *attr, *resource;
    const char *value; /* NULL: it has it no more */
};

/* In the order in which the batch first spoke of each. */
struct net {
    size_t n_needed, n_gone, n_made, n_set;
    struct net_object *needed; /* must exist, and stay */
    struct net_object *gone;   /* must exist, and go with their attributes */
    struct net_object *made;   /* must not exist once 'gone' have gone */
    struct net_value *set;     /* of those that are needed */
};

/* Texts are the batch's, everything else is in the arena. PBSE_INTERNAL when the batch
 * contradicts itself. */
int net_of(const struct store_batch *batch, struct arena *arena, struct net *ret,
           struct diag *why) MUST_CHECK;

#endif
