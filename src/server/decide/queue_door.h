/* queue_door.h - the door of a queue: which jobs of whom it takes (attributes.md 9).
 *
 * Asked when a job comes in, and when the server itself moves one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_QUEUE_DOOR_H
#define SERVER_DECIDE_QUEUE_DOOR_H

#include "server/decide/request.h"

/* Under which account a job runs, and what else a queue looks at. */
struct job_account {
    const char *user;
    const char *group;          /* of execution */
    struct wire_strings groups; /* all of the user's, the primary one first */
    /* The host that the request comes from, where the owner's is another; NULL: nobody
     * else's counts. */
    const char *from_host;
    const char *indices; /* of an array that comes in, else NULL */
};

/* Checks 3 to 9: is the queue open to this job and its owner? The owner is the
 * requester of 'rq'. Managers pass 7 to 9. */
int queue_lets_in(const struct request *rq, const struct queue *q,
                  const struct job_account *acct, struct diag *why) MUST_CHECK;

/* Checks 7 to 9 alone: may this owner use the queue by way of a routing queue? */
int queue_takes_routed(const struct request *rq, const struct queue *q,
                       const struct job_account *acct, struct diag *why) MUST_CHECK;

/* Checks 5 to 9 alone: may this owner use the queue at all, whether or not it is open
 * and has room now? */
int queue_takes_owner(const struct request *rq, const struct queue *q,
                      const struct job_account *acct, struct diag *why) MUST_CHECK;

/* Check 5 alone, of an array with these indices; NULL: it is none. The server's limit
 * was kept when it was submitted. 15107. */
int queue_takes_size(const struct queue *q, const char *indices,
                     struct diag *why) MUST_CHECK;

/* Check 4 alone, which another job may make fail before this one is committed. 15046.
 */
int queue_has_room(const struct queue *q, struct diag *why) MUST_CHECK;
/* Is there room for another job when 'n' more have come? */
bool queue_has_room_after(const struct queue *q, size_t n);

/* Check 13: resources_min of the queue, resources_max of the queue, else of the server.
 * 15036. */
int job_keeps_limits(const struct model *m, const struct queue *q,
                     const struct resources *asked, struct diag *why) MUST_CHECK;

#endif
