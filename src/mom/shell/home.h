/* home.h - the MoM's directories and the files of a job in them (execution.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOME_H
#define MOM_SHELL_HOME_H

#include "lib/base/buf.h"
#include "lib/base/diag.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Make what is missing of mom_priv, spool, undelivered, aux, checkpoint, mom_logs, and
 * check that nobody else may write where jobs are kept, or the file 'environment'
 * (pbs_environment). PBSE_SYSTEM with words. */
int home_prepare(const char *home, const char *environment,
                 struct diag *why) MUST_CHECK;

/* Paths; 'path' has PATH_MAX bytes. */
enum home_file {
    HOME_RECORD,      /* mom_priv/jobs/ID.JB */
    HOME_SCRIPT,      /* mom_priv/jobs/ID.SC */
    HOME_OUT,         /* spool/ID.OU */
    HOME_ERR,         /* spool/ID.ER */
    HOME_EARLIER_OUT, /* mom_priv/jobs/ID.EO: what a run on another host has written */
    HOME_EARLIER_ERR, /* mom_priv/jobs/ID.EE */
    HOME_NODES,       /* aux/ID */
    HOME_UNDELIVERED, /* undelivered/ID, ID being a file name */
};
const char *home_path(const char *home, enum home_file which, const char *id,
                      char path[PATH_MAX]);
/* mom_priv/jobs/ID.RUN.EX: how that run of the job ended. */
const char *home_exit_path(const char *home, const char *id, int run_version,
                           char path[PATH_MAX]);

/* mom_priv/jobs/ID.RUN-TASK.EX: the same of a task that was spawned. */
const char *home_task_exit_path(const char *home, const char *id, int run_version,
                                unsigned task, char path[PATH_MAX]);

/* Replace a file durably: a temporary name, fsync, rename, fsync of the directory.
 * PBSE_SYSTEM with words. */
int home_write(const char *path, mode_t mode, const void *data, size_t len,
               struct diag *why) MUST_CHECK;
/* Make a file of so many blanks, which home_fill() replaces when its contents are
 * known: that needs no room on the disk any more, where file systems write in place.
 * Its name is durable, and so are all that the directory has when this is called; its
 * contents need not be. What was there is lost. PBSE_SYSTEM with words. */
int home_reserve(const char *path, mode_t mode, size_t len,
                 struct diag *why) MUST_CHECK;

/* Write over the beginning of a reserved file, durably. False: errno says why. */
bool home_fill(const char *path, const void *data, size_t len) MUST_CHECK;

/* home_write() without the directory: the name is durable when home_write() has written
 * another file of it. */
int home_put(const char *path, mode_t mode, const void *data, size_t len,
             struct diag *why) MUST_CHECK;
/* home_put() for what nobody wants any more when the host has been down: nothing of it
 * is written to disk before this returns. Processes that lay the same file at the same
 * time do not disturb each other. */
int home_lay(const char *path, mode_t mode, const void *data, size_t len,
             struct diag *why) MUST_CHECK;
/* Add the bytes of a plain file; behind them stands a NUL byte that is not counted.
 * False, with errno, when it cannot be read, or is longer than that (EFBIG), or is a
 * link or anything else than a plain file. */
bool home_read(const char *path, size_t max_bytes, struct buf *out) MUST_CHECK;
/* The same of a file of the administrator's, who may keep it elsewhere and have a link
 * here. *ret says whose the file is that was read. PBSE_SYSTEM with words. */
int home_read_setting(const char *path, struct buf *out, struct stat *ret,
                      struct diag *why) MUST_CHECK;
/* Write the bytes of the file to 'fd'. False, with errno, when it cannot be read or
 * they cannot all be written. */
bool home_copy(const char *path, int fd) MUST_CHECK;

/* Remove all files of a job of which that is the last run, but for its record: that
 * goes last, for as long as it is there a restart finds the others. */
void home_remove_files(const char *home, const char *id, int run_version);

/* All bytes, or false with errno. */
bool home_write_all(int fd, const char *data, size_t len) MUST_CHECK;
/* Write the directory of the file to disk, so that the file's new name is there after a
 * crash. False with errno. */
bool home_sync_dir_of(const char *path) MUST_CHECK;

#endif
