/* job_react.h - what the reactions to jobs share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_JOB_REACT_H
#define SERVER_REACT_JOB_REACT_H

#include "server/react/react.h"

/* "Exit_status=0 resources_used.cput=00:00:00 ..." */
void job_usage_text(const struct object *o, struct arena *arena, struct buf *out);

#endif
