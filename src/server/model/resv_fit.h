/* resv_fit.h - may an occurrence be given these vnodes? The server's own judgement of
 * what a scheduler decided, on the model as it is now.
 *
 * A scheduler decides on a snapshot; meanwhile a vnode may have gone, a job may have
 * been started by hand, another reservation may have been confirmed. What no longer
 * holds is refused, and the scheduler looks again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_FIT_H
#define SERVER_MODEL_RESV_FIT_H

#include "server/model/occurrence.h"

struct resv_offer {
    const struct occurrence *occurrence; /* NULL: of a job outside of reservations */
    const struct job *job; /* that job; what it has there already is not in the way */
    const struct exec_vnode *vnodes; /* all of them exist */
    int64_t start_at;
    int64_t end_at;
    int64_t now_at;
    /* Of an alteration of a running one: */
    bool smaller; /* its select shrinks: only what jobs use has to be kept */
    bool away;  /* it is new, and the scheduler knows that vnodes are down or offline */
    bool moves; /* its start moves to the future: nothing has to be kept */
    /* Of a change of several reservations that is made as one: what the others would be
     * given. What they hold now is not in the way, and what they would hold is, while
     * they would hold it. Without vnodes: not known yet. */
    const struct resv_offer *with;
    size_t n_with;
};

/* Name of a vnode that the model does not have; NULL when all are there. */
const char *resv_fit_unknown(const struct model *m, const struct exec_vnode *vnodes);

/* True when the offer may be taken. Otherwise the reason is in the arena:
 * - a vnode offered is not usable; one that is only down or offline may be offered
 *   to what starts after the next retry, by a scheduler that says that it knows;
 * - running: a usable vnode, or one with a job of the reservation, is not kept with all
 *   that is held on it (when it shrinks: with what its jobs use); or a job still runs
 *   on an unusable one;
 * - a vnode would be promised beyond what it has at some instant of the window, or
 *   shared with somebody who has or wants it exclusively. What the reservation holds
 *   already is not asked again. */
bool resv_fit(const struct model *m, const struct resv_offer *offer,
              struct arena *arena, const char **ret_why) MUST_CHECK;

/* True when a job that is in no reservation may start or go on now on these vnodes,
 * which exist: until its walltime is over nothing that it takes is promised to a
 * reservation or held by another job. */
bool resv_fit_job(const struct model *m, const struct job *job,
                  const struct exec_vnode *vnodes, int64_t now_at,
                  struct arena *arena) MUST_CHECK;

/* True when a job of the reservation runs on the vnode. */
bool resv_has_job_on(const struct resv *r, const struct node *n);

/* Is a job of it on a vnode that it holds and that is unusable? Then it is not made
 * anew before that job has ended. */
bool resv_job_is_on_lost(const struct resv *r);

#endif
