/* acts.h - carrying out what a decision asks for (decide/act.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_ACTS_H
#define SERVER_ENGINE_ACTS_H

#include "server/engine/svr_priv.h"

struct act_row {
    const char *name;
    bool answers;       /* the act sees to the answer, the decision has no reply */
    bool parks;         /* the request is not over: its handler is asked again */
    bool needs_store;   /* what it leads to can only come with a change */
    bool after_refusal; /* carried out also when the request is refused */
    /* May refuse the request before anything has become a fact: a PBSE code. NULL: the
     * act is always possible. */
    int (*may)(const struct turn *t, const struct request *rq, const struct act *a);
    /* Returns what becomes of the request by it; SVR_ANSWERED when the act changes
     * nothing about that. NULL only in rows that park. */
    enum svr_outcome (*carry_out)(struct turn *t, const struct request *rq,
                                  const struct act *a);
};
const struct act_row *act_row(enum act_kind kind);

/* Does the decision have an act of that kind of rows? */
bool acts_answer(const struct decision *d);
bool acts_park(const struct decision *d);
bool acts_need_store(const struct decision *d);

/* 0, or the code with which an act refuses the request. */
int acts_may(const struct turn *t, const struct request *rq, const struct decision *d);

/* The reply to the parked request waits for the jobs of an ACT_WAIT_JOBS, too, when it
 * is decided. */
void acts_gather(struct turn *t, struct parked *p, const struct request *rq,
                 const struct act *a);

/* Carry out the acts of a decision that was granted, of one that was refused. Returns
 * what becomes of the request: at most one act has something to say about it. */
enum svr_outcome acts_carry_out(struct turn *t, const struct request *rq,
                                const struct decision *d);
enum svr_outcome acts_after_refusal(struct turn *t, const struct request *rq,
                                    const struct decision *d);

#endif
