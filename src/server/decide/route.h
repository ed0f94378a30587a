/* route.h - where a job of a routing queue goes (attributes.md 12).
 *
 * The destinations are tried in the order of route_destinations, and the first that
 * takes the job has it. A queue takes it by the checks of attributes.md 9 for a routed
 * job, which are asked with the rights of the job's owner; the job is judged with the
 * defaults that it would have there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_ROUTE_H
#define SERVER_DECIDE_ROUTE_H

#include "server/decide/edit.h"
#include "server/decide/queue_door.h"

enum route_verdict {
    ROUTE_TAKEN,
    ROUTE_AWAY,  /* another server is to be asked */
    ROUTE_LATER, /* a destination refuses it now and may take it later */
    ROUTE_NEVER, /* every destination refuses it for good */
};

struct route_job {
    const struct model *m;
    const struct request *rq; /* asks as the job's owner */
    const struct edit *job;   /* as it is in the routing queue */
    const struct job_account *acct;
    const struct queue *from;
};

/* Does the queue route jobs? One that is stopped does too, later. */
bool queue_is_routing(const struct queue *q);

/* Would the queue route a job with these holds (text of Hold_Types), which waits until
 * 'execution_at' (0: for nothing), now? */
bool queue_routes_now(const struct queue *q, const char *holds, int64_t execution_at,
                      int64_t now_at);

/* Where it goes: the queue of ROUTE_TAKEN, the destination of ROUTE_AWAY. */
struct route_choice {
    const struct queue *queue;
    const char *away;
};

/* The judgement. When it is ROUTE_TAKEN, 'to' holds the job with all that changes for
 * it there; the caller ends it with edit_fini(). Else 'to' is left alone. Servers that
 * have refused the job in this round (route_away.h) are not asked again. Time: linear
 * in the number of destinations. */
enum route_verdict route_judge(const struct route_job *r, struct edit *to,
                               struct route_choice *ret);

/* Is that a refusal that may be otherwise another time? */
bool route_refused_for_now(int code);

/* The queue of this server that a destination names, "q" or "q@server"; NULL. */
const struct queue *route_queue(const struct model *m, const char *destination,
                                struct arena *arena);

/* The job of the edit comes into that queue: what it is told of it. Its request is the
 * caller's to renew. */
void job_comes_into(struct edit *job, const struct queue *q, int64_t now_at);

#endif
