/* staged.h - directories that were made for a job by staging in, told from those that
 * its user had before.
 *
 * What is to be removed at the end of a job is named by the job's attribute, and the
 * name may be that of a directory which took the files in, such as the user's home. So
 * a directory that is made gets an extended attribute with the id of its job. Where a
 * file system has none, directories stay. All with the rights of whoever calls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_STAGED_H
#define MOM_SHELL_STAGED_H

#include "lib/base/base.h"

/* Mark the directory. False, with errno, when its file system cannot keep that. */
bool staged_mark(const char *path, const char *job_id) MUST_CHECK;

/* Was this directory (and no link to one) made for that job? */
bool staged_is(const char *path, const char *job_id);

/* It is a directory, no link to one, that was not made for that job. */
bool staged_is_foreign(const char *path, const char *job_id);

#endif
