/* daemon.h - what every daemon does around its work: lock file, background, limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_DAEMON_H
#define LIB_IO_DAEMON_H

#include "lib/base/diag.h"

#include <sys/types.h>

/* Open the lock file and take its exclusive record lock (fcntl, whole file). The lock
 * lives as long as the returned descriptor, here and in the child of daemon_fork().
 * One that is held is waited for DAEMON_LOCK_WAIT_MS, so that a daemon which was killed
 * has the time to end (operations.md 9).
 * PBSE_SYSTEM: cannot be opened; PBSE_OBJBUSY: another process holds it. */
#define DAEMON_LOCK_WAIT_MS 2000
int daemon_lock(const char *path, mode_t mode, int *fd, struct diag *why) MUST_CHECK;
/* Write "<pid>\n" of this process into it. */
int daemon_lock_pid(int fd, struct diag *why) MUST_CHECK;

/* Go into the background in two steps, so that the caller of the daemon gets the exit
 * status of its start: the parent waits inside daemon_fork() until the child calls
 * daemon_ready(), and exits 0; when the child ends before, the parent exits with the
 * child's status. In the child: new session, returns 0. Returns an errno value when
 * fork fails. daemon_ready() makes stdin, stdout and stderr /dev/null. */
int daemon_fork(void) MUST_CHECK;
void daemon_ready(void);

/* The handlers are there: signals that came since daemon_tidy() come now. */
void daemon_hears(void);

/* Signals that a running daemon does not end by (HUP, USR1, USR2) wait until
 * daemon_hears(): whoever rotates logs may send one as soon as there is a process
 * number. umask 022, no CPU, data, stack, rss and file size limits, as many descriptors
 * as allowed, SIGPIPE ignored, descriptors above 2 closed; the heap as heap.h has it.
 */
void daemon_tidy(void);

/* PBS_CORE_LIMIT: "unlimited" or bytes; NULL leaves the limit alone. False for anything
 * else, which counts as unlimited and deserves a line of the log: BAD_CORE_LIMIT. */
bool daemon_core_limit(const char *text);
#define BAD_CORE_LIMIT                                                                 \
    "invalid value for PBS_CORE_LIMIT in pbs.conf, continuing with default core "      \
    "limit. To use PBS_CORE_LIMIT update pbs.conf with correct value"

/* Make a directory with its parents; an existing one is fine. PBSE_SYSTEM otherwise. */
int daemon_mkdir(const char *path, mode_t mode, struct diag *why) MUST_CHECK;

#endif
