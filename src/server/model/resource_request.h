/* resource_request.h - what a job or a reservation asks for, made complete.
 *
 * Defaults of queue and server are filled in, an old job-wide request becomes a select,
 * the schedselect is derived and the job-wide sums are taken from it (attributes.md 7
 * and 8). The combination rules are checked on what the user gave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESOURCE_REQUEST_H
#define SERVER_MODEL_RESOURCE_REQUEST_H

#include "server/model/model.h"

/* What can be refused of a request by itself, before defaults: forms that do not mix,
 * and the contents of select and place. */
int resource_request_check(const struct resources *list, const struct model *m,
                           bool reservation, struct arena *arena,
                           struct diag *why) MUST_CHECK;

/* Complete 'list', which holds what was asked for. 'queue' may be NULL. A reservation's
 * place is free where a job's would be pack. Hands over the schedselect, in the arena.
 * 15035, 15108, 15109, 15110, 15111, 15116, 15014 and *list half done otherwise: use a
 * copy. It includes resource_request_check(). */
int resource_request_complete(struct resources *list, const struct model *m,
                              const struct queue *queue, bool reservation,
                              struct arena *arena, const char **ret_schedselect,
                              struct diag *why) MUST_CHECK;

/* What a new job would get of that resource in the queue without asking for it
 * (attributes.md 8, steps 1 to 4), in the arena; NULL: nothing. 'queue' may be NULL. */
const char *resource_request_default(const struct model *m, const struct queue *queue,
                                     const char *name, struct arena *arena);

/* Replace the select of a complete 'list': the sums that came from 'schedselect' make
 * room for those of the new one, which is handed over. The codes of select. */
int resource_request_reselect(struct resources *list, const struct model *m,
                              const char *select, const char *schedselect,
                              struct arena *arena, const char **ret_schedselect,
                              struct diag *why) MUST_CHECK;

/* True for what says how and for how long, not how much: nodes, nodect, select, place
 * and walltime. */
bool resource_is_shape(const char *name);

/* The list as it is told of reservations: by name, with those behind the others, in the
 * order above (reservations.md 21). The values stay the list's own. */
struct resources resources_shape_last(const struct resources *list,
                                      struct arena *arena);

/* Set or replace a member by its text; the texts are our own, so it must decode. */
void resources_set_text(struct resources *list, const struct resource_defs *defs,
                        const char *name, const char *text);
/* The text of a member in the arena, NULL when it is not there. */
const char *resources_text(const struct resources *list, const char *name,
                           struct arena *arena);

#endif
