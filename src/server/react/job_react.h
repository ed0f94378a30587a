/* job_react.h - what the reactions to jobs share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_JOB_REACT_H
#define SERVER_REACT_JOB_REACT_H

#include "server/react/react.h"

/* The job of the record, also when it has just left the model. */
const struct object *job_of_reaction(const struct reaction *r);

/* "Exit_status=0 resources_used.cput=00:00:00 ..." */
void job_usage_text(const struct object *o, struct arena *arena, struct buf *out);

#endif
