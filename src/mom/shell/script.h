/* script.h - programs of the administrator that the MoM runs with its own rights: the
 * prologue and the epilogue (execution.md 16), and actions (execution.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SCRIPT_H
#define MOM_SHELL_SCRIPT_H

#include "lib/base/base.h"

#include <sys/types.h>

/* What script_run() returns beside an exit status of 0 to 255. */
enum {
    SCRIPT_UNFIT = -1, /* somebody else could have put it there, or its owner cannot run
                          it */
    SCRIPT_BROKEN = -3, /* no process, or it ended by a signal */
    SCRIPT_LATE = -4,   /* its time was over: its process group was killed */
};

struct script {
    const char *path;
    char **argv; /* NULL-terminated */
    char **envp;
    const char *dir;   /* where it works; NULL: where the caller does */
    int output, error; /* descriptors; -1: /dev/null */
    mode_t umask;
    int64_t limit_s; /* 0: as long as it takes */
    /* It stays in the session of its caller, and what it has started there outlives it;
     * otherwise it gets a session of its own. */
    bool in_session;
    int *ret_signal; /* gets the number of the signal that ended it, 0: none; or NULL */
};

enum script_look {
    SCRIPT_IS_MISSING,
    SCRIPT_IS_FIT, /* a plain file of root's (or of the user of a MoM without root),
                      which its owner may read and run, and nobody else may change */
    SCRIPT_IS_UNFIT,
};
/* What lies at that path now. Links are followed: where the site keeps its scripts is
 * its own affair. */
enum script_look script_look(const char *path);

/* Run it and wait for its end. This blocks: only for processes
 * that serve one job. A script that is not fit is not run. */
int script_run(const struct script *s);

/* "Permission Error"..., as the log has it (execution.md 16); for codes but 0. */
const char *script_words(int code);

#endif
