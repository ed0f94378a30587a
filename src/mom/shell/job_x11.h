/* job_x11.h - X programs of an interactive job: a display at the job's host that leads
 * through the user's qsub to the user's X server (execution.md 26, cli.md 3.8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_JOB_X11_H
#define MOM_SHELL_JOB_X11_H

#include "lib/base/attrs.h"
#include "lib/base/diag.h"
#include "lib/io/relay.h"

struct job_x11 {
    bool is_wanted;
    unsigned number, screen; /* of the display here */
    char display[40];        /* as DISPLAY has it */
    char protocol[65], data[513];
    int until_fd; /* the display is there until this is closed */
};

/* "protocol:data:screen" of letters, digits and hyphens; hexadecimal; a number. */
bool job_x11_cookie(const char *text, struct job_x11 *ret) MUST_CHECK;

/* Are these the first bytes of an X client that has the job's cookie? The connection to
 * the user's host comes from a reserved port, and whoever may choose what is sent on
 * one is taken for root by a server, a router or a file server. So nobody's bytes are
 * carried there that do not begin as X does. */
enum relay_look job_x11_look(const struct job_x11 *x, const char *bytes, size_t n);

/* In the shepherd of a job whose client is at 'client': make the display and carry its
 * bytes in a process of its own. 0 also for a job without one; PBSE_SYSTEM with words.
 */
int job_x11_open(const struct wire_attrs *attrs, int client, struct job_x11 *ret,
                 struct diag *why) MUST_CHECK;

/* In the job's process, with the rights of its user: let xauth know the cookie, in the
 * file that its environment says. False: it could not; programs will be refused. */
bool job_x11_authorize(const struct job_x11 *x, char **envp) MUST_CHECK;

#endif
