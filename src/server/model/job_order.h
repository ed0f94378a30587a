/* job_order.h - the order in which jobs are listed: by queue_rank, and those of one
 * rank by their creation (cli.md 4.2).
 *
 * Jobs that live have an order, those that are over have one, and each queue has that
 * of its jobs, so that a list costs what it lists. A job that changes otherwise than in
 * its rank keeps its place; qorder moves it. Who goes through jobs in slices has a walk
 * (job_walk.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_ORDER_H
#define SERVER_MODEL_JOB_ORDER_H

#include "server/model/model.h"

/* Where the job stands; it is linked. */
static inline struct rank_place job_order_place(const struct job *j)
{
    return j->in_order.place;
}

/* The first job behind a place, among those that live or (past) among all; NULL: there
 * is none. */
const struct job *job_order_behind(const struct model *m, struct rank_place place,
                                   bool past);

/* For those who make links: the job stands where its attributes say, among those that
 * live or not (j->past), wherever it stood before; it is in neither order. The latter
 * before j->past changes, too. */
void job_order_enter(struct model *m, struct job *j);
void job_order_leave(struct model *m, struct job *j);

/* For model_check(): the same jobs in the same order, and each list as it has to be. */
bool job_order_same(const struct model *a, const struct model *b);
bool job_order_same_queue(const struct queue *a, const struct queue *b);

#endif
