/* array_ends.h - how the subjobs of an array ended: ranges of places with equal
 * outcomes (doc/design/010-jobs.md).
 *
 * An array whose subjobs all end well has one range, however many they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_ARRAY_ENDS_H
#define SERVER_MODEL_ARRAY_ENDS_H

#include "lib/attr/indices.h"

/* Exit_status of a subjob that never ran. */
#define ARRAY_END_NO_STATUS INT32_MIN

struct array_end {
    uint32_t first, last; /* places */
    int32_t exit_status;
    uint16_t substate; /* 91 terminated, 92 finished, 93 failed */
    uint16_t run_count;
};

/* A zeroed struct is empty. */
struct array_ends {
    size_t n, cap;
    struct array_end *v; /* by place */
    size_t n_places;
};

/* Free it, or make *ret, which is overwritten, a copy with memory of its own. */
void array_ends_fini(struct array_ends *ends);
void array_ends_copy(struct array_ends *ret, const struct array_ends *from);

/* Read what array_ends_print() wrote, "0-3:92:0:1,7:91::0". False, and 'ends' is empty,
 * when it is nothing that could have been written of that range. */
bool array_ends_read(struct array_ends *ends, const struct index_range *range,
                     const char *text) MUST_CHECK;
void array_ends_print(const struct array_ends *ends, const struct index_range *range,
                      struct buf *out);

/* The range that the place is in, NULL when its subjob is not over. */
const struct array_end *array_ends_find(const struct array_ends *ends, size_t place);

/* Add places that are not in yet. Time: linear in the ranges behind them. */
void array_ends_add(struct array_ends *ends, const struct array_end *how);

/* The same of all members of the set that are not in yet, of which 'how' says the
 * outcome. Time: linear in the ranges of both. */
void array_ends_add_all(struct array_ends *ends, const struct index_set *places,
                        const struct array_end *how);

#endif
