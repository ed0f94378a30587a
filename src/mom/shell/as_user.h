/* as_user.h - a piece of work in a process of its own that has the rights of a user.
 *
 * Whatever touches files that a user chose is done this way: the MoM never waits for
 * such a file, and root's rights never meet it. The process holds none of the MoM's
 * descriptors, cannot be traced by the user, ends when the MoM ends, and has a time
 * limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_AS_USER_H
#define MOM_SHELL_AS_USER_H

#include "lib/base/buf.h"
#include "lib/base/diag.h"
#include "lib/io/loop.h"

#include <sys/types.h>

#define AS_USER_MAX_REPORT_BYTES (64u << 10)

enum as_user_end {
    AS_USER_DONE,   /* 'run' returned true */
    AS_USER_FAILED, /* it returned false, or the process ended otherwise */
    AS_USER_LATE,   /* the time limit came first; the process was killed */
};

struct as_user {
    /* Who: an account that the new process looks up, so that nobody else waits for the
     * service that knows it, with a group of that name instead of its own if there is
     * one; or NULL, and numbers, with no groups but 'gid'. */
    const char *account, *group;
    uid_t uid;
    gid_t gid;
    const char *dir; /* where it works, NULL: in the account's home; "/" when that
                        cannot be entered */
    int64_t limit_ms;
    /* In the new process, with 'work'. What is added to 'report' comes back: its first
     * AS_USER_MAX_REPORT_BYTES. */
    bool (*run)(const void *work, struct buf *report);
    const void *work;
    /* Before that, with the rights of the MoM; uid and gid of 'a' are those of the user
     * now. NULL: nothing needs them. */
    void (*prepare)(const struct as_user *a, struct buf *report);
    /* In the MoM, once, from the loop; may be NULL. 'report' may be empty. */
    void (*done)(void *arg, enum as_user_end end, const char *report);
    void *arg;
    pid_t *ret_pid; /* the process; NULL: of no interest */
};

/* Everything that 'a' points to may be gone after the call. After a late end the
 * process may still be there for a while (a file server that does not answer): 'done'
 * is called all the same. PBSE_SYSTEM with words: nothing was begun. */
int as_user_start(struct loop *l, const struct as_user *a, struct diag *why) MUST_CHECK;

#endif
