/* preempt_method.h - the ways in which a job is made to leave its vnodes for another
 * one (scheduling.md 22.3): suspend, checkpoint, requeue, delete.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_PREEMPT_METHOD_H
#define SERVER_REQUESTS_PREEMPT_METHOD_H

#include "lib/attr/preempt.h"
#include "server/decide/request.h"

/* Begin it: append the records with which the job is asked to leave. A code when that
 * method is none for the job as it is; nothing is appended then. */
int preempt_begin(char method, const struct model *m, const struct request *rq,
                  const struct job *job, struct decision *out) MUST_CHECK;

/* What the log calls it. */
const char *preempt_method_name(char method);

/* The methods of a preempt_order for this job, by what it has left of its time. */
struct preempt_methods preempt_methods_of(const char *order, const struct job *job,
                                          int64_t now_at);

/* What has become of a job that was to leave. */
enum preempt_state {
    PREEMPT_STAYS,   /* it has its vnodes, and nothing is under way */
    PREEMPT_LEAVING, /* it was asked to leave, by whomever, or its run is just over */
    PREEMPT_LEFT,    /* others may have its vnodes */
};

/* PREEMPT_LEFT: *ret_letter is what the reply calls it, "S", "C", "Q" or "D". 'job'
 * NULL: it is unknown. */
enum preempt_state preempt_look(const struct job *job, const char **ret_letter);

#endif
