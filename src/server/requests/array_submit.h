/* array_submit.h - what makes a new job a job array (attributes.md 9, 14.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_ARRAY_SUBMIT_H
#define SERVER_REQUESTS_ARRAY_SUBMIT_H

#include "server/decide/edit.h"

/* Put the indices "X-Y[:Z][%N]" into the edit of a new job; N becomes max_run_subjobs.
 * 15014, 15144 for a range that is none; 15107 when it has more indices than the
 * server allows; 15029 for an interactive array, 15165 for one whose walltime may be
 * shrunk. */
int array_submit(const struct model *m, const char *indices, struct edit *job,
                 struct arena *arena, struct diag *why) MUST_CHECK;

/* Each subjob has standard files of its own: their paths end in its index, unless they
 * name it elsewhere or are those of directories. */
void array_name_files(struct edit *job, struct arena *arena);
/* The same of one path; NULL when it is well as it is. */
const char *array_file_name(const char *path, struct arena *arena);

#endif
