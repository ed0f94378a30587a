/* qsig.c - send signals to jobs (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"

#include <getopt.h>
#include <stdio.h>

#define CMD              "qsig"

/* What fits into a request (wire.md 1). A longer name is cut, and is then no signal's:
 * the MoM refuses it. */
#define SIGNAL_CHARS_MAX 16

static const char usage[] =
    "usage: qsig [-s signal] job_identifier...\n"
    "       qsig --version | --help\n"
    "  -s signal   a name with or without SIG, a number (0 only asks whether the job\n"
    "              can be signalled), suspend, resume, admin-suspend or admin-resume;\n"
    "              without the option SIGTERM is sent\n";

static int ask(int conn, const char *id, const void *signal)
{
    return pbs_sigjob(conn, id, signal, NULL);
}

static int run(int argc, char **argv)
{
    char signal[SIGNAL_CHARS_MAX + 1] = "SIGTERM";
    const struct job_command command = {
        .name = CMD, .ask = ask, .connect = cmd_connect, .what = signal
    };
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "s:")) != -1) {
        if (letter == 's')
            snprintf(signal, sizeof(signal), "%.*s", SIGNAL_CHARS_MAX, optarg);
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
