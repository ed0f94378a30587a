/* job_command.h - a command that asks one thing of each of its jobs (cli.md 5).
 *
 * Every operand gets a request of its own. One that is refused keeps nothing from the
 * others, and the last failure decides the exit status (cli.md 1.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_JOB_COMMAND_H
#define CMDS_COMMON_JOB_COMMAND_H

#include "cmds/common/cmd.h"

/* What a command makes of a refusal. */
enum job_refusal {
    REFUSAL_PLAIN, /* it has said nothing: the usual line is printed */
    REFUSAL_TOLD,  /* it has printed its own words */
    REFUSAL_NOTED, /* the same, and the exit status does not change */
    REFUSAL_USAGE, /* the command line is wrong for every job: exit status 2 at once */
};

struct job_command {
    const char *name;

    /* The request about one job: 0, or what is in pbs_errno then. */
    int (*ask)(int conn, const char *id, const void *what);

    /* Called when the request was refused, with the error in pbs_errno. NULL: every
     * refusal is plain. */
    enum job_refusal (*refused)(int conn, const char *id, const void *what);

    /* cmd_connect() or cmd_connect_operator(). */
    int (*connect)(const char *cmd, const char *server);

    /* The exit status of a refusal and of a server that cannot be reached; 0: the low
     * byte of the error. */
    int failure_code;

    const void *what; /* handed to the functions above */
};

/* Ask it of each of the operands, which end in NULL; the exit status. A job that the
 * server does not have is looked for on the server that LocateJob names. */
int job_command_run(const struct job_command *c, char **operands);

/* Is it one of the two answers after which a job is looked for elsewhere
 * (wire.md 10.4)? The second one comes from servers of another make. */
bool job_command_is_elsewhere(int error);

/* The line about a refusal: "<cmd>: <text> <id>"; without the id when the job has
 * finished (cli.md 1.6). The error is taken from pbs_errno. */
void job_command_print_refusal(const char *cmd, int conn, const char *id);

#endif
