/* job_altered.h - the text of an 'a' record of accounting: what an alteration of a job
 * was asked for, and not what follows from it (operations.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_ALTERED_H
#define SERVER_REQUESTS_JOB_ALTERED_H

#include "server/decide/edit.h"

/* The attributes of a request in the order of their table, the resources of each in
 * that of the request, with the values that 'e' gives them. The text lies in 'arena'.
 */
const char *job_altered_text(const struct edit *e, const struct wire_attrs *attrs,
                             struct arena *arena);

#endif
