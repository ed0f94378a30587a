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
    /* What is due by the executor's own clock, and when that is next (INT64_MAX:
     * never). Called before the core's, so that an end on time comes before a limit.
     * NULL: it hears of everything by itself. */
    void (*tick)(void *self, int64_t now_at, struct mom_out *out);
    int64_t (*next_deadline)(const void *self);
};

static inline bool executor_has(enum mom_effect_kind kind)
{
    return kind >= MOM_STORE && kind <= MOM_DROP;
}

#endif
