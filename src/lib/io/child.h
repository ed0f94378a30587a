/* child.h - start a program: no shell, a named environment, chosen descriptors; and
 * what a forked process must leave behind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CHILD_H
#define LIB_IO_CHILD_H

#include "lib/base/diag.h"
#include "lib/io/loop.h"

#include <sys/types.h>

struct child_config {
    const char *path;        /* absolute: PATH is not searched */
    const char *const *argv; /* NULL-terminated, argv[0] included */
    const char *const *envp; /* NULL-terminated; NULL: the caller's environment */
    const char *dir;         /* working directory; NULL: unchanged */
    int fd[3];               /* stdin, stdout, stderr of the child; -1: /dev/null */
    bool new_session;        /* setsid() */
    bool as_other;           /* run as 'uid' and 'gid', without further groups */
    uid_t uid;
    gid_t gid;
};

/* Start it; 'done' (may be NULL) is called in the loop when it ends. Signals are reset
 * to their defaults and all other descriptors are closed in the child. An error of
 * exec, or of becoming that user, is returned here, as PBSE_SYSTEM with words. */
int child_start(struct loop *l, const struct child_config *cfg, loop_child_fn done,
                void *arg, pid_t *pid, struct diag *why) MUST_CHECK;

/* In a forked process: undo what the daemon has set for its signals. */
void child_reset_signals(void);

/* For a forked process that goes on without exec, or does much before it: signals as in
 * a fresh program, /dev/null on the three standard descriptors, and all other
 * descriptors of the daemon closed (its locks, its log, its sockets) but the 'n' that
 * 'keep' points to. Those become 3, 4, ... in this order, close-on-exec, and *keep[i]
 * is changed to match. At most CHILD_MAX_KEPT. Only async-signal-safe calls are made.
 * False: errno says why, and the process should end. */
#define CHILD_MAX_KEPT 8
bool child_keep_only(int *const *keep, size_t n) MUST_CHECK;

#endif
