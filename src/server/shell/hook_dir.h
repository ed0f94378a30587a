/* hook_dir.h - PBS_HOME/server_priv/hooks/tmp: files through which qmgr hands over
 * bodies of hooks (wire.md 7.3).
 *
 * Names come from clients. Only a plain file directly in the directory, with one link,
 * owned by root or the uid that runs the server, is read or written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_HOOK_DIR_H
#define SERVER_SHELL_HOOK_DIR_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Larger bodies are refused. */
#define HOOK_BODY_MAX_BYTES (8u << 20)

struct hook_dir;

/* Make the directory (0750) when it is missing, and empty it: nobody waits for files of
 * a server that has ended. 'exec' is the installation that may have a Python. */
int hook_dir_open(const char *home, const char *exec, struct hook_dir **ret,
                  struct diag *why) MUST_CHECK;
void hook_dir_close(struct hook_dir *d); /* NULL is fine; from any thread */

/* Another owner of the same directory, which closes it too; from any thread. */
struct hook_dir *hook_dir_share(struct hook_dir *d);

/* The installation that may have a Python. */
const char *hook_dir_exec(const struct hook_dir *d);

/* Read or write a file by its base name; from any thread. PBSE_HOOKERROR with words for
 * a name that is none, a file that is no plain one of the server's own, and one that is
 * too large. What was read is in 'arena'. */
int hook_dir_read(const struct hook_dir *d, const char *name, struct arena *arena,
                  const char **data, size_t *len, struct diag *why) MUST_CHECK;
int hook_dir_write(const struct hook_dir *d, const char *name, const char *data,
                   size_t len, struct diag *why) MUST_CHECK;

/* Remove files older than 20 minutes; looks every 10 minutes only. NULL is fine. */
void hook_dir_clean(struct hook_dir *d, int64_t now_at);

#endif
