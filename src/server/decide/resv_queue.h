/* resv_queue.h - the queue of a reservation (reservations.md 6): made and ended in the
 * same decision as its reservation, by records in the name of the server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_QUEUE_H
#define SERVER_DECIDE_RESV_QUEUE_H

#include "server/decide/edit.h"

/* Would the queue take these lists of users, groups and hosts: 15055 if one names
 * somebody twice. 'resv' is the reservation to be. */
int resv_queue_check(const struct model *m, const struct edit *resv,
                     struct arena *arena, struct diag *why) MUST_CHECK;

/* Append the record that makes the queue, disabled and stopped. */
void resv_queue_create(const struct model *m, const struct request *rq,
                       const struct edit *resv, const char *name, struct decision *out);

/* A record about the queue of 'r' to which the caller adds changes; NULL when it has no
 * queue. With REASON_RESV_KEEPS the log tells of it, with REASON_NONE it does not. */
struct record *resv_queue_record(const struct model *m, const struct resv *r,
                                 enum fact fact, enum reason reason, int64_t now_at,
                                 struct decision *out);

/* Append a record that switches the queue; nothing when it is so already. */
void resv_queue_switch(const struct model *m, const struct resv *r, bool enabled,
                       bool started, enum reason reason, int64_t now_at,
                       struct decision *out);

/* Append a record that closes the queue of a reservation that 'actor' ends. */
void resv_queue_close(const struct model *m, const struct resv *r, const char *actor,
                      int64_t now_at, struct decision *out);

/* Append a record that makes the queue follow a change of its reservation: lists of
 * users and groups as far as 'resv' touches them, and the limits. Nothing when all is
 * so already. */
void resv_queue_follow(const struct model *m, const struct resv *r,
                       const struct edit *resv, int64_t now_at, struct decision *out);

#endif
