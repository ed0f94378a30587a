/* job_walk.h - through all jobs in their order (job_order.h), with pauses.
 *
 * Between two steps jobs may come, change their places, end and go. Each job that is
 * there all the while is met exactly once; one that comes or goes meanwhile is met once
 * or not at all.
 *
 * The walk remembers the place up to which it has come. A job that leaves one side of
 * this place for the other, as qorder lets it, is set aside: it was met and lies ahead
 * again, or it was not met and lies behind. So nothing is kept of jobs that stay where
 * they are, and the walk has to be told of those that move, and of those that leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_WALK_H
#define SERVER_MODEL_JOB_WALK_H

#include "server/model/job_order.h"

/* So many jobs may be set aside at a time, about 1.5 MB. The walk of a client that
 * reads on in that time meets far fewer; one that is left standing must not take memory
 * for every job that somebody moves. */
#define JOB_WALK_MAX_ASIDE 16384

struct job_walk {
    const struct model *m;
    bool past;                /* those that are over, too */
    bool lost;                /* too many were set aside, and it has ended */
    uint64_t queue;           /* created_seq of the queue whose jobs these are, or 0 */
    const char *queue_name;   /* of that queue; the caller's */
    struct rank_place at;     /* whatever stands up to here has had its turn */
    struct job_aside *met;    /* but stands ahead; uthash */
    struct job_aside *missed; /* not met, and stands behind; uthash */
};

/* A walk over the jobs that live, or (past) over all. job_walk_end() frees what it
 * keeps and is fine for one that is zeroed. */
struct job_walk job_walk_begin(const struct model *m, bool past);
void job_walk_end(struct job_walk *w);

/* Only those of the queue from now on, for a walk that has not begun and is not over
 * history, which is in no queue. It ends when the queue is gone. 'name' must outlive
 * it. */
void job_walk_in_queue(struct job_walk *w, const struct queue *q, const char *name);

/* The next job, good until the model changes; NULL: that was the last one, or the walk
 * is lost. With *ret_met it was met before, in another place. A job of missed ones may
 * have left the queue. Time: the logarithm of the number of jobs. */
const struct job *job_walk_next(struct job_walk *w, bool *ret_met);

/* How many are set aside. */
size_t job_walk_aside(const struct job_walk *w);

/* The job stood at 'was' before the last record. */
void job_walk_moved(struct job_walk *w, const struct job *job, struct rank_place was);

/* The job is about to leave the model, or (retires) to become history. */
void job_walk_leave(struct job_walk *w, const struct job *job, bool retires);

#endif
