/* qmove.c - move jobs to another queue (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"
#include "cmds/common/operand.h"
#include "include/pbs_error.h"

#include <stdio.h>

#define CMD "qmove"

static const char usage[] =
    "usage: qmove destination job_identifier...\n"
    "       qmove --version | --help\n"
    "The destination is a queue, queue@server, or @server for its default queue.\n";

static int ask(int conn, const char *id, const void *destination)
{
    return pbs_movejob(conn, id, destination, NULL);
}

/* A queue without a type is no failure of this command (cli.md 5.4). Our server says
 * the first of these codes; the text of the other one fits servers of another make. */
static bool lacks_type(int error)
{
    return error == PBSE_QUENOEN || error == PBSE_NEEDQUET;
}

static enum job_refusal refused(int conn UNUSED, const char *id UNUSED,
                                const void *destination)
{
    if (!lacks_type(pbs_errno))
        return REFUSAL_PLAIN;
    fprintf(stderr, "%s: Queue type not set for queue '%s'\n", CMD,
            (const char *)destination);
    return REFUSAL_NOTED;
}

static int run(int argc, char **argv)
{
    struct job_command command = {
        .name = CMD, .ask = ask, .refused = refused, .connect = cmd_connect
    };
    char queue[OPERAND_MAX], server[OPERAND_MAX];

    if (cmd_told(argc, argv, usage))
        return 0;
    /* No option is known, so a word that begins with '-' is an operand. */
    if (argc < 3) {
        fputs(usage, stderr);
        return 2;
    }
    if (!operand_destination(argv[1], queue, server)) {
        fprintf(stderr, "%s: illegally formed destination: %s\n", CMD, argv[1]);
        return 2;
    }
    command.what = argv[1];
    return job_command_run(&command, argv + 2);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
