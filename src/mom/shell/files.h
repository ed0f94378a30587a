/* files.h - delivery and staging of a job's files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_FILES_H
#define MOM_SHELL_FILES_H

#include "lib/io/loop.h"
#include "lib/wire/batch.h"
#include "mom/shell/plan.h"

/* code 0, or a PBSE code with its words. Called once. */
typedef void (*files_done_fn)(void *arg, int code, const char *text);

/* The same of copies, with the number of pairs that were copied or removed. */
typedef void (*files_copied_fn)(void *arg, size_t n_done, int code, const char *text);
/* A line for the MoM's log about a file; 'arg' is that of the copy. */
typedef void (*files_log_fn)(void *arg, int event, const char *object,
                             const char *text);

/* Carry out CopyFiles, or DelFiles when 'remove', for $copy_alarm seconds at most.
 * Output that could not be delivered is moved from the spool to undelivered/, and the
 * words say where it is. All texts are copied before this returns; 'host' must live
 * until 'done' is called. PBSE_SYSTEM when it cannot be begun: 'done' is not called
 * then, and the words for the user are added to 'words', which ends with a 0 byte. */
int files_start(struct loop *l, const struct plan_host *host,
                const struct body_files *body, bool remove, files_copied_fn done,
                files_log_fn log, void *arg, struct buf *words) MUST_CHECK;

/* Words for a job: 'text' and a newline for its output, its error output or both. */
struct files_line {
    const char *job_id;
    const struct wire_attrs *attrs; /* the job's */
    bool to_output, to_error;
    const char *text;
};

/* Append the line to the files of the job (or to the one that both go to), as the job's
 * user. A file that is not there or is no plain file of that user is left alone, and
 * 'done' is told PBSE_SYSTEM. Nothing is kept of the line, and 'host'
 * is not needed after the call either. PBSE_SYSTEM with words when it cannot be begun:
 * 'done' is not called then. */
int files_append(struct loop *l, const struct plan_host *host,
                 const struct files_line *line, files_done_fn done, void *arg,
                 struct diag *why) MUST_CHECK;

/* Remove the directory 'path', which may be on any file system, with the rights of that
 * user; nobody waits for it. PBSE_SYSTEM with words when it cannot be begun. */
int files_remove_of(struct loop *l, const char *path, const char *user,
                    struct diag *why) MUST_CHECK;

/* Remove the directory 'path' and all in it, with the rights of its owner. Nobody waits
 * for it. PBSE_SYSTEM with words when it is there and that cannot be begun. */
int files_remove_tree(struct loop *l, const char *path, struct diag *why) MUST_CHECK;

#endif
