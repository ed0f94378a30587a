/* accounting.h - the accounting file (operations.md 17), which always agrees with the
 * store.
 *
 * Lines are planned when their records go to the store and written when these are
 * durable. Each commit carries, as a note, the lines that may not be on disk yet and
 * the offset where they begin; a restart compares them with the file, completes a torn
 * line and appends what is missing. A file that cannot be written holds up nothing: its
 * lines stay in the note until it can.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_ACCOUNTING_H
#define SERVER_SHELL_ACCOUNTING_H

#include "server/shell/committer.h"

/* 'file': one absolute path instead of a file per day under 'dir'; "" writes nothing.
 */
struct accounting *accounting_new(const char *dir, const char *file,
                                  struct logfile *log);
void accounting_free(struct accounting *a);

/* After a restart: make the files what the note of the last commit says, now or as soon
 * as they can be written. PBSE_SYSTEM: that is no note. */
int accounting_repair(struct accounting *a, const char *note,
                      struct diag *why) MUST_CHECK;
#define ACCOUNTING_NOTE "accounting"

/* The server starts: today's file is opened, and the log says which one it is, before
 * the first line comes. A failure is told there; the first line tries again. */
void accounting_begin(struct accounting *a, int64_t now_at);

/* A line's record goes to the store now; accounting_write() follows once for each
 * line. */
void accounting_plan(struct accounting *a, int64_t at, char type, const char *id,
                     const char *text);
/* Add the note to the commit when it has changed. A commit that syncs files (see
 * committer.h) is followed by accounting_synced() before the next one begins, with an
 * errno value when that failed. */
void accounting_note(struct accounting *a, struct commit *c);
void accounting_synced(struct accounting *a, int err);
/* The first line that was planned and not written is durable now. */
void accounting_write(struct accounting *a);
/* No line came for a while, or none will (INT64_MAX): the next note is to be empty, so
 * that a file which an administrator moves away stays away. False when that is not
 * needed, or not possible yet. */
bool accounting_settle(struct accounting *a, int64_t now_at) MUST_CHECK;
/* Try again what could not be written. */
void accounting_retry(struct accounting *a);
/* SIGHUP: the file may have been moved away. The log says which one is open now. */
void accounting_reopen(struct accounting *a);

#endif
