/* job_terminal.h - the terminal of an interactive job: a pseudo terminal for its
 * programs, and the connection to the qsub that waits for it (execution.md 26).
 *
 * All of it belongs to the job's shepherd, so a session goes on while the MoM is
 * restarted, and a client that does not read holds up nobody else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_JOB_TERMINAL_H
#define MOM_SHELL_JOB_TERMINAL_H

#include "lib/base/attrs.h"
#include "lib/base/diag.h"
#include "lib/wire/terminal.h"

#include <netinet/in.h>
#include <sys/types.h>

struct job_terminal {
    int client;    /* the connection to qsub */
    int master;    /* the MoM's end of the pseudo terminal */
    char path[64]; /* the job's end */
    struct terminal client_has;
};

/* Is it a job with somebody at a terminal? */
bool job_is_interactive(const struct wire_attrs *attrs);

/* Connect to the qsub of the job, tell it the job and open a terminal like its own. May
 * wait 30 s, and for a name service: not for a process with a loop. 0, or the status
 * with which the job does not start, with words for the log. */
int job_terminal_open(const struct wire_attrs *attrs, const char *job_id,
                      struct job_terminal *ret, struct diag *why) MUST_CHECK;

/* One more connection to a client at 'to', as the first was made: from a reserved port
 * where this process may have one. -1 with errno. */
int job_terminal_call(const struct sockaddr_in *to) MUST_CHECK;

/* In the job's process, which leads a session that has no terminal: make the job's end
 * its terminal, owned by 'uid', and descriptors 0, 1 and 2. False with errno. */
bool job_terminal_take(const struct job_terminal *t, uid_t uid) MUST_CHECK;

/* Carry bytes until the process 'job', the leader of its session and a child of this
 * one, has ended and what it has printed has been sent. When the client goes first, the
 * session is killed. The child is not waited for. Both descriptors are closed. */
void job_terminal_carry(struct job_terminal *t, pid_t job);

#endif
