/* link_priv.h - what the files that make and take away links share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_LINK_PRIV_H
#define SERVER_MODEL_LINK_PRIV_H

#include "server/model/model_priv.h"

/* The shares of an exec_vnode's text, summed by vnode; vnodes that are not there book
 * nothing, and a text that cannot be read books nothing at all. The caller ends it with
 * bookings_drop(). */
void bookings_make(struct model *m, const char *text, struct bookings *ret);

/* Put an item into an array of '*n' pointers at a place, or take it out; the array as
 * it is then, NULL when it is empty. Taking out what is not there is no error. */
void *array_insert(void *array, size_t *n, void *item, size_t at);
void *array_remove(void *array, size_t *n, const void *item);

/* Where a job belongs among 'n' others in order of creation. */
size_t place_of_job(struct job *const *v, size_t n, const struct job *j);

/* Add what is held to the sums of its vnodes (sign 1), or take it off (-1). */
void booking_count(const struct model *m, const struct booking *h, int sign);
void bookings_count(const struct model *m, const struct bookings *list, int sign);

/* Add the members of the object's resource list that servers and queues count
 * (attributes.md 6.3) to 'total', or take them off. */
void list_count(struct model *m, struct resource_sums *total, const struct object *o,
                int attr, int sign);

/* The job belongs to reservation 'r', or to none (NULL); it is counted again
 * accordingly. */
void job_set_resv(struct model *m, struct job *j, struct resv *r);
/* The same for all jobs of a queue and the reservation that it is the queue of, when
 * that is another one than before, or counts otherwise; else nothing is done. */
void queue_jobs_follow(struct model *m, struct queue *q);
void job_uncount_outside(struct model *m, struct job *j);

/* The task numbers in a job's exec_host are taken, or free again; and two models have
 * the same ones taken. */
void tasks_take(struct model *m, const struct job *j);
void tasks_drop(struct model *m, const struct job *j);
bool tasks_same(const struct model *a, const struct model *b);

/* The links of one object of each kind. */
void link_queue(struct model *m, struct queue *q);
void unlink_queue(struct queue *q);
/* The queue that is the reservation's by its name, linked or not; NULL: there is none.
 */
struct queue *queue_of_resv(const struct model *m, const struct resv *r);
void link_node(struct model *m, struct node *n);
void unlink_node(struct model *m, struct node *n);
void link_resv(struct model *m, struct resv *r);
void unlink_resv(struct model *m, struct resv *r);
void link_later(struct model *m, struct later *l);
void unlink_later(struct model *m, struct later *l);
void link_job(struct model *m, struct job *j);
void unlink_job(struct model *m, struct job *j);

/* A new queue takes in the jobs that name it; one that goes leaves them without one. */
void adopt_jobs(struct model *m, struct queue *q);
void orphan_jobs(struct model *m, struct queue *q);

/* The vnodes that an occurrence has: book them, or give them back. */
void occurrence_book(struct model *m, struct occurrence *oc, const char *vnodes);
void occurrence_unbook(struct occurrence *oc);

/* A reservation has come that later occurrences may belong to. */
void adopt_strays(struct model *m);

/* What a vnode borrows; and a new vnode may be one that others refer to already. */
void link_references(struct model *m, struct node *n);
void unlink_references(struct model *m, struct node *n);
void adopt_references(struct model *m);

/* The jobs that a job waits for. */
void link_depend(struct model *m, struct job *j);
void unlink_depend(struct model *m, struct job *j);

/* A job that a hot start puts back; find_awaits(): a vnode has come that jobs may
 * await; drop_awaited(): one goes that is not awaited any more. */
void link_hot(struct model *m, struct job *j);
void unlink_hot(struct model *m, struct job *j);
void find_awaits(struct model *m);
void drop_awaited(struct node *n);

#endif
