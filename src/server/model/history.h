/* history.h - jobs that are over and kept for those who ask (attributes.md 14.7).
 *
 * Such a job is an object like any other one, found by its id, and it has left
 * everything else: it is in no queue and no reservation, it has no vnodes, it counts
 * for nobody's limits, no rule looks at it and no scheduler hears of it. What is left
 * is one list, in the order in which history ends, so that the server has one deadline
 * for all of it: that of the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_HISTORY_H
#define SERVER_MODEL_HISTORY_H

#include "server/model/model.h"

/* How long another server may ask for a job that it has handed over, at least. */
#define HISTORY_OF_GUESTS_S (14400 + 3600)

/* Did the job come from another server, and is it to be forgotten as soon as that one
 * cannot ask for it any more? */
bool history_is_guest(const struct job *j);

/* The job is over, or is not kept any longer. Time: adding is quick while the clock
 * goes forward; while objects are loaded they are only collected, for history_sort().
 */
void history_add(struct model *m, struct job *j);
void history_remove(struct model *m, struct job *j);
void history_sort(struct model *m);

/* Jobs wait for it, and look at how it ended; or none does any more. It is not
 * forgotten in between. For jobs that live this does nothing. */
void history_is_awaited(struct model *m, struct job *j, bool awaited);

/* How many jobs ended in the queue of that name and are kept. */
size_t history_of_queue(const struct model *m, const char *name);

/* When a job is kept no longer: INT64_MIN for one that is to be forgotten, and for all
 * while the server keeps no history; later for guests. */
int64_t history_ends_at(const struct model *m, const struct job *j);

/* The same for the first of those that nobody waits for; INT64_MAX: there is none. */
int64_t history_deadline(const struct model *m);

/* True while the server keeps what is over. */
bool history_is_kept(const struct model *m);

#endif
