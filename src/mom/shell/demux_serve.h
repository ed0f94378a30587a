/* demux_serve.h - the process of a job that takes what tasks on other hosts write
 * (demux.h), once it is forked and has the rights of the user.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_DEMUX_SERVE_H
#define MOM_SHELL_DEMUX_SERVE_H

#include "lib/base/base.h"

#include <sys/types.h>

/* What it says to the MoM, written in one piece. */
struct demux_remark {
    bool is_ready; /* connections are taken from now on; else words for the log */
    char text[511];
};

struct demux_work {
    const char *cookie;  /* what each connection has to show first */
    const char *path[2]; /* of the output and the error output; NULL: it is joined to
                            the other one */
    mode_t umask;        /* for files that are not there */
    int listen_fd[2];    /* for each of them; accepting does not wait */
    int hold_fd;         /* its end is that of the job's top task */
    int report_fd;       /* to the MoM, which may be gone; -1: nobody listens */
    size_t most;         /* connections at a time, at least 1 */
    int drain_ms;        /* silence behind the top task that ends this process */
};

/* Words for the log of the MoM; longer ones are cut. Nobody waits for it, and what it
 * has no room for is not said. */
void demux_say(const struct demux_work *w, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Say that it is ready, and serve until the top task has ended and everybody who had
 * connected has said his last word. What goes wrong is said once for each kind of it:
 * no words are waited for, so that no task is kept by a full disk. Ends the process. */
NORETURN void demux_serve(const struct demux_work *w);

#endif
