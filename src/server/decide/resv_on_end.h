/* resv_on_end.h - what becomes of the jobs of a reservation when its end comes: the
 * attributes on_end and on_end_queue, and the server's resv_default_on_end
 * (doc/design/045-on-end.md).
 *
 * A deletion is no end: who deletes a reservation deletes its jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_ON_END_H
#define SERVER_DECIDE_RESV_ON_END_H

#include "server/decide/edit.h"

enum on_end {
    ON_END_KILL,
    ON_END_REQUEUE, /* jobs go back to a queue; those that run are ended first */
    ON_END_HOLD,    /* the same, and they are held there */
    ON_END_EXTEND,  /* it extends itself as long as it can, then they are killed */
    ON_END_COUNT,
};

/* May the edit of a reservation of 'owner' ("user@host", with the account 'user') have
 * the on_end_queue that it sets? 15018 for no such queue, 15029 for a routing queue,
 * 15014 for the queue of a reservation, and those of queue_takes_owner() for one that
 * the owner may not use; NEEDED. */
int resv_on_end_check(const struct model *m, const struct request *rq,
                      const struct edit *e, const char *owner, const char *user,
                      struct diag *why) MUST_CHECK;

/* What an end that comes now does to the jobs; extending is over then. */
enum on_end resv_on_end(const struct model *m, const struct resv *r);

/* Does it extend itself at its end because on_end, its own or the default, says so? */
bool resv_on_end_extends(const struct model *m, const struct resv *r);

/* The same of the end that goes on, as it was when it began: what is set later is for a
 * later end. ON_END_KILL when none goes on. */
enum on_end resv_on_end_now(const struct resv *r);

/* Add to a record with which an end begins what the end does; to one with which it is
 * over, or with which somebody deletes the reservation, ON_END_KILL. */
void resv_record_on_end(struct record *rec, struct arena *arena, enum on_end what);

/* Why nothing may be put into that queue at an end, whoever's it is: the code and words
 * of resv_on_end_check(); 0: it may. */
int on_end_queue_check(const struct queue *q, struct diag *why) MUST_CHECK;

#endif
