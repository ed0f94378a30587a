/* clock.h - virtual time: what will happen, in the order in which it happens.
 *
 * Time is counted in milliseconds since the epoch and jumps from event to event. Events
 * of the same instant happen in the order in which they were posted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CLOCK_H
#define TEST_SIM_CLOCK_H

#include "lib/base/base.h"

struct sim;

typedef void (*event_fn)(struct sim *s, void *arg);
typedef void (*event_drop_fn)(void *arg);

struct event {
    int64_t at_ms;
    uint64_t order;
    event_fn fn;
    event_drop_fn drop; /* ends 'arg' after fn, or when the run ends before; or NULL */
    void *arg;
};

/* A heap, the soonest first. */
struct clock {
    int64_t now_ms;
    uint64_t order;
    size_t n;
    size_t cap;
    struct event *heap;
};

void clock_fini(struct clock *c);
void clock_post(struct clock *c, int64_t at_ms, event_fn fn, void *arg,
                event_drop_fn drop);
/* When the next event happens; INT64_MAX: there is none. */
int64_t clock_next_ms(const struct clock *c);
/* Move to the next event and carry it out. */
void clock_step(struct clock *c, struct sim *s);

#endif
