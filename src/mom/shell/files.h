/* files.h - delivery and staging of a job's files, in a child that is the user.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_FILES_H
#define MOM_SHELL_FILES_H

#include "lib/io/loop.h"
#include "mom/shell/plan.h"

#include "lib/wire/batch.h"

/* code 0, or a PBSE code with its words. Called once. */
typedef void (*files_done_fn)(void *arg, int code, const char *text);

/* Carry out CopyFiles, or DelFiles when 'remove'. All texts are copied before this
 * returns. PBSE_BADUSER or PBSE_SYSTEM with words: 'done' is not called then. */
int files_start(struct loop *l, const struct plan_host *host,
                const struct body_files *body, bool remove, files_done_fn done,
                void *arg, struct diag *why) MUST_CHECK;

/* Append a line to a file of the job; wrong files are left alone. */
void files_append(const char *path, uid_t owner, const char *text);

#endif
