/* claims_over.h - when more of a resource is claimed than there is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_CLAIMS_OVER_H
#define SERVER_MODEL_CLAIMS_OVER_H

#include "server/model/resv_claims.h"

struct spans {
    size_t n, cap;
    struct window *v; /* rising; none touches the next one */
};

/* The parts of the window in which the claims on the resource add up to more than
 * 'left'. Cost: n log n of the claims. */
struct spans claims_over(const struct claims *list, const char *resource, int64_t left,
                         struct window window, struct arena *arena);

/* Does [start_at, end_at) meet one of them? Cost: log n of the spans. */
bool spans_meet(const struct spans *spans, int64_t start_at, int64_t end_at);

#endif
