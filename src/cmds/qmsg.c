/* qmsg.c - write a message into the output of running jobs (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"

#include <getopt.h>
#include <stdio.h>

#define CMD            "qmsg"

/* What is longer is cut. */
#define TEXT_CHARS_MAX 256

static const char usage[] = "usage: qmsg [-O] [-E] msg_string job_identifier...\n"
                            "       qmsg --version | --help\n"
                            "  -O   into the standard output of the job\n"
                            "  -E   into its standard error, which is the default\n";

struct message {
    int file; /* MSG_OUT, MSG_ERR or both */
    char text[TEXT_CHARS_MAX + 1];
};

static int ask(int conn, const char *id, const void *what)
{
    const struct message *m = what;

    return pbs_msgjob(conn, id, m->file ? m->file : MSG_ERR, m->text, NULL);
}

static int run(int argc, char **argv)
{
    struct message m = { 0 };
    const struct job_command command = {
        .name = CMD, .ask = ask, .connect = cmd_connect, .what = &m
    };
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "EO")) != -1) {
        m.file |= letter == 'E' ? MSG_ERR : letter == 'O' ? MSG_OUT : 0;
        bad = bad || letter == '?';
    }
    if (bad || optind + 1 >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    snprintf(m.text, sizeof(m.text), "%s", argv[optind]);
    return job_command_run(&command, argv + optind + 1);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
