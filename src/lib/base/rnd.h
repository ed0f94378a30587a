/* rnd.h - a small seeded generator for tests and the simulator: the same seed gives the
 * same numbers everywhere. Not for secrets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_RND_H
#define LIB_BASE_RND_H

#include "lib/base/base.h"

/* A counter that is mixed: every state is a good one, so any seed will do. */
struct rnd {
    uint64_t state;
};

static inline uint64_t rnd_mixed(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 29)) * 0xa0761d6478bd642fu;
    return x ^ (x >> 32);
}

/* The seed is mixed, too: else the numbers of a seed would be those of the seed before
 * it but for the first one. */
static inline struct rnd rnd_seeded(uint64_t seed)
{
    return (struct rnd){ .state = rnd_mixed(seed + 0x632be59bd9b4e019u) };
}

static inline uint64_t rnd_next(struct rnd *r)
{
    return rnd_mixed(r->state += 0x9e3779b97f4a7c15u);
}

/* A number in low .. high, both possible (low <= high). */
static inline int64_t rnd_range(struct rnd *r, int64_t low, int64_t high)
{
    return low + (int64_t)(rnd_next(r) % (uint64_t)(high - low + 1));
}

/* True so many times out of a hundred. */
static inline bool rnd_percent(struct rnd *r, int percent)
{
    return rnd_range(r, 0, 99) < percent;
}

#endif
