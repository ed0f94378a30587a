/* job_defaults.h - which members of a job's Resource_List nobody has asked for.
 *
 * They come from the defaults of its queue and of the server, or follow from others. A
 * job that goes into another queue loses them and gets those of that queue
 * (attributes.md 8). They are kept by name in the attribute hf_defaults.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_DEFAULTS_H
#define SERVER_DECIDE_JOB_DEFAULTS_H

#include "server/decide/edit.h"

/* The list of the edit is complete: note what 'asked', the request, has not named. What
 * the job had before stays as it was noted then; what the request takes away has become
 * a default. */
void job_defaults_note(struct edit *job, const struct wire_attrs *asked,
                       struct arena *arena);

/* The edit's job comes into another queue: its list and its schedselect are made anew
 * there. The refusals of resource_request_complete(). */
int job_defaults_renew(struct edit *job, const struct model *m, const struct queue *q,
                       struct arena *arena, struct diag *why) MUST_CHECK;

/* A periodic checkpoint is not made more often than checkpoint_min of the queue says; a
 * job that asks for them without a number of minutes has those of the queue. */
void job_checkpoint_in(struct edit *job, const struct queue *q, struct arena *arena);

#endif
