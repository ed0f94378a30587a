/* starting.h - a job that starts, in its own process: places, output, directory, user.
 *
 * Everything here runs in the process that becomes the program of the job (spawn.c),
 * and may wait: for a file server, for the name service. Nothing is given back, since
 * all of it goes with exec.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_STARTING_H
#define MOM_SHELL_STARTING_H

#include "mom/shell/job_terminal.h"
#include "mom/shell/job_x11.h"
#include "mom/shell/safe_name.h"
#include "mom/shell/spawn.h"

#define EXEC_FAILED                                                                    \
    254 /* the exit code of a process that could not become a program                  \
         */

/* A start under way. 'text' is what the MoM's log gets, one remark behind the other. */
struct starting {
    const struct plan *plan;
    const struct job_terminal *terminal; /* NULL: not an interactive job */
    const struct job_x11 *x11;           /* then */
    const struct plan_host *host;
    bool has_jobdir;  /* made, or of the top task found fit */
    bool is_top;      /* and not a task beside the top task */
    bool restarts;    /* from an image */
    bool is_homeless; /* the home cannot be entered */
    int report_fd;    /* to the MoM */
    int output[2];    /* descriptors of output and error output, -1: none yet */
    char text[SPAWN_TEXT_BYTES];
};

/* Add a remark for the MoM's log; what is too long is cut. */
void start_say(struct starting *st, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* That something of somebody else's was moved aside, if it was. */
void start_say_aside(struct starting *st, const char *path, const struct place *at);
/* Tell the MoM. A process that cannot tell ends, since the MoM would wait for nothing.
 */
void start_send_report(int fd, const struct spawn_report *r);
/* The last report; 'jobdir' may be NULL. */
void start_report(int fd, int32_t session, int32_t status, const char *jobdir,
                  const char *text);
/* A line for the MoM's log, before it is known whether the job starts; 'arg' is the
 * struct starting. */
void start_remark(void *arg, int event, const char *text);
/* Have the user's rights and no others from now on. */
bool start_become_user(const struct plan *p) MUST_CHECK;
/* Open the outputs that are kept, or those that are not: the latter are opened before
 * the process becomes the user, the former afterwards. */
bool start_open_outputs(struct starting *st, bool kept) MUST_CHECK;
/* Make them descriptors 1 and 2. Where the two are joined, one goes where the other
 * goes. */
bool start_use_outputs(const struct starting *st) MUST_CHECK;
/* Do all that can fail before the program starts, in order. 0, or the status of the
 * job. */
int start_prepare(struct starting *st) MUST_CHECK;

#endif
