/* qorder.c - let two jobs change places (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/job_command.h"
#include "cmds/common/known.h"

#include <stdio.h>
#include <strings.h>

#define CMD "qorder"

static const char usage[] = "usage: qorder job_identifier job_identifier\n"
                            "       qorder --version | --help\n"
                            "The two jobs change their places in their queues.\n";

/* The names and ports of both, as one text each: one connection is asked. No name means
 * the default server. */
static bool is_one_server(char server[2][OPERAND_MAX])
{
    const char *dflt = pbs_default();
    const char *name[2];

    for (int i = 0; i < 2; i++)
        name[i] = *server[i] || !dflt ? server[i] : dflt;
    return strcasecmp(name[0], name[1]) == 0;
}

static int order(char id[2][OPERAND_MAX], const char *server)
{
    char both[2 * OPERAND_MAX + 8];
    int conn = cmd_connect(CMD, server), code = 0;

    if (conn < 0)
        return 1;
    if (pbs_orderjob(conn, id[0], id[1], NULL) != 0) {
        code = cmd_exit_code(pbs_errno);
        snprintf(both, sizeof(both), "%s or %s", id[0], id[1]);
        job_command_print_refusal(CMD, conn, both);
    }
    pbs_disconnect(conn);
    return code;
}

static int run(int argc, char **argv)
{
    char id[2][OPERAND_MAX], server[2][OPERAND_MAX];

    if (cmd_told(argc, argv, usage))
        return 0;
    if (argc != 3) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (known_job(argv[i + 1], id[i], server[i]))
            continue;
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, argv[i + 1]);
        return 1;
    }
    if (!is_one_server(server)) {
        fprintf(stderr, "%s: both jobs ids must specify the same server\n", CMD);
        return 1;
    }
    return order(id, server[0]);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
