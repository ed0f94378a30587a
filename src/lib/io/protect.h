/* protect.h - a daemon is not what the kernel ends when memory runs out, and what the
 * daemon starts may be (operations.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_PROTECT_H
#define LIB_IO_PROTECT_H

#include "lib/io/logfile.h"

#include <sys/types.h>

#define PROTECT_PROC "/proc/self"

/* Write -1000 to "DIR/oom_score_adj", or on a kernel that has no such file -17 to
 * "DIR/oom_adj". 'dir' is PROTECT_PROC but in tests, and is kept. From then on each
 * process that fork() makes writes 0 to the same file before it does anything else; one
 * that posix_spawn() makes does not, and protect_spawned() is for those. 0, or an errno
 * value: nothing has changed then, here and for children. */
int protect_daemon(const char *dir) MUST_CHECK;

/* protect_daemon(PROTECT_PROC), with a line of the log where the kernel does not allow
 * it, as in most containers and for everybody but root; the daemon goes on. To be
 * called by the process that stays, not before daemon_fork(). */
void protect_logged(struct logfile *log, const char *name);

/* The program that posix_spawn() has just started gets what a fork has: 0. One that
 * makes processes itself may have made some before this: it is told protect_file(). */
void protect_spawned(pid_t pid);

/* The file into which a process that posix_spawn() made writes 0 itself, by a name that
 * means the file of whoever opens it; "" while this process is not protected. */
const char *protect_file(void);

#endif
