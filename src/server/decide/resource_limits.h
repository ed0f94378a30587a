/* resource_limits.h - amounts that are asked for, held against limits
 * (attributes.md 9, check 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESOURCE_LIMITS_H
#define SERVER_DECIDE_RESOURCE_LIMITS_H

#include "server/model/model.h"

enum limit_side {
    LIMIT_LEAST = -1,
    LIMIT_MOST = 1
};

/* True when an amount that is asked for lies beyond its limit of that list: below a
 * least one, or above a most. Limits of resources that 'skip' (may be NULL) has too do
 * not count. select, place and nodes are no amounts. */
bool resource_limits_broken(const struct resources *limits,
                            const struct resources *skip, const struct resources *asked,
                            enum limit_side side);

#endif
