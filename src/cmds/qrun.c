/* qrun.c - have jobs started now, by an operator (cli.md 5.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"
#include "include/pbs_error.h"
#include "lib/base/diag.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define CMD            "qrun"
#define LINE_CHARS_MAX 255

static const char usage[] =
    "Usage: qrun [-a] [-H vnode_specification ] job_identifier_list\n"
    "       qrun [-a] [-H - ] job_identifier_list\n"
    "       qrun --version | --help\n"
    "  -a         do not wait until it runs\n"
    "  -H vnodes  run it there: vn1+vn2, or (vn1:ncpus=1)+(vn2:ncpus=2); - means "
    "where\n"
    "             it ran before. Without it the scheduler chooses.\n";

struct start {
    bool at_once;
    const char *vnodes; /* NULL: the scheduler chooses */
};

static int ask(int conn, const char *id, const void *what)
{
    const struct start *s = what;

    /* AsyrunJob would not be answered at all, a refusal neither (cli.md 5.5). */
    return s->at_once ? pbs_asyrunjob_ack(conn, id, s->vnodes, NULL)
                      : pbs_runjob(conn, id, s->vnodes, NULL);
}

/* An unknown vnode is told with the specification, which may be of any length, instead
 * of the job. */
static enum job_refusal refused(int conn, const char *id UNUSED, const void *what)
{
    const struct start *s = what;
    const char *text = cmd_error_text(conn);
    char line[LINE_CHARS_MAX + 1];
    int len;

    if (pbs_errno != PBSE_UNKNODE || !s->vnodes)
        return REFUSAL_PLAIN;
    len = snprintf(line, sizeof(line), "%s: %s %s", CMD,
                   text ? text : pbse_text(PBSE_UNKNODE), s->vnodes);
    fprintf(stderr, "%s%s\n", line, len > LINE_CHARS_MAX ? "..." : "");
    return REFUSAL_TOLD;
}

static int run(int argc, char **argv)
{
    struct start s = { 0 };
    const struct job_command command = {
        .name = CMD,
        .ask = ask,
        .refused = refused,
        .connect = cmd_connect_operator,
        .failure_code = 2,
        .what = &s,
    };
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "aH:")) != -1) {
        if (letter == 'a') {
            s.at_once = true;
        } else if (letter == 'H' && *optarg) {
            s.vnodes = optarg;
        } else {
            if (letter == 'H')
                fprintf(stderr, "%s: illegal -H value\n", CMD);
            bad = true;
        }
    }
    if (bad || optind >= argc) {
        fputs(usage, stderr);
        return 1;
    }
    return job_command_run(&command, argv + optind);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
