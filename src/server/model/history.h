/* history.h - jobs that are over and kept for those who ask (attributes.md 14.7).
 *
 * Such a job is an object like any other one, found by its id, and it has left
 * everything else: it is in no queue and no reservation, it has no vnodes, it counts
 * for nobody's limits, no rule looks at it and no scheduler hears of it. What is left
 * is one order, that in which history ends, so that the server has one deadline for all
 * of it: that of the first.
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

/* The job is over, or is not kept any longer. Time: the logarithm of how many are kept.
 */
void history_add(struct model *m, struct job *j);
void history_remove(struct model *m, struct job *j);

/* Those that nobody waits for, in the order in which history ends: the one behind 'j',
 * the first one when 'j' is NULL; NULL: there is none. One order is that of guests, the
 * other one that of all others. */
struct job *history_next(const struct ranks *order, const struct job *j);

/* Jobs wait for it, and look at how it ended; or none does any more. It is not
 * forgotten in between. For jobs that live this does nothing. Time: as above. */
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
