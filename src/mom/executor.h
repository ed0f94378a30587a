/* executor.h - who carries out what the core wants to happen to jobs.
 *
 * The core says what shall happen (MOM_STORE to MOM_DROP of mom.h) and hears what
 * became of it through the functions of mom.h that answer. Whether there are processes
 * and files behind that is the executor's business: one has those of this host
 * (shell/host.h), one pretends (mock/mock.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_EXECUTOR_H
#define MOM_EXECUTOR_H

#include "mom/mom.h"

struct executor {
    void *self;
    /* Carry out one effect about a job. Answers may come at once: they add to 'out',
     * and what they add is carried out in turn by the caller. */
    void (*carry_out)(void *self, int64_t now_at, const struct mom_effect *e,
                      struct mom_out *out);
    /* What is due by the executor's own clock, a slice of it in each turn, and when
     * that is next (INT64_MAX: never). NULL: it hears of everything by itself. */
    void (*tick)(void *self, int64_t now_at, struct mom_out *out);
    int64_t (*next_deadline)(const void *self);
};

/* A turn of the clock. The executor comes first, so that an end on time comes before a
 * limit: the core's clock waits until nothing is due to the executor any more. */
static inline void executor_turn(const struct executor *x, struct mom *m,
                                 int64_t now_at, struct mom_out *out)
{
    if (x->tick)
        x->tick(x->self, now_at, out);
    if (!x->next_deadline || x->next_deadline(x->self) > now_at)
        mom_tick(m, now_at, out);
}

static inline bool executor_has(enum mom_effect_kind kind)
{
    return kind >= MOM_STORE && kind <= MOM_DROP;
}

#endif
