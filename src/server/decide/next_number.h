/* next_number.h - the numbers of jobs and reservations, which are one sequence.
 *
 * No number is told twice, also not by a server that dies and starts again. So the
 * server's attribute hf_next_number, which is stored, is above every number that may
 * have been told. It moves on by a window of several numbers at a time: a record for
 * each would be half of what a submission stores, and QueueJob would wait for the disk
 * as Commit does. Which number of the window is the next one is kept beside the model
 * (svr_view.next_number). A server that dies loses what is left of its window; one that
 * ends in order stores the next number itself (engine/stop.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_NEXT_NUMBER_H
#define SERVER_DECIDE_NEXT_NUMBER_H

#include "server/decide/request.h"

/* The first number, from 'from' on, that no job and no reservation has. Numbers come
 * round behind max_job_sequence_id. */
uint64_t number_free(const struct model *m, uint64_t from);

/* Every number that may have been told is below this one, which is stored. */
uint64_t number_window_end(const struct model *m);

/* The number that the next job or reservation gets. */
uint64_t number_next(const struct model *m, const struct request *rq);

/* Take 'number', which is number_next(), in this decision, which gets a FACT_SET record
 * of the server when it is the first of a window. It is given when an object or a job
 * that is being sent (job_pending.h) has it: number_given(). */
void number_take(const struct model *m, const struct request *rq, uint64_t number,
                 struct decision *out);

/* An object of that id has come into being, or is on its way: '*next' is moved behind
 * its number if that is of this server's window. Called after the record of the window
 * has been applied. */
void number_given(const struct model *m, enum obj_kind kind, const char *id,
                  uint64_t *next);

#endif
