/* committer.h - the store thread: one transaction at a time, tried until it is durable.
 *
 * The loop hands a commit over and is told when it is durable; meanwhile it goes on.
 * A commit that fails stays first in line and is tried again, so nothing that was
 * decided is ever un-decided; the core refuses new changes until then. When it is not
 * durable after PBS_STORE_WAIT seconds, failed or without an answer, the store counts
 * as lost: nobody waits for it any longer (outbox_give_up()), but it is tried on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_COMMITTER_H
#define SERVER_SHELL_COMMITTER_H

#include "server/shell/shell.h"

/* A transaction in the making. What is added must live until it is durable; notes are
 * copied. */
struct commit;
struct commit *commit_new(void);
void commit_free(struct commit *c);
void commit_add(struct commit *c, struct store_record rec, bool with_last);
void commit_note(struct commit *c, const char *key, const char *value, size_t len);
/* Files to be on disk before the transaction; descriptors are taken over. If all of
 * that works the note has another value; if not, the commit goes on with the first. */
void commit_sync(struct commit *c, int fd);
void commit_note_synced(struct commit *c, const char *value, size_t len);
bool commit_is_empty(const struct commit *c);
size_t commit_n_records(const struct commit *c);
const char *commit_note_value(const struct commit *c); /* NULL: none was added */

/* Sync the files, once; an errno value or 0. The store thread does that. */
int commit_sync_files(struct commit *c);

/* The store thread runs from now on, and has nothing to do. */
struct committer *committer_new(struct shell *sh);
/* Waits for the commit under way, if there is one, but does not retry a failing one. */
void committer_free(struct committer *k);

/* Start a commit, which is taken over; there must be none under way. Its end is told
 * by outbox_committed(). */
void committer_start(struct committer *k, struct commit *c);

#endif
