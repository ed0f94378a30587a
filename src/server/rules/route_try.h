/* route_try.h - what the rules of routing queues share: may a job be sent on, and where
 * would it go now (doc/design/060-routing.md)?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_RULES_ROUTE_TRY_H
#define SERVER_RULES_ROUTE_TRY_H

#include "server/decide/route.h"
#include "server/rules/rule.h"

/* Is it its queue's to send it on? Subjobs go with their array, and one that has begun
 * goes nowhere; a job that leaves for another server is that server's until it says
 * otherwise. */
bool job_is_routed(const struct job *job);

/* Do its holds, its time and its queue let it go now? */
bool job_may_be_routed(const struct job *job, int64_t now_at, struct arena *arena);

/* A judgement of such a job as it is now. */
struct route_try {
    struct edit now, there;
    struct route_choice choice;
    enum route_verdict verdict;
};
/* False: something has to be found out first, and there is nothing to end. */
bool route_try_begin(const struct rule_context *c, const struct job *job,
                     struct route_try *ret);
void route_try_end(struct route_try *t);

/* When a queue whose jobs were tried tries them again. */
int64_t queue_retries_at(const struct queue *q, int64_t now_at);

/* Another server has taken a job of the queue's that was sent there (which is still in
 * the model): it may take more, and some of those that wait are tried. */
void route_goes_on(const struct rule_context *c, const struct job *taken,
                   struct decision *out);

#endif
