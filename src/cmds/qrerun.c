/* qrerun.c - put running jobs back into their queues (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define CMD "qrerun"

static const char usage[] =
    "usage: qrerun [-W force] job_identifier...\n"
    "       qrerun --version | --help\n"
    "  -W force   also a job that is not rerunnable, or whose host is lost\n";

static int ask(int conn, const char *id, const void *extend)
{
    return pbs_rerunjob(conn, id, extend);
}

static int run(int argc, char **argv)
{
    struct job_command command = { .name = CMD, .ask = ask, .connect = cmd_connect };
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "W:")) != -1) {
        if (letter == 'W' && strcmp(optarg, FORCE) == 0)
            command.what = FORCE;
        else
            bad = true;
    }
    if (bad || optind >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    return job_command_run(&command, argv + optind);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
